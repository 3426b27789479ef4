"""What the pages of a comparison show, not yet escaped."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from reporting.comparison.figures import (
    change_text,
    difference_text,
    interval_text,
    margin_text,
    metric_of,
    p_text,
    sentence,
    size_text,
    value_text,
    verdict_text,
)
from reporting.comparison.queries import QUESTION_CHARS, QueryList, query_in, query_list
from reporting.store.set_folder import REPORT_HTML
from reporting.view.page_paths import PageAddress, page_address
from reporting.view.tables import Table, table, table_of
from reporting.wording.display import NONE, count, excerpt, seconds
from reporting.wording.names import category_name, some_names, track_name
from reporting.wording.times import RUN_ID, executed_text
from scoring.comparison.baseline import Origin
from scoring.comparison.changes import Change
from scoring.comparison.compare import Comparison, Difference, GroupChanges, GroupKind
from scoring.comparison.pairing import Pair
from scoring.comparison.run import SECONDS, Query, Run
from scoring.rubric.model import group_key
from scoring.statistics.intervals import FEW_QUERIES
from texts import Texts

MAX_LEFT_OUT = 100  # queries of one kind that are not compared
MAX_TIMED = 20
NAME_CHARS = 120
DIGEST_DIGITS = 8
LISTS = ("now_fails", "now_passes", "dropped", "rose")


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparisonView:
    """A comparison in texts and tables.

    origin: how the baseline was chosen, "" for two runs that a person named. notes: what differs besides the answers;
    the first is about like with like, if anything. pages: relative addresses of the two reports, "" without one.
    address: of the set, None where the comparison is not beside the report of the later run.
    tracks, categories: one table each, without rows where there is one group.
    """

    title: str
    names: tuple[str, str]
    pages: tuple[str, str]
    address: PageAddress | None
    origin: str
    notes: tuple[str, ...]
    sentence: str
    runs: Table
    metrics: Table
    tracks: Table
    categories: Table
    groups_left_out: int
    flips: str
    lists: tuple[QueryList, ...]
    track_names: tuple[str, ...]
    category_names: tuple[str, ...]
    latency: Table
    slower: Table
    faster: Table
    appeared: Table
    gone: Table
    reworded: Table
    moved: Table
    key: str
    engine: str


def comparison_view(
    comparison: Comparison,
    *,
    key: str,
    engine: int,
    pages: tuple[str, str],
    origin: Origin | None = None,
    t: Texts,
) -> ComparisonView:
    """The view of a comparison. key: of the comparison. pages: as in `ComparisonView`."""
    before, after = comparison.before, comparison.after
    names = run_name(before, t), run_name(after, t)
    everything, *groups = comparison.groups
    pairing = comparison.pairing
    listed = tuple(query_list(name, getattr(comparison.lists, name), after, pages, t) for name in LISTS)
    queries = [query for of_list in listed for query in of_list.queries]
    flips = comparison.flips
    return ComparisonView(
        title=t("compare.between", before=names[0], after=names[1]),
        names=names,
        pages=pages,
        address=page_address(after.name, after.profile) if pages[1] == REPORT_HTML else None,
        origin="" if origin is None else t(f"baseline.{origin}", name=names[0]),
        notes=tuple(notes_of(comparison, t)),
        sentence=sentence(comparison, t),
        runs=_runs(before, after, t),
        metrics=_metrics(everything, comparison, t),
        tracks=_grouped(groups, GroupKind.TRACK, comparison, t),
        categories=_grouped(groups, GroupKind.CATEGORY, comparison, t),
        groups_left_out=comparison.groups_left_out,
        flips=t("compare.flips", to_fail=count(flips.to_fail), to_pass=count(flips.to_pass), p=p_text(flips.p)),
        lists=listed,
        track_names=tuple(sorted({query.track for query in queries})),
        category_names=tuple(sorted({query.category for query in queries})),
        latency=_latency(comparison, t),
        slower=_timed(pairing.shared, 1, pages[1], t),
        faster=_timed(pairing.shared, -1, pages[1], t),
        appeared=_queries(pairing.appeared, pages[1], t),
        gone=_queries(pairing.gone, pages[0], t),
        reworded=table_of(
            pairing.reworded,
            [
                (t("compare.query"), lambda pair: query_in(pair.after, pages[1])),
                (t("compare.old-text"), lambda pair: _asked(pair.before)),
                (t("compare.new-text"), lambda pair: _asked(pair.after)),
            ],
            limit=MAX_LEFT_OUT,
        ),
        moved=table_of(
            pairing.moved,
            [
                (t("compare.query"), lambda pair: query_in(pair.after, pages[1])),
                (t("compare.before"), lambda pair: _place(pair.before, t)),
                (t("compare.after"), lambda pair: _place(pair.after, t)),
            ],
            limit=MAX_LEFT_OUT,
        ),
        key=key[:DIGEST_DIGITS],
        engine=str(engine),
    )


def run_name(run: Run, t: Texts) -> str:
    """A run by name, with its one round where one was chosen."""
    name = excerpt(run.name, NAME_CHARS)
    return t("compare.run", name=name, round=excerpt(run.selection, NAME_CHARS)) if run.selection else name


def notes_of(comparison: Comparison, t: Texts) -> Iterable[str]:
    """What makes the runs differ besides the answers; first whether they are like with like."""
    before, after = comparison.before, comparison.after
    sides: dict[Difference, Callable[[Run], str]] = {
        Difference.PROFILE: _profile,
        Difference.RUBRIC: _rubric,
        Difference.ENGINE: lambda run: str(run.engine_version),
        Difference.JUDGE: lambda run: _judge(run, t),
    }
    unlike = [
        t(f"compare.differs.{difference.value}", before=sides[difference](before), after=sides[difference](after))
        for difference in comparison.differences
        if difference in sides
    ]
    if unlike:
        yield f"{t('compare.differs.unlike')} {', '.join(unlike)}. {t('compare.differs.why')}"
    for run in (before, after):
        if run.is_rescored:
            yield t("compare.rescored", name=run_name(run, t))
    if Difference.QUESTIONS in comparison.differences:
        names = ("appeared", "gone", "reworded")
        numbers = {name: count(len(getattr(comparison.pairing, name))) for name in names}
        yield t("compare.differs.questions", **numbers)


def _profile(run: Run) -> str:
    return excerpt(run.profile, NAME_CHARS)


def _rubric(run: Run) -> str:
    """`resume-agent.md 2026-02-01 (1a2b3c4d)`."""
    named = " ".join(filter(None, (run.basis.document, run.basis.edition)))
    digest = run.rubric_digest[:DIGEST_DIGITS]
    return f"{excerpt(named, NAME_CHARS)} ({digest})" if named else digest


def _judge(run: Run, t: Texts) -> str:
    judge = run.judge
    if not judge.model:
        return t("compare.no-judge")
    model, prompt = excerpt(judge.model, NAME_CHARS), excerpt(judge.prompt, NAME_CHARS)
    return t("compare.judge", model=model, votes=count(judge.votes), prompt=prompt)


def _executed(run: Run, t: Texts) -> str:
    """First and last time as they are written; of one round the first of its own."""
    times = "" if run.selection else executed_text(run.times, t)
    return times or run.executed.replace("T", " ") or NONE


def _runs(before: Run, after: Run, t: Texts) -> Table:
    def row(title: str, cell: Callable[[Run], str]) -> list[str]:
        return [t(title), cell(before), cell(after)]

    rows = [
        row("compare.name", lambda run: run_name(run, t)),
        row("compare.executed", lambda run: _executed(run, t)),
        *([[RUN_ID, *named]] if any(named := [some_names(run.run_ids, t) for run in (before, after)]) else []),
        row("compare.rounds", lambda run: excerpt(run.selection, NAME_CHARS) or some_names(run.rounds, t)),
        row("compare.queries", lambda run: count(len(run.queries))),
        row("compare.items", lambda run: count(run.items)),
        row("compare.rubric", _rubric),
        row("compare.engine", lambda run: str(run.engine_version)),
        row("compare.judged-by", lambda run: _judge(run, t)),
    ]
    return table(["", t("compare.before"), t("compare.after")], rows)


def _columns(comparison: Comparison, t: Texts) -> list[tuple[str, Callable[[Change], str]]]:
    """Columns of a change, its metric first."""
    columns: list[tuple[str, Callable[[Change], str]]] = [
        (t("table.metric"), lambda change: metric_of(comparison.after, change.metric, t)),
        (f">{t('compare.before')}", lambda change: value_text(change.metric, change.before)),
        (f">{t('compare.after')}", lambda change: value_text(change.metric, change.after)),
        (t("compare.verdict"), lambda change: verdict_text(change, t)),
        (f">{t('compare.difference')}", lambda change: change_text(change, t)),
        (f">{t('compare.range')}", lambda change: interval_text(change.metric, change.interval, t)),
    ]
    if comparison.margin is not None:
        title = t("compare.within-title", margin=f"{comparison.margin:g}")
        columns.append((title, lambda change: margin_text(change, t)))
    columns += [
        (f">{t('compare.p')}", lambda change: p_text(change.p)),
        (f">{t('compare.smallest')}", lambda change: size_text(change.metric, change.smallest, t)),
        (f">{t('compare.n')}", lambda change: count(change.queries)),
    ]
    return columns


def _metrics(everything: GroupChanges, comparison: Comparison, t: Texts) -> Table:
    """All shared queries. Metrics without a value are left out."""

    def whole(change: Change) -> str:
        sides = (comparison.before.shown, comparison.after.shown)
        return " → ".join(value_text(change.metric, shown.get(change.metric)) for shown in sides)

    present = [change for change in everything.changes if change.queries]
    return table_of(present, [*_columns(comparison, t), (f">{t('compare.whole')}", whole)])


def _grouped(groups: Sequence[GroupChanges], kind: GroupKind, comparison: Comparison, t: Texts) -> Table:
    """The metrics of each group; of one that is too small the headline alone."""
    columns = _columns(comparison, t)
    headline = comparison.headline.metric
    rows = [
        [_group_name(group, t), *(cell(change) for _, cell in columns)]
        for group in groups
        if group.kind is kind
        for change in group.changes
        if change.queries and (group.queries >= FEW_QUERIES or change.metric == headline)
    ]
    return table([t("compare.group"), *(title for title, _ in columns)], rows)


def _group_name(group: GroupChanges, t: Texts) -> str:
    if group.kind is GroupKind.TRACK:
        return track_name(group_key(group.track), t)
    return category_name(group.category, t)


def _latency(comparison: Comparison, t: Texts) -> Table:
    """Seconds of all queries and of each track."""
    columns = _columns(comparison, t)[1:]
    rows = []
    for group in comparison.groups:
        change = group.change(SECONDS)
        if change is None or not change.queries or group.kind is GroupKind.CATEGORY:
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
            (f">{t('compare.difference')}", lambda entry: difference_text(SECONDS, entry[0], t)),
            (t("compare.question"), lambda entry: excerpt(entry[1].after.question, QUESTION_CHARS)),
        ],
        limit=MAX_TIMED,
    )


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


def _place(query: Query, t: Texts) -> str:
    return f"{track_name(group_key(query.track), t)}, {category_name(query.category, t)}"
