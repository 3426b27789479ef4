"""Groups of which nearly all have one member: a set for each would take more memory than what is grouped."""

from collections.abc import Hashable, Iterator
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Member = TypeVar("Member", bound=Hashable)


class Groups(Generic[Key, Member]):
    """Key -> its members, which are no sets."""

    def __init__(self) -> None:
        self._groups: dict[Key, Member | set[Member]] = {}

    def __getitem__(self, key: Key) -> set[Member]:
        """The members; none for a key without any."""
        if key not in self._groups:
            return set()
        found = self._groups[key]
        return found if isinstance(found, set) else {found}

    def of_several(self) -> Iterator[set[Member]]:
        """The members of each group that has more than one."""
        return (found for found in self._groups.values() if isinstance(found, set))

    def add(self, key: Key, member: Member) -> None:
        """One more."""
        known = self._groups.setdefault(key, member)
        if isinstance(known, set):
            known.add(member)
        elif known != member:
            self._groups[key] = {known, member}

    def remove(self, key: Key, member: Member) -> None:
        """One less, if it is there."""
        known = self._groups.get(key)
        if isinstance(known, set):
            known.discard(member)
            if len(known) == 1:
                (self._groups[key],) = known
        elif known == member:
            self._groups.pop(key, None)
