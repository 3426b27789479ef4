"""The pages about changes, `changes.md` and `changes.html`: two versions of one set, compared as any two runs are.

They depend on the earlier versions in the folder, unlike a report, which is a function of its key.
"""

from collections.abc import Callable, Sequence

from reporting.comparison import compared_blocks, comparison_key, embed_comparison, value_text, words_section
from reporting.document import (
    BLANK,
    DOT,
    NOTHING,
    SCRIPT,
    Block,
    Heading,
    Items,
    Link,
    Markdown,
    OnlyMarkdown,
    Page,
    Paragraph,
    banner,
    figure,
    head,
    headline_pieces,
    href,
    in_line,
    md,
    page_address,
    skip_link,
)
from reporting.document.charts import Chart, trend_chart
from reporting.store import (
    CHANGES_SVG,
    HISTORY,
    PROBLEM_MD,
    REPORT_HTML,
    REPORT_MD,
    Headline,
    State,
    StatusFile,
    Version,
)
from reporting.wording import count, excerpt, metric_title, metric_word, written_text
from scoring.comparison import Comparison
from scoring.rubric import USUAL_SCALE, Rubric
from texts import Texts

NAME_CHARS = 120
KEY_CHARS = 8


def changes_page(
    status: StatusFile,
    changes: Comparison | str,
    versions: Sequence[Version],
    *,
    folder: str = "",
    engine: int | None = None,
    trend: Chart | None = None,
    t: Texts,
) -> Page:
    """What changed since the version before. status: of the version that is compared.

    changes: a slug where the versions cannot be compared. versions: the kept ones, oldest
    first. folder: of the version that is compared with, relative to the set's, "" where it is not kept. engine: of
    that version, None without one. trend: of all versions, None for no chart.
    """
    name, title = excerpt(status.set, NAME_CHARS), t("changes.title")
    address = page_address(status.set, status.profile)
    home = "report" if status.state is State.REPORT else "problem"
    ways = [
        Link(t("changes.home"), f"{home}.html"),
        Link(t("trend.title"), f"{address.top}trend-{href(address.profile)}.html"),
        Link(t("nav.index"), f"{address.top}index.html"),
    ]
    page = Page(
        title=f"{title} · {name}",
        head=[
            *banner(status.shown_banner),
            *head(title, name, Paragraph(in_line(ways, DOT))),
            OnlyMarkdown([Paragraph(Link(t("changes.home"), f"{home}.md"))]),
        ],
        blocks=[],
        kind="comparison",
    )
    links = [_link(version, t) for version in reversed(versions)]
    told = (
        [] if isinstance(changes, str) or not _has_other_values(changes) else [Paragraph(t("changes.whole"), "muted")]
    )
    listed: list[Block] = [Heading(2, t("changes.versions")), *told, Items(links)] if links else [BLANK]
    past = [*_trend(trend), *listed]
    notes: list[Block] = []
    if engine is not None and engine != status.engine_version:
        notes = [Paragraph(t("changes.engine", before=str(engine), after=str(status.engine_version)), "lead")]
    if isinstance(changes, str):
        return page._replace(blocks=[*notes, Paragraph(t(f"changes.{changes}"), "lead"), *past])
    pages = f"{folder}/{REPORT_HTML}" if folder else "", REPORT_HTML
    key = comparison_key(changes.before.id, changes.after.id, margin=None, pages=pages, language=t.language)
    if changes.damaged:
        return page._replace(blocks=[*notes, *compared_blocks(changes, NOTHING, pages=pages, t=t), *past])
    items = embed_comparison(changes, t, mark=key[:KEY_CHARS], pages=pages, of_one_set=True)
    blocks = [*notes, *compared_blocks(changes, items, pages=pages, t=t), *past, words_section(changes, "version", t)]
    return page._replace(blocks=blocks, skips=[skip_link(t)], script=SCRIPT, data=items.json)


def _has_other_values(changes: Comparison) -> bool:
    """Has the earlier version, as a whole, any other value than in the comparison?"""
    shown = changes.before.shown
    return any(
        value_text(one.metric, one.before) != value_text(one.metric, shown[one.metric])
        for one in changes.groups[0].changes
        if one.queries and one.metric in shown
    )


def versions_chart(headlines: Sequence[Headline | None], rubric: Rubric | None, t: Texts) -> Chart | None:
    """The figures of all versions; None with fewer than two that have figures. rubric: None for a problem."""
    trend = [headline for headline in headlines if headline is not None]
    scale = USUAL_SCALE if rubric is None else rubric.points
    return trend_chart(trend, scale, _metric_namer(rubric, t), t) if len(trend) > 1 else None


def _trend(chart: Chart | None) -> list[Block]:
    """The chart, which lies beside the page in Markdown."""
    if chart is None:
        return []
    told = f"{md(chart.title)}: {md(chart.description)}"
    return [Markdown(f"![{told}]({CHANGES_SVG})\n"), figure(chart)]


def _metric_namer(rubric: Rubric | None, t: Texts) -> Callable[[str], str]:
    """A function from a metric to what the report calls it. rubric: None where there is no report."""
    return lambda name: metric_word(name, t) if rubric is None else metric_title(rubric, name, t)


def _link(version: Version, t: Texts) -> Link:
    """Number and key of a version, when it was run and written, and its figures."""
    status = version.status
    page = REPORT_MD if status.state is State.REPORT else PROBLEM_MD
    text = version_name(version, t)
    if status.headline is not None:
        items = t.counted("items", count(status.headline.n))
        text += ", " + ", ".join([items, *headline_pieces(status.headline, t)])
    return Link(text, href(f"{HISTORY}/{version.folder.name}/{page}"))


def version_name(version: Version, t: Texts) -> str:
    """`Version 3 (1a2b3c4d), run of 2026-03-01 09:00, file of 2026-03-02 10:15 +09:00`."""
    status = version.status
    pieces = [t("changes.version", number=str(version.sequence), key=excerpt(status.key, KEY_CHARS))]
    if status.executed:
        pieces.append(t("changes.of-data", date=excerpt(status.executed.replace("T", " ")[:16], NAME_CHARS)))
    if version.written_ns:
        pieces.append(t("changes.of-file", date=written_text(version.written_ns)))
    return ", ".join(pieces)
