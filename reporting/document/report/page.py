"""report.md and report.html: the page of one set.

A function of the result and the language: no clock, host or path.
"""

from __future__ import annotations

from collections.abc import Sequence

from reporting.document.blocks import (
    BREAK,
    DOT,
    SPACE,
    Block,
    Charts,
    Details,
    Each,
    Heading,
    Html,
    Items,
    Link,
    Markdown,
    OnlyHtml,
    OnlyMarkdown,
    Page,
    Paragraph,
    Quote,
    Section,
    Strong,
    Text,
    in_line,
    titled,
)
from reporting.document.charts import Chart
from reporting.document.html_renderer import fragment, head, html
from reporting.document.markdown import href
from reporting.document.page_paths import page_address, pages_by_round
from reporting.document.report.box import box_lines, box_table, lead_line, tiles
from reporting.document.report.checklist import checklist, track_shares
from reporting.document.report.findings import findings_blocks, llm_statuses
from reporting.document.report.quality import HASH_CHARS, Quality, quality_of
from reporting.document.report.rules import basis_tables, rules
from reporting.document.report.sections import sections
from reporting.document.tables import hidden_tracks
from reporting.wording import NAME_CHARS, count, excerpt, round_name, run_text, some_names
from scoring.results import Insights, SetResult, find_insights
from scoring.rubric import Rubric
from scoring.statistics import FEW_QUERIES
from texts import Texts


def report_page(
    result: SetResult,
    *,
    set_name: str,
    t: Texts,
    insights: Insights | None = None,
    charts: Sequence[Chart] = (),
    items: tuple[int, bytes] = (0, b""),
) -> Page:
    """The report of one set. insights: `find_insights(result)` when None.

    charts: as they lie beside it. items: number and data of those that the page in HTML lists.
    """
    found = insights if insights is not None else find_insights(result)
    title = t("report.title", title=excerpt(result.rubric.title, NAME_CHARS))
    name, run = excerpt(set_name, NAME_CHARS), run_text(found.executed, found.run_ids, t)
    address = page_address(set_name, result.rubric.profile)
    quality = quality_of(result, found, t)
    line = _basis_line(result, t)
    basis = Details(t("report.basis-open"), _basis(result, found, line, t))
    scored = [_chosen(charts, "latency", "scores", "levels"), BREAK, *sections(result, t)]
    return Page(
        title=f"{title} · {name}",
        skips=[html('<a class="skip noprint" href="#f-text">{}</a>\n', t("nav.skip-to-items"))],
        head=[
            OnlyMarkdown([Heading(1, title), *([Paragraph(run)] if run else [])]),
            OnlyHtml([*head(title, name, *([Paragraph(run, "muted")] if run else []))[1:]]),
            fragment("report_menu.html", t, top=address.top, profile=href(address.profile)),
        ],
        blocks=[
            *_summary(result, found, quality, charts, t),
            Section("basis", Markdown(t("report.basis")), [basis]),
            Section("metrics", Markdown(t("report.metrics")), scored),
            Section("findings", Markdown(t("report.findings")), findings_blocks(result, found, t)),
            Section("checklist", Markdown(t("report.checklist")), [checklist(result, found, t)]),
            Section("quality", Markdown(t("report.quality")), quality.blocks),
            Section("items", Markdown(t("report.items")), _items(result, items[0], t)),
            fragment("report_panel.html", t),
            html("<footer>{}</footer>\n", line),
        ],
        script="report.js",
        data=items[1],
    )


def _summary(result: SetResult, insights: Insights, quality: Quality, charts: Sequence[Chart], t: Texts) -> list[Block]:
    """What a reader must see first: the figures that lead, what to look at, and what was scored."""
    table, chosen = box_table(result, insights, t), _chosen(charts, "metrics", "consistency", "statuses")
    lead, intervals = lead_line(result, t), t("box.intervals", n=count(FEW_QUERIES))
    box, facts, hidden = box_lines(result, insights, quality.phrases, t), _facts(result, t), _hidden_tracks(result, t)
    refused = in_line(quality.refused, Markdown(", "))
    why = html(' (<a href="problem.html">{}</a>)', t("report.why"))
    in_markdown = [titled(t("report.refused"), refused)] if quality.refused else []
    in_html = [titled(t("report.refused"), (refused, why))] if quality.refused else []
    in_html.append(titled(t("report.since"), Link(t("changes.title"), "changes.html")))
    return [
        OnlyMarkdown(
            [
                Quote([Paragraph(Strong(lead)), Items(box)]),
                table,
                Paragraph(intervals),
                chosen,
                Items([*facts, *in_markdown, *hidden]),
            ]
        ),
        fragment("older.html", t),
        html('<noscript><p class="muted">{}</p></noscript>\n', t("older.noscript")),
        Html('<p id="notice" class="note" role="status" hidden></p>\n'),
        OnlyHtml(
            [
                Section(
                    "summary",
                    t("nav.summary"),
                    [
                        Paragraph(lead, "lead"),
                        tiles(result, insights, t),
                        Items([*box, *in_html]),
                        chosen,
                        BREAK,
                        table.named(t("nav.summary")),
                        Paragraph(intervals, "muted"),
                        Items([*facts, *hidden]),
                    ],
                )
            ]
        ),
    ]


