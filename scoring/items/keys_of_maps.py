"""Finds the keys of a map that are scores in a file (docs/scoring.md#scores)."""

from collections.abc import Callable
from itertools import islice

from scoring.items.payload import Opened, open_payload
from scoring.reading import Table
from scoring.rubric import Rubric, keys_in, keys_of, map_of, own_paths, with_keys

_SAMPLE_ROWS = 200


def score_keys(rubric: Rubric, open_table_again: Callable[[], Table]) -> tuple[str, ...]:
    """The keys of a map that are scores in a file: those of its first records. Without a map nothing is read."""
    declared = map_of(rubric)
    if declared is None:
        return ()
    table = open_table_again()
    at = table.columns.at.get("raw_json")
    cells = [row[at] for row in islice(table.rows(), _SAMPLE_ROWS) if at is not None and at < len(row)]
    payloads = [opened.value for opened in map(open_payload, cells) if isinstance(opened, Opened)]
    own = own_paths(rubric.measures)
    found = dict.fromkeys(key for payload in payloads for key in keys_in(payload, declared.paths, own))
    return keys_of(with_keys(rubric, found))
