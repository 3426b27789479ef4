"""Several files of a set: which rows count once, and which runs are told apart (docs/scoring.md#several-files)."""

import csv
import io
from fnmatch import fnmatch

import pytest

from config import shipped_rubrics
from scoring.items import from_rows
from scoring.items.spool import Part
from scoring.problems import InputError, Problem, Severity
from scoring.results.merging import merge
from scoring.results.model import SetResult
from tests.paths import ROOT
from tests.scoring.files import HEADER, payload, resume_rubric, row, score_bytes, score_rows


def set_of(**files: list[list[str]]) -> SetResult:
    """A set of files named by letters: `a=[row()]` is a.csv."""
    return merge([(f"{name}.csv", score_rows(*rows)) for name, rows in files.items()], resume_rubric())


def labels(result: SetResult) -> list[str]:
    return [entry.label for entry in result.rounds]


def found(result: SetResult) -> dict[str, int]:
    return {finding.code: finding.count for finding in result.findings}


def places(result: SetResult, code: str) -> tuple[Problem, ...]:
    return next(finding.places for finding in result.findings if finding.code == code)


A, B, C = row(Query_ID="A"), row(Query_ID="B"), row(Query_ID="C")
A_FAILED = row(Query_ID="A", 오류="x")


def test_the_same_query_and_round_in_two_files_is_two_runs() -> None:
    result = set_of(w1=[A, B], w2=[A_FAILED, B])
    assert [(entry.label, entry.number, entry.file) for entry in result.rounds] == [
        ("1/1, w1.csv", 1, "w1.csv"),
        ("1/1, w2.csv", 2, "w2.csv"),
    ]
    assert [item.round for item in result.items] == ["1/1, w1.csv"] * 2 + ["1/1, w2.csv"] * 2
    pairs = result.groups[0].pairs
    assert (pairs.both_pass, pairs.mismatch, pairs.score) == (1, 1, 2.5)
    assert found(result) == {"runs-by-file": 1}
    (place,) = places(result, "runs-by-file")
    assert (place.found, place.values) == ("1/1", {"files": "w1.csv, w2.csv"})
    assert result.findings[0].severity is Severity.NOTE


def test_rounds_of_clashing_files_are_ordered_by_round_then_file() -> None:
    first = [A, row(Query_ID="A", 방_반복="2/1")]
    second = [A_FAILED, row(Query_ID="A", 방_반복="2/1"), row(Query_ID="A", 방_반복="10/1")]
    result = set_of(b=first, a=second)
    # 2/1 is equal in both, but the files are two runs.
    assert labels(result) == ["1/1, a.csv", "1/1, b.csv", "2/1, a.csv", "2/1, b.csv", "10/1"]
    assert [entry.file for entry in result.rounds] == ["a.csv", "b.csv", "a.csv", "b.csv", ""]


def test_other_files_and_rounds_stay_as_they_are() -> None:
    result = set_of(a=[A, row(Query_ID="A", 방_반복="3/1")], b=[A_FAILED], c=[B, C])
    assert labels(result) == ["1/1", "1/1, a.csv", "1/1, b.csv", "3/1"]
    assert [(item.query_id, item.round) for item in result.items if item.round == "1/1"] == [("B", "1/1"), ("C", "1/1")]


def test_a_whole_round_is_kept_though_only_one_query_clashes() -> None:
    result = set_of(a=[A, B, C], b=[A_FAILED, B])
    assert [mean.n for mean in result.groups[0].metrics["intent"].rounds] == [3, 2]


def test_equal_rows_of_files_that_agree_count_once() -> None:
    result = set_of(a=[A, B], b=[B, C], c=[C, C])
    # C is twice in c.csv: without an Item ID these are two items.
    assert [(item.query_id, source) for item, source in zip(result.items, result.sources, strict=True)] == [
        ("A", 0), ("B", 0), ("C", 1), ("C", 2),
    ]  # fmt: skip
    assert labels(result) == ["1/1"]
    assert found(result) == {"attempts": 1, "rows-equal": 2}
    assert [(place.source, place.row, place.values) for place in places(result, "rows-equal")] == [
        ("b.csv", 2, {"kept": "a.csv 3", "query": "B"}),
        ("c.csv", 2, {"kept": "b.csv 3", "query": "C"}),
    ]
    assert [(file.rows, file.items, file.duplicates) for file in result.inputs] == [(2, 2, 0), (2, 1, 1), (2, 1, 1)]


