"""Conversations of a set: order of turns, what passes, and queries that several turns ask."""

import io
import re
from itertools import permutations

import openpyxl
import pytest

from scoring.items import turn_of
from scoring.results.merging import merge
from scoring.results.model import SetResult
from scoring.results.sessions import Session, SessionShare, reading_order, turn_labels
from scoring.rubric import ALL
from scoring.statistics import Interval
from tests.inner import NORMAL, t_quantile, wilson
from tests.paths import ROOT
from tests.scoring.files import counted, places, score_bytes
from tests.sessions import COLUMNS, Row, chat_part, chat_rubric, chat_set, turn

EVERY = ("pass: last", "pass: every")
NO_POINTS = ("pass_points: { metric: rubrics, points: 0.5 }\n", "")
LEVELS = {"yes": "1", "no": "0", "—": ""}
PASSES = {"yes": True, "no": False, "—": None}


def _wilson(share: float, n: int) -> Interval:
    """The Wilson interval of n sessions that differ, widened for few of them."""
    return wilson(share, n if share in {0, 1} else n * (NORMAL / t_quantile(n - 1)) ** 2)


def entries(result: SetResult) -> tuple[Session, ...]:
    assert result.sessions is not None
    return result.sessions.entries


def share(result: SetResult, key: str = ALL, index: int | None = None) -> SessionShare:
    assert result.sessions is not None
    (group,) = (group for group in result.sessions.groups if group.key == key)
    return group.set if index is None else group.rounds[index]


def told(result: SetResult) -> list[tuple[str, list[str], bool | None]]:
    """Session, rows of its turns by their question, and whether it passes."""
    return [(one.session, [result.items[at].question for at in one.turns], one.passes) for one in entries(result)]


def examples() -> list[tuple[str, str, str]]:
    page = (ROOT / "docs/scoring.md").read_text(encoding="utf-8")
    table = page.partition("| turns pass | `last` | `every` |")[2].partition("\n\n")[0]
    rows = [tuple(cell.strip() for cell in line.split("|")[1:-1]) for line in table.splitlines()[2:]]
    return [(turns, last, every) for turns, last, every in rows]


@pytest.mark.parametrize(("turns", "last", "every"), examples())
def test_a_session_passes_as_the_page_says(turns: str, last: str, every: str) -> None:
    rows = [turn(f"Q{at}", "S1", str(at), level=LEVELS[end]) for at, end in enumerate(turns.split(", "), start=1)]
    for expected, rubric in ((last, chat_rubric()), (every, chat_rubric(EVERY))):
        result = chat_set(*rows, rubric=rubric)
        (session,) = entries(result)
        assert session.passes is PASSES[expected], (turns, rubric.sessions)
        assert share(result).left_out == (expected == "—")
    assert len(examples()) == 6


def test_turns_go_by_number_in_whatever_order_the_rows_are() -> None:
    rows = [turn("greet", "S1", "2"), turn("book", "S1", "10", level="0"), turn("bye", "S1", "1.0")]
    for order in permutations(rows):
        assert told(chat_set(*order)) == [("S1", ["bye?", "greet?", "book?"], False)]


@pytest.mark.parametrize("number", ["", "second", "#REF!"])
def test_one_turn_without_a_number_leaves_its_conversation_in_the_order_of_rows(number: str) -> None:
    result = chat_set(turn("a", "S1", "3"), turn("b", "S1", number), turn("c", "S2", "2"), turn("d", "S2", "1"))
    assert told(result) == [("S1", ["a?", "b?"], True), ("S2", ["d?", "c?"], True)]
    assert [place.found for place in places(result) if place.code == "turn-not-a-number"] == (
        ["second"] if number == "second" else []
    )


def test_a_turn_that_is_no_number_is_named_with_its_row() -> None:
    part = chat_part(turn("a", "S1", "1"), turn("b", "S1", "two"))
    assert counted(part) == {"turn-not-a-number": 1}
    assert [(place.row, place.column, place.found) for place in places(part)] == [(3, "turn", "two")]


@pytest.mark.parametrize(
    ("turns", "row"),
    [
        (["2", "", "1"], 3),
        (["", "2", "1"], 2),
        (["1", "nan"], 3),
        (["1", "2", "1"], 4),
        (["1", "1.0"], 3),
        (["first", "first"], 3),
        (["first", ""], 3),
        (["#REF!", "2"], 2),
        (["", "", ""], None),
        (["3", "1", "2"], None),
        (["1", "2", "4"], None),
        (["first", "second"], None),
        ([""], None),
    ],
)
def test_turns_that_are_partly_blank_or_repeated_are_named_once_a_conversation(
    turns: list[str], row: int | None
) -> None:
    rows = [turn(f"q{at}", "S1", one) for at, one in enumerate(turns)]
    result = chat_set(*rows, turn("a", "S2", "1"), turn("b", "S2", "2"))
    found = [(place.row, place.found) for place in places(result) if place.code == "turns-partly-blank"]
    assert found == ([] if row is None else [(row, "S1")])


