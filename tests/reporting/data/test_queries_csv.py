"""queries.csv: every query over its rounds, at full precision, inert in a spreadsheet."""

import csv
import io
import statistics
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reporting.data.queries_csv import CHUNK_QUERIES, encode_queries, header, mean_and_spread
from scoring.items import ItemDetails
from scoring.results import SetResult, merge
from scoring.rubric import REASON_NO_CHECKS, Column, Measure, PassRule, Status
from scoring.sets import CsvTitles
from scoring.statistics import Repeats
from tests.paths import ROOT
from tests.reporting.data.test_items_csv import FORMULA
from tests.reporting.results import make_item, make_part, make_result, make_rubric
from tests.scoring.files import score_shipped
from tests.scoring.statistics.cases import near

ERROR: dict[str, Any] = {"status": Status.ERROR, "intent": 0.0, "accuracy": 0.0, "stability": 0.0}
POINTS = st.lists(st.floats(0, 5), min_size=2, max_size=8)


def written(result: SetResult) -> str:
    return b"".join(encode_queries(result)).decode("utf-8-sig")


def rows(result: SetResult) -> list[dict[str, str]]:
    reader = csv.reader(io.StringIO(written(result), newline=""), strict=True)
    names = next(reader)
    return [dict(zip(names, row, strict=True)) for row in reader]


def test_file_as_excel_likes_it() -> None:
    data = b"".join(encode_queries(make_result()))
    assert data.startswith(b'\xef\xbb\xbf"query_id",')
    assert data.count(b"\r\n") == data.count(b"\n") == 2


def test_every_value_of_a_query_is_under_its_name() -> None:
    items = [
        make_item(2, query_id="A", latency=5.0, seconds=4.0),
        make_item(3, query_id="A", round="2/1", question="다른 말", category="필터", track=3, latency=2.0, seconds=7.5),
        make_item(4, query_id="A", round="4/1", **ERROR, latency=0.0, seconds=None),
        make_item(5, query_id="B", round="3/1", track=None),
    ]  # fmt: skip
    first, second = rows(make_result(*items))
    spread = first["intent_sd"]
    assert float(spread) == near(statistics.stdev([5, 5, 0]))
    assert first == {
        "query_id": "A",
        "question": "지원자 수 알려줘",
        "track": "1",
        "category": "공고",
        "n": "3",
        "passes": "2",
        "class": "sometimes",
        "passed": "false",
        "intent": repr(10 / 3),
        "intent_sd": spread,
        "accuracy": repr(10 / 3),
        "accuracy_sd": spread,
        "stability": repr(10 / 3),
        "stability_sd": spread,
        "latency": repr(7 / 3),
        "latency_sd": first["latency_sd"],
        "seconds": "5.75",
        "status_1": "ok",
        "status_2": "ok",
        "status_3": "",
        "status_4": "error",
    }
    assert float(first["latency_sd"]) == near(statistics.stdev([5, 2, 0]))
    assert (second["query_id"], second["track"], second["class"], second["passed"]) == ("B", "", "always", "true")
    assert (second["intent"], second["intent_sd"], second["seconds"]) == ("5", "", "4.2")
    assert [second[f"status_{number}"] for number in (1, 2, 3, 4)] == ["", "", "ok", ""]


def test_attempts_of_a_round_show_the_worst_status_and_count_each() -> None:
    items = [make_item(2, query_id="A"), make_item(3, query_id="A", **ERROR), make_item(4, query_id="A")]
    (row,) = rows(make_result(*items))
    assert (row["n"], row["passes"], row["class"], row["status_1"]) == ("3", "2", "sometimes", "error")


def test_queries_without_an_item_to_assess_have_no_class() -> None:
    rubric = make_rubric(pass_points=PassRule(metric="accuracy", points=3))
    item = make_item(2, accuracy=0.0, details=ItemDetails(accuracy_reason=REASON_NO_CHECKS))
    (row,) = rows(make_result(item, rubric=rubric))
    assert [row[name] for name in ("n", "passes", "class", "passed", "accuracy")] == ["0", "0", "", "", "0"]


def test_items_without_points_are_left_out_of_the_mean() -> None:
    items = [make_item(2, query_id="A", intent=None), make_item(3, query_id="A", round="2/1", intent=4.0)]
    (row,) = rows(make_result(*items))
    assert (row["intent"], row["intent_sd"]) == ("4", "")


