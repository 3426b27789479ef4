"""Groups hold what sets would hold."""

import random
from collections import defaultdict

import pytest

from reporting.store import Groups


@pytest.mark.parametrize("seed", range(3))
def test_groups_hold_what_sets_would_hold(seed: int) -> None:
    chance = random.Random(seed)
    groups, sets = Groups[str, int](), defaultdict[str, set[int]](set)
    for _ in range(500):
        key, member = chance.choice("abc"), chance.randrange(4)
        if chance.random() < 0.5:
            groups.add(key, member)
            sets[key].add(member)
        else:
            groups.remove(key, member)
            sets[key].discard(member)
        assert {key: groups[key] for key in "abc"} == {key: sets[key] for key in "abc"}