def test_each_conversation_of_each_round_is_named() -> None:
    rows = [turn("a", "S1", "1"), turn("b", "S1", ""), turn("c", "S2", "1"), turn("d", "S2", "1")]
    again = [turn("a", "S1", "", round="2/1"), turn("b", "S1", "2", round="2/1")]
    result = chat_set(*rows, *again)
    found = [(place.row, place.found) for place in places(result) if place.code == "turns-partly-blank"]
    assert found == [(3, "S1"), (5, "S2"), (6, "S1")]


def test_items_without_a_session_belong_to_none_and_are_counted() -> None:
    result = chat_set(turn("a", "S1"), turn("b", ""), turn("c", "none"), turn("d", "#N/A"))
    assert result.sessions is not None
    assert (len(entries(result)), result.sessions.outside, len(result.items)) == (1, 3, 4)
    assert chat_set(turn("a", "")).sessions is None


def test_without_points_that_pass_a_turn_passes_when_it_is_answered() -> None:
    rubric = chat_rubric(NO_POINTS)
    result = chat_set(turn("a", "S1", level="0"), turn("b", "S2", error="timeout"), rubric=rubric)
    assert [(one.session, one.passes) for one in entries(result)] == [("S1", True), ("S2", False)]


def test_shares_by_round_track_and_set_have_the_intervals_of_shares() -> None:
    rows: list[Row] = []
    for at in range(8):
        track = f"Track {1 + at % 2}"
        rows += [
            turn(f"a{at}", f"S{at}", "1", track=track),
            turn(f"b{at}", f"S{at}", "2", level=str(int(at < 6)), track=track),
        ]
    rows += [turn("a0", "S0", "1", round="2/1"), turn("b0", "S0", "2", round="2/1", level="0")]
    result = chat_set(*rows)
    first = share(result, index=0)
    assert (first.passed, first.n, first.value, first.interval) == (6, 8, 0.75, _wilson(0.75, 8))
    assert (share(result, index=1).passed, share(result, index=1).n) == (0, 1)
    assert (share(result).passed, share(result).n, share(result).value) == (6, 9, 6 / 9)
    assert [(share(result, key).passed, share(result, key).n) for key in ("1", "2")] == [(3, 5), (3, 4)]


def test_sessions_of_text_tracks_are_in_the_order_of_the_document() -> None:
    listed = ("sessions: { pass: last }\n", "tracks:\n  - { track: hard }\n  - { track: easy }\n")
    rows = [turn(f"q{at}", f"S{at}", track=track) for at, track in enumerate(("easy", "hard", "other", ""))]
    result = chat_set(*rows, rubric=chat_rubric(listed))
    assert result.sessions is not None
    assert [group.key for group in result.sessions.groups] == [group.key for group in result.groups]
    assert [group.key for group in result.sessions.groups][:3] == ["all", "hard", "easy"]


def test_a_session_that_ends_alike_in_every_round_is_one_observation() -> None:
    rows = [turn(f"q{at}", f"S{at}", level=str(at % 2), round=label) for label in ("1/1", "2/1") for at in range(4)]
    found = share(chat_set(*rows))
    assert (found.passed, found.n, found.interval) == (4, 8, _wilson(0.5, 4))


def test_a_merged_session_of_a_workbook_is_that_of_all_its_rows() -> None:
    book = openpyxl.Workbook()
    assert book.active is not None
    for cells in (COLUMNS, *([row.get(name, "") for name in COLUMNS] for row in (turn("a", "S1"), turn("b", "")))):
        book.active.append(list(cells))
    at = openpyxl.utils.get_column_letter(COLUMNS.index("session") + 1)
    book.active.merge_cells(f"{at}2:{at}3")
    out = io.BytesIO()
    book.save(out)
    part = score_bytes(out.getvalue(), "chat_a.xlsx", chat_rubric())
    turns = [turn_of(item) for item in part.items]
    assert [one and one.session for one in turns] == ["S1", "S1"]


def test_the_first_failing_turn_is_known() -> None:
    result = chat_set(turn("a", "S1", "2", level="0"), turn("b", "S1", "3", level="0"), turn("c", "S1", "1"))
    assert result.sessions is not None
    (session,) = result.sessions.failing
    assert session.first_failing == 1
    assert result.items[session.turns[1]].query_id == "a"
    assert turn_labels(result.items, session.turns) == ["1", "2", "3"]


