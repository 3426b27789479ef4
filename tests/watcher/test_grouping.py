"""What the planner knows of the sets after files have come and gone is what it would know of those that are there."""

from types import SimpleNamespace
from typing import Any, cast
from unittest.mock import patch

from hypothesis import given
from hypothesis import strategies as st

from config import shipped_rubrics
from scoring.rubric import Rubric
from scoring.sets import group_into_sets, shown
from watcher.plan import REGROUP_REST, Planner

ONE, OTHER = shipped_rubrics()[:2]
COPY = "x_conflict-20260302-101010.csv"
PATHS = ["x.csv", "X.csv", COPY, "y.csv", "index.csv", "index_.csv", "note.csv", "d/x.csv", "d/y.csv", "D/y.csv"]
steps = st.lists(st.sets(st.sampled_from(PATHS)), min_size=1, max_size=6)


def claim(name: str) -> Rubric | None:
    return None if name.startswith("note") else ONE if "x" in name.casefold() else OTHER


class Grouped:
    """A planner over files that are none, all of which are being written to."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.files = cast("Any", SimpleNamespace(came_at={}, moved=set(), went_at={}, is_settled=lambda _: False))
        self.planner = Planner(self.files, self._claim, language="ko", set_quiet_seconds=5.0)
        self.now = 0.0

    def let(self, there: set[str]) -> set[str]:
        """These files are there now; the names of the sets that are gone."""
        self.files.moved |= self.files.came_at.keys() ^ there
        self.files.came_at = dict.fromkeys(there, self.now)
        self.now += 60.0 * REGROUP_REST
        _, gone = self.planner.step(self.now)
        return set(gone)

    def _claim(self, name: str) -> Rubric | None:
        self.asked.append(name)
        return claim(name)


@given(steps, st.sampled_from((1, 2, 1_000)))
def test_sets_follow_what_comes_and_goes(listings: list[set[str]], together: int) -> None:
    grouped = Grouped()
    for there in listings:
        before = set(grouped.planner.sets)
        with patch("watcher.plan.MOST_PLACES", together):
            gone = grouped.let(there)
        whole = group_into_sets(there, lambda name: None if (found := claim(name)) is None else found.profile)
        assert grouped.planner.sets == {one.name: one for one in whole.sets}
        assert grouped.planner.clashes == whole.clashes
        assert grouped.planner.unclaimed == tuple(map(shown, whole.unclaimed))
        assert gone == before - set(grouped.planner.sets)


def test_one_more_file_asks_about_none_of_the_others() -> None:
    grouped, there = Grouped(), {f"y{number}.csv" for number in range(50)} | {"d/y.csv"}
    grouped.let(there)
    grouped.asked.clear()
    grouped.let(there | {"z.csv"})
    assert grouped.asked == ["z.csv"]
    assert len(grouped.planner.sets) == 52


def test_other_documents_group_all_files_again() -> None:
    grouped = Grouped()
    grouped.let({"x.csv", "note.csv"})
    grouped.planner.use(lambda _: OTHER)
    grouped.let({"x.csv", "note.csv"})
    assert {name: one.profile for name, one in grouped.planner.sets.items()} == {
        "x": OTHER.profile,
        "note": OTHER.profile,
    }
    assert grouped.planner.unclaimed == ()
