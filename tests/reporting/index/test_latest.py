"""The caches of the index hold one value a place, however often a set is published again."""

from __future__ import annotations

from pathlib import Path

import pytest

from reporting.index import pages, write
from reporting.index.latest import Latest
from reporting.index.write import write_index
from reporting.publish import publish_problem
from scoring.problems import Problem


def test_a_newer_value_takes_the_room_of_the_one_before() -> None:
    latest: Latest[int] = Latest()
    made: list[int] = []

    def make() -> int:
        made.append(len(made))
        return made[-1]

    assert [latest.get("a", mark, make) for mark in (1, 1, 2, 2, 1)] == [0, 0, 1, 1, 2]
    assert len(latest) == 1


def test_a_value_that_cannot_be_made_is_not_kept() -> None:
    latest: Latest[int] = Latest()
    with pytest.raises(ZeroDivisionError):
        latest.get("a", 1, lambda: 1 // 0)
    assert len(latest) == 0


def test_more_places_than_are_kept_begin_anew() -> None:
    latest: Latest[int] = Latest(most=2)
    for place in range(5):
        latest.get(place, 0, lambda: 0)
    assert len(latest) <= 2


def test_many_publications_of_a_set_keep_one_status_and_one_row(tmp_path: Path) -> None:
    caches: list[Latest[object]] = [write._STATUSES, write._EARLIER, pages._MARKDOWN_ROWS, pages._HTML_ROWS]  # type: ignore[list-item]
    before = [len(cache) for cache in caches]
    for number in range(20):
        publish_problem(
            [Problem(code="header-only")],
            inputs=[("a.csv", f"{number:064x}")],
            set_name="a",
            key=f"{number:064x}",
            out=tmp_path,
            profile="resume-agent",
        )
        write_index(tmp_path)
    assert all(len(cache) - held <= 1 for cache, held in zip(caches, before, strict=True))
