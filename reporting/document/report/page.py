"""report.md and report.html: the page of one set.

A function of the result and the language: no clock, host or path.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

from reporting.document.blocks import (
    DOT,
    SPACE,
    Block,
    Charts,
    Details,
    Each,
    Heading,
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
    listing,
    meanings,
    titled,
)
from reporting.document.charts import Chart
from reporting.document.html_renderer import banner, fragment, head, html
from reporting.document.markdown import href
from reporting.document.page_paths import page_address, pages_by_round
from reporting.document.report.box import (
    box_lines,
    box_table,
    copies_text,
    failures_by_track,
    lead_line,
    means_text,
    tiles,
)
from reporting.document.report.checklist import checklist, track_shares
from reporting.document.report.findings import FindingBlocks, findings_blocks, llm_statuses
from reporting.document.report.quality import HASH_CHARS, Quality, quality_blocks, quality_of
from reporting.document.report.reviews import corrected_lines
from reporting.document.report.rules import basis_tables, rules
from reporting.document.report.sections import WHO_GRADED, MetricSection, Part, sections
from reporting.document.tables import Table, hidden_tracks
from reporting.document.workbench import NOTHING, SCRIPT, Embedded, skip_link, workbench_of
from reporting.wording import NAME_CHARS, count, damage_text, excerpt, metric_titles, round_name, run_text, some_names
from scoring.results import Insights, SetResult, find_insights
from scoring.rubric import Rubric
from scoring.statistics import FEW_QUERIES
from texts import Texts

WORDS = (
    "item",
    "query",
    "round",
    "set",
    "answered",
    "passed",
    "interval",
    "points-lost",
    "baseline",
)  # with their meaning


def report_page(
    result: SetResult,
    *,
    set_name: str,
    t: Texts,
    insights: Insights | None = None,
    charts: Sequence[Chart] = (),
    items: Embedded = NOTHING,
) -> Page:
    """The report of one set. insights: `find_insights(result)` when None.

    charts: as they lie beside it. items: those that the page in HTML carries.
    """
    found = insights if insights is not None else find_insights(result)
    title = t("report.title", title=excerpt(result.rubric.title, NAME_CHARS))
    name, run = excerpt(set_name, NAME_CHARS), run_text(found.executed, found.run_ids, t)
    address = page_address(set_name, result.rubric.profile)
    graded = html('<li><a href="#{}">{}</a></li>\n', WHO_GRADED, t("review.who-graded")) if result.reviews else ""
    parts = _Parts(
        result=result,
        insights=found,
        charts=charts,
        quality=quality_of(result, found, t),
        metrics=sections(result, t),
        findings=findings_blocks(result, found, t),
        losses=box_table(result, found, t),
        items=_items(result, items, t),
        t=t,
    )
    above = banner(damage_text(result, t))
    return Page(
        title=f"{title} · {name}",
        skips=[skip_link(t)],
        head=[
            OnlyHtml(above),
            OnlyMarkdown([Heading(1, title), *above, *([Paragraph(run)] if run else [])]),
            OnlyHtml([*head(title, name, *([Paragraph(run, "muted")] if run else []))[1:]]),
            fragment("report_menu.html", t, top=address.top, profile=href(address.profile), graded=graded),
        ],
        blocks=[OnlyMarkdown(parts.in_markdown()), OnlyHtml(parts.in_html())],
        script=SCRIPT,
        data=items.json,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Parts:
    """What both formats are made of. Markdown keeps the order of the template in the document, HTML asks first."""

    result: SetResult
    insights: Insights
    charts: Sequence[Chart]
    quality: Quality
    metrics: Sequence[MetricSection]
    findings: FindingBlocks
    losses: Table
    items: Sequence[Block]
    t: Texts

    def in_markdown(self) -> list[Block]:
        """How scores are calculated, the metrics, what the report points out, the checklist, data quality, items."""
        t, found, copies = self.t, self.findings, copies_text(self.result.rubric, self.t)
        lead = lead_line(self.result, t)
        refused = in_line(self.quality.refused, Markdown(", "))
        left_out = [titled(t("report.refused"), refused)] if self.quality.refused else []
        scored = chain.from_iterable(section.blocks for section in self.metrics)
        return [
            Quote(
                [
                    Paragraph(lead if damage_text(self.result, t) else Strong(lead)),
                    Items([*self._lines(), *filter(None, [copies])]),
                ]
            ),
            self.losses,
            Paragraph(t("box.interval")),
            Paragraph(" ".join(filter(None, [_few(t), means_text(self.result, t)]))),
            self._chosen("metrics", "consistency", "statuses"),
            Items([*_facts(self.result, t), *left_out, *_hidden_tracks(self.result, t)]),
            Section("rules", Markdown(t("report.basis")), _basis(self.result, self.insights, t, with_line=True)),
            Section("metrics", Markdown(t("report.metrics")), [self._chosen("latency", "scores", "levels"), *scored]),
            Section(
                "findings",
                Markdown(t("report.findings")),
                list(chain.from_iterable(found)),
            ),
            Section("checklist", Markdown(t("report.checklist")), [self._checklist()]),
            Section("quality", Markdown(t("report.quality")), quality_blocks(self.quality, self.quality.inputs, t)),
            Section("items", Markdown(t("report.items")), self.items),
        ]

    def in_html(self) -> list[Block]:
        """The figures that lead, why, where, how fast, how repeatable; then the rules, and whether to trust it."""
        t, found = self.t, self.findings
        rules = Details(t("report.basis-open"), _basis(self.result, self.insights, t, with_line=False))
        return [
            fragment("older.html", t),
            html('<noscript><p class="muted">{}</p></noscript>\n', t("older.noscript")),
            self._section("figures", self._figures()),
            self._section(
                "failures",
                [
                    *found.patterns,
                    *found.never,
                    Heading(3, t("report.lost")),
                    self.losses.named(t("report.lost")),
                    Paragraph(
                        " ".join(filter(None, [_few(t), t("box.weakest-told"), means_text(self.result, t)])),
                        "muted",
                    ),
                    *found.failed,
                    *self._metrics(Part.FAILURES),
                ],
            ),
            self._section("places", [*found.places, self._chosen("levels"), *self._metrics(Part.PLACES)]),
            self._section("speed", [self._chosen("latency", "scores"), *found.slow, *self._metrics(Part.SPEED)]),
            self._section(
                "repeatability",
                [*found.repeated, *found.missing, self._chosen("consistency"), *self._metrics(Part.REPEATABILITY)],
            ),
            self._section("rules", [rules, *self._metrics(Part.RULES)]),
            self._section("checklist", [self._checklist()]),
            self._section("quality", quality_blocks(self.quality, self.quality.rows, t)),
            self._section("items", self.items),
            self._section("about", self._about()),
        ]

    def _section(self, name: str, blocks: Sequence[Block]) -> Section:
        shown = [block for block in blocks if not isinstance(block, Charts) or block.charts]
        return Section(name, self.t(f"nav.{name}"), shown or [Paragraph(self.t("none"))])

    def _metrics(self, part: Part) -> list[Block]:
        return list(chain.from_iterable(section.blocks for section in self.metrics if section.part == part))

    def _checklist(self) -> Block:
        return checklist(self.result, self.insights, self.t)

    def _lines(self) -> list[Text]:
        return [
            *corrected_lines(self.result, self.t),
            *box_lines(self.result, self.insights, self.quality.found, self.t),
        ]

    def _figures(self) -> list[Block]:
        """What a reader must see first: the figures that lead, what to look at, and what was scored."""
        t = self.t
        why = html(' (<a href="problem.html">{}</a>)', t("report.why"))
        refused = in_line(self.quality.refused, Markdown(", "))
        left_out = [titled(t("report.refused"), (refused, why))] if self.quality.refused else []
        failing = failures_by_track(self.result, t)
        told = " ".join(filter(None, (t("box.interval"), copies_text(self.result.rubric, t))))
        is_damaged = bool(damage_text(self.result, t))
        return [
            Paragraph(linked(lead_line(self.result, t)), "muted" if is_damaged else "lead"),
            tiles(self.result, t, is_damaged=is_damaged),
            Paragraph((told, SPACE, Link(t("about.words"), "#words")), "muted"),
            Items([*left_out, *([titled(t("report.failing"), linked(failing))] if failing else []), *self._lines()]),
            self._chosen("metrics", "statuses"),
            Items([*_facts(self.result, t), *_hidden_tracks(self.result, t)]),
        ]

    def _about(self) -> list[Block]:
        """What the words of the page mean, how the inputs were read, and what made the report."""
        t = self.t
        metrics = [
            titled(title, t(f"term.{name.partition('.')[0]}"))
            for name, title in metric_titles(self.result.rubric, t).items()
        ]
        return [
            Heading(3, t("about.words"), "words"),
            Items([*meanings(WORDS, t), *metrics]),
            Heading(3, t("about.files")),
            *listing(self.quality.files, t("about.files"), t, more="quality.files-in-total"),
            html("<footer>{}</footer>\n", _basis_line(self.result, t)),
        ]

    def _chosen(self, *names: str) -> Charts:
        """The charts of these names; after a `-` stands what one is about."""
        return Charts([chart for chart in self.charts if chart.name.partition("-")[0] in names])


def _few(t: Texts) -> str:
    return t("box.few", n=count(FEW_QUERIES))


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


def _items(result: SetResult, items: Embedded, t: Texts) -> list[Block]:
    """Where every item is, and in HTML the items themselves."""
    files = [Link(name, name) for name in ("items.csv", "queries.csv", "report.json")]
    every = zip(("items.every-item", "items.every-query", "items.every-value"), files, strict=True)
    pages = pages_by_round(result, t)
    lines = [
        in_line([titled(t(key), file) for key, file in every], DOT),
        titled(t("items.explore"), Link(Markdown("report.html"), "report.html")),
        *(titled(title, in_line([Link(one.text, href(one.href)) for one in links], DOT)) for title, links in pages),
    ]
    return [
        OnlyMarkdown([Items(lines)]),
        OnlyHtml([Paragraph((t("items.told"), SPACE, in_line(files, DOT)), "files")]),
        workbench_of(items, t),
    ]


def _basis(result: SetResult, insights: Insights, t: Texts, *, with_line: bool) -> list[Block]:
    """How scores were computed: one line per rule and per fact about the run that the file has, levels and bands.

    with_line: is what made the report among the lines?
    """
    tables = basis_tables(result.rubric, t)
    blocks = [block for passage in tables for block in passage.blocks(t("report.basis"), t)]
    line = [_basis_line(result, t)] if with_line else []
    return [Items([*rules(result, t), *_run_facts(result, insights, t), *line]), *blocks]


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
