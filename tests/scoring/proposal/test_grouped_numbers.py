"""Numbers such as `3,338`, which can be two: whole ones are read, and of others it is said why they are not."""

from __future__ import annotations

import pytest

from scoring.proposal.model import Proposal, Reason
from tests.scoring.proposal.test_columns_are_recognised import ANSWER, proposal_of

TOLD = {"column": "latency_ms", "cell": "11,084", "one": "11.084", "other": "11084"}


def with_column(header: str, *cells: str) -> Proposal:
    return proposal_of({"id": [f"{at}" for at in range(len(cells))], "output": [ANSWER] * len(cells), header: cells})


def reason_of(proposal: Proposal, header: str) -> Reason:
    return next(one.reason for one in proposal.columns if one.header == header)


@pytest.mark.parametrize("cells", [("3,338", "3,032", "75"), ("3,338",) * 3])
def test_tokens_are_whole_numbers(cells: tuple[str, ...]) -> None:
    (measure,) = with_column("total_tokens", *cells).measures
    assert (measure.title, measure.unit, measure.decimals, measure.is_doubtful) == ("total_tokens", "tokens", 0, False)


def test_fractions_beside_them_leave_no_reading() -> None:
    proposal = with_column("total_tokens", "3,338", "3,032", "75.5")
    assert proposal.measures == ()
    assert reason_of(proposal, "total_tokens") == Reason("two-numbers", {"cell": "3,338"})


@pytest.mark.parametrize("header", ["weight", "session_length"])
def test_column_of_them_says_why_it_is_only_shown(header: str) -> None:
    proposal = with_column(header, "12", "1,200", "7", "3,000")
    assert proposal.measures == ()
    assert reason_of(proposal, header) == Reason("two-numbers", {"cell": "1,200"})


def test_column_of_texts_does_not() -> None:
    assert reason_of(with_column("shade", "1,200", "many", "few"), "shade") == Reason("shown")


def test_time_that_is_there_and_cannot_be_read_is_said() -> None:
    proposal = with_column("latency_ms", "5669", "11,084", "6187")
    assert Reason("seconds-two-numbers", TOLD) in proposal.doubts
    assert "no-seconds" not in {doubt.code for doubt in proposal.doubts}
    assert proposal.seconds is None
    assert reason_of(proposal, "latency_ms") == Reason("two-numbers", {"cell": "11,084"})
    fields = {one.title: one.field for one in proposal.columns}
    assert fields["latency_ms"] == "latency_ms"  # a line to take, in its own unit


def test_few_of_them_among_times_are_left_to_scoring() -> None:
    proposal = with_column("latency_ms", *["5669"] * 18, "11,084", "6187")
    assert proposal.seconds is not None
    assert not {doubt.code for doubt in proposal.doubts} & {"seconds-two-numbers", "no-seconds"}


def test_file_without_any_time_says_that() -> None:
    assert Reason("no-seconds") in with_column("note", "a", "b").doubts
