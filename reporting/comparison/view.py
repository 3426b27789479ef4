"""compare.md and compare.html: two runs, and what changed between them."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal
from typing import NamedTuple

from reporting.comparison.causes import cause_texts, metric_behind, why_title
from reporting.comparison.figures import (
    change_text,
    grade_text,
    margin_text,
    metric_of,
    p_text,
    range_text,
    sentence,
    size_text,
    told_of_other_rules,
    value_text,
    verdict_text,
    why_text,
    without_chance,
)
from reporting.comparison.forest import forest
from reporting.comparison.items import embed_comparison
from reporting.comparison.queries import (
    NOW_FAILS,
    NOW_UNANSWERED,
    QUESTION_CHARS,
    changes_of,
    list_blocks,
    list_title,
    lists_of,
    place_text,
    query_in,
)
from reporting.comparison.run_table import (
    DIGEST_DIGITS,
    NAME_CHARS,
    judge_text,
    profile_text,
    rubric_text,
    run_name,
    runs_table,
)
from reporting.document import (
    BLANK,
    BREAK,
    NOTHING,
    SCRIPT,
    Block,
    Details,
    Each,
    Embedded,
    Heading,
    Html,
    Items,
    Link,
    OnlyHtml,
    OnlyMarkdown,
    Page,
    Paragraph,
    Section,
    Strong,
    Table,
    banner,
    fragment,
    head,
    href,
    html,
    meanings,
    page_address,
    skip_link,
    table,
    table_of,
    titled,
    workbench_of,
)
from reporting.store import CHANGES_HTML, REPORT_HTML, SUMMARY_HTML
from reporting.wording import (
    LABEL_CHARS,
    NONE,
    category_name,
    class_name,
    count,
    excerpt,
    percent,
    run_changes,
    seconds,
    slice_value,
    slow_limits,
    track_name,
)
from scoring.comparison import (
    Basis,
    Change,
    Comparison,
    Difference,
    Flips,
    Grade,
    GroupChanges,
    GroupKind,
    Origin,
    Pair,
    Query,
    RegradedItem,
    Run,
    Verdict,
    WhyKind,
    has_no_scale,
)
from scoring.items import UNANSWERED
from scoring.results import SECONDS
from scoring.rubric import group_key
from scoring.statistics import FEW_QUERIES
from texts import Texts

MAX_LEFT_OUT = 100  # queries of one kind that are not compared
MAX_TIMED = 20
MAX_ON_PAPER = 20  # newly failing queries
WORDS = (  # with their meaning on the page
    "query", "round", "answered", "passed", "interval", "chance", "p-value", "now-fails", "dropped", "regraded",
    "mixed",
)  # fmt: skip
SECTIONS = {  # of a page by their name, with the keys of their titles
    "summary": "nav.summary",
    "metrics": "compare.metrics",
    "queries": "compare.changed",
    "latency": "compare.latency",
    "left-out": "compare.left-out",
    "runs": "compare.runs",
}
DAMAGED = {"summary": "nav.summary", "damage": "summary.damage", "runs": "compare.runs"}
_COLOURS = {Verdict.WORSE: "down", Verdict.BETTER: "up"}


def comparison_page(
    comparison: Comparison,
    *,
    key: str,
    engine: int,
    pages: tuple[str, str],
    origin: Origin | None = None,
    has_changes: bool = False,
    t: Texts,
) -> Page:
    """The page of a comparison. key: of the comparison. has_changes: is there a page about an earlier version?

    The rest as `compared_blocks`.
    """
    is_damaged = bool(comparison.damaged)
    items = NOTHING if is_damaged else embed_comparison(comparison, t, mark=key[:DIGEST_DIGITS], pages=pages)
    before, after = run_name(comparison.before, t), run_name(comparison.after, t)
    title, about = t("compare.title"), t("compare.between", before=before, after=after)
    line = t("compare.basis-line", key=key[:DIGEST_DIGITS], engine=str(engine))
    return Page(
        title=f"{title} · {about}",
        skips=[] if is_damaged else [skip_link(t)],
        head=[
            *banner(comparison.after.banner),
            *head(title, about),
            fragment("compare_menu.html", t, links=_links(comparison, pages, t, has_changes=has_changes)),
        ],
        blocks=[
            *compared_blocks(comparison, items, pages=pages, origin=origin, t=t),
            *([] if is_damaged else [words_section(comparison, "baseline", t)]),
            OnlyMarkdown([Paragraph(line)]),
            html("<footer>{}</footer>\n", line),
        ],
        kind="comparison",
        script="" if is_damaged else SCRIPT,
        data=None if is_damaged else items.json,
    )


def words_section(comparison: Comparison, further: str, t: Texts) -> OnlyHtml:
    """What the words of two runs compared mean. further: the key of the word for the one before."""
    told = {
        "slow": slow_limits(comparison.after.basis.speed, t),
        "unanswered": comparison.lists.now_unanswered,
        "wilcoxon": _has_ranked(comparison),
    }
    has_points = comparison.after.basis.passes is not None
    words = [word if word != "passed" or has_points else "passed-answered" for word in WORDS]
    words += [*(word for word, has_any in told.items() if has_any), further]
    return OnlyHtml([Section("words", t("about.words"), [Items(meanings(words, t))])])


def compared_blocks(
    comparison: Comparison, items: Embedded, *, pages: tuple[str, str], origin: Origin | None = None, t: Texts
) -> list[Block]:
    """Two runs compared. items: `embed_comparison`. pages: relative addresses of the two reports, "" without one.

    origin: how the baseline was chosen, None for two runs that a person named. Beside a damaged run nothing stands but
    what damaged it and what to do.
    """
    if comparison.damaged:
        return _damaged(comparison, pages, origin, t)
    comparison = told_of_other_rules(without_chance(comparison))
    figures, title = _of_metrics(comparison, t), t("compare.metrics")
    ranked = [Paragraph(t("compare.ranked-told"))] if _has_ranked(comparison) else []
    return [
        *_summary(comparison, pages, origin, t),
        OnlyMarkdown([Section("metrics", title, [*ranked, *figures])]),
        OnlyHtml(
            [Section("metrics", title, [forest(comparison, t), *ranked, Details(t("compare.all-figures"), figures)])]
        ),
        Section("queries", t("compare.changed"), [*_of_queries(comparison, pages, t), workbench_of(items, t)]),
        *(
            [Section("latency", t("compare.latency"), _of_latency(comparison, pages, t))]
            if _is_timed(comparison)
            else []
        ),
        Section("left-out", t("compare.left-out"), _left_out(comparison, pages, t)),
        OnlyHtml([Section("runs", t("compare.runs"), _of_runs(comparison, pages, t))]),
    ]


def _damaged(comparison: Comparison, pages: tuple[str, str], origin: Origin | None, t: Texts) -> list[Block]:
    """That nothing was compared, and of each damaged run what damaged it, with its places and its remedy."""
    said = sentence(comparison, t)
    notes = [Paragraph(note.text, "note") for note in notes_of(comparison, t)]
    told = [] if origin is None else [Paragraph(t(f"baseline.{origin}", name=run_name(comparison.before, t)))]
    damage: list[Block] = []
    for run in comparison.damaged:
        damage += [Heading(3, run_name(run, t)), Items(run.damage)]
    return [
        Section("summary", t("nav.summary"), [*notes, Paragraph(Each(Strong(said), said), "lead"), *told]),
        Section("damage", t("summary.damage"), damage),
        Section("runs", t("compare.runs"), _of_runs(comparison, pages, t)),
    ]


def _has_ranked(comparison: Comparison) -> bool:
    """Is any figure compared by ranks, whose difference need not have the sign of the means beside?"""
    changes = comparison.groups[0].changes
    return any(has_no_scale(change.metric) and change.difference is not None for change in changes)


def _is_timed(comparison: Comparison) -> bool:
    """Have both runs seconds of any query?"""
    change = comparison.groups[0].change(SECONDS)
    return change is not None and change.queries > 0


def _links(comparison: Comparison, pages: tuple[str, str], t: Texts, *, has_changes: bool) -> Html:
    """The sections, and the pages around a comparison that is beside the report of the later run."""
    links = {f"#{name}": t(title) for name, title in (DAMAGED if comparison.damaged else SECTIONS).items()}
    if not _is_timed(comparison):
        links.pop("#latency", None)
    if pages[1] == REPORT_HTML:
        links |= _ways(comparison.after, t, has_changes=has_changes)
    return Html("".join(html('<li><a href="{}">{}</a></li>\n', way, title) for way, title in links.items()))


def _ways(after: Run, t: Texts, *, has_changes: bool) -> dict[str, str]:
    """The pages around by their address."""
    address = page_address(after.name, after.profile)
    return {
        SUMMARY_HTML: t("nav.front"),
        REPORT_HTML: t("compare.report"),
        **({CHANGES_HTML: t("changes.title")} if has_changes else {}),
        f"{address.top}trend-{href(address.profile)}.html": t("trend.title"),
        f"{address.top}index.html": t("nav.index"),
    }


def _summary(comparison: Comparison, pages: tuple[str, str], origin: Origin | None, t: Texts) -> list[Block]:
    """What was compared and what came of it; first what differs besides the answers, above all like with like."""
    said, flips = sentence(comparison, t), comparison.flips
    notes = [Paragraph(note.text, "note") for note in notes_of(comparison, t)]
    told = [] if origin is None else [Paragraph(t(f"baseline.{origin}", name=run_name(comparison.before, t)))]
    counts = [(name, list_title(name, comparison, t)) for name in lists_of(comparison)]
    is_tested = comparison.headline.comparable and (flips.to_fail or flips.to_pass)
    of_flips = [_flips(flips, t)] if is_tested else []
    why = _why(comparison, t)
    verdict = comparison.told[0].change.verdict
    shown: list[Block] = [
        *notes,
        Paragraph(said, f"verdict {_COLOURS.get(verdict, '')}".rstrip()),
        *told,
        Items([*(Link(title, f"#preset={name}") for name, title in counts), *of_flips]),
        *why,
    ]
    titles = [title for _, title in counts]
    return [
        OnlyMarkdown(
            [*notes, Paragraph(Strong(said)), *told, Items([*titles, *of_flips]), *why, *_of_runs(comparison, pages, t)]
        ),
        OnlyHtml([Section("summary", t("nav.summary"), shown)]),
    ]


def _why(comparison: Comparison, t: Texts) -> list[Block]:
    """At most three causes of what the later run lost in the figure that leads, as its front page tells them."""
    before, after = comparison.before, comparison.after
    is_repeated, headline = len(after.rounds) > 1, comparison.headline.metric
    metric = metric_behind(headline, after.basis, after.losses, is_repeated=is_repeated)
    loss = next((one for one in after.losses.of_metrics if one.metric == metric and one.points), None)
    if loss is None or comparison.has_same_answers:
        return []
    told = after.basis.told_as(metric)
    value = "" if told == metric else value_text(told, after.shown.get(told))
    texts = cause_texts(
        loss,
        after.losses,
        None if before.is_rescored or not before.losses.of_metrics else before.losses,
        queries=after.queries.values(),
        is_share=bool(value),
        is_repeated=is_repeated,
        t=t,
    )
    title = why_title(loss, metric_of(after, told, t), value, after.items, t)
    return [Heading(3, title), Items([one.text for one in texts])]


def _of_runs(comparison: Comparison, pages: tuple[str, str], t: Texts) -> list[Block]:
    """The two sides, and the ways to their reports."""
    ways = [
        Link(titled(title, t("compare.report")), href(page))
        for title, page in zip((t("compare.before"), t("compare.after")), pages, strict=True)
        if page
    ]
    titles = t("compare.before"), t("compare.after")
    runs = runs_table((comparison.before, comparison.after), titles, t)
    return [runs.named(t("compare.runs")), Items(ways) if ways else BLANK]


def _of_metrics(comparison: Comparison, t: Texts) -> list[Block]:
    """One table of all queries, and one for tracks, categories and slices; without rows where there is one group."""
    everything, *groups = comparison.groups
    tracks = _grouped(groups, GroupKind.TRACK, comparison, t)
    categories = _grouped(groups, GroupKind.CATEGORY, comparison, t)
    slices = _grouped(groups, GroupKind.SLICE, comparison, t)
    blocks: list[Block] = [
        Paragraph(t("compare.metrics-told")),
        _metrics(everything, comparison, t).named(t("compare.metrics")),
    ]
    if tracks.rows or categories.rows:
        blocks.append(Paragraph(t("compare.groups-told")))
    if comparison.groups_left_out:
        blocks.append(Paragraph(t("compare.groups-left-out", n=count(comparison.groups_left_out))))
    blocks += [*_titled("compare.by-track", tracks, t), OnlyMarkdown(_titled("compare.by-category", categories, t))]
    blocks += _folded("compare.by-category", categories, t)
    if slices.rows:
        told = Paragraph(t("compare.slices-told"))
        blocks += [OnlyMarkdown([told, *_titled("compare.by-slice", slices, t)])]
        blocks += [OnlyHtml([told]), *_folded("compare.by-slice", slices, t)]
    return blocks


def _folded(key: str, table: Table, t: Texts) -> list[Block]:
    """A table that opens on demand under its title; nothing without rows."""
    title = t(key)
    return [OnlyHtml([Heading(3, title), Details(title, [table.named(title)])])] if table.rows else []


def _of_queries(comparison: Comparison, pages: tuple[str, str], t: Texts) -> list[Block]:
    """The lists and what was only graded anew, which the page has in its workbench."""
    blocks: list[Block] = [Paragraph(t("compare.lists-told"))]
    for name in lists_of(comparison):
        blocks += list_blocks(name, comparison, pages, t)
    return [OnlyMarkdown([*blocks, *_of_regraded(comparison, pages, t)]), _on_paper(comparison, t)]


def _on_paper(comparison: Comparison, t: Texts) -> Html:
    """The queries that newly fail or lack answers, for a print, which has no workbench; nothing without any."""
    blocks = []
    for name in (NOW_FAILS, NOW_UNANSWERED):
        failing = changes_of(name, comparison)
        shown = failing[:MAX_ON_PAPER]
        named = [html("<li>{} · {}</li>", *_named(change.pair.after)) for change in shown]
        more = [t("compare.more", n=count(len(failing) - len(shown)))] if len(failing) > len(shown) else []
        listed = Html("".join([*named, *(html("<li>{}</li>", line) for line in more)]))
        title = list_title(name, comparison, t)
        blocks += [html('<div class="paper"><p>{}</p><ul>{}</ul></div>\n', title, listed)] if named else []
    return Html("".join(blocks))


def _named(query: Query) -> tuple[str, str]:
    return excerpt(query.query_id, NAME_CHARS), excerpt(query.question, QUESTION_CHARS)


def _of_regraded(comparison: Comparison, pages: tuple[str, str], t: Texts) -> list[Block]:
    """The items that were only graded anew, with both grades; nothing without any."""
    found = comparison.regraded.items
    if not found:
        return []
    queries = {pair.before.query_id: pair.after for pair in comparison.pairing.shared}

    def grade(item: RegradedItem, side: Grade) -> str:
        return grade_text(side, item.before, item.after, comparison.after, t)

    listed = table_of(
        found,
        [
            (t("compare.query"), lambda item: query_in(queries[item.query_id], pages[1])),
            (t("items.round"), lambda item: excerpt(item.round, NAME_CHARS)),
            (t("compare.before"), lambda item: grade(item, item.before)),
            (t("compare.after"), lambda item: grade(item, item.after)),
        ],
        limit=MAX_LEFT_OUT,
    )
    return _titled("compare.regraded-items", listed, t)


def _of_latency(comparison: Comparison, pages: tuple[str, str], t: Texts) -> list[Block]:
    """Seconds of all, and of the queries that were always answered: how long an agent failed is no speed."""
    timed = [pair for pair in comparison.pairing.shared if pair.difference(SECONDS) is not None]
    answered = [pair for pair in timed if not any(one.status in UNANSWERED for side in pair for one in side.answers)]
    left = len(timed) - len(answered)
    slower, faster = (_timed(answered, sign, pages[1], t) for sign in (1, -1))
    told = t("compare.timed-left-out", queries=t.counted("queries", count(left)))
    return [
        _latency(comparison, t).named(t("compare.latency")),
        *([Paragraph(told, "muted")] if left and (slower.rows or faster.rows) else []),
        *_titled("compare.slower", slower, t),
        *_titled("compare.faster", faster, t),
    ]


def _left_out(comparison: Comparison, pages: tuple[str, str], t: Texts) -> list[Block]:
    """The queries that are not compared, by why."""
    pairing, query = comparison.pairing, t("compare.query")

    def pairs(found: Sequence[Pair], titles: tuple[str, str], cell: Callable[[Query], str]) -> Table:
        old, new = map(t, titles)
        return table_of(
            found,
            [
                (query, lambda pair: query_in(pair.after, pages[1])),
                (old, lambda pair: cell(pair.before)),
                (new, lambda pair: cell(pair.after)),
            ],
            limit=MAX_LEFT_OUT,
        )

    def place(one: Query) -> str:
        return place_text(one, t)

    moved = [pair for pair in pairing.moved if set(pair.before.places) != set(pair.after.places)]
    split = [pair.after for pair in pairing.moved if set(pair.before.places) == set(pair.after.places)]
    tables = {
        "compare.appeared": _queries(pairing.appeared, pages[1], t),
        "compare.gone": _queries(pairing.gone, pages[0], t),
        "compare.reworded": pairs(pairing.reworded, ("compare.old-text", "compare.new-text"), _asked),
        "compare.moved": pairs(moved, ("compare.before", "compare.after"), place),
        "compare.split": table_of(
            split,
            [(query, lambda one: query_in(one, pages[1])), (t("compare.places"), place)],
            limit=MAX_LEFT_OUT,
        ),
    }
    blocks: list[Block] = [] if any(found.rows for found in tables.values()) else [Paragraph(t("compare.none"))]
    for key, found in tables.items():
        blocks += _titled(key, found, t)
    return [*blocks, *([OnlyHtml([Paragraph(t("compare.moved-told"), "muted")])] if pairing.moved else [])]


def _titled(key: str, table: Table, t: Texts) -> list[Block]:
    """A table under its title; nothing without rows."""
    if not table.rows:
        return [BLANK, BREAK]
    more = [Paragraph(t("compare.more", n=table.more_text), "muted")] if table.more else []
    return [Heading(3, t(key)), table.named(t(key)), *more, BLANK, BREAK]


def _flips(flips: Flips, t: Texts) -> str:
    return t("compare.flips-unequal") if flips.p is None else t("compare.flips", p=p_text(flips.p))


class Note(NamedTuple):
    """What makes the runs differ besides the answers. code: a slug for programs."""

    code: str
    text: str


def notes_of(comparison: Comparison, t: Texts) -> Iterable[Note]:
    """The notes on a comparison; first whether its baseline is any good, then whether the runs are like with like."""
    before, after = comparison.before, comparison.after
    yield from _notes_on_baseline(comparison, t)
    if comparison.damaged:
        return
    if unlike := _other_rules(comparison, t):
        yield Note("rules-differ", f"{t('compare.differs.unlike')} {', '.join(unlike)}. {t('compare.differs.why')}")
    for run in (before, after):
        if run.is_rescored:
            yield Note("rescored", t("compare.rescored", name=run_name(run, t)))
    if changes := run_changes(before.info, after.info, t):
        yield Note("run-differs", t("compare.differs.run", changes=", ".join(changes)))
    yield from _unlike_notes(comparison, t)
    if before.grading_judge and before.grading_judge == after.grading_judge:
        yield Note("same-judge", t("compare.same-judge", model=excerpt(after.grading_judge, NAME_CHARS)))
    if comparison.regraded.by_cut_text:
        yield Note("regraded-by-cut-text", t("compare.regraded-by-cut-text"))
    if comparison.flips.unequal:
        yield Note("items-unequal", t("compare.unequal", n=count(comparison.flips.unequal)))
    if Difference.QUESTIONS in comparison.differences:
        names = ("appeared", "gone", "reworded")
        numbers = {name: count(len(getattr(comparison.pairing, name))) for name in names}
        yield Note("questions-differ", t("compare.differs.questions", **numbers))


def _notes_on_baseline(comparison: Comparison, t: Texts) -> Iterable[Note]:
    """Whether the run before is any good for a comparison."""
    before, after = comparison.before, comparison.after
    damaged = next((one for one in before.damaged if one.metric == comparison.leading), None)
    if _is_one_run(before, after):
        yield Note("same-run", t("compare.same-run"))
    if damaged is not None:
        said = {"metric": metric_of(after, damaged.metric, t), "share": percent(damaged.share, 1)}
        yield Note("baseline-damaged", t("compare.baseline-damaged", name=run_name(before, t), **said))


def _is_one_run(before: Run, after: Run) -> bool:
    """Do other files say that they are of the same run, at the same times?"""
    if not before.run_ids or not before.executed or before.inputs == after.inputs:
        return False
    return (before.run_ids, before.times) == (after.run_ids, after.times)


def _other_rules(comparison: Comparison, t: Texts) -> list[str]:
    """In what the rules and the judge of the two runs differ."""
    before, after = comparison.before, comparison.after
    sides: dict[Difference, Callable[[Run], str]] = {
        Difference.PROFILE: profile_text,
        Difference.RUBRIC: rubric_text,
        Difference.ENGINE: lambda run: str(run.engine_version),
        Difference.JUDGE: lambda run: judge_text(run, t),
    }
    found = [
        t(f"compare.differs.{difference.value}", before=sides[difference](before), after=sides[difference](after))
        for difference in comparison.differences
        if difference in sides
    ]
    if before.basis.passes != after.basis.passes:
        found.append(t("compare.differs.passes", before=_pass_line(before, t), after=_pass_line(after, t)))
    if bands := _other_bands(before.basis, after.basis):
        found.append(t("compare.differs.speed", names=", ".join(bands)))
    return found


def _pass_line(run: Run, t: Texts) -> str:
    """`Intent 3.00`, from which on an item passes."""
    line = run.basis.passes
    return NONE if line is None else f"{metric_of(run, line.metric, t)} {value_text(line.metric, line.points)}"


def _other_bands(before: Basis, after: Basis) -> list[str]:
    """Names of the classes of response times whose bands differ; none where a report does not say its bands."""
    if not before.speed or not after.speed:
        return []
    old, new = ({entry.name: entry for entry in basis.speed} for basis in (before, after))
    return [
        class_name(new.get(name) or old[name])
        for name in {**old, **new}
        if name not in old
        or name not in new
        or (old[name].bands, old[name].tracks) != (new[name].bands, new[name].tracks)
    ]


def _unlike_notes(comparison: Comparison, t: Texts) -> Iterable[Note]:
    """The figures that are not comparable, those with one reason together; other rules have a note of their own."""
    by_reason: defaultdict[str, list[str]] = defaultdict(list)
    for change in comparison.groups[0].changes:
        if change.why is not None and change.queries and change.why.kind is not WhyKind.RULES:
            by_reason[why_text(change.why, t)].append(metric_of(comparison.after, change.metric, t))
    for why, names in by_reason.items():
        yield Note("not-comparable", t("compare.unlike", names=", ".join(names), why=why))


def _columns(
    comparison: Comparison, t: Texts, *, has_smallest: bool = True
) -> list[tuple[str, Callable[[Change], str]]]:
    """Columns of a change, its metric first. has_smallest: with the change that would be found, which seconds lack."""
    columns: list[tuple[str, Callable[[Change], str]]] = [
        (t("table.metric"), lambda change: metric_of(comparison.after, change.metric, t)),
        (f">{t('compare.before')}", lambda change: value_text(change.metric, change.before)),
        (f">{t('compare.after')}", lambda change: value_text(change.metric, change.after)),
        (t("compare.verdict"), lambda change: verdict_text(change, t)),
        (f">{t('compare.difference')}", lambda change: change_text(change, t)),
        (f">{t('compare.range')}", lambda change: range_text(change, t)),
    ]
    if comparison.margin is not None:
        title = t("compare.within-title", margin=f"{comparison.margin:g}")
        columns.append((title, lambda change: margin_text(change, t)))
    columns.append((f">{t('compare.p')}", lambda change: p_text(change.p)))
    if has_smallest:
        title = f">{t('compare.smallest')}"
        columns.append((title, lambda change: size_text(change.metric, change.smallest, t)))
    return [*columns, (f">{t('compare.n')}", lambda change: count(change.queries))]


def _metrics(everything: GroupChanges, comparison: Comparison, t: Texts) -> Table:
    """All shared queries. Metrics without a value are left out."""

    def whole(change: Change) -> str:
        sides = (comparison.before.shown, comparison.after.shown)
        return " → ".join(value_text(change.metric, shown.get(change.metric)) for shown in sides)

    present = [change for change in everything.changes if change.queries]
    return table_of(present, [*_columns(comparison, t), (f">{t('compare.whole')}", whole)])


def _grouped(groups: Sequence[GroupChanges], kind: GroupKind, comparison: Comparison, t: Texts) -> Table:
    """The metrics of each group; of one that is too small the headline alone.

    Of a slice the headline, and what else changed by more than chance.
    """
    columns = _columns(comparison, t)
    headline = comparison.headline.metric

    def is_told(group: GroupChanges, change: Change) -> bool:
        if change.metric == headline:
            return True
        if kind is GroupKind.SLICE:
            return change.is_found and not change.copy_of
        return group.queries >= FEW_QUERIES

    rows = [
        [_group_name(group, t), *(cell(change) for _, cell in columns)]
        for group in groups
        if group.kind is kind
        for change in group.changes
        if change.queries and is_told(group, change)
    ]
    return table([t("compare.group"), *(title for title, _ in columns)], rows)


def _group_name(group: GroupChanges, t: Texts) -> str:
    if group.kind is GroupKind.TRACK:
        return track_name(group_key(group.track), t)
    if group.kind is GroupKind.SLICE:
        return f"{excerpt(group.column, LABEL_CHARS)}={slice_value(group.value, t)}"
    return category_name(group.category, t)


def _latency(comparison: Comparison, t: Texts) -> Table:
    """Seconds of all queries and of each track."""
    columns = _columns(comparison, t, has_smallest=False)[1:]
    rows = []
    for group in comparison.groups:
        change = group.change(SECONDS)
        if change is None or not change.queries or group.kind not in {GroupKind.ALL, GroupKind.TRACK}:
            continue
        name = t("everything") if group.kind is GroupKind.ALL else _group_name(group, t)
        rows.append([name, *(cell(change) for _, cell in columns)])
    return table([t("compare.group"), *(title for title, _ in columns)], rows)


def _timed(pairs: Iterable[Pair], sign: int, page: str, t: Texts) -> Table:
    """The queries whose seconds changed most in one direction. sign: 1 for slower, -1 for faster.

    page: of the report after, "" without one.
    """
    found = [(difference, pair) for pair in pairs if (difference := pair.difference(SECONDS)) is not None]
    changed = sorted(
        [(difference, pair) for difference, pair in found if difference * sign > 0],
        key=lambda entry: (-sign * entry[0], entry[1].after.query_id),
    )
    return table_of(
        changed,
        [
            (t("compare.query"), lambda entry: query_in(entry[1].after, page)),
            (f">{t('compare.before')}", lambda entry: seconds(entry[1].before.values[SECONDS])),
            (f">{t('compare.after')}", lambda entry: seconds(entry[1].after.values[SECONDS])),
            (f">{t('compare.difference')}", lambda entry: _seconds_apart(entry[1])),
            (t("compare.question"), lambda entry: excerpt(entry[1].after.question, QUESTION_CHARS)),
        ],
        limit=MAX_TIMED,
    )


def _seconds_apart(pair: Pair) -> str:
    """The difference of the seconds as they are printed beside it."""
    before, after = (Decimal(seconds(side.values[SECONDS])) for side in pair)
    return f"{after - before:+}".replace("-", "−")


def _queries(queries: Sequence[Query], page: str, t: Texts) -> Table:
    return table_of(
        queries,
        [
            (t("compare.query"), lambda query: query_in(query, page)),
            (t("compare.question"), lambda query: excerpt(query.question, QUESTION_CHARS)),
        ],
        limit=MAX_LEFT_OUT,
    )


def _asked(query: Query) -> str:
    """Question and expected result as they were compared."""
    return excerpt(" / ".join((*query.questions, *query.expected)), QUESTION_CHARS) or NONE