def test_a_longer_export_of_the_same_run_adds_its_own_rows() -> None:
    retried = [A, B, row(Query_ID="B", 오류="x")]
    result = set_of(monday=[A, B], tuesday=retried)
    assert labels(result) == ["1/1"]
    assert len(result.items) == 3


def test_rows_that_differ_in_an_unread_part_of_the_payload_differ() -> None:
    result = set_of(a=[row(Raw_JSON='{"assistantMessage":"네"}')], b=[row(Raw_JSON='{"assistantMessage":"네","x":12}')])
    assert labels(result) == ["1/1, a.csv", "1/1, b.csv"]


def test_payloads_of_one_length_differ_where_files_have_kept_them(monkeypatch: pytest.MonkeyPatch) -> None:
    one, other = (row(Raw_JSON=payload(unread=n)) for n in (1, 2))
    assert labels(set_of(a=[one], b=[other])) == ["1/1, a.csv", "1/1, b.csv"]
    assert found(set_of(a=[one, B], b=[one])) == {"rows-equal": 1}
    monkeypatch.setattr(from_rows, "KEPT_PAYLOADS", len(payload()))
    assert found(set_of(a=[B, one], b=[other])) == {"rows-equal": 1}


def test_extra_columns_are_compared_by_title() -> None:
    one = score_rows([*A, "1", "x"], header=[*HEADER, "Ordinal", "비고"])
    swapped = score_rows([*A, "x", "1"], header=[*HEADER, "비고", "Ordinal"])
    other = score_rows([*A, "2", "x"], header=[*HEADER, "Ordinal", "비고"])
    assert found(merge([("a.csv", one), ("b.csv", swapped)], resume_rubric())) == {"rows-equal": 1}
    assert found(merge([("a.csv", one), ("b.csv", other)], resume_rubric())) == {"runs-by-file": 1}


def test_byte_equal_files_count_once() -> None:
    part = score_rows(A, A_FAILED, row(Query_ID=""))
    result = merge([("b.csv", part), ("a.csv", part), ("c.csv", part)], resume_rubric())
    assert [(file.name, file.rows, file.items, file.duplicates) for file in result.inputs] == [
        ("a.csv", 3, 2, 0), ("b.csv", 3, 0, 2), ("c.csv", 3, 0, 2),
    ]  # fmt: skip
    assert found(result) == {"no-query-id": 1, "attempts": 1, "files-equal": 2}
    assert [place.values for place in places(result, "files-equal")] == [{"first": "a.csv"}] * 2


def test_the_limit_of_rounds_counts_labels_as_written() -> None:
    limit = resume_rubric().max_rounds
    rows = [row(방_반복=f"{room}/1") for room in range(1, limit + 1)]
    failed = [row(방_반복=f"{room}/1", 오류="x") for room in range(1, limit + 1)]
    assert len(set_of(a=rows, b=failed).rounds) == 2 * limit
    with pytest.raises(InputError):
        set_of(a=rows, b=[row(방_반복="가")])


def test_a_label_that_looks_like_one_of_a_run_stays_another_round() -> None:
    result = set_of(a=[A, row(Query_ID="A", 방_반복="1/1, a.csv")], b=[A_FAILED])
    assert labels(result) == ["1/1, a.csv'", "1/1, b.csv", "1/1, a.csv"]
    assert len({item.round for item in result.items}) == 3


@pytest.mark.parametrize(("size", "expected"), [pytest.param(4, 0, id="half"), pytest.param(3, 1, id="below-half")])
def test_a_round_under_half_the_size_of_the_largest_is_named(size: int, expected: int) -> None:
    rows = [row(Query_ID=f"Q-{number}") for number in range(8)]
    result = set_of(a=rows, b=[row(Query_ID=f"Q-{number}", 방_반복="2/1") for number in range(size)])
    assert found(result).get("small-round", 0) == expected
    if expected:
        (place,) = places(result, "small-round")
        assert (place.found, place.values) == ("2/1", {"items": "3", "largest": "8"})