@pytest.mark.parametrize("field", ["query_id", "question", "category", "round", "title"])
def test_no_text_of_the_input_can_be_a_formula(field: str) -> None:
    evil = '=HYPERLINK("http://example.invalid")\n=1'
    titled = Column(name="question", title=evil if field == "title" else "질의")
    rubric = make_rubric(columns=(titled,))
    items = [make_item(2, **({field: evil} if field != "title" else {}))]
    data = b"".join(encode_queries(make_result(*items, rubric=rubric), titles=CsvTitles.REPORT)).decode("utf-8-sig")
    cells = [text for row in csv.reader(io.StringIO(data, newline=""), strict=True) for text in row]
    assert not [text for text in cells if text.lstrip(" ")[:1] in set(FORMULA)]
    assert len(data.splitlines()) == 2
    start = "status =HYPERLINK(" if field == "round" else "'=HYPERLINK("
    assert any(text.startswith(start) for text in cells)


@given(st.text(st.one_of(st.sampled_from(FORMULA + ' "\n\u202e\ud800\x00'), st.characters()), max_size=8))
def test_any_text_is_harmless_on_one_line_and_reads_back(text: str) -> None:
    (row,) = rows(make_result(make_item(query_id=text, question=text, category=text)))
    for name in ("query_id", "question", "category"):
        assert row[name].lstrip(" ")[:1] not in set(FORMULA) or not row[name]
    assert len(written(make_result(make_item(question=text))).split("\r\n")) == 3


def test_large_sets_come_in_chunks_and_in_order() -> None:
    n = 2 * CHUNK_QUERIES + 3
    result = make_result(*(make_item(row, query_id=f"Q{row % n}") for row in range(2, 2 * n + 2)))
    assert len(list(encode_queries(result))) == 4
    assert [row["query_id"] for row in rows(result)] == [query.query_id for query in result.queries]


def test_people_have_the_titles_of_the_document_and_the_labels_of_rounds() -> None:
    rubric = make_rubric(measures=(Measure(name="tokens", title="토큰", column="t"),))
    details = ItemDetails(measures=(None,))
    result = make_result(make_item(2, details=details), make_item(3, round="화요일", details=details), rubric=rubric)
    assert header(result, CsvTitles.REPORT)[:3] == ["Query ID", "질의", "track"]
    assert header(result, CsvTitles.REPORT)[-3:] == ["measure.tokens", "status 1/1", "status 화요일"]
    assert header(result)[-3:] == ["measure_tokens", "status_1", "status_2"]


def test_levels_have_their_columns() -> None:
    (path,) = (ROOT / "tests/cases_found/excel_trailing_commas").glob("*.csv")
    result = score_shipped(path)
    assert header(result)[8:10] == ["rubrics", "rubrics_sd"]
    found = rows(result)
    assert [row["class"] for row in found].count("always") == result.repeatability.counts[Repeats.ALWAYS]
    levels = {item.query_id: item.details.rubrics for item in result.items if item.details is not None}
    assert all(row["rubrics"] == "" or float(row["rubrics"]) == levels[row["query_id"]] for row in found)


def test_row_order_and_file_splitting_change_only_the_order_of_lines() -> None:
    items = [make_item(2, query_id="A"), make_item(3, query_id="B"), make_item(4, query_id="A", round="2/1", **ERROR)]
    rubric = make_rubric()
    parts = [("b.csv", make_part(items[2], sha256="b" * 64)), ("a.csv", make_part(items[1], items[0]))]
    split, whole = rows(merge(parts, rubric)), rows(make_result(*items))
    assert sorted(split, key=str) == sorted(whole, key=str)


@pytest.mark.parametrize(
    ("values", "mean", "spread"),
    [
        pytest.param([], None, None, id="none"),
        pytest.param([3.0], 3.0, None, id="one"),
        pytest.param([0.1] * 3, 0.1, 0.0, id="equal"),
        pytest.param([5.0, 0.0], 2.5, 3.5355339059327378, id="two"),
    ],
)
def test_mean_and_spread(values: Sequence[float], mean: float | None, spread: float | None) -> None:
    assert mean_and_spread(values) == (mean, spread)


@given(POINTS, st.randoms(use_true_random=False))
def test_mean_and_spread_are_those_of_the_standard_library_in_any_order(values: list[float], random: Any) -> None:
    found = mean_and_spread(values)
    assert found == mean_and_spread(random.sample(values, len(values)))
    assert found.mean == pytest.approx(statistics.fmean(values), abs=1e-12)
    assert found.spread == pytest.approx(statistics.stdev(values), rel=1e-9, abs=1e-9)
