"""Paths of the item pages: `rounds/<round>/track-<n>.md`, safe on every file system whatever a label says.

And where the pages of a set are as a whole.
"""

import hashlib
import re
import unicodedata
from collections.abc import Sequence
from typing import NamedTuple

from reporting.document.tables import shown_groups
from reporting.wording import clean, count, round_name, track_name
from scoring.results import SetResult
from scoring.rubric import UNASSIGNED, is_number
from texts import Texts

SLUG_BYTES = 60
_HASH_DIGITS = 6
_MARK_DIGITS = 8
_NUMBERED = re.compile(r"([0-9]{1,9})/([0-9]{1,9})")
_UNSAFE = re.compile(r"[\W_]+")


class PageLink(NamedTuple):
    """A page that is written.

    href: relative to the set's folder. round, track: keys. text: its track, or the number of items without tracks.
    """

    href: str
    text: str
    round: str
    track: str


class PageAddress(NamedTuple):
    """mark: what an address of a page with filters begins with, so that those of another set are known.

    It is the same for all versions of a set. top: from the folder of the set to the folder of reports (`../`).
    profile: of the page of the trend, which is beside the index.
    """

    mark: str
    top: str
    profile: str


def page_address(set_name: str, profile: str) -> PageAddress:
    """The address of the pages of a set. set_name: with "/" between folders."""
    digest = hashlib.sha256(set_name.encode(errors="surrogateescape")).hexdigest()
    return PageAddress(digest[:_MARK_DIGITS], "../" * (set_name.count("/") + 1), profile)


def pages_by_round(result: SetResult, t: Texts) -> list[tuple[str, list[PageLink]]]:
    """The rounds that have pages, by name, with their pages."""
    links = page_links(result, t)
    pages = [(round_name(entry, t), [link for link in links if link.round == entry.label]) for entry in result.rounds]
    return [(title, of_round) for title, of_round in pages if of_round]


def page_links(result: SetResult, t: Texts) -> tuple[PageLink, ...]:
    """One link per round and track that have items, rounds first. Tracks that no table shows have no page."""
    slugs = round_slugs([entry.label for entry in result.rounds])
    links = []
    tracks = shown_groups(result)
    for index, entry in enumerate(result.rounds):
        # Without any track a page holds a whole round.
        for key, group in tracks or ((UNASSIGNED, result.group(UNASSIGNED)),):
            if group is not None and group.items[index]:
                href = f"rounds/{slugs[entry.label]}/track-{_track_slug(key)}.md"
                text = track_name(key, t) if tracks else t.counted("items", count(group.items[index]))
                links.append(PageLink(href, text, entry.label, key))
    return tuple(links)


def round_slugs(labels: Sequence[str]) -> dict[str, str]:
    """A folder name per label, distinct in any case: `1/1` is `1-1`, others a slug and a hash, ≤ 60 bytes."""
    slugs: dict[str, str] = {}
    taken: set[str] = set()
    for label in labels:
        digits = _HASH_DIGITS
        slug = _slug(label, digits)
        while slug.casefold() in taken:
            digits += 2
            slug = _slug(label, digits)
        taken.add(slug.casefold())
        slugs[label] = slug
    return slugs


def _slug(label: str, digits: int) -> str:
    numbered = _NUMBERED.fullmatch(label)
    if numbered is not None and digits == _HASH_DIGITS:
        return f"{numbered[1]}-{numbered[2]}"
    mark = hashlib.sha256(label.encode(errors="surrogatepass")).hexdigest()[:digits]
    kept = _UNSAFE.sub("-", clean(label)).encode()[: SLUG_BYTES - digits - 1].decode(errors="ignore").strip("-")
    return unicodedata.normalize("NFC", f"{kept or 'round'}-{mark}")


def _track_slug(key: str) -> str:
    """`1`, `unassigned`; a text, or a number too long for a name, is cut and marked like a label."""
    is_name = key == UNASSIGNED or is_number(key)
    return key if is_name and len(key) <= SLUG_BYTES // 2 else _slug(key, _HASH_DIGITS)