def test_a_conflict_copy_is_not_scored_and_named() -> None:
    copy = "a.sync-conflict-20260101-101010-ABCDEFG.csv"
    parts = [("a.csv", score_rows(A, B)), (copy, score_rows(A_FAILED, A_FAILED))]
    result = merge(parts, resume_rubric())
    assert [item.query_id for item in result.items] == ["A", "B"]
    assert [(file.name, file.rows, file.left_out) for file in result.inputs] == [("a.csv", 2, False), (copy, 0, True)]
    (finding,) = result.findings
    assert (finding.code, finding.severity) == ("conflict-copy", Severity.ERROR)
    assert [(place.source, place.values) for place in finding.places] == [(copy, {"original": "a.csv"})]


def test_a_conflict_copy_that_cannot_be_read_costs_nothing() -> None:
    parts = [("a.csv", score_rows(A)), ("a (conflicted copy 2026-03-01 101112).csv", score_bytes(b""))]
    result = merge(parts, resume_rubric())
    assert (found(result), result.refusals) == ({"conflict-copy": 1}, ())


def test_a_conflict_copy_without_its_original_is_scored() -> None:
    part: Part = score_rows(A)
    result = merge([("b.csv", score_rows(B)), ("a.sync-conflict-20260101-101010-ABCDEFG.csv", part)], resume_rubric())
    assert (len(result.items), found(result)) == (2, {})


def test_a_browser_copy_is_scored_with_a_finding() -> None:
    result = set_of(**{"a (1)": [A], "b": [B]})
    assert (len(result.items), found(result)) == (2, {"browser-copy": 1})


def test_rows_are_equal_also_where_only_one_file_keeps_the_payload(monkeypatch: pytest.MonkeyPatch) -> None:
    parts = [("a.csv", score_rows(A, B))]
    monkeypatch.setattr(from_rows, "KEPT_PAYLOADS", 0)
    parts.append(("b.csv", score_rows(A, B)))
    assert [item.payload != "" for _, part in parts for item in part.items] == [True, True, False, False]
    result = merge(parts, resume_rubric())
    assert labels(result) == ["1/1"]
    assert len(result.items) == 2


@pytest.mark.parametrize(
    "case",
    [
        "raw_json_faults", "payload_types", "pandas_blanks", "llm_scores", "excel_dates_en", "h_full", "h_accuracy",
        "ragged", "plan_prose", "move_urls",
    ],
)  # fmt: skip
def test_a_shorter_export_beside_a_file_adds_nothing_to_look_at(case: str) -> None:
    """Rows that count once are counted once, whatever their cells give: also where the shorter file comes first."""
    (path,) = (ROOT / "tests/cases" / case).glob("*.csv")
    (rubric,) = [one for one in shipped_rubrics() if any(fnmatch(path.name, pattern) for pattern in one.files)]
    lines = list(csv.reader(io.StringIO(path.read_text(encoding="utf-8-sig"), newline=""), strict=True))
    stream = io.StringIO()
    csv.writer(stream).writerows(lines[: 1 + len(lines) // 2])
    whole, start = (score_bytes(data, path.name, rubric) for data in (path.read_bytes(), stream.getvalue().encode()))
    alone = merge([("b.csv", whole)], rubric)
    for first, second in ((start, whole), (whole, start)):
        together = merge([("a.csv", first), ("b.csv", second)], rubric)
        assert len(together.items) == len(alone.items)
        assert together.counts == alone.counts
        assert {code: n for code, n in found(together).items() if code != "rows-equal"} == {
            code: n for code, n in found(alone).items() if code != "rows-equal"
        }


def test_places_of_rows_that_count_once_are_those_of_the_row_that_stays() -> None:
    bad = [row(Query_ID=f"Q-{n}", Item_ID=f"i{n}", LLM_점수="4점", Raw_JSON="{") for n in range(3)]
    result = set_of(a=bad[:2], b=bad)
    for code in ("recorded-not-a-number", "payload-unreadable"):
        assert [(place.source, place.row) for place in places(result, code)] == [
            ("a.csv", 2),
            ("a.csv", 3),
            ("b.csv", 4),
        ]
    assert result.counts["payload:truncated"] == 3
