"""Measures of the items of a file: what is read, what is named, and what is neither."""

import io
import json
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from config import shipped_rubrics
from scoring.items.file_scorer import score_file
from scoring.items.part import details_of
from scoring.items.quantities import MOST_MEASURED, read_amount
from scoring.items.spool.part_file import Part
from scoring.rubric import Measure, Rubric, encode_rubric
from tests.measured import EXAMPLE, HEADER, Row, measured_csv, measured_part, measured_rubric
from tests.scoring.files import row, score_rows, stored

TOKENS, COST, SAVED, STEPS = range(4)


def _amounts(part: Part, at: int) -> list[float | None]:
    return [details_of(item).measures[at] for item in part.items]


def _found(part: Part) -> dict[str, list[tuple[int | None, str | None, str]]]:
    return {
        finding.code: [(place.row, place.column, place.found) for place in finding.places] for finding in part.findings
    }


def _absent(part: Part) -> list[tuple[str, str, str | None, int]]:
    """Measure, where it was looked for, column, and how often, of those that the file does not have."""
    found = []
    for finding in part.findings:
        for place in finding.places:
            if finding.code == "measure-absent":
                found.append((place.values["measure"], place.found, place.column, finding.count))
            elif finding.code == "path-never-found":
                found.append((place.values["key"], place.values["paths"], place.column, finding.count))
    return found


def _rubric(*measures: Measure) -> Rubric:
    return replace(measured_rubric(), measures=measures)


def _read(cell: object, **more: object) -> float | str | None:
    return read_amount(cell, **more)  # type: ignore[arg-type]


def test_values_of_columns_and_payloads() -> None:
    part = measured_part(measured_csv(EXAMPLE))
    assert _amounts(part, TOKENS) == [1000.0, 3000.0, None, 2000.0, 2000.0, 500.0]
    assert _amounts(part, COST) == [0.01, 0.03, None, 0.02, 0.05, 0.09]
    assert _amounts(part, SAVED) == [2.5, -1.0, None, 0.0, 4.0, None]
    assert _amounts(part, STEPS) == [3.0, None, None, None, 4.0, None]
    assert part.findings == ()
    assert part.extra_columns == ()  # the columns of measures are none of them
    assert stored(part) == part


@pytest.mark.parametrize(
    ("value", "amount"),
    [
        (12, 12.0), (-0.5, -0.5), (MOST_MEASURED, 1e12), (-MOST_MEASURED, -1e12), (MOST_MEASURED + 1, "1e+12"),
        (1e308, "1e+308"), (10**400, "1…"), (float("nan"), None), (float("inf"), None), (None, None), (False, None),
        (True, "true"), ([], None), ({}, None), ([1], "[1]"), ({"n": 1}, '{"n": 1}'), ("", None), (" null ", None),
        ("'12", 12.0), ("'-12", -12.0), ("12 USD", 12.0), ("USD12", 12.0), ("usd 12", 12.0), ("12 EUR", "12 EUR"),
        ("USD", "USD"), ("-USD 3", "-USD 3"), ("1 2", "1 2"), ("1e308", "1e308"), ("1e400", "1e400"), ("0x10", "0x10"),
        ("１２", "１２"), ("$0.02", "$0.02"), ("12 tokens", "12 tokens"), ("1,234.5", 1234.5), ("9,694", "9,694"),
        ("=1+1", "=1+1"), ("−5", "−5"), ("-0", 0.0),
    ],
)  # fmt: skip
def test_amounts(value: object, amount: float | str | None) -> None:
    assert _read(value, unit="USD") == amount


@pytest.mark.parametrize(
    ("text", "is_whole", "has_decimal_comma", "amount"),
    [
        ("9,694", True, False, 9694.0), ("9,694", True, True, 9.694), ("9,694", False, True, 9.694),
        ("-1,000", True, False, -1000.0), ("1,00", True, False, 1.0), ("1,2345", True, False, 1.2345),
        ("9.694", True, True, 9694.0), ("1.020", True, True, 1020.0), ("9.694", True, False, 9.694),
        ("9.694", False, True, 9.694), ("0.694", True, True, 0.694), ("-1.234.567", True, True, -1234567.0),
        ("1.234.567", False, False, 1234567.0), ("1 234", False, False, 1234.0), ("1\u00a0234,5", False, True, 1234.5),
        ("1\u202f234\u202f567", True, False, 1234567.0), ("1'234.5", False, False, 1234.5),
        ("1’234", True, True, 1234.0),
        ("1.234,5", False, False, 1234.5), ("12,345,678", False, False, 12345678.0), ("9,694 USD", True, False, 9694.0),
    ],
)  # fmt: skip
def test_commas(text: str, is_whole: bool, has_decimal_comma: bool, amount: float) -> None:
    assert _read(text, unit="USD", is_whole=is_whole, has_decimal_comma=has_decimal_comma) == amount


