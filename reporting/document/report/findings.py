"""What the report points out: error patterns, weak places, items and queries to look at."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from reporting.document.blocks import Block, Heading, Markdown, OnlyHtml, OnlyMarkdown, Paragraph, in_line, listing
from reporting.document.report.accuracy import operator_text
from reporting.document.report.item_tables import ERROR_CHARS, ID_CHARS, MAX_QUERIES, ItemTables, query_table
from reporting.document.report.repeatability import never_blocks, repeatability_blocks
from reporting.document.report.rubrics import page_cells
from reporting.document.report.slices import slice_blocks
from reporting.document.tables import Column, Table, shown_groups, table_of
from reporting.wording import (
    NONE,
    category_name,
    count,
    excerpt,
    few,
    items_link,
    joined,
    key_of,
    knows_tracks,
    metric_title,
    metric_titles,
    pattern_key,
    pattern_text,
    points,
    query_links,
    seconds,
    slow_limits,
    some_names,
    sort_key,
    status_names,
    sure_percent,
    sure_score,
    track_name,
    weakest_text,
    why_text,
    with_more,
)
from scoring.items import UNANSWERED, Item, details_of
from scoring.results import (
    ANSWERED,
    CategoryFigures,
    FailurePattern,
    Insights,
    PatternGroup,
    SetResult,
    Weakest,
    copies_of,
)
from scoring.rubric import RUBRICS, Rubric, ScoreRule, is_by_scores, limit_of
from texts import Texts

MAX_PATTERNS = 20
MAX_CATEGORIES = 30
MAX_SHARES = 5  # of a pattern: its categories, its tracks
MAX_ITEMS = 50
MAX_FAILED = 200
MAX_LLM_STATUSES = 20
CHECK_CHARS = 80
MAX_CHECKS = 3  # of an item


class FindingBlocks(NamedTuple):
    """What the report points out (docs/scoring.md#what-the-report-points-out), in the order of Markdown.

    patterns: errors that are alike. places: weak tracks and categories, and values of further columns. repeated: how
    the attempts at a query end. never: queries that never pass. missing: queries missing from a round. slow: slow
    answers. failed: answers that admit failure, items that do not pass, and items that are not answered.
    """

    patterns: Sequence[Block]
    places: Sequence[Block]
    repeated: Sequence[Block]
    never: Sequence[Block]
    missing: Sequence[Block]
    slow: Sequence[Block]
    failed: Sequence[Block]


def findings_blocks(result: SetResult, insights: Insights, t: Texts) -> FindingBlocks:
    """The two tables that the template of the document names are there even without rows.

    They are patterns, and weak tracks where there are tracks. Items that are not answered have a row per query, but for
    those that do not pass, which follow.
    """
    items, rubric, repeated = ItemTables(result, t), result.rubric, result.repeatability
    below = insights.below
    failed = sorted(set(insights.failed_items) - set(below))
    failing = set(failed)
    slowest = [] if insights.slow else [index for index in insights.slowest if index not in failing]
    lists = (repeated.flaky, repeated.never) if repeated.is_repeated else ()
    named = {query.query_id for queries in lists for query in queries[:MAX_QUERIES]}
    hidden = items.hidden_failures(insights.hidden_failures, MAX_ITEMS)

    def listed(key: str, table: Table | None, *told: Block) -> list[Block]:
        return [] if table is None else [Heading(3, t(key)), *told, *listing(table, t(key), t)]

    patterns = _patterns(result, insights, t)
    in_template = [at for at, title in enumerate(patterns.titles) if title != t("table.lost")]
    missing = query_table(result, insights.missing, lambda query: query, t) if insights.missing else None
    columns = (items.status, items.question, *_below_columns(rubric, t))
    return FindingBlocks(
        patterns=[
            OnlyMarkdown(listed("findings.patterns", patterns.columns(in_template))),
            OnlyHtml(listed("findings.frequent", patterns)),
        ],
        places=[
            *_weak_tracks(result, insights, t),
            *_weak_categories(result, insights, t),
            *slice_blocks(result, insights, t),
        ],
        repeated=[Heading(3, t("findings.disagreeing")), *repeatability_blocks(result, insights.below, t)],
        never=never_blocks(result, t),
        missing=listed("findings.missing", missing),
        slow=[
            *_slow(result, insights, failing, items, t),
            *listed("findings.slowest", items.slow(slowest, MAX_ITEMS)),
        ],
        failed=[
            *listed("findings.hidden-failures", hidden, Paragraph(t("findings.hidden-told"))),
            *listed("findings.below", items.table(below, MAX_FAILED, columns)),
            *listed("findings.failed", items.failed(failed, MAX_FAILED, named)),
        ],
    )


def _weak_tracks(result: SetResult, insights: Insights, t: Texts) -> list[Block]:
    if not knows_tracks(result.rubric):
        return []
    title = t("findings.weak-tracks")
    weak = _weak(result, insights.weakest_tracks, track_name, t)
    return [Heading(3, title), *(listing(weak, title, t) if weak.rows else [Paragraph(t("weak.one-track"))])]


def _weak_categories(result: SetResult, insights: Insights, t: Texts) -> list[Block]:
    """Those with failures or a score below that of all items, and the names of the others."""
    weak, good = _split_categories(result, insights)
    if not weak:
        return []
    title = t("findings.weak-categories")
    others = [Paragraph(_names_of(good, result, t))] if good else []
    return [Heading(3, title), *listing(_categories(result.rubric, weak, t), title, t), *others]


def _slow(result: SetResult, insights: Insights, failing: set[int], items: ItemTables, t: Texts) -> list[Block]:
    """Answered items at or above a limit, the slowest first, and how many others are not answered."""
    slow = sorted(insights.slow, key=lambda index: (-result.table.seconds[index], index))
    table = items.slow([index for index in slow if index not in failing], MAX_ITEMS)
    told = _slow_text(slow, failing, t)
    if table is None and not told:
        return []
    limits = in_line(slow_limits(result.rubric.latency_classes, t), Markdown(", "))
    return [
        Heading(3, (t("findings.slow"), Markdown(" ("), limits, Markdown(")"))),
        *([Paragraph(told)] if told else []),
        *(listing(table, t("findings.slow"), t) if table is not None else []),
    ]


def _slow_text(slow: Sequence[int], failing: set[int], t: Texts) -> str:
    """How many slow items are listed with those that are not answered, "" for none."""
    both = len({*slow} & failing)
    return t("findings.slow-failed", n=count(len(slow)), failed=count(both)) if both else ""


def llm_statuses(insights: Insights, t: Texts) -> str:
    """`완료 64, 대기 3`, the most frequent first; "" for none."""
    named = [f"{excerpt(status, ID_CHARS)} {count(n)}" for status, n in insights.llm_statuses.items()]
    shown = ", ".join(named[:MAX_LLM_STATUSES])
    more = len(named) - MAX_LLM_STATUSES
    return t("names.more", names=shown, n=count(more)) if more > 0 else shown


def _patterns(result: SetResult, insights: Insights, t: Texts) -> Table:
    """A row per error text."""
    statuses = status_names(t)
    names = {name: None for pattern in insights.patterns for name in pattern.lost}
    titles = {name: metric_title(result.rubric, name, t) for name in names}

    def text(pattern: FailurePattern) -> str:
        return pattern_text(excerpt(pattern.text, ERROR_CHARS), t) or why_text(pattern.why, t)

    def leading(text: str, pattern: FailurePattern, **filters: str) -> str:
        return items_link(text, pattern=pattern_key(pattern.key), **filters)

    def lost(pattern: FailurePattern) -> str:
        of_metrics = [f"{titles[name]} {points(lost)}" for name, lost in pattern.lost.items() if lost]
        return ", ".join(of_metrics) or NONE

    return table_of(
        insights.patterns,
        [
            (">n", lambda pattern: leading(count(pattern.n), pattern)),
            (f">{t('consistency.queries')}", lambda pattern: leading(count(pattern.queries), pattern)),
            (t("items.status"), lambda pattern: statuses[pattern.status]),
            (t("pattern.text"), text),
            (t("table.lost"), lost),
            (
                t("table.category"),
                lambda pattern: _shares(
                    pattern.categories,
                    lambda share, shown: leading(shown, pattern, category=key_of(share.key)),
                    category_name,
                    t,
                ),
            ),
            (
                t("items.track"),
                lambda pattern: _shares(
                    pattern.tracks, lambda share, shown: leading(shown, pattern, track=share.key), track_name, t
                ),
            )
            if shown_groups(result)
            else None,
            (t("table.examples"), lambda pattern: query_links(pattern.query_ids, 30)),
        ],
        limit=MAX_PATTERNS,
    )


def _shares(
    shares: Sequence[PatternGroup],
    linked: Callable[[PatternGroup, str], str],
    name: Callable[[str, Texts], str],
    t: Texts,
) -> str:
    """`복합/최적화 (5), 필터/학력 (1)` of the first ones, and how many more there are."""
    shown = [linked(share, f"{name(share.key, t)} ({count(share.n)})") for share in shares[:MAX_SHARES]]
    return with_more(joined(shown, ", "), len(shares) - MAX_SHARES, t)


def _weak(result: SetResult, weakest: dict[str, Weakest | None], name: Callable[[str, Texts], str], t: Texts) -> Table:
    copies = copies_of(result.rubric)
    rows = [
        (title, metric, entry)
        for metric, title in metric_titles(result.rubric, t).items()
        if metric not in copies and (entry := weakest.get(metric)) is not None
    ]

    def leading(text: str, row: tuple[str, str, Weakest]) -> str:
        return items_link(text, track=row[2].key, sort=sort_key(row[1]))

    return table_of(
        rows,
        [
            (t("table.metric"), lambda row: row[0]),
            (t("weak.place"), lambda row: weakest_text(row[2], name(row[2].key, t), t)),
            (f">{t('table.points')}", lambda row: leading(sure_score(row[2].value, row[2].interval), row)),
            (">n", lambda row: leading(count(row[2].n), row)),
        ],
    )


def _split_categories(result: SetResult, insights: Insights) -> tuple[list[CategoryFigures], list[CategoryFigures]]:
    """Categories with failures or a score below that of all items, then the others; none where there is only one."""
    if len(insights.categories) < 2:
        return [], []
    name = _leading(result)
    metric = result.groups[0].metrics.get(name)
    level = None if metric is None else metric.set.value
    weak: list[CategoryFigures] = []
    good: list[CategoryFigures] = []
    for category in insights.categories:
        value = category.rubrics if name == RUBRICS else category.intent
        is_low = value is not None and level is not None and value < level
        (weak if category.failed or is_low else good).append(category)
    return weak, good


def _leading(result: SetResult) -> str:
    """The metric by which categories are weak."""
    return RUBRICS if result.rubric.rubrics is not None else "intent"


def _names_of(categories: Sequence[CategoryFigures], result: SetResult, t: Texts) -> str:
    names = some_names([category_name(category.category, t) for category in categories], t)
    key = "findings.good-categories" if _leading(result) in result.groups[0].metrics else "findings.answered-categories"
    return t(key, n=count(len(categories)), names=names)


def _categories(rubric: Rubric, categories: Sequence[CategoryFigures], t: Texts) -> Table:
    has_speed = rubric.has_metric("latency")

    def leading(text: str, row: CategoryFigures, **filters: str) -> str:
        return items_link(text, category=key_of(row.category), **filters)

    return table_of(
        categories,
        [
            (t("table.category"), lambda row: category_name(row.category, t)),
            (f">{t('consistency.queries')}", lambda row: leading(few(count(row.queries), row.queries, t), row)),
            (f">{t('table.items')}", lambda row: leading(count(row.n), row)),
            (f">{t('category.failed')}", lambda row: leading(count(row.failed), row, finding="unanswered")),
            (
                f">{t('category.rate')}",
                lambda row: leading(sure_percent(row.answered, row.n, row.intervals[ANSWERED]), row),
            ),
            (
                f">{metric_title(rubric, 'intent', t)}",
                lambda row: leading(sure_score(row.intent, row.intervals["intent"]), row, sort="intent"),
            )
            if rubric.has_metric("intent")
            else None,
            (
                f">{metric_title(rubric, 'latency', t)}",
                lambda row: leading(sure_score(row.latency, row.intervals["latency"]), row, sort="latency"),
            )
            if has_speed
            else None,
            (f">{t('table.mean')}", lambda row: leading(seconds(row.seconds), row, sort="-seconds"))
            if has_speed
            else None,
            (
                f">{metric_title(rubric, RUBRICS, t)}",
                lambda row: leading(sure_score(row.rubrics, row.intervals[RUBRICS]), row, sort=RUBRICS),
            )
            if rubric.rubrics is not None
            else None,
        ],
        limit=MAX_CATEGORIES,
    )


def _below_columns(rubric: Rubric, t: Texts) -> tuple[Column[Item], ...]:
    """Why an item does not pass: its failed checks, the addresses that differ, or its level."""
    if rubric.pass_points is not None and rubric.pass_points.metric == RUBRICS:
        rule = rubric.rubrics
        assert rule is not None
        return (
            (t("below.level"), lambda item: page_cells(details_of(item), rule, t)[1]),
            (t("below.reason"), lambda item: excerpt(details_of(item).rubrics_reason, ERROR_CHARS) or NONE),
        )
    if rubric.addresses is not None:
        return (
            (t("below.expected"), lambda item: _addresses(item, "value", t)),
            (t("below.got"), lambda item: _addresses(item, "found", t)),
        )
    title = t("below.reason" if rubric.checks is None else "below.checks")
    return ((title, lambda item: _failed_checks(item, rubric, t)),)


def _failed_checks(item: Item, rubric: Rubric, t: Texts) -> str:
    """`dataKey 같음 'A'; …` of the first ones, or what else an answer falls short of; an item without one says why."""
    details = details_of(item)
    shown = [
        excerpt(f"{check.name} {operator_text(check.operator, t)} '{check.value}'", CHECK_CHARS)
        for check in details.failed_checks[:MAX_CHECKS]
    ]
    text = "; ".join(shown or _shortfalls(item, rubric)) or NONE
    if not shown and item.status in UNANSWERED:
        text = excerpt(item.error, ERROR_CHARS) or why_text(item.why, t)
    more = details.failed_count - MAX_CHECKS
    return t("names.more", names=text, n=count(more)) if more > 0 else text


def _shortfalls(item: Item, rubric: Rubric) -> list[str]:
    """`관련성 0.4: why` of every named score beyond its limit, or the grade that is too low; each with its reason."""
    details, rule = details_of(item), rubric.pass_points
    if rule is None:
        return []
    if not is_by_scores(rule):
        is_intent, grade = rule.metric == "intent", points(getattr(item, rule.metric))
        found = [(details.verdict or grade, details.verdict_reason or item.llm_comment) if is_intent else (grade, "")]
    else:
        graded = [
            (one.title, one.score, value)
            for one, value in zip(rubric.measures, details.measures, strict=True)
            if isinstance(one.score, ScoreRule)
        ]
        reasons = details.score_reasons or [""] * len(graded)
        found = [
            (f"{title} {value:g}", reason)
            for (title, score, value), reason in zip(graded, reasons, strict=True)
            if score.passes and value is not None and not limit_of(score.passes)(value)
        ]
    return [excerpt(": ".join(filter(None, one)), ERROR_CHARS) for one in found]


def _addresses(item: Item, name: str, t: Texts) -> str:
    """The expected addresses, or those of the answer, where an item without one says why."""
    checks = details_of(item).failed_checks
    if not checks:
        if name == "value":
            return NONE
        return excerpt(item.error, ERROR_CHARS) or why_text(item.why, t)
    return excerpt(getattr(checks[0], name), ERROR_CHARS) or NONE
