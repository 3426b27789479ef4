"""Finds the keys of a map that are scores in a file (docs/scoring.md#scores)."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice

from scoring.items.payload import Opened, open_payload
from scoring.items.quantities import read_number
from scoring.json_values import ANY_KEY, parse_path
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

_MOST = 0.9  # of the cells; the others are named
SAMPLED_KEYS = 200  # records that tell the keys
_RECORD = Column(name="record", title=WHOLE_RECORD, paths=(WHOLE_RECORD,))
_GRADES = frozenset({"llm_score", "intent_verdict"})
_NO_SCORES = ("unscored", "other", "quantity")  # words of names


def score_keys(rubric: Rubric, opened: Callable[[Sequence[Column]], Table]) -> tuple[str, ...]:
    """The keys of a map that are scores in a file: those of its first records. Without a map nothing is read.

    opened: the table from its start, with these columns.
    """
    declared = map_of(rubric)
    if declared is None:
        return ()
    table = opened((*rubric.wanted_columns, _RECORD) if declared.column else rubric.wanted_columns)
    rows = list(islice(table.rows(), SAMPLED_KEYS))
    at = table.columns.at.get(_RECORD.name if declared.column else "raw_json")
    cells = [row[at] for row in rows if at is not None and at < len(row)]
    payloads = [one.value for one in map(open_payload, cells) if isinstance(one, Opened)]
    if declared.column == ANY_KEY:
        columns = _of_table(table, rows) if at is None else _of_records(payloads, rubric)
        return keys_of(with_keys(rubric, _on_scale(columns, rubric)))
    own = own_paths(rubric.measures) | {one.column for one in rubric.measures}
    assert isinstance(declared.score, ScoreRule)
    paths = (declared.column, *declared.score.other_columns) if declared.column else declared.paths
    return keys_of(
        with_keys(rubric, dict.fromkeys(key for payload in payloads for key in keys_in(payload, paths, own)))
    )


def _of_table(table: Table, rows: Sequence[Sequence[str]]) -> Iterator[tuple[str, list[float | None]]]:
    """The numbers of each further column, None for a text; blank cells are left out."""
    for at, title in table.columns.extra:
        cells = [normalise(row[at]) for row in rows if at < len(row) and not is_blank(row[at])]
        yield title, [read_number(cell, has_decimal_comma=table.delimiter == ";") for cell in cells]


def _of_records(payloads: Sequence[dict[str, object]], rubric: Rubric) -> Iterator[tuple[str, list[float | None]]]:
    """The numbers under each name at the top of records, but those that a column reads that is no grade."""
    read = {
        spelling
        for column in rubric.columns
        if column.name not in _GRADES
        for spelling in column.paths or (column.title, *column.aliases)
    }
    for name in dict.fromkeys(name for payload in payloads for name in payload):
        if name not in read and parse_path(name) == (name,):
            values = [value for payload in payloads if (value := payload.get(name)) is not None]
            yield name, [value + 0.0 if type(value) is float or type(value) is int else None for value in values]


def _on_scale(columns: Iterable[tuple[str, list[float | None]]], rubric: Rubric) -> Iterator[str]:
    """The titles of columns, most cells of which are numbers on the scale, and whose names say no quantity."""
    rule = next(one.score for one in rubric.measures if one.column == ANY_KEY)
    assert isinstance(rule, ScoreRule)
    slices = set(map(normalise_header, rubric.slices))
    for title, values in columns:
        named = words_of(title)
        if title == ANY_KEY or normalise_header(title) in slices or any(has_word(named, kind) for kind in _NO_SCORES):
            continue
        fitting = sum(value is not None and rule.on_scale(value) is not None for value in values)
        if values and fitting >= _MOST * len(values):
            yield title
