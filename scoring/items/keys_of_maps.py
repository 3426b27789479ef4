"""Finds the keys of a map that are scores in a file (docs/scoring.md#scores)."""

from collections.abc import Callable, Iterator, Sequence
from itertools import islice

from scoring.items.payload import Opened, open_payload
from scoring.items.quantities import read_number
from scoring.json_values import ANY_KEY
from scoring.reading import Table
from scoring.rubric import (
    WHOLE_RECORD,
    Column,
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
_RECORD = Column(name="record", title=WHOLE_RECORD, paths=(WHOLE_RECORD,))
_NO_SCORES = ("unscored", "other", "quantity")  # words of names


def score_keys(rubric: Rubric, opened: Callable[[Sequence[Column]], Table]) -> tuple[str, ...]:
    """The keys of a map that are scores in a file: those of its first records. Without a map nothing is read.

    opened: the table from its start, with these columns.
    """
    declared = map_of(rubric)
    if declared is None:
        return ()
    is_path = declared.column not in {"", ANY_KEY}
    table = opened((*rubric.wanted_columns, _RECORD) if is_path else rubric.wanted_columns)
    rows = list(islice(table.rows(), _SAMPLE_ROWS))
    if declared.column == ANY_KEY:
        return keys_of(with_keys(rubric, _titles(table, rows, rubric)))
    at = table.columns.at.get(_RECORD.name if is_path else "raw_json")
    cells = [row[at] for row in rows if at is not None and at < len(row)]
    payloads = [one.value for one in map(open_payload, cells) if isinstance(one, Opened)]
    own = own_paths(rubric.measures) | {one.column for one in rubric.measures}
    paths = (declared.column,) if is_path else declared.paths
    return keys_of(
        with_keys(rubric, dict.fromkeys(key for payload in payloads for key in keys_in(payload, paths, own)))
    )


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
