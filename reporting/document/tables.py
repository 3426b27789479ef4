"""Tables of display-ready texts, which the renderers escape and draw, and the shapes that recur in a report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from reporting.wording import NONE, count, percent, round_name
from scoring.results import Group, Round, SetResult
from scoring.rubric import UNASSIGNED, group_key
from texts import Texts

MAX_TRACKS = 12  # columns of a table; report.json has all of them
RIGHT = ">"  # in front of a title: the column is aligned right

T = TypeVar("T")
Column = tuple[str, Callable[[T], str]]  # title, cell of a row


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """titles and right-aligned flags: one per column; rows: as many cells each. total: rows there would be.

    name: what it is called for screen readers.
    """

    titles: tuple[str, ...]
    right: tuple[bool, ...]
    rows: tuple[tuple[str, ...], ...]
    total: int
    name: str = ""

    def named(self, name: str) -> Table:
        """The same table under a name."""
        return replace(self, name=name)

    def columns(self, places: Sequence[int]) -> Table:
        """The same table with the columns at these places alone."""

        def kept(cells: Sequence[T]) -> tuple[T, ...]:
            return tuple([cells[at] for at in places])

        rows = tuple(map(kept, self.rows))
        return replace(self, titles=kept(self.titles), right=kept(self.right), rows=rows)

    @property
    def more(self) -> int:
        """Rows left out."""
        return self.total - len(self.rows)

    @property
    def more_text(self) -> str:
        """The number of rows left out, with thousands separators."""
        return count(self.more)


def table(titles: Sequence[str], rows: Iterable[Sequence[str]], *, total: int | None = None) -> Table:
    """A table; a title that starts with `>` aligns its column right. total: when rows were left out."""
    kept = tuple(map(tuple, rows))
    return Table(
        titles=tuple([title.removeprefix(RIGHT) for title in titles]),
        right=tuple([title.startswith(RIGHT) for title in titles]),
        rows=kept,
        total=len(kept) if total is None else total,
    )


def table_of(
    things: Sequence[T], columns: Iterable[Column[T] | None], *, limit: int | None = None, total: int | None = None
) -> Table:
    """A row per thing, at most `limit`. columns: None is left out. total: when there are more things than given."""
    shown = [column for column in columns if column is not None]
    rows = [[cell(thing) for _, cell in shown] for thing in things[:limit]]
    return table([title for title, _ in shown], rows, total=len(things) if total is None else total)


def scope_table(
    rounds: Sequence[Round],
    titles: Iterable[str],
    cells: Callable[[int | None], Iterable[str]],
    t: Texts,
    *,
    first: Iterable[Sequence[str]] = (),
) -> Table:
    """Figures of every round, then of the set; of a single round once.

    cells: of a round by its index, of the set by None. first: rows before them.
    """
    rows = [[round_name(entry, t), *cells(index)] for index, entry in enumerate(rounds)] if len(rounds) > 1 else []
    rows.append([set_name(rounds, t), *cells(None)])
    return table([t("table.scope"), *(f">{title}" for title in titles)], [*first, *rows])


def set_name(rounds: Sequence[Round], t: Texts) -> str:
    """What the row of the set is called: a set of one round is this round."""
    return t("set") if len(rounds) != 1 else round_name(rounds[0], t)


def most_frequent(pairs: Iterable[tuple[T, str]], *, examples: int) -> list[tuple[T, int, list[str]]]:
    """(key, how many, distinct examples) of pairs of key and example, the most frequent key first."""
    numbers: Counter[T] = Counter()
    named: dict[T, dict[str, None]] = {}
    for key, example in pairs:
        numbers[key] += 1
        known = named.setdefault(key, {})
        if len(known) < examples:
            known[example] = None
    ordered = sorted(numbers.items(), key=lambda entry: (-entry[1], entry[0]))
    return [(key, n, list(named[key])) for key, n in ordered]


def shown_groups(result: SetResult) -> tuple[tuple[str, Group | None], ...]:
    """(key, group) per track column: those the rubric names (None: no items), then others, unassigned last.

    Empty where neither the rubric nor any item has a track.
    """
    if not result.rubric.has_tracks and all(group.track is None for group in result.groups):
        return ()
    named = map(group_key, result.rubric.named_tracks)
    columns = {key: result.group(key) for key in named}
    others = [group for group in result.groups[1:] if group.key not in columns and group.key != UNASSIGNED]
    room = max(MAX_TRACKS - len(columns) - 1, 0)
    groups = [*columns.items(), *((group.key, group) for group in others[:room])]
    unassigned = result.group(UNASSIGNED)
    if unassigned is not None:
        groups.append((UNASSIGNED, unassigned))
    return tuple(groups)


def hidden_tracks(result: SetResult) -> int:
    """Number of tracks that no table shows."""
    shown = {key for key, _ in shown_groups(result)}
    return sum(group.key not in shown for group in result.groups[1:] if shown or group.track is not None)


def ratio_text(value: float | None) -> str:
    """A ratio in percent, `—` without one."""
    return NONE if value is None else percent(value, 1.0)
