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
    linked,
    titled,
)
from reporting.document.charts.svg import Chart
from reporting.document.headline import lead_text
from reporting.document.html import fragment, head, html
from reporting.document.markdown import href
from reporting.document.page_paths import page_address, pages_by_round
from reporting.document.report.accuracy import total_text
from reporting.document.report.checklist import checklist, track_shares
from reporting.document.report.findings import findings_blocks, llm_statuses
from reporting.document.report.losses import box_table, loss_place
from reporting.document.report.quality import HASH_CHARS, Quality, quality_of
from reporting.document.report.rules import basis_tables, rules
from reporting.document.report.sections import sections
from reporting.document.tables import hidden_tracks
from reporting.wording.display import count, excerpt, percent, score
from reporting.wording.intervals import place_text, span, sure_score
from reporting.wording.links import items_link, joined
from reporting.wording.names import (
    NAME_CHARS,
    category_name,
    knows_tracks,
    metric_title,
    metric_titles,
    round_name,
    set_metrics,
    some_names,
    status_names,
    track_name,
)
from reporting.wording.times import run_text
from scoring.results.insights import Insights, find_insights
from scoring.results.model import SetResult
from scoring.rubric.model import Rubric
from scoring.statistics.intervals import FEW_QUERIES
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
    lead, intervals = _lead(result, t), t("box.intervals", n=count(FEW_QUERIES))
    box, facts, hidden = _box(result, insights, quality, t), _facts(result, t), _hidden_tracks(result, t)
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
                        _tiles(result, insights, t),
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


def _box(result: SetResult, insights: Insights, quality: Quality, t: Texts) -> list[Text]:
    """The lines that lead to what to look at; those without a figure are left out."""
    weakest = t("table.weakest" if knows_tracks(result.rubric) else "report.weakest-category")
    answers = joined(_look_at(result, insights, t), ", ")
    lines = [
        (t("metric.total"), total_text(result, t) if result.total is not None else ""),
        (weakest, _weakest(result, insights, t)),
        (t("report.lost"), _lost(result, insights, t)),
        (t("report.look-at"), linked(quality.phrases)),
        (t("report.answers"), linked(answers)),
    ]
    return [titled(title, text) for title, text in lines if text]


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


def _lead(result: SetResult, t: Texts) -> str:
    names = status_names(t)
    failures = [
        f"{names[status]} {count(n)}"
        for status, n in result.groups[0].status_counts.items()
        if n and status not in result.rubric.pass_statuses
    ]
    return lead_text(result, failures, t)


def _tiles(result: SetResult, insights: Insights, t: Texts) -> Html:
    """The headline figures: the weighted total where there is one, then every metric and where it is weakest."""
    places, name = (
        (insights.weakest_tracks, track_name)
        if knows_tracks(result.rubric)
        else (insights.weakest_categories, category_name)
    )
    tiles = []
    if (total := result.total) is not None:
        note = "" if total.interval is None else span(total.interval)
        tiles.append((t("metric.total"), score(total.value), note))
    for figures in set_metrics(result, t):
        weakest = places.get(figures.name)
        notes = [span(figures.interval)] if figures.interval is not None else []
        if weakest:
            place = place_text(weakest, name(weakest.key, t), t)
            key = "tile.weakest" if weakest.is_distinct else "tile.lowest"
            notes.append(t(key, place=place, score=score(weakest.value)))
        tiles.append((figures.title, score(figures.set), " · ".join(notes)))
    drawn = "".join(html("<li>{}<b>{}</b><small>{}</small></li>\n", *tile) for tile in tiles)
    return Html(f'<ul class="tiles">\n{drawn}</ul>\n')


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


def _weakest(result: SetResult, insights: Insights, t: Texts) -> str:
    """The weakest track by the first metric in which one can be told from the others; where it is weakest as well.

    Where none can: the lowest track of the first metric, and that it cannot be told. The same of categories where there
    are no tracks, "" when they do not differ.
    """
    has_tracks = knows_tracks(result.rubric)
    weakest, name = (
        (insights.weakest_tracks, track_name) if has_tracks else (insights.weakest_categories, category_name)
    )
    titles = metric_titles(result.rubric, t)
    named = [(metric, weakest.get(metric)) for metric in titles]
    known = [(metric, entry) for metric, entry in named if entry is not None]
    distinct = [(metric, entry) for metric, entry in known if entry.is_distinct]
    if not known:
        return t("box.no-weakest") if has_tracks else ""
    metric, entry = (distinct or known)[0]
    also = [titles[name] for name, other in distinct if name != metric and other.key == entry.key]
    more = t("box.also-weakest", metrics=t("box.joint").join(also)) if also else ""
    figure = f"{titles[metric]} {sure_score(entry.value, entry.interval)}"
    return f"{place_text(entry, name(entry.key, t), t)}, {figure}{more}"


def _lost(result: SetResult, insights: Insights, t: Texts) -> str:
    """The metric that lost the largest share of its points, and where."""
    losses = [loss for loss in insights.losses if loss.points]
    if not losses:
        if not any(loss.possible for loss in insights.losses):
            return t("box.nothing-evaluated")
        return t("box.nothing-lost-evaluated" if _unevaluated(result) else "box.nothing-lost")
    worst = max(losses, key=lambda loss: loss.points / loss.possible)
    return t(
        "box.lost",
        metric=metric_title(result.rubric, worst.metric, t),
        share=percent(worst.points, worst.possible),
        place=loss_place(worst, result, t),
    )


def _unevaluated(result: SetResult) -> dict[str, int]:
    """Items without a value by metric; metrics that copy another are left out."""
    rubric, everything = result.rubric, result.groups[0]
    copies = {"accuracy" if rubric.accuracy_of else "", "intent" if rubric.intent_of else ""}
    missing = {
        name: everything.n - metric.set.n
        for name, metric in everything.metrics.items()
        if "." not in name and name not in copies
    }
    return {name: n for name, n in missing.items() if n}


def _not_evaluated(result: SetResult, name: str, n: int, t: Texts) -> str:
    """`의도 충족 평가하지 않음 3문항 (대기 1, 포기 2)`."""
    judged = result.judge.metrics if result.judge is not None else ()
    of_judge = next((metric for metric in judged if metric.metric == name), None)
    why = ""
    if of_judge is not None and (of_judge.pending or of_judge.gave_up):
        why = t("look-at.not-evaluated-why", pending=count(of_judge.pending), gave_up=count(of_judge.gave_up))
    title = metric_title(result.rubric, name, t)
    return t("look-at.not-evaluated", metric=title, items=t.counted("items", count(n)), why=why)


def _look_at(result: SetResult, insights: Insights, t: Texts) -> list[str]:
    entries = (
        ("look-at.disagreeing", len(result.repeatability.flaky), {"repeat": "sometimes"}),
        ("look-at.hidden-failures", len(insights.hidden_failures), {"finding": "hidden-failure"}),
        ("look-at.slow", len(insights.slow), {"finding": "slow"}),
        ("look-at.missing", len(insights.missing), {"finding": "missing"}),
    )
    unevaluated = [_not_evaluated(result, name, n, t) for name, n in _unevaluated(result).items()]
    return unevaluated + [items_link(t(key, n=count(n)), **filters) for key, n, filters in entries if n]


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
