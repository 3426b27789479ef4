"""Paths of item pages are safe on every file system, whatever a round is called."""

import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reporting.document.page_paths import page_links, pages_by_round, round_slugs
from tests.reporting.results import make_item, make_result
from texts import texts

RESERVED = re.compile(r"(?i)(con|prn|aux|nul|com\d|lpt\d)(\.|$)")


@pytest.mark.parametrize(
    ("label", "slug"),
    [
        ("1/1", "1-1"),
        ("12/3", "12-3"),
        ("1차 회귀", "1차-회귀-c6a9e5"),
        ("1-1", "1-1-8a3f0e"),
        ("..", "round-5ec1f7"),
        ("con", "con-b5a7f1"),
        ("../../etc/passwd", "etc-passwd-4d4a33"),
    ],
)
def test_numbered_rounds_are_plain_and_others_carry_a_hash(label: str, slug: str) -> None:
    made = round_slugs([label])[label]
    if re.fullmatch(r"\d+/\d+", label):
        assert made == slug
    else:
        assert made[:-6] == slug[:-6]
        assert re.fullmatch(r"[0-9a-f]{6}", made[-6:])


@given(st.lists(st.text(min_size=1), unique=True, max_size=5))
def test_slugs_are_safe_and_distinct(labels: list[str]) -> None:
    slugs = list(round_slugs(labels).values())
    assert len({slug.casefold() for slug in slugs}) == len(labels)
    for slug in slugs:
        assert len(slug.encode()) <= 60
        assert unicodedata.is_normalized("NFC", slug)
        assert re.fullmatch(r"[\w-]+", slug)
        assert slug.isprintable()
        assert not RESERVED.match(slug)
        assert slug[0] not in ".-_"


def test_long_labels_keep_whole_characters() -> None:
    slug = round_slugs(["가" * 100])["가" * 100]
    assert re.fullmatch(r"가{17}-[0-9a-f]{6}", slug)


def test_one_page_per_round_and_track_that_has_items() -> None:
    items = [
        make_item(2, round="1/1", track=1),
        make_item(3, round="1/1", track=None),
        make_item(4, round="2/1", track=7),
    ]
    assert [(link.href, link.text) for link in page_links(make_result(*items), texts())] == [
        ("rounds/1-1/track-1.md", "Track 1"),
        ("rounds/1-1/track-unassigned.md", "미지정"),
        ("rounds/2-1/track-7.md", "Track 7"),
    ]


def test_pages_are_listed_by_round() -> None:
    items = [make_item(2, track=1), make_item(3, track=3), make_item(4, round="2/1", track=1)]
    listed = [(title, [link.text for link in links]) for title, links in pages_by_round(make_result(*items), texts())]
    assert listed == [("1회차 (1/1)", ["Track 1", "Track 3"]), ("2회차 (2/1)", ["Track 1"])]


def test_a_track_of_many_digits_still_makes_a_file_name() -> None:
    (link,) = page_links(make_result(make_item(2, track=10**100)), texts())
    assert re.fullmatch(r"rounds/1-1/track-10{52}-[0-9a-f]{6}\.md", link.href)