@pytest.mark.parametrize("unit", ["$", "₩", "토큰", "e", "%", "(x|y)*"])
def test_a_unit_is_taken_off_as_it_is_written(unit: str) -> None:
    assert _read("12", unit=unit) == 12.0
    assert _read(f"12 {unit}", unit=unit) == _read(f"{unit}12", unit=unit) == 12.0
    assert _read("1e1", unit=unit) == 10.0


@given(st.text(max_size=20) | st.integers() | st.floats() | st.lists(st.integers(), max_size=2), st.text(max_size=4))
def test_any_value_gives_a_number_in_range_a_text_or_nothing(value: object, unit: str) -> None:
    amount = read_amount(value, unit=unit)
    assert amount is None or isinstance(amount, str) or -MOST_MEASURED <= amount <= MOST_MEASURED


def test_what_cannot_be_used_is_named_with_its_row_and_column_and_is_no_value() -> None:
    rows = [
        Row("Q-1", tokens="many", cost="free"),
        Row("Q-2", tokens="12", cost=1e308),
        Row("Q-3", tokens="-3", cost=[1, 2]),
    ]
    part = measured_part(measured_csv(rows))
    assert _amounts(part, TOKENS) == [None, 12.0, -3.0]
    assert _amounts(part, COST) == [None, None, None]
    assert _found(part)["measure-unusable"] == [
        (2, "total_tokens", "many"),
        (2, "Raw JSON", "free"),
        (3, "Raw JSON", "1e+308"),
        (4, "Raw JSON", "[1, 2]"),
    ]
    assert {place.values["measure"] for finding in part.findings[:1] for place in finding.places} == {"Tokens", "Cost"}
    assert _absent(part) == [("measures.steps", "steps[*].n", "Raw JSON", 3)]


def test_a_measure_that_no_row_has_is_named_and_blank_cells_are_not() -> None:
    blank = measured_part(measured_csv([Row("Q-1"), Row("Q-2", steps=(1,))]))
    assert _absent(blank) == [("measures.cost", "usage.cost, cost", "Raw JSON", 2)]  # the columns are there, and empty
    names = ["Tokens" if name == "total_tokens" else name for name in HEADER]
    other = measured_part(measured_csv([Row("Q-1", tokens="5", cost=1, steps=(1,))], header=names))
    assert _absent(other) == [("tokens", "total_tokens", "total_tokens", 1)]
    assert other.extra_columns == ("Tokens",)
    assert _amounts(other, TOKENS) == [None]


def test_payloads_that_cannot_be_read_do_not_make_a_measure_absent() -> None:
    data = measured_csv([Row("Q-1", tokens="1")])
    cut = data.replace(b'""Q-1""', b"").replace(b'"{""assistantMessage"": ""12"", ""responseTimeSec"": 1.5}"', b"{")
    part = measured_part(cut)
    assert [finding.code for finding in part.findings] == ["payload-unreadable"]
    assert _amounts(part, COST) == [None]


def test_paths_are_tried_in_order_until_one_has_a_value() -> None:
    payloads = [
        {"usage": {"cost": 1}, "cost": 2},
        {"usage": {"cost": None}, "cost": 2},
        {"usage": {"cost": ""}, "cost": "3"},
        {"usage": [], "cost": 4},
        {"usage": {"cost": "x"}, "cost": 5},
    ]
    rows = [[f"Q-{at}", "1/1", json.dumps(payload)] for at, payload in enumerate(payloads)]
    part = measured_part(_csv(rows, ("Query ID", "round", "Raw JSON")))
    assert _amounts(part, COST) == [1.0, 2.0, 3.0, 4.0, None]
    assert _found(part)["measure-unusable"] == [(6, "Raw JSON", "x")]


def test_values_of_every_element_are_added() -> None:
    part = measured_part(
        measured_csv(
            [
                Row("Q-1", steps=(0.1, 0.2, None, "0.3")),
                Row("Q-2", steps=(1, "x", "y")),
                Row("Q-3", steps=(9e11, 9e11)),
                Row("Q-4", steps=(None, "")),
            ]
        )
    )
    assert _amounts(part, STEPS) == [0.6, None, None, None]
    assert _found(part)["measure-unusable"] == [(3, "Raw JSON", "x"), (4, "Raw JSON", "1.8e+12")]


def test_records_of_json_have_measures_at_their_top_and_further_in() -> None:
    base = measured_rubric()
    columns = tuple(replace(one, paths=("$",)) if one.name == "raw_json" else one for one in base.columns)
    records = [
        {"Query ID": "Q-1", "round": "1/1", "total_tokens": 1200, "Saved": -1.5, "usage": {"cost": 0.25}},
        {"Query ID": "Q-2", "round": "1/1", "total_tokens": "9,694", "Saved": None, "steps": [{"n": 1}, {"n": 2}]},
    ]
    data = "\n".join(map(json.dumps, records)).encode()
    part = score_file(io.BytesIO(data), name="measured_agent_x.jsonl", rubric=replace(base, columns=columns))
    assert [details_of(item).measures for item in part.items] == [(1200.0, 0.25, -1.5, None), (9694.0, None, None, 3.0)]


