"""One way to tell the items of a page apart, which it filters them by.

The key of a value is what an address names it by (`reporting.wording.links`); its name is what people read.
"""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import NamedTuple, TypeVar

from reporting.wording import key_of
from scoring import Memo
from texts import Texts

PRESET = "preset"  # the facet that the page shows as a row of buttons
FAILS, MIXED, SLOW, PERSON, REVIEWED = "fails", "mixed", "slow", "person", "reviewed"

T = TypeVar("T", bound=Hashable)


def slow_title(limits: Sequence[str], t: Texts) -> str:
    """What the preset of slow items is called. limits: of `slow_limits`."""
    return " · ".join([t(f"preset.{SLOW}"), *([", ".join(limits)] if limits else [])])


class Facet(NamedTuple):
    """One way to tell items apart. keys, names: of its values, in the order of a list.

    values: of each item the place of its value, -1 for none. sets: where an item may have several values: the places
    of each combination that occurs, to which `values` leads.
    """

    name: str
    title: str
    keys: tuple[str, ...]
    names: tuple[str, ...]
    values: Sequence[int]
    sets: tuple[tuple[int, ...], ...] = ()

    def described(self) -> dict[str, object]:
        """All but the values of the items."""
        shown: dict[str, object] = {"name": self.name, "title": self.title, "keys": self.keys, "names": self.names}
        return {**shown, "sets": self.sets} if self.sets else shown


def facet(
    name: str, title: str, values: Iterable[T | None], named: Mapping[T, str], key: Callable[[T], str] = str
) -> Facet:
    """named: the values in their order; another value counts as none."""
    places: dict[T | None, int] = {value: at for at, value in enumerate(named)}
    return Facet(
        name,
        title,
        tuple([key_of(key(value)) for value in named]),
        tuple(named.values()),
        [places.get(value, -1) for value in values],
    )


def counted(name: str, title: str, values: Sequence[T], said: Callable[[T], str], key: Callable[[T], str]) -> Facet:
    """The values that occur, in the order of their names. Values of one key are one."""
    keys = Memo(key)
    names: dict[str, str] = {}
    for value in dict.fromkeys(values):
        names.setdefault(keys[value], said(value))
    ordered = dict(sorted(names.items(), key=lambda entry: entry[1]))
    return facet(name, title, map(keys.__getitem__, values), ordered)


def several(
    name: str,
    title: str,
    lists: Iterable[tuple[str, str, Iterable[int]]],
    chosen: Sequence[int],
    *,
    keeps_empty: bool = False,
) -> Facet:
    """A facet of which an item may have several values. lists: key, name and the indices of its items.

    keeps_empty: a value that no item has is one, too.
    """
    of_item: defaultdict[int, list[int]] = defaultdict(list)
    kept = [(key, named, indices) for key, named, given in lists if (indices := tuple(given)) or keeps_empty]
    for place, (_, _, indices) in enumerate(kept):
        for at in indices:
            of_item[at].append(place)
    sets: dict[tuple[int, ...], int] = {}
    values = [sets.setdefault(tuple(of_item[at]), len(sets)) if at in of_item else -1 for at in chosen]
    return Facet(
        name, title, tuple([key for key, _, _ in kept]), tuple([named for _, named, _ in kept]), values, tuple(sets)
    )
