"""Tables of items: a row per item, per query with what happened in its rounds, or for answers that are alike."""

from collections import defaultdict
from collections.abc import Callable, Container, Iterable, Sequence
from typing import TypeVar

from reporting.document.tables import Column, Table, shown_groups, table, table_of
from reporting.wording import (
    count,
    excerpt,
    items_link,
    joined,
    query_link,
    round_name,
    seconds,
    status_names,
    track_names,
    why_text,
    with_more,
)
from scoring.items import UNANSWERED, Item
from scoring.results import QueryRounds, SetResult, fold
from scoring.rubric import Status
from texts import Texts

MAX_QUERIES = 50
MAX_ROUND_COLUMNS = 12
ID_CHARS = 60
QUESTION_CHARS = 120
ERROR_CHARS = 160
MAX_JOINED = 12  # items in one cell
_NOT_SHOWN = ("expected", "response", "message", "extra", "payload", "llm_comment", "details")

T = TypeVar("T")


class ItemTables:
    """Tables of items and of queries, which start with Query ID and (where there are any) track."""

    def __init__(self, result: SetResult, t: Texts) -> None:
        self._t = t
        self._items, self._table = result.items, result.table
        self._short = {entry.label: t("round.short", number=str(entry.number)) for entry in result.rounds}
        self._statuses = statuses = status_names(t)
        rounds = {entry.label: round_name(entry, t) for entry in result.rounds}
        tracks = track_names(t)
        self._query_id: Column[Item] = ("Query ID", lambda item: query_link(item.query_id, ID_CHARS))
        self._round: Column[Item] = (t("items.round"), lambda item: rounds[item.round])
        self._track: Column[Item] | None = (
            (t("items.track"), lambda item: tracks[item.track]) if shown_groups(result) else None
        )
        self.status: Column[Item] = (t("items.status"), lambda item: statuses[item.status])
        self.question: Column[Item] = (t("table.question"), lambda item: excerpt(item.question, QUESTION_CHARS))

    def table(self, indices: Sequence[int], limit: int, columns: Sequence[Column[Item]]) -> Table | None:
        """A row per item, None for no items."""
        if not indices:
            return None
        chosen = self._items.pick(indices[:limit])
        return table_of(chosen, [self._query_id, self._round, self._track, *columns], total=len(indices))

    def failed(self, indices: Sequence[int], limit: int, named: Container[str]) -> Table | None:
        """What went wrong in which round, a row per query, that with most of it first.

        named: Query IDs whose track and question another table of the page has.
        """
        queries = sorted(self._by_query(indices), key=lambda found: -len(found))
        is_named = all(self._table.query_id_at(found[0]) in named for found in queries[:limit])
        columns = () if is_named else (self._track, self.question)
        return self._query_table(queries, limit, columns, (self._t("items.error"), self._failure))

    def slow(self, indices: Sequence[int], limit: int) -> Table | None:
        """The rounds and their seconds, a row per query, in the order of the items."""
        took: Column[Item] = (self._t("findings.took"), lambda item: self._timed(self._short[item.round], item))
        return self._query_table(self._by_query(indices), limit, (self._track, self.question), took)

    def hidden_failures(self, indices: Sequence[int], limit: int) -> Table | None:
        """Answers that admit failure, a row for those with the same word and the same text but for numbers and ids."""
        if not indices:
            return None
        alike: dict[tuple[str, str], tuple[str, list[int]]] = {}
        for index, message in self._items.cells_at(indices, "message"):
            key = self._table.traits_at(index).failure_word, fold(message)
            alike.setdefault(key, (message, []))[1].append(index)
        shown = sorted(((word, message, found) for (word, _), (message, found) in alike.items()), key=_most)
        return table_of(
            shown,
            [
                (">n", lambda row: items_link(count(len(row[2])), finding="hidden-failure")),
                (self._t("items.found-word"), lambda row: excerpt(row[0], ID_CHARS)),
                (self._t("items.answer"), lambda row: excerpt(row[1], ERROR_CHARS)),
                (self._t("table.items"), lambda row: self._joined(row[2], len(row[2]), self._place_of_item, ", ")),
            ],
            limit=limit,
        )

    def _by_query(self, indices: Sequence[int]) -> list[list[int]]:
        queries: defaultdict[int, list[int]] = defaultdict(list)
        for index in indices:
            queries[self._table.queries[index]].append(index)
        return list(queries.values())

    def _query_table(
        self, queries: Sequence[Sequence[int]], limit: int, columns: Iterable[Column[Item] | None], said: Column[Item]
    ) -> Table | None:
        """A row per query, None for no queries. columns: after its ID. said: the last column, of each of its items."""
        if not queries:
            return None
        firsts = [column for column in (self._query_id, *columns) if column is not None]
        title, say = said
        wanted = [index for found in queries[:limit] for index in found[:MAX_JOINED]]
        items = dict(zip(wanted, self._items.pick(wanted, blank=_NOT_SHOWN), strict=True))
        rows = [
            [
                *(cell(items[found[0]]) for _, cell in firsts),
                self._joined([items[index] for index in found[:MAX_JOINED]], len(found), say, " · "),
            ]
            for found in queries[:limit]
        ]
        return table([*(name for name, _ in firsts), title], rows, total=len(queries))

    def _failure(self, item: Item) -> str:
        """`1회차 TimeoutError … (90.390초)`; without an error text the status, or why the answer counts as an error."""
        is_empty = item.status is Status.EMPTY
        without = self._statuses[item.status] if is_empty else why_text(item.why, self._t)
        return self._timed(f"{self._short[item.round]} {excerpt(item.error, ERROR_CHARS) or without}", item)

    def _timed(self, text: str, item: Item) -> str:
        if item.seconds is None:
            return text
        return self._t("findings.timed", what=text, seconds=self._t("unit.seconds", n=seconds(item.seconds)))

    def _place_of_item(self, index: int) -> str:
        label = self._short[self._table.traits_at(index).round]
        return joined([query_link(self._table.query_id_at(index), ID_CHARS), f" {label}"], "")

    def _joined(self, items: Sequence[T], n: int, say: Callable[[T], str], joint: str) -> str:
        """What is said of the first items, and how many more there are. n: how many there are."""
        shown = joined([say(item) for item in items[:MAX_JOINED]], joint)
        return with_more(shown, n - MAX_JOINED, self._t)


def _most(row: tuple[str, str, list[int]]) -> int:
    return -len(row[2])


def query_table(
    result: SetResult,
    entries: Sequence[T],
    query_of: Callable[[T], QueryRounds],
    t: Texts,
    *,
    more: Sequence[Column[T]] = (),
    below: Container[tuple[str, int]] = (),
    with_rounds: bool = True,
) -> Table:
    """The first entries, a row each. query_of: the query of an entry. more: columns between question and rounds.

    below: queries with the rounds in which they do not pass, which is told beside a status that does not say it.
    """
    tracks, statuses, none = track_names(t), status_names(t), t("none")

    def end_of(query: QueryRounds, index: int) -> str:
        status = query.statuses[index]
        if status is None:
            return none
        is_below = status not in UNANSWERED and (query.query_id, index) in below
        return t("repeat.not-passed", status=statuses[status]) if is_below else statuses[status]

    def status_in(index: int) -> Callable[[T], str]:
        return lambda entry: end_of(query_of(entry), index)

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