def _facts(result: SetResult, t: Texts) -> list[Text]:
    """What was scored."""
    rounds = ", ".join(
        t("round.items", round=round_name(entry, t), items=t.counted("items", count(n)))
        for entry, n in zip(result.rounds, result.groups[0].items, strict=True)
    )
    files = some_names([entry.name for entry in result.inputs if not (entry.refused or entry.left_out)], t)
    lines = [
        titled(t("report.data"), files),
        titled(t("report.total"), count(len(result.items))),
        titled(t("report.rounds"), rounds),
    ]
    if tracks := track_shares(result, t):
        lines.append(titled(t("report.tracks"), tracks))
    return lines


def _hidden_tracks(result: SetResult, t: Texts) -> list[Text]:
    """That there are tracks which no table shows."""
    hidden = hidden_tracks(result)
    if not hidden:
        return []
    where = Each(
        Markdown(t("report.all-values", report="[report.json](report.json)")), Link("report.json", "report.json")
    )
    return [(t("report.hidden-tracks", n=str(hidden)), Markdown(" ("), where, Markdown(")"))]


def _chosen(charts: Sequence[Chart], *names: str) -> Charts:
    """The charts of these names; after a `-` stands what one is about."""
    return Charts([chart for chart in charts if chart.name.partition("-")[0] in names])


def _items(result: SetResult, shown: int, t: Texts) -> list[Block]:
    """Where every item is, and in HTML the items themselves."""
    files = [Link(name, name) for name in ("items.csv", "queries.csv", "report.json")]
    every = zip(("items.every-item", "items.every-query", "items.every-value"), files, strict=True)
    pages = pages_by_round(result, t)
    total = len(result.items)
    lines = [
        in_line([titled(t(key), file) for key, file in every], DOT),
        titled(t("items.explore"), Link(Markdown("report.html"), "report.html")),
        titled(t("changes.title"), Link(Markdown("changes.md"), "changes.md")),
        *(titled(page.title, in_line([Link(one.text, href(one.href)) for one in page.links], DOT)) for page in pages),
    ]
    of_rounds: list[Text] = [
        (DOT, page.title, Markdown(":"), *((SPACE, Link(one.text, href(one.href))) for one in page.links))
        for page in pages
    ]
    cut = t("items.cut", shown=count(shown), total=count(total))
    return [
        OnlyMarkdown([Items(lines)]),
        OnlyHtml([Paragraph((t("items.told"), SPACE, in_line(files, DOT), *of_rounds), "files")]),
        *([html('<p id="cut">{} {}</p>\n', Strong(cut), files[0])] if shown < total else []),
        fragment("report_items.html", t),
    ]


def _basis(result: SetResult, insights: Insights, line: str, t: Texts) -> list[Block]:
    """How scores were computed: one line per rule and per fact about the run that the file has, levels and bands."""
    tables = basis_tables(result.rubric, t)
    blocks = [block for passage in tables for block in passage.blocks(t("report.basis"), t)]
    return [Items([*rules(result, t), *_run_facts(result, insights, t), line]), *blocks]


def _basis_line(result: SetResult, t: Texts) -> str:
    return t(
        "report.basis-line",
        rubric=excerpt(result.rubric.profile, NAME_CHARS),
        edition=_edition(result.rubric),
        digest=result.rubric_digest[:HASH_CHARS],
        engine=str(result.engine_version),
    )


def _run_facts(result: SetResult, insights: Insights, t: Texts) -> list[Text]:
    """What the file says of its run."""
    models = some_names(insights.llm_models, t)
    statuses = llm_statuses(insights, t) if result.rubric.has_column("llm_status") else ""
    facts = ((t("basis.llm-models"), models), (t("more.llm-status"), statuses))
    return [titled(title, text) for title, text in facts if text]


def _edition(rubric: Rubric) -> str:
    """File and edition of the document, each followed by a comma; "" where they are not known."""
    return "".join(f"{excerpt(text, NAME_CHARS)}, " for text in (rubric.document, rubric.edition) if text)
