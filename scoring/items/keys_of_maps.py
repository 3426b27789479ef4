"""Finds the keys of a map that are scores in a file (docs/scoring.md#scores)."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice

from scoring.items.payload import Opened, open_payload
from scoring.items.quantities import read_number
from scoring.json_values import ANY_KEY
from scoring.reading import Table
from scoring.rubric import (
    Rubric,
    ScoreRule,
    has_word,
    keys_in,
    keys_of,
    map_of,
    normalise_header,
    own_paths,
    with_keys,
    words_of,
)
from scoring.text import is_blank, normalise

_SAMPLE_ROWS = 200
_NO_SCORES = ("unscored", "other", "quantity")  # words of names


def score_keys(rubric: Rubric, open_table_again: Callable[[], Table]) -> tuple[str, ...]:
    """The keys of a map that are scores in a file: those of its first records. Without a map nothing is read."""
    declared = map_of(rubric)
    if declared is None:
        return ()
    table = open_table_again()
    rows = list(islice(table.rows(), _SAMPLE_ROWS))
    keys = _titles(table, rows, rubric) if declared.column else _keys(table, rows, rubric, declared.paths)
    return keys_of(with_keys(rubric, keys))


def _keys(table: Table, rows: Sequence[Sequence[str]], rubric: Rubric, paths: Sequence[str]) -> Iterable[str]:
    at = table.columns.at.get("raw_json")
    cells = [row[at] for row in rows if at is not None and at < len(row)]
    payloads = [opened.value for opened in map(open_payload, cells) if isinstance(opened, Opened)]
    own = own_paths(rubric.measures)
    return dict.fromkeys(key for payload in payloads for key in keys_in(payload, paths, own))


def _titles(table: Table, rows: Sequence[Sequence[str]], rubric: Rubric) -> Iterator[str]:
    """The titles of further columns whose filled cells are numbers on the scale, and whose names say no quantity."""
    rule = next(one.score for one in rubric.measures if one.column == ANY_KEY)
    assert isinstance(rule, ScoreRule)
    slices = set(map(normalise_header, rubric.slices))
    for at, title in table.columns.extra:
        named = words_of(title)
        if title == ANY_KEY or normalise_header(title) in slices or any(has_word(named, kind) for kind in _NO_SCORES):
            continue
        cells = [normalise(row[at]) for row in rows if at < len(row) and not is_blank(row[at])]
        values = [read_number(cell, has_decimal_comma=table.delimiter == ";") for cell in cells]
        if values and all(value is not None and rule.lowest <= value <= rule.highest for value in values):
            yield title