def test_a_payload_inside_a_text_is_opened_once() -> None:
    twice = json.dumps(json.dumps({"assistantMessage": "x", "cost": 7}))
    part = measured_part(_csv([["Q-1", "1/1", twice]], ("Query ID", "round", "Raw JSON")))
    assert _amounts(part, COST) == [7.0]


def test_a_decimal_comma_counts_in_files_with_semicolons_and_not_in_their_payloads() -> None:
    rubric = _rubric(
        Measure(name="saved", title="Saved", column="Saved"), Measure(name="cost", title="Cost", paths=("usage.cost",))
    )
    part = measured_part(measured_csv([Row("Q-1", saved="9,694", cost="9,694")], delimiter=";"), rubric)
    assert _amounts(part, 0) == [9.694]
    assert _amounts(part, 1) == [None]
    assert _found(part)["measure-unusable"] == [(2, "Raw JSON", "9,694")]


@pytest.mark.parametrize(
    ("cells", "decimals", "delimiter", "amounts", "named"),
    [
        (["1.234", "2.105", "987", "1.020"], 0, ";", [1234, 2105, 987, 1020], ["1.234", "2.105", "1.020"]),
        (["1,234", "987"], 0, ",", [1234, 987], []),
        (["1,5", "987"], 0, ";", [1.5, 987], ["1,5"]),
        (["1.5", "987"], 0, ",", [1.5, 987], ["1.5"]),
        (["1.5", "987"], None, ",", [1.5, 987], []),
        (["1.234", "1,5"], None, ";", [1.234, 1.5], ["1.234"]),
        (["1.234"], None, ",", [1.234], []),
        (["0.234", "1.2345"], None, ";", [0.234, 1.2345], []),
    ],
)
def test_numbers_are_read_by_the_convention_of_their_file_and_named_where_another_is_possible(
    cells: list[str], decimals: int | None, delimiter: str, amounts: list[float], named: list[str]
) -> None:
    rubric = _rubric(Measure(name="saved", title="Saved", column="Saved", decimals=decimals))
    rows = [Row(f"Q-{n}", saved=cell) for n, cell in enumerate(cells)]
    part = measured_part(measured_csv(rows, delimiter=delimiter), rubric)
    assert _amounts(part, 0) == amounts
    assert [found for _, _, found in _found(part).get("number-separator", [])] == named


def test_a_fraction_of_a_whole_measure_in_a_payload_is_named() -> None:
    rubric = _rubric(Measure(name="cost", title="Cost", paths=("usage.cost",), decimals=0))
    part = measured_part(measured_csv([Row("Q-1", cost=1.5), Row("Q-2", cost=2)]), rubric)
    assert _amounts(part, 0) == [1.5, 2]
    assert _found(part)["number-separator"] == [(2, "Raw JSON", "1.5")]


def test_a_measure_may_read_the_column_of_a_field() -> None:
    rubric = _rubric(Measure(name="n", title="N", column="TRACK"), Measure(name="m", title="M", column="total tokens"))
    part = measured_part(measured_csv([Row("Q-1", track="3", tokens="8")]), rubric)
    assert [item.track for item in part.items] == [3]
    assert [details_of(item).measures for item in part.items] == [(3.0, 8.0)]


def test_a_column_of_a_measure_that_is_there_twice_refuses_the_file() -> None:
    part = measured_part(measured_csv([Row("Q-1")], header=(*HEADER[:-2], "Total Tokens", "Raw JSON")))
    assert [problem.code for problem in part.problems] == ["duplicate-column"]


def test_rows_without_an_item_and_rows_out_of_line_do_not_move_the_values() -> None:
    rows = [Row("Q-1", tokens="1"), Row("", tokens="2"), Row("Q-3", "", tokens="3"), Row("Q-4", tokens="4", cost=0.4)]
    part = measured_part(measured_csv(rows) + b",,,,,,,\r\n" + b"short\r\n")
    assert [item.query_id for item in part.items] == ["Q-1", "Q-4"]
    assert (_amounts(part, TOKENS), _amounts(part, COST)) == ([1.0, 4.0], [None, 0.4])


def test_profiles_without_measures_spend_nothing_on_them() -> None:
    assert score_rows(row()).items[0].details is None
    without = [rubric for rubric in shipped_rubrics() if not rubric.measures]
    assert len(without) >= 7
    for rubric in without:
        assert rubric.wanted_columns == rubric.columns
        assert b'"measures"' not in encode_rubric(rubric)


def test_every_value_of_a_measure_is_in_the_digest() -> None:
    base = Measure(name="n", title="N", unit="u", column="c", decimals=1)
    others = (
        replace(base, unit="v"),
        replace(base, column="d"),
        replace(base, decimals=None),
        replace(base, title="M"),
    )
    assert len({_rubric(*measures).digest for measures in ((), (base,), *((one,) for one in others))}) == 6


def _csv(rows: Sequence[Sequence[str]], header: Sequence[str]) -> bytes:
    quoted = [[f'"{cell.replace(chr(34), chr(34) * 2)}"' for cell in line] for line in (header, *rows)]
    return "\r\n".join(map(",".join, quoted)).encode() + b"\r\n"