def test_a_query_in_several_sessions_is_a_query_of_each() -> None:
    rows = [
        turn("greet", session, "1", level=level, round=label)
        for label in ("1/1", "2/1")
        for session, level in (("S1", "1"), ("S2", "0"))
    ]
    result = chat_set(*rows, turn("alone", "S1", "2"))
    assert [query.query_id for query in result.queries] == ["greet, S1", "greet, S2", "alone"]
    assert {finding.code for finding in result.findings} & {
        "attempts",
        "rows-equal",
        "rows-differ",
        "two-questions",
    } == set()
    pairs = result.groups[0].pairs
    assert (pairs.both_pass, pairs.mismatch) == (2, 0)  # each session with itself
    assert result.repeatability.counts == {"always": 2, "sometimes": 0, "never": 1}


def test_a_query_in_several_turns_is_a_query_of_each() -> None:
    rows = [turn("yes", "S1", str(at), level=str(at % 2), round=label) for label in ("1/1", "2/1") for at in (1, 2)]
    result = chat_set(*rows)
    assert [query.query_id for query in result.queries] == ["yes, S1, 1", "yes, S1, 2"]
    assert result.repeatability.counts == {"always": 1, "sometimes": 0, "never": 1}


def test_turns_without_numbers_are_named_by_their_place() -> None:
    result = chat_set(turn("yes", "S1"), turn("no", "S1"), turn("yes", "S1"))
    assert [item.query_id for item in result.items] == ["yes, S1, 1", "no", "yes, S1, 3"]


def test_queries_of_one_turn_a_round_keep_their_name_whatever_their_session() -> None:
    result = chat_set(turn("greet", "f81d", "1"), turn("greet", "0c2a", "1", round="2/1"))
    assert [query.query_id for query in result.queries] == ["greet"]
    assert result.groups[0].pairs.compared == 1


def test_an_item_outside_keeps_its_query_beside_one_inside() -> None:
    result = chat_set(turn("greet", "S1"), turn("greet", ""))
    assert [item.query_id for item in result.items] == ["greet, S1", "greet"]


def test_a_made_name_is_never_that_of_another_query() -> None:
    result = chat_set(turn("greet", "S1"), turn("greet", "S2"), turn("greet, S1", "S3"))
    assert [item.query_id for item in result.items] == ["greet, S1'", "greet, S2", "greet, S1"]


def test_rows_of_one_item_id_are_repeats_only_within_a_turn() -> None:
    both = {"item": "i1"}
    part = chat_part(turn("q", "S1", "1", **both), turn("q", "S2", "1", **both), turn("q", "S1", "2", **both))
    assert (len(part.items), part.duplicates, counted(part)) == (3, 0, {})
    again = chat_part(turn("q", "S1", "1", **both), turn("q", "S1", "1", level="0", **both))
    assert (len(again.items), again.duplicates, counted(again)) == (1, 1, {"rows-differ": 1})


def test_without_turns_only_equal_rows_of_a_session_are_repeats() -> None:
    first, second = turn("q", "S1", item="i1"), turn("q", "S1", item="i1", answer="No.")
    part = chat_part(first, second, first)
    assert ([item.response for item in part.items], counted(part)) == (["No.", "Yes."], {"rows-equal": 1})


def test_sessions_of_one_round_may_be_in_several_files() -> None:
    rubric = chat_rubric()
    one = chat_part(turn("q", "S1", "1"), turn("r", "S1", "2"))
    other = chat_part(turn("q", "S2", "1", level="0"), turn("r", "S1", "3", level="0"))
    result = merge([("b.csv", other), ("a.csv", one)], rubric)
    assert [entry.label for entry in result.rounds] == ["1/1"]
    assert [(session.session, len(session.turns), session.passes) for session in entries(result)] == [
        ("S1", 3, False), ("S2", 1, False)
    ]  # fmt: skip
    rerun = merge([("a.csv", one), ("b.csv", chat_part(turn("q", "S1", "1", level="0")))], rubric)
    assert [entry.label for entry in rerun.rounds] == ["1/1, a.csv", "1/1, b.csv"]
    assert [session.passes for session in entries(rerun)] == [True, False]


def test_turns_are_read_together_and_in_order() -> None:
    result = chat_set(
        turn("x", ""), turn("b", "S1", "2"), turn("c", "S2", "1"), turn("a", "S1", "1"), turn("y", ""),
    )  # fmt: skip
    assert [result.items[at].query_id for at in reading_order(result.items)] == ["x", "a", "b", "c", "y"]


def test_turn_labels_are_numbers_in_their_shortest_form() -> None:
    result = chat_set(turn("a", "S1", "01"), turn("b", "S1", " 2.0 "), turn("c", "S1", "'3"))
    turns = [turn_of(item) for item in result.items]
    assert [(one.label, one.number) for one in turns if one] == [("1", 1.0), ("2", 2.0), ("3", 3.0)]
    assert re.fullmatch("[0-9a-f]{64}", result.rubric_digest)
