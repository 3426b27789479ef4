"""Small files that ask for much are refused with a number and its limit; blank lines cost little."""

import pytest

from config import profile_named, shipped_rubrics
from scoring.checks import comparing
from scoring.items.spool.part_file import Part
from scoring.reading import readers, sheet_extent, spreadsheet
from tests import attacks
from tests.scoring.files import refusal, score_bytes
from tests.scoring.steps import steps


def _score(data: bytes, name: str = "h_recruit_x.csv") -> Part:
    return score_bytes(data, name, profile_named("h-recruit", shipped_rubrics()))


@pytest.mark.parametrize("data", [attacks.many_checks(), attacks.many_places()], ids=["values", "places"])
def test_comparisons_of_an_item_are_limited(data: bytes) -> None:
    assert len(data) < 250_000
    problem = refusal(_score(data))
    assert (problem.code, problem.row) == ("comparisons-too-many", 2)
    assert problem.values["limit"] == str(comparing.MAX_COMPARISONS)
    assert int(problem.values["found"]) > comparing.MAX_COMPARISONS


@pytest.mark.parametrize(
    ("leaf", "values"),
    [
        ({"multipleOf": 1e-300}, [1] * 40),
        ({"multipleOf": 0.01}, [1] * 100),
        ({"uniqueItems": True}, [[1, 2]] * 60),
        ({"type": "integer"}, [1] * 200),
    ],
    ids=["multipleOf", "hundredths", "uniqueItems", "type"],
)
def test_a_file_of_rows_that_each_ask_for_much_is_refused(leaf: dict[str, object], values: list[object]) -> None:
    """The limit of an item grows with its row, so a file of many short ones takes no minute."""
    problem = refusal(_score(attacks.many_schemas(leaf, values)))
    assert problem.code == "comparisons-too-many"
    assert int(problem.values["limit"]) < comparing.MAX_COMPARISONS


def test_a_large_item_of_real_use_is_far_below_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(comparing, "MAX_COMPARISONS", comparing.MAX_COMPARISONS // 10)
    data = attacks.many_places(elements=60, checks=25)
    assert not _score(data).refused


@pytest.mark.parametrize(
    "check",
    [
        {"path": "long", "op": "contains", "value": "x"},
        {"path": "long", "op": "regex", "value": "(a|b)*a(a|b){200}x"},
        {"path": "deep", "op": "in", "value": ["x"] * 50},
        {"path": "list", "op": "contains", "value": "x"},
    ],
    ids=lambda check: check["op"] + " " + check["path"],
)
def test_long_values_cost_more_than_one_comparison(check: dict[str, object], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(comparing, "MAX_COMPARISONS", 1_000)
    payload = {
        "assistantMessage": "답",
        "long": "ab" * 30_000,
        "deep": {"a": ["b" * 9] * 200},
        "list": ["y"] * 700,
    }
    row = ("Q-1", "1/1", "답", attacks.compact(payload), attacks.compact([check] * 9))
    assert refusal(_score(attacks.csv_bytes(attacks.CHECK_HEADER, [row]))).code == "comparisons-too-many"


def test_a_text_that_many_cells_name_is_limited() -> None:
    data = attacks.repeated_string()
    assert len(data) < 120_000
    problem = refusal(_score(data, "h_recruit_x.xlsx"))
    assert problem.code == "text-too-large"
    assert problem.values["limit"] == str(sheet_extent.TEXT_LIMIT >> 20)
    assert int(problem.values["size"]) > sheet_extent.TEXT_LIMIT >> 20


@pytest.mark.parametrize(
    ("was", "becomes"),
    [
        (b"<si>", b"<x:si>"),
        (b"</si>", b"</si >"),
        (b"<si><t>1/1</t></si>", b"<si/>"),
        (b"<sst ", b"<!--<si></si>--><sst "),
        (b't="s"', b"t='s'"),
        (b't="s"', b't = "s"'),
        (b"<v>", b"<v >"),
    ],
)
def test_spelling_hides_no_text(was: bytes, becomes: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    """However the XML is written, what is counted is never less than what its cells hold."""
    monkeypatch.setattr(sheet_extent, "TEXT_LIMIT", 1_000_000)
    monkeypatch.setattr(spreadsheet, "TEXT_LIMIT", 1_000_000)
    data = attacks.rewritten(attacks.repeated_string(rows=100), was, becomes)
    assert refusal(_score(data, "h_recruit_x.xlsx")).code in {"text-too-large", "bad-spreadsheet"}


def test_real_workbooks_keep_their_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sheet_extent, "TEXT_LIMIT", 20_000_000)
    monkeypatch.setattr(spreadsheet, "TEXT_LIMIT", 20_000_000)
    part = _score(attacks.repeated_string(rows=100), "h_recruit_x.xlsx")
    assert len(part.items) == 100


def test_two_members_of_shared_texts_are_refused() -> None:
    data = attacks.repeated_string(rows=2)
    twice = attacks.with_member(data, "xl/SHAREDSTRINGS.xml", b"<sst/>")
    assert refusal(_score(twice, "h_recruit_x.xlsx")).code == "bad-spreadsheet"


def test_text_files_have_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(readers, "FILE_LIMIT", 1 << 20)
    problem = refusal(_score(attacks.blank_lines(1 << 20)))
    assert (problem.code, problem.values) == ("text-too-large", {"size": "2", "limit": "1"})


def test_blank_lines_cost_what_they_are_worth() -> None:
    """Each takes the steps of handing it over, and no more."""
    few, many = (attacks.blank_lines(n) for n in (20_000, 40_000))
    taken = steps(lambda: _score(many)) - steps(lambda: _score(few))
    assert taken < 20_000 * 12
    assert _score(many).blank_rows == 40_000
