"""An address of report.html names the same items here as on its page."""

import json

import pytest

from reporting.data import AddressError, PageData
from reporting.document import DATA_END, DATA_START

# Three items: queries A, A, B; facets preset, status, round, category, file, finding; metric intent.
FACETS = [
    {"name": "preset", "keys": ["fails", "slow"], "names": ["Fails", "Slow"], "sets": [[0], [0, 1]]},
    {"name": "status", "keys": ["ok", "error"], "names": ["OK", "Error"]},
    {"name": "round", "keys": ["1/1", "2/1"], "names": ["1/1", "2/1"]},
    {"name": "category", "keys": ["Spräche"], "names": ["Spräche"]},
    {"name": "file", "keys": ["a.csv"], "names": ["a.csv"]},
]
STRINGS = ["Where is it?", "BERLIN & more", "timed out"]


def _row(query: int, row: int, *facets: int, error: int = -1, intent: float | None = 5.0) -> list[float | None]:
    return [query, None, 0, 1, -1, 0, -1, 1, -1, error, row, *facets, intent, -1, -1, -1]


ROWS = [
    _row(0, 2, -1, 0, 0, 0, 0, intent=4.0),
    _row(0, 3, 1, 1, 1, 0, 0, error=2, intent=None),
    _row(1, 4, 0, 1, 0, -1, 0, error=2, intent=0.0),
]


def _page(**changes: object) -> PageData:
    data = {
        "mark": "m1",
        "preset": "",
        "facets": FACETS,
        "metrics": [["intent", "Intent"]],
        "queries": ["Q/A", "Q=B"],
        "strings": STRINGS,
        "items": ROWS,
        "more": "not read",
    }
    return PageData.of(b"<p>" + DATA_START + json.dumps(data | changes).encode() + DATA_END + b"</html>")


@pytest.mark.parametrize(
    ("address", "rows"),
    [
        ("", [2, 3, 4]),
        ("all=1", [2, 3, 4]),
        ("status=error", [3, 4]),
        ("#report=m1&status=error&round=2/1", [3]),
        ("status=error&round=2%2F1", [3]),
        ("report.html#status=ok", [2]),
        ("preset=fails", [3, 4]),
        ("preset=slow", [3]),
        ("preset=all&status=ok", [2]),
        ("text=berlin+SPR%C3%84CHE", [2, 3]),  # every word, without regard to case, in the category too
        ("text=timed q=b", [4]),
        ("metric=intent&from=4", [2]),
        ("metric=intent&below=4", [4]),  # an item without points is in no range
        ("metric=intent", [2, 3, 4]),
        ("sort=-intent&status=error", [3, 4]),
        ("query=Q/A", [2, 3]),
        ("query=Q/A&of=2/1", [3]),
        ("query=Q/A&of=1/1&at=3", [3]),  # the row decides where it is there
        ("query=Q/A&at=9&of=1/1", [2]),
        ("at=4", [4]),
        ("at=4&in=a.csv", [4]),
        ("status=error&query=Q/A&at=2", [3, 4]),  # the open item narrows no list
        ("status=error&round=1/1&category=Spr%C3%A4che", []),
    ],
)
def test_an_address_leaves_what_its_page_shows(address: str, rows: list[int]) -> None:
    assert [item.row for item in _page().chosen(address)] == rows


def test_the_preset_that_a_page_begins_with_counts_where_no_other_is_named() -> None:
    page = _page(preset="fails")
    assert [item.row for item in page.chosen("round=1/1")] == [4]
    assert [item.row for item in page.chosen("round=1/1&preset=all")] == [2, 4]


@pytest.mark.parametrize(
    ("address", "key", "values"),
    [
        ("statsu=error", "unknown-name", {"found": "statsu", "names": "status"}),
        ("status=eror", "unknown-value", {"found": "eror", "names": "error", "name": "status"}),
        ("status=", "unknown-value", {"found": "", "names": "ok, error", "name": "status"}),
        ("status=ok&status=error", "twice", {"name": "status", "found": "error"}),
        ("metric=intnet&from=1", "unknown-value", {"found": "intnet", "names": "intent", "name": "metric"}),
        ("metric=intent&from=high", "no-number", {"name": "from", "found": "high"}),
        ("from=1", "no-metric", {"names": "intent"}),
        ("report=m2&status=ok", "other-report", {"found": "m2", "mark": "m1"}),
        ("query=Q/C", "unknown-value", {"found": "Q/C", "names": "Q/A", "name": "query"}),
        ("at=9", "not-here", {"found": "at=9"}),
        ("text=" + "x" * 201, "long-text", {"limit": "200"}),
        ("x" * 4_001, "too-long", {"limit": "4000"}),
    ],
)
def test_what_the_page_would_not_apply_is_an_error_with_the_nearest(
    address: str, key: str, values: dict[str, str]
) -> None:
    with pytest.raises(AddressError) as caught:
        _page().chosen(address)
    assert (caught.value.key, caught.value.values) == (key, values)


def test_a_hostile_name_is_shown_cleaned_and_cut() -> None:
    with pytest.raises(AddressError) as caught:
        _page().chosen("a%1b%5b31m" + "b" * 200 + "=1")
    assert caught.value.values["found"].isprintable()
    assert len(caught.value.values["found"]) == 80


def test_a_page_without_items_is_none() -> None:
    with pytest.raises(ValueError, match="truncated"):
        PageData.of(b"<html></html>")
