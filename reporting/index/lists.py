"""What is around the rows of the index: its summary, the trends, and the files and sets that are listed apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from reporting.index.cells import NAME_CHARS, set_title
from reporting.index.rows import IndexRow, Rows
from reporting.store.set_folder import PROBLEM_HTML, REPORT_HTML, link
from reporting.trend.pages import trend_page
from reporting.view.headline import share_title
from reporting.wording.display import count, excerpt
from reporting.wording.system import in_words
from texts import Texts

MAX_LISTED = 100
NAMES_CHARS = 4_000


class Files(NamedTuple):
    """Files that no report shows, as people see their paths: those of other names, and unread ones with the reason.

    patterns: profile -> names of files that are scored.
    """

    unclaimed: Sequence[str]
    unread: Mapping[str, str]
    patterns: Mapping[str, Sequence[str]]


class FileList(NamedTuple):
    """Files that no report shows: title, explanation, the files, and how many are not listed ("0": none)."""

    title: str
    told: str
    files: list[str]
    more: str


class GoneSet(NamedTuple):
    """A set whose files are gone. href: of its page."""

    name: str
    href: str


class Frame(NamedTuple):
    """trends: (profile, page). gone: how many sets are listed apart, "0" for none; gone_sets: the first of them."""

    summary: str
    trend_title: str
    trends: list[tuple[str, str]]
    lists: list[FileList]
    gone: str
    gone_sets: list[GoneSet]
    gone_more: str


def frame_of(rows: Rows, trends: Sequence[str], files: Files, t: Texts) -> Frame:
    """trends: profiles that have a page."""
    gone = sorted(rows.gone)
    return Frame(
        summary=_summary(*rows.counts(), t),
        trend_title=t("index.trend", share=share_title(rows.passes(), t)),
        trends=[(profile, trend_page(profile)) for profile in trends],
        lists=_lists(files, t),
        gone=count(len(gone)),
        gone_sets=[_gone(rows.row(name)) for name in gone[:MAX_LISTED]],
        gone_more=count(max(len(gone) - MAX_LISTED, 0)),
    )


def _lists(shown: Files, t: Texts) -> list[FileList]:
    """What could not be read, then what was not scored for its name; lists without files are left out."""
    reasons = [
        t("index.unread-file", path=excerpt(path, NAME_CHARS), reason=excerpt(in_words(reason, t), NAME_CHARS))
        for path, reason in shown.unread.items()
    ]
    paths = [excerpt(path, NAME_CHARS) for path in shown.unclaimed[:MAX_LISTED]]
    names = ", ".join(f"{_names(taken)} ({profile})" for profile, taken in sorted(shown.patterns.items()))
    told = t("index.unclaimed-told")
    if names:
        told += " " + t("index.unclaimed-names", names=excerpt(names, NAMES_CHARS))
    lists = (
        ("unread", t("index.unread-told"), reasons[:MAX_LISTED], len(reasons)),
        ("unclaimed", told, paths, len(shown.unclaimed)),
    )
    return [
        FileList(t(f"index.{name}"), text, files, count(total - len(files)))
        for name, text, files, total in lists
        if files
    ]


def _names(patterns: Sequence[str]) -> str:
    """`a_*.csv/.tsv/.xlsx`: in one those that differ by the kind of file alone; what leaves out files is not named."""
    kinds: dict[str, list[str]] = {}
    for pattern in patterns:
        if not pattern.startswith("!"):
            stem, dot, kind = pattern.rpartition(".")
            kinds.setdefault(stem + dot, []).append(kind)
    return ", ".join(f"{stem}{f'/{stem[-1:]}'.join(found)}" for stem, found in kinds.items())


def _gone(row: IndexRow) -> GoneSet:
    name = row.entry.set_name
    return GoneSet(set_title(row.entry), link(name, REPORT_HTML if row.is_report else PROBLEM_HTML))


def _summary(total: int, reports: int, t: Texts) -> str:
    """How many sets there are, without those that are listed apart."""
    text = t("index.summary", sets=t.counted("sets", count(total)), reports=t.counted("reports", count(reports)))
    return text + t("index.refused", n=count(total - reports)) if reports < total else text
