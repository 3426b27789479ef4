"""The seeds as they stand, read over the shipped document."""

from __future__ import annotations

import pytest

from scoring.rubric.document.read import parse_rubric, read_rubric
from scoring.rubric.model import Status
from tests.scoring.documents import BASE, SEED_000, SEED_002, SEEDS, places, replaced


def test_seed_002_reads_as_the_shipped_document() -> None:
    reading = read_rubric(SEED_002, source="002.txt", base=BASE)
    assert reading.rubric.digest == BASE.digest
    assert [(table.role, table.line, table.last_line) for table in reading.understood] == [
        ("intent", 81, 83),
        ("accuracy", 87, 89),
        ("stability", 92, 93),
        ("latency.single", 109, 114),
        ("latency.multi", 116, 121),
    ]
    assert reading.ignored == ()
    assert reading.kept == ()


def test_seed_000_gives_its_latency_bands() -> None:
    edited = replaced(SEED_000, "| latencySec <= 5 ", "| latencySec <= 5.5 ")
    edited = replaced(edited, "| 5 < latencySec <= 8 ", "| 5.5 < latencySec <= 8 ")
    reading = read_rubric(SEED_000, source="000.txt", base=BASE)
    assert reading.rubric.digest == BASE.digest
    assert parse_rubric(edited, source="000.txt", base=BASE).latency_classes[0].bands.edges[0] == 5.5
    assert [(table.role, table.line) for table in reading.understood] == [("latency.single", 62), ("latency.multi", 73)]
    assert [(unused.line, unused.reason) for unused in reading.ignored] == [
        (13, "not-points"),
        (26, "not-points"),
        (37, "other-bands"),
        (50, "not-points"),
        (84, "not-points"),
        (91, "not-points"),
    ]
    assert reading.kept == ("intent", "stability")


@pytest.mark.parametrize(
    ("old", "new", "changed"),
    [
        ("- <=5초:5", "- <=5초:4.5", "single"),
        ("- <=20초:5", "- <=20초:4.5", "multi"),
        ("- >60초:0", "- >60초:0.5", "multi"),
        ("- ok/partial = 5", "- ok/partial = 4", "stability"),
    ],
)
def test_one_number_of_seed_002_changes_that_number_only(old: str, new: str, changed: str) -> None:
    rubric = parse_rubric(replaced(SEED_002, old, new), source="002.txt", base=BASE)
    assert rubric.digest != BASE.digest
    differing = [metric for metric, points in rubric.status_points.items() if points != BASE.status_points[metric]]
    differing += [
        one.name for one, other in zip(rubric.latency_classes, BASE.latency_classes, strict=True) if one != other
    ]
    assert differing == [changed]


def test_intent_of_seed_002_is_changed_where_it_is_written_and_copied() -> None:
    rubric = parse_rubric(SEED_002.replace("partial = 4", "partial = 3"), source="002.txt", base=BASE)
    assert rubric.status_points["intent"][Status.PARTIAL] == 3.0
    edited = SEED_002.replace("- partial = 4", "- partial = 3", 1)
    assert places(edited, BASE) == [("rubric-copy-differs", 88, "partial")]


def test_seed_004_holds_nothing_for_this_profile() -> None:
    text = (SEEDS / "004.txt").read_text(encoding="utf-8")
    assert places(text, BASE) == [("rubric-nothing-understood", 1, "")]
