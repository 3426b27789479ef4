"""The page of the index: its rows, its summary, the trends, and the files and sets that are listed apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from reporting.document import (
    BLANK,
    DOT,
    Block,
    Each,
    Heading,
    Items,
    Link,
    Markdown,
    OnlyHtml,
    OnlyMarkdown,
    Page,
    Paragraph,
    Text,
    href,
    html,
    in_line,
    share_title,
    table_rows,
    titled,
)
from reporting.index.cells import NAME_CHARS, column_titles, set_title
from reporting.index.html import PageRows, first_rows, rows_data
from reporting.index.markdown import table_of_sets
from reporting.index.rows import Rows
from reporting.store import SUMMARY_HTML, link
from reporting.trend import trend_page
from reporting.wording import count, excerpt, in_words
from texts import Texts

MAX_LISTED = 100
NAMES_CHARS = 4_000


class Files(NamedTuple):
    """Files that no report shows, as people see their paths: those of other names, and unread ones with the reason.

    patterns: profile -> names of files that are scored. outdated: what changed of documents, rules and settings is not
    in force, in sentences.
    """

    unclaimed: Sequence[str]
    unread: Mapping[str, str]
    patterns: Mapping[str, Sequence[str]]
    outdated: str = ""


class Marks(NamedTuple):
    """Where the lines of the sets and of those whose files are gone are put; "" where there are none."""

    sets: str
    gone: str


def index_page(rows: Rows, drawn: PageRows, marks: Marks, *, trends: Sequence[str], files: Files, t: Texts) -> Page:
    """index.md, whose lines are put in later, and index.html. trends: profiles that have a page."""
    trend = t("index.trend", share=share_title(rows.passes(), t))
    metrics = column_titles(rows, t)
    table = table_rows(table_of_sets(trend, metrics, t))
    sets: list[Block] = [Markdown(table + marks.sets), Paragraph(t("index.compared"))] if marks.sets else []
    return Page(
        title=t("index.title"),
        head=[
            OnlyMarkdown([Heading(1, t("index.title"))]),
            html('<header class="head"><h1 class="top">{}</h1></header>\n', t("index.title")),
        ],
        blocks=[
            Paragraph(_summary(*rows.counts(), t), "lead"),
            *([Paragraph(excerpt(files.outdated, NAMES_CHARS))] if files.outdated else []),
            first_rows(drawn, trend, metrics, t),
            *_trends(trends, t),
            OnlyMarkdown(sets),
            *_gone(rows, table + marks.gone, t),
            *_lists(files, t),
        ],
        script="index.js",
        data=rows_data(drawn, metrics, rows, t),
    )


def _trends(trends: Sequence[str], t: Texts) -> list[Block]:
    links = [Link(excerpt(profile, NAME_CHARS), href(trend_page(profile))) for profile in trends]
    joint = Each(Markdown(", "), DOT)
    return [Paragraph(titled(t("trend.title"), in_line(links, joint)))] if links else []


def _gone(rows: Rows, lines: str, t: Texts) -> list[Block]:
    """The sets whose files are gone: in Markdown all of them, in HTML the first."""
    gone, title = sorted(rows.gone), t("index.gone")
    if not gone:
        return []
    links: list[Text] = []
    for row in map(rows.row, gone[:MAX_LISTED]):
        page = link(row.entry.set_name, SUMMARY_HTML)
        links.append(html('<a href="{}">{}</a>', page, set_title(row.entry.set_name)))
    if len(gone) > MAX_LISTED:
        more = t("quality.more-files", n=count(len(gone) - MAX_LISTED))
        links.append((more, Markdown(" ("), Link("index.md", "index.md"), Markdown(")")))
    told = Paragraph(t("index.gone-told"))
    return [
        OnlyMarkdown([Heading(2, title), told, Markdown(lines), BLANK]),
        OnlyHtml([Heading(2, f"{title} ({count(len(gone))})"), told, Items(links)]),
    ]


def _lists(shown: Files, t: Texts) -> list[Block]:
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
    unread = _list("unread", t("index.unread-told"), reasons[:MAX_LISTED], len(reasons), t)
    return [*unread, *_list("unclaimed", told, paths, len(shown.unclaimed), t)]


def _list(name: str, told: str, files: Sequence[str], total: int, t: Texts) -> list[Block]:
    if not files:
        return []
    more = [t("quality.more-files", n=count(total - len(files)))] if total > len(files) else []
    return [Heading(2, t(f"index.{name}")), Paragraph(told), Items([*files, *more])]


def _names(patterns: Sequence[str]) -> str:
    """`a_*.csv/.tsv/.xlsx`: in one those that differ by the kind of file alone; what leaves out files is not named."""
    kinds: dict[str, list[str]] = {}
    for pattern in patterns:
        if not pattern.startswith("!"):
            stem, dot, kind = pattern.rpartition(".")
            kinds.setdefault(stem + dot, []).append(kind)
    return ", ".join(f"{stem}{f'/{stem[-1:]}'.join(found)}" for stem, found in kinds.items())


def _summary(total: int, reports: int, t: Texts) -> str:
    """How many sets there are, without those that are listed apart."""
    text = t("index.summary", sets=t.counted("sets", count(total)), reports=t.counted("reports", count(reports)))
    return text + t("index.refused", n=count(total - reports)) if reports < total else text
