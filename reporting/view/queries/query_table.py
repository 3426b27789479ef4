"""Tables with a row per query: where it belongs, what it asks, and its status in each round."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from reporting.document.groups import shown_groups
from reporting.document.tables import Column, Table, table_of
from reporting.wording.display import excerpt
from reporting.wording.links import query_link
from reporting.wording.names import round_name, status_names, track_names
from scoring.results.model import QueryRounds, SetResult
from texts import Texts

MAX_QUERIES = 50
MAX_ROUND_COLUMNS = 12
ID_CHARS = 60
QUESTION_CHARS = 120

T = TypeVar("T")


def query_table(
    result: SetResult,
    entries: Sequence[T],
    query_of: Callable[[T], QueryRounds],
    t: Texts,
    *,
    more: Sequence[Column[T]] = (),
    with_rounds: bool = True,
) -> Table:
    """The first entries, a row each. query_of: the query of an entry. more: columns between question and rounds."""
    tracks, statuses, none = track_names(t), status_names(t), t("none")

    def status_in(index: int) -> Callable[[T], str]:
        return lambda entry: none if (status := query_of(entry).statuses[index]) is None else statuses[status]

    rounds = result.rounds[:MAX_ROUND_COLUMNS] if with_rounds else ()
    return table_of(
        entries,
        [
            ("Query ID", lambda entry: query_link(query_of(entry).query_id, ID_CHARS)),
            (t("items.track"), lambda entry: tracks[query_of(entry).track]) if shown_groups(result) else None,
            (t("table.question"), lambda entry: excerpt(query_of(entry).question, QUESTION_CHARS)),
            *more,
            *((round_name(entry, t), status_in(index)) for index, entry in enumerate(rounds)),
        ],
        limit=MAX_QUERIES,
    )
