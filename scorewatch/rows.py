"""Items and queries of a report one by one, and as frames where pandas or polars is installed."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

import msgspec

from cli import choose_items, spoken
from reporting.data import Record, Value
from reporting.runs import Chosen, StoredReport, UnreadableRunError
from reporting.wording import count
from scorewatch.surroundings import broken, within

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl

T = TypeVar("T", bound=msgspec.Struct)


class Item(msgspec.Struct, frozen=True, kw_only=True):
    """One row of the input, one answer of the agent, as `items.csv` has it.

    file, row: where it stands in the input, the header being row 1. track: number or name, None for none. status: how
    it ended (`ok`, `partial`, `empty`, `error`, …), why: the rule that says so. passed: None where there is nothing to
    assess. intent, accuracy, stability, latency, rubrics: points, 0 to 5 unless the rubric document has another scale;
    None for none. intent_source: who gave them. seconds: of the answer, None where not told. more: all other columns by
    name: details of the profile, measures, and columns of the input that the profile does not read.
    """

    file: str
    row: int | None
    query_id: str
    round: str
    track: int | str | None
    category: str
    status: str
    why: str
    passed: bool | None = None
    intent: float | None
    intent_source: str
    accuracy: float | None
    stability: float | None
    latency: float | None
    rubrics: float | None = None
    seconds: float | None
    question: str
    expected: str
    response: str
    error: str
    message: str
    run_id: str
    item_id: str
    executed_at: str
    more: Mapping[str, Value] = {}


class Query(msgspec.Struct, frozen=True, kw_only=True):
    """One query over all rounds, as `queries.csv` has it.

    n: items. passes: how many of them passed. passed: all of them; None where nothing is assessed. repeats: `always`,
    `sometimes` or `never`, "" for none. seconds: mean. values: points and their spread by metric (`intent`,
    `intent_sd`), measures, and the status of each round (`status_1`).
    """

    query_id: str
    question: str
    track: int | str | None
    category: str
    n: int
    passes: int
    repeats: str
    passed: bool | None
    seconds: float | None
    values: Mapping[str, Value] = {}


class Rows(Generic[T]):
    """Rows that are read anew, one by one, each time that they are asked for: memory does not grow with their number.

    Iterating raises RequestError where the file is not the one that belongs to the report.
    """

    _names: ClassVar[Mapping[str, str]] = {}  # column of the file -> field that has another name

    def __init__(self, folder: Path, read: Callable[[], Iterator[Record]], row: type[T]) -> None:
        self._folder = folder
        self._read = read
        self._row = row

    def __iter__(self) -> Iterator[T]:
        fields = [*self._row.__struct_fields__]
        rest = fields.pop()
        for record in self.records():
            named = {self._names.get(name, name): value for name, value in record.items()}
            known = {name: named.pop(name) for name in fields if name in named}
            yield self._row(**known, **{rest: named})

    def records(self) -> Iterator[dict[str, Value]]:
        """Each row as a dictionary: the columns of the file by their names, numbers as numbers."""
        try:
            yield from self._read()
        except UnreadableRunError:
            raise broken(self._folder) from None

    def columns(self) -> dict[str, list[Any]]:
        """All rows as columns, in memory. A column of numbers and texts (`track`) is one of texts; absent is None."""
        records = list(self.records())
        names = records[0] if records else next(self._all(), {})
        return {name: _alike([record[name] for record in records]) for name in names}

    def to_pandas(self) -> pd.DataFrame:
        """A data frame of pandas. Raises ImportError where pandas is not installed."""
        return import_module("pandas").DataFrame(self.columns())

    def to_polars(self) -> pl.DataFrame:
        """A data frame of polars. Raises ImportError where polars is not installed."""
        return import_module("polars").DataFrame(self.columns(), infer_schema_length=None)

    def _all(self) -> Iterator[Record]:
        """Rows that name the columns where there are none."""
        return self.records()


class Items(Rows[Item]):
    """The items of a report, in the order of its input. `len` counts them."""

    def __init__(self, stored: StoredReport, is_chosen: list[bool] | None = None) -> None:
        self._stored = stored
        self._is_chosen = is_chosen
        super().__init__(stored.folder, lambda: stored.items(self._is_chosen), Item)

    def __len__(self) -> int:
        return self._stored.n if self._is_chosen is None else sum(self._is_chosen)

    def where(self, address: str) -> Items:
        """The items that an address of `report.html` leaves: what stands behind `#` in it, such as `track=3`.

        A page of more than 20,000 items carries those that lost most, and only they are looked at: a UserWarning says
        how many were not. Raises RequestError for a filter or value that the page does not have, with the nearest.
        """
        chosen = _chosen(self._stored, address)
        if chosen.left_out:
            numbers = {"n": count(chosen.left_out), "total": count(self._stored.n)}
            warnings.warn(within(None, lambda _: spoken()("where.left-out", **numbers)), stacklevel=2)
        return Items(self._stored, chosen.is_chosen)

    def _all(self) -> Iterator[Record]:
        return self._stored.items()


class Queries(Rows[Query]):
    """The queries of a report, in its order."""

    _names: ClassVar[Mapping[str, str]] = {"class": "repeats"}

    def __init__(self, stored: StoredReport) -> None:
        super().__init__(stored.folder, stored.queries, Query)


def _chosen(stored: StoredReport, address: str) -> Chosen:
    """Which items the address leaves. Raises RequestError."""
    try:
        return within(None, lambda _: choose_items(stored, address))
    except UnreadableRunError:
        raise broken(stored.folder) from None


def _alike(values: list[Value]) -> list[Value]:
    kinds = {type(value) for value in values} - {type(None)}
    return [value if value is None else str(value) for value in values] if kinds == {int, str} else values
