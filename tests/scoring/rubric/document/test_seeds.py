"""The seeds as they stand, read over the shipped document."""

import pytest

from scoring.rubric.document.read import parse_rubric, read_rubric
from scoring.rubric.points import Status
from tests.scoring.documents import BASE, SEED_000, SEED_002, SEEDS, places, replaced, rules_of, tables_ignored


def test_seed_002_reads_as_the_shipped_document() -> None:
    reading = read_rubric(SEED_002, source="002.txt", base=BASE)
    assert rules_of(reading.rubric) == rules_of(BASE)
    assert [(table.role, table.line, table.last_line) for table in reading.understood] == [
        ("intent", 81, 83),
        ("accuracy", 87, 89),
        ("stability", 92, 93),
        ("latency.single", 109, 114),
        ("latency.multi", 116, 121),
    ]
    assert tables_ignored(reading) == []
    assert reading.kept == ()


def test_what_the_tracks_are_is_read_from_a_list() -> None:
    tracks = read_rubric(SEED_002, source="002.txt", base=BASE).rubric.tracks
    assert [(track.number, track.meaning) for track in tracks] == [
        (1, "단일 필터 전수 테스트"),
        (2, "열 기반 집계(성별/나이/등급 등)"),
        (3, "복합 시나리오(최적화/분석형)"),
    ]
    assert [track.number for track in BASE.tracks] == [1, 2, 3]
    assert BASE.tracks[2].meaning == "최적화와 분석형의 복합 시나리오 (복수 도구)"


def test_every_line_that_nothing_reads_is_listed() -> None:
    reading = read_rubric(SEED_002, source="002.txt", base=BASE)
    unread = {line: text for unused in reading.ignored for line, text in unused.rows}
    assert unread[68].startswith("키워드 포함: 선택, 선택해 주세요")
    assert not {25, 26, 27, 81, 109} & unread.keys()  # tracks, points and bands
    assert (74, 74) in reading.prose  # the order of the statuses
    front = [(unused.line, unused.label) for unused in reading.ignored if unused.reason == "front-matter"]
    assert front == [(2, "name"), (3, "description")]
    assert (reading.rubric.edition, reading.rubric.document) == ("", "002.txt")


def test_the_edition_of_a_document_is_kept() -> None:
    reading = read_rubric(SEED_000, source="folder/000.txt", base=BASE)
    assert (reading.rubric.edition, reading.rubric.document) == ("26-02-25", "000.txt")
    assert [unused.label for unused in reading.ignored if unused.reason == "front-matter"] == ["name", "description"]
    newer = parse_rubric(replaced(SEED_000, "26-02-25", "26-03-01"), source="folder/000.txt", base=BASE)
    assert newer.digest != reading.rubric.digest


def test_seed_000_gives_its_latency_bands() -> None:
    edited = replaced(SEED_000, "| latencySec <= 5 ", "| latencySec <= 5.5 ")
    edited = replaced(edited, "| 5 < latencySec <= 8 ", "| 5.5 < latencySec <= 8 ")
    reading = read_rubric(SEED_000, source="000.txt", base=BASE)
    assert rules_of(reading.rubric) == rules_of(BASE)
    assert parse_rubric(edited, source="000.txt", base=BASE).latency_classes[0].bands.edges[0] == 5.5
    assert [(table.role, table.line) for table in reading.understood] == [("latency.single", 62), ("latency.multi", 73)]
    assert [(unused.line, unused.reason) for unused in tables_ignored(reading)] == [
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
