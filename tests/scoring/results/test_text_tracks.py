"""Tracks that are texts: read, placed in the order of the document, and told apart from numbers."""

import pytest

from scoring.gate import Scope, parse_rule
from scoring.results.merging import merge
from scoring.results.model import SetResult
from scoring.rubric import ALL, UNASSIGNED, Rubric, TrackId, decode_rubric, encode_rubric, group_key, track_of
from scoring.rubric.document import parse_rubric
from tests.inner import read_named_track, track_names
from tests.scoring.documents import SHIPPED, problems_of, replaced
from tests.scoring.files import csv_text, resume_rubric, row, score_bytes

TRACKS = """tracks:
  - { track: easy, meaning: one filter, items: 2 }
  - { track: Very Hard, meaning: several steps }
  - { track: 7 }
"""


def document(tracks: str = TRACKS, *, single: str = "easy, 7", multi: str = "very hard") -> str:
    text = replaced(SHIPPED, "max_rounds: 50", f"max_rounds: 50\n{tracks}")
    return replaced(replaced(text, "tracks: [1, 2]", f"tracks: [{single}]"), "tracks: [3]", f"tracks: [{multi}]")


def rubric(tracks: str = TRACKS) -> Rubric:
    return parse_rubric(document(tracks), source="x.md")


def scored(*cells: str) -> SetResult:
    rows = [row(Query_ID=f"Q-{n}", Track=cell) for n, cell in enumerate(cells)]
    part = score_bytes(csv_text(rows).encode(), rubric=rubric())
    return merge([("resume_agent_x.csv", part)], rubric())


@pytest.mark.parametrize(
    ("cell", "track"),
    [
        ("easy", "easy"),
        (" EASY ", "easy"),
        ("very hard", "Very Hard"),
        ("Track easy", "easy"),
        ("트랙: Very Hard", "Very Hard"),
        ("7", 7),
        ("Track 7", 7),
        ("12", 12),
        ("easy 2", "easy 2"),
        ("hard", "hard"),
        ("ｅａｓｙ", "easy"),
        ("nan", None),
        ("", None),
    ],
)
def test_cell_names_a_track_in_any_case_or_is_one_of_its_own(cell: str, track: TrackId | None) -> None:
    names = track_names(rubric())
    assert names is not None
    assert read_named_track(cell, names=names) == track


def test_document_of_numbers_reads_numbers_alone() -> None:
    assert track_names(resume_rubric()) is None
    part = score_bytes(csv_text([row(Track="easy"), row(Query_ID="Q-2", Track="Track 2")]).encode())
    assert [item.track for item in part.items] == [None, 2]
    assert [finding.code for finding in part.findings] == ["track-unknown"]


def test_groups_are_in_the_order_of_the_document_then_others_then_none() -> None:
    result = scored("zeta", "7", "Very Hard", "", "easy", "3", "EASY", "alpha")
    assert [group.key for group in result.groups] == [
        ALL, "easy", "Very Hard", "7", "3", "alpha", "zeta", UNASSIGNED,
    ]  # fmt: skip
    assert result.counts["track-unnamed"] == 2
    assert result.counts["track-unassigned"] == 1


def test_tracks_that_the_document_does_not_name_are_a_finding() -> None:
    result = scored("easy", "hard")
    assert [(place.code, place.found) for finding in result.findings for place in finding.places] == [
        ("track-counts", "1/1 Track easy: 1 / 2"),
        ("track-unnamed", "hard"),
    ]


def test_latency_class_is_that_of_the_text() -> None:
    rows = [row(Query_ID=f"Q-{n}", Track=cell) for n, cell in enumerate(("easy", "VERY HARD", "other", "7"))]
    items = score_bytes(csv_text(rows).replace("4.2", "12.0").encode(), rubric=rubric()).items
    assert [item.latency for item in items] == [2, 5, 2, 2]


def test_meaning_and_digest() -> None:
    assert [(track.number, track.meaning) for track in rubric().tracks[:3]] == [
        ("easy", "one filter"), ("Very Hard", "several steps"), (7, ""),
    ]  # fmt: skip
    assert decode_rubric(encode_rubric(rubric())) == rubric()
    other_order = rubric(TRACKS.replace("easy, meaning: one filter, items: 2", "x").replace("Very Hard", "easy"))
    assert other_order.digest != rubric().digest


def test_tracks_alone_need_no_latency_class() -> None:
    one = rubric("tracks: [{ track: low }, { track: high }]\n")
    assert one.named_tracks[:2] == ("low", "high")
    assert one.has_tracks


@pytest.mark.parametrize(
    ("text", "code", "found"),
    [
        (document("tracks: [{ track: easy }, { track: EASY }]\n"), "rubric-track-twice", "easy"),
        (document(single="a, A"), "rubric-track-twice", "a"),
        (document(single="''"), "rubric-word-empty", ""),
        (document(single="1.5"), "rubric-value-type", "1.5"),
        (document("tracks: [{ track: -1 }]\n"), "rubric-value-too-small", "-1"),
    ],
)
def test_tracks_that_are_none_or_there_twice_are_refused(text: str, code: str, found: str) -> None:
    assert (code, found) in [(problem.code, problem.found) for problem in problems_of(text)]


@pytest.mark.parametrize("track", [None, 0, 12, "easy", "all", "unassigned", "=all", "==", "전체"])
def test_key_tells_every_track_and_no_two_have_one(track: TrackId | None) -> None:
    assert track_of(group_key(track)) == track
    assert group_key(track) not in {ALL, *(["unassigned"] if track is not None else [])}


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("track easy: intent >= 3", "easy"),
        ('track "Very Hard": intent >= 3', "Very Hard"),
        ("track 7: intent >= 3", "7"),
        ("track unassigned: intent >= 3", UNASSIGNED),
        ('track "unassigned": intent >= 3', "=unassigned"),
    ],
)
def test_gate_rule_names_a_track_by_its_text(text: str, key: str) -> None:
    assert parse_rule(text, {"intent": 5.0}).scope == Scope("track", key)
