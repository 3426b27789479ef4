"""Which column has the time that an answer took: not that of a test or a judge, and in which unit."""

import io

import pytest

from reporting import write_document
from scoring.items import score_file
from scoring.proposal.model import Proposal
from scoring.proposal.proposing import propose
from scoring.proposal.sample import read_sample
from scoring.results import SetResult, merge
from scoring.rubric.document import parse_rubric
from tests.inner import EXTENSIONS
from texts import texts


def proposed(title: str, *cells: str) -> tuple[Proposal, SetResult]:
    """What the document for answers with these times says, and what it makes of them."""
    rows = [f"q{at},What is {at}?,It is the number {at}.,pass,{cell}" for at, cell in enumerate(cells)]
    data, name = "\n".join([f"id,question,answer,passed,{title}", *rows, ""]).encode(), "bot.csv"
    proposal = propose(read_sample(io.BytesIO(data), name), file_name=name, extensions=EXTENSIONS)
    rubric = parse_rubric(write_document(proposal, file_name=name, t=texts("en")), source="new.md")
    return proposal, merge([(name, score_file(io.BytesIO(data), name=name, rubric=rubric))], rubric)


def doubts(proposal: Proposal) -> dict[str, dict[str, str]]:
    return {one.code: dict(one.values) for one in proposal.doubts}


@pytest.mark.parametrize(
    ("title", "cell"),
    [
        ("runDuration", "1.5"),
        ("evaluation_duration", "1.5"),
        ("judge latency", "1.5"),
        ("session duration", "1.5"),
        ("retrieval_latency", "1.5"),
        ("time to first token latency", "1.5"),
        ("latency_us", "1200"),
        ("latency (µs)", "1200"),
        ("durationNs", "1200"),
        ("latency_min", "1.5"),
        ("소요시간(분)", "1.5"),
        ("테스트 소요시간", "1.5"),
    ],
)
def test_a_time_of_something_else_or_in_another_unit_is_none_and_named(title: str, cell: str) -> None:
    proposal, _ = proposed(title, cell, cell, cell)
    assert (proposal.seconds, doubts(proposal)["seconds-unread"]) == (None, {"column": title, "cell": cell})


@pytest.mark.parametrize(
    ("title", "cells", "seconds"),
    [
        ("completionTime", ("1.5", "2.5"), (1.5, 2.5)),
        ("model_latency", ("1.5", "2.5"), (1.5, 2.5)),
        ("latency_ms", ("1.2s", "350ms"), (1.2, 0.35)),
        ("소요시간(초)", ("15", "25"), (15.0, 25.0)),
        ("durations", ("15", "25"), (15.0, 25.0)),
        ("execution_time", ("1.5", "2.5"), (1.5, 2.5)),
        ("처리시간(ms)", ("1500", "2500"), (1.5, 2.5)),
    ],
)
def test_the_time_of_an_answer_is_read_in_its_unit(
    title: str, cells: tuple[str, ...], seconds: tuple[float, ...]
) -> None:
    proposal, result = proposed(title, *cells)
    assert proposal.seconds is not None
    assert (proposal.seconds.most, proposal.seconds.median) == (max(seconds), sum(seconds) / 2)
    assert tuple(item.seconds for item in result.items) == seconds
    assert not {"seconds-unread", "seconds-assumed", "no-seconds"} & doubts(proposal).keys()


@pytest.mark.parametrize(("cell", "told"), [("19", False), ("20", True), ("199", True), ("20.5", False)])
def test_whole_numbers_too_large_for_most_answers_under_a_name_without_a_unit_are_named(cell: str, told: bool) -> None:
    proposal, _ = proposed("latency", cell, cell)
    assert doubts(proposal).get("seconds-assumed") == ({"column": "latency", "median": cell} if told else None)
    assert "milliseconds" in doubts(proposed("latency", "200", "200")[0])  # larger ones are none of seconds


@pytest.mark.parametrize(
    ("titles", "taken", "others"),
    [
        (("retrieval_latency", "total_latency"), 1, ""),
        (("model_latency", "end-to-end latency"), 1, ""),
        (("setup.duration", "call.duration"), 1, ""),
        (("model_latency", "agent_latency"), 0, "agent_latency"),
        (("latency_ms", "duration"), 1, "latency_ms"),
    ],
)
def test_of_several_times_that_of_the_whole_is_read_or_the_others_are_said(
    titles: tuple[str, str], taken: int, others: str
) -> None:
    proposal, result = proposed(",".join(titles), "1.5,2.5", "1.5,2.5")
    assert [item.seconds for item in result.items] == [(1.5, 2.5)[taken]] * 2
    said = {"column": titles[taken], "others": others} if others else None
    assert (doubts(proposal).get("times-alike"), proposal.is_sure) == (said, said is None)
    assert "times-alike" not in doubts(proposed(",".join(titles), "1.5,1.5", "2.5,2.5")[0]) or "ms" in titles[0]


@pytest.mark.parametrize(
    ("title", "cells", "said"),
    [
        ("seconds", ("1.5", "2.5", "999", "999"), ("999", "2")),
        ("latency_ms", ("1500", "2500", "99999"), ("99999", "1")),
        ("seconds", ("1.5", "2.5", "99"), None),
        ("seconds", ("1.5", "2.5", "998"), None),
        ("latency_ms", ("700", "800", "999"), None),
        ("latency_ms", ("999", "999"), None),
    ],
)
def test_a_number_of_nines_may_stand_for_no_time(
    title: str, cells: tuple[str, ...], said: tuple[str, str] | None
) -> None:
    proposal, _ = proposed(title, *cells)
    found = doubts(proposal).get("times-stand-in")
    assert (found, proposal.is_sure) == (said and {"column": title, "value": said[0], "rows": said[1]}, said is None)


def test_the_cost_of_tokens_is_money() -> None:
    proposal, _ = proposed("tokenCost", "0.25", "0.5", "0.75")
    assert [(one.unit, one.decimals) for one in proposal.measures] == [("USD", 4)]
