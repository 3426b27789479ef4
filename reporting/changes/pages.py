"""The pages about changes, `changes.md` and `changes.html`: two versions of one set, compared as any two runs are.

They depend on the earlier versions in the folder, unlike a report, which is a function of its key.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache

from reporting.charts.svg import Chart
from reporting.charts.trend import trend_chart
from reporting.comparison.data import comparison_key
from reporting.comparison.publish import page_data
from reporting.comparison.view import ComparisonView, comparison_view
from reporting.pages.html import render
from reporting.pages.markdown import md, render_markdown
from reporting.store.history import Version
from reporting.store.set_folder import CHANGES_HTML, CHANGES_MD, HISTORY, REPORT_HTML
from reporting.store.status import State, StatusFile
from reporting.view.headline import headline_pieces
from reporting.view.page_paths import PageAddress, page_address
from reporting.wording.display import count, excerpt
from reporting.wording.names import metric_title, metric_word
from reporting.wording.times import written_text
from scoring.comparison.compare import Comparison
from scoring.items.part import ENGINE_VERSION
from scoring.rubric.model import Rubric
from scoring.rubric.points import USUAL_SCALE
from texts import Texts

NAME_CHARS = 120
KEY_CHARS = 8
_ANY_SET = "theNameOfAnySet"  # letters, which no escaping changes


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionLink:
    """An earlier version. href: relative to the set's folder."""

    text: str
    href: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangesView:
    """What changed since the version before.

    home: "report" or "problem", the page to go back to. is_first: nothing to compare with; the rest is empty then.
    note: why the versions are not compared, "" where they are. trend: None with fewer than two versions that have
    figures. versions: newest first.
    """

    set_name: str
    address: PageAddress
    home: str
    is_first: bool = True
    note: str = ""
    comparison: ComparisonView | None = None
    trend: Chart | None = None
    versions: tuple[VersionLink, ...] = ()


def changes_view(
    set_name: str,
    after: StatusFile,
    changes: Comparison | str | None,
    versions: Sequence[Version],
    *,
    folder: str = "",
    rubric: Rubric | None,
    t: Texts,
) -> ChangesView:
    """changes: None for the first version; a slug where the versions cannot be compared.

    versions: the kept ones, oldest first. folder: of the version that is compared with, relative to the set's, "" where
    it is not kept. rubric: None for a problem.
    """
    word = _metric_namer(rubric, t)
    scale = USUAL_SCALE if rubric is None else rubric.points
    headlines = [version.status.headline for version in versions]
    trend = [headline for headline in (*headlines, after.headline) if headline is not None]
    view = ChangesView(
        set_name=excerpt(set_name, NAME_CHARS),
        address=page_address(set_name, after.profile),
        home="report" if after.state is State.REPORT else "problem",
        trend=trend_chart(trend, scale, word, t) if len(trend) > 1 else None,
    )
    if changes is None:
        return view
    return replace(
        view,
        is_first=False,
        note=t(f"changes.{changes}") if isinstance(changes, str) else "",
        comparison=None if isinstance(changes, str) else _compared(changes, folder, t),
        versions=tuple(_link(version, t) for version in reversed(versions)),
    )


def render_changes(view: ChangesView, t: Texts) -> dict[str, str]:
    """Text by format: "md" and "html"."""
    if not view.is_first:
        return _rendered(view, t)
    from markupsafe import escape

    # Most sets have one version: their pages differ by the name of the set alone.
    pieces = _first_pages(view.home, view.address._replace(mark=""), t)
    return {
        "md": md(view.set_name).join(pieces["md"]),
        "html": str(escape(view.set_name)).join(pieces["html"]),
    }


def _compared(comparison: Comparison, folder: str, t: Texts) -> ComparisonView:
    pages = f"{folder}/{REPORT_HTML}" if folder else "", REPORT_HTML
    before, after = comparison.before.id, comparison.after.id
    key = comparison_key(before, after, margin=None, pages=pages, language=t.language)
    return comparison_view(comparison, key=key, engine=ENGINE_VERSION, pages=pages, t=t)


def _rendered(view: ChangesView, t: Texts) -> dict[str, str]:
    compared = view.comparison
    script = "" if compared is None else "compare.js"
    data = page_data(compared.key, t) if compared is not None else ""
    return {
        "md": render_markdown("changes.md.j2", page=view, view=compared, t=t),
        "html": render("changes.html.j2", t, script=script, page=view, view=compared, data=data),
    }


@cache
def _first_pages(home: str, address: PageAddress, t: Texts) -> dict[str, list[str]]:
    """The pages of a first version, split at the name of the set."""
    pages = _rendered(ChangesView(set_name=_ANY_SET, address=address, home=home), t)
    return {kind: text.split(_ANY_SET) for kind, text in pages.items()}


def render_kept(status: StatusFile, t: Texts) -> dict[str, str]:
    """The pages in the place of those of a kept version, by file name: its report links to them."""
    name = excerpt(status.set, NAME_CHARS)
    return {
        CHANGES_MD: render_markdown("kept.md.j2", set_name=name, t=t),
        CHANGES_HTML: render("kept.html.j2", t, set_name=name),
    }


def _metric_namer(rubric: Rubric | None, t: Texts) -> Callable[[str], str]:
    """A function from a metric to what the report calls it. rubric: None where there is no report."""
    return lambda name: metric_word(name, t) if rubric is None else metric_title(rubric, name, t)


def _link(version: Version, t: Texts) -> VersionLink:
    """Number and key of a version, when it was run and written, and its figures."""
    status = version.status
    page = "report.md" if status.state is State.REPORT else "problem.md"
    text = version_name(version, t)
    if status.headline is not None:
        items = t.counted("items", count(status.headline.n))
        text += ", " + ", ".join([items, *headline_pieces(status.headline, t)])
    return VersionLink(text=text, href=f"{HISTORY}/{version.folder.name}/{page}")


def version_name(version: Version, t: Texts) -> str:
    """`Version 3 (1a2b3c4d), run of 2026-03-01 09:00, file of 2026-03-02 10:15 +09:00`."""
    status = version.status
    pieces = [t("changes.version", number=str(version.sequence), key=excerpt(status.key, KEY_CHARS))]
    if status.executed:
        pieces.append(t("changes.of-data", date=excerpt(status.executed.replace("T", " ")[:16], NAME_CHARS)))
    if version.written_ns:
        pieces.append(t("changes.of-file", date=written_text(version.written_ns)))
    return ", ".join(pieces)
