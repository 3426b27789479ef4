"""Result -> what a report shows: display-ready texts and tables, not yet escaped for any format.

A function of the result alone: no clock, host or path. The same view serves every format.
"""

from __future__ import annotations

from dataclasses import dataclass

from reporting import words
from reporting.display import NONE, count, excerpt, percent, score
from reporting.page_paths import PageLink, page_links
from reporting.tables import Table
from reporting.view_accuracy import total_text
from reporting.view_checklist import CheckView, checklist
from reporting.view_findings import FindingsView, findings_view
from reporting.view_metrics import Block, box_table, hidden_tracks, loss_place, shown_groups
from reporting.view_quality import HASH_CHARS, QualityView, input_table, quality_view
from reporting.view_rules import RuleView, basis_tables, rules
from reporting.view_sections import SectionView, sections
from scoring.insights import Insights, find_insights
from scoring.result import SetResult

MAX_NAMES = 10  # run ids, models, file names in one line
NAME_CHARS = 80


@dataclass(frozen=True, slots=True, kw_only=True)
class BoxView:
    """What a reader must see first. todo: things to look at, empty when there are none. total: "" without weights."""

    total: str
    passed: str
    failed: str
    weakest: str
    lost: str
    todo: tuple[str, ...]
    table: Table


@dataclass(frozen=True, slots=True, kw_only=True)
class BasisView:
    """산출 기준: one line per rule, levels and bands, the inputs."""

    rules: tuple[RuleView, ...]
    tables: tuple[Block, ...]
    run_ids: str
    executed: str
    llm_models: str
    rubric: str
    rubric_digest: str
    engine: str
    inputs: Table


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportView:
    """Everything that report.md shows, in its order. Texts are hostile until escaped."""

    title: str
    set_name: str
    box: BoxView
    data: str
    total: str
    rounds: str
    tracks: str
    hidden_tracks: int
    basis: BasisView
    sections: tuple[SectionView, ...]
    findings: FindingsView
    checklist: tuple[CheckView, ...]
    quality: QualityView
    pages: tuple[PageLink, ...]


def build_view(result: SetResult, *, set_name: str, insights: Insights | None = None) -> ReportView:
    """The view of one set. insights: when they are at hand already (`find_insights(result)` otherwise)."""
    found = insights if insights is not None else find_insights(result)
    quality = quality_view(result, found)
    return ReportView(
        title=excerpt(result.rubric.title, NAME_CHARS),
        set_name=excerpt(set_name, NAME_CHARS),
        box=_box(result, found),
        data=_names([entry.name for entry in result.inputs if not entry.refused]),
        total=count(len(result.items)),
        rounds=", ".join(
            f"{words.round_name(entry)} {count(n)}문항"
            for entry, n in zip(result.rounds, result.groups[0].items, strict=True)
        ),
        tracks=", ".join(
            f"{words.track_name(key)}={count(group.n if group else 0)}" for key, group in shown_groups(result)
        ),
        hidden_tracks=hidden_tracks(result),
        basis=_basis(result, found),
        sections=sections(result),
        findings=findings_view(result, found),
        checklist=checklist(result, found),
        quality=quality,
        pages=page_links(result),
    )


def _box(result: SetResult, insights: Insights) -> BoxView:
    failures = [
        f"{words.STATUSES[status]} {count(n)}"
        for status, n in insights.statuses.items()
        if n and status not in result.rubric.pass_statuses
    ]
    failed = f"{count(insights.failed)}문항" + (f" ({', '.join(failures)})" if failures else "")
    return BoxView(
        total=total_text(result) if result.total is not None else "",
        passed=f"{count(insights.n)}문항 중 {count(insights.passed)}문항 통과 ({percent(insights.passed, insights.n)})",
        failed=failed,
        weakest=_weakest(result, insights),
        lost=_lost(result, insights),
        todo=tuple(_todo(result, insights)),
        table=box_table(result, insights),
    )


def _weakest(result: SetResult, insights: Insights) -> str:
    """The weakest track by the first metric in which tracks differ; where it is weakest as well."""
    titles = result.rubric.metrics_by_name
    named = [(metric, insights.weakest_tracks[metric]) for metric in titles]
    first = next(((metric, entry) for metric, entry in named if entry is not None), None)
    if first is None:
        return f"{NONE} (Track이 하나이거나 차이가 없음)"
    metric, entry = first
    also = [titles[name] for name, other in named if other and name != metric and other.key == entry.key]
    more = f". {'·'.join(also)}도 가장 낮음" if also else ""
    return f"{words.track_name(entry.key)}, {titles[metric]} {score(entry.value)} (n={count(entry.n)}){more}"


def _lost(result: SetResult, insights: Insights) -> str:
    """The metric that lost the largest share of its points, and where."""
    losses = [loss for loss in insights.losses if loss.points]
    if not losses:
        return f"{NONE} (잃은 점수 없음)"
    worst = max(losses, key=lambda loss: loss.points / loss.possible)
    title = result.rubric.metrics_by_name[worst.metric]
    place = loss_place(worst, has_tracks=bool(shown_groups(result)))
    return f"{title}에서 {percent(worst.points, worst.possible)}를 잃음, 가장 큰 몫은 {place}"


def _todo(result: SetResult, insights: Insights) -> list[str]:
    refused = sum(entry.refused for entry in result.inputs)
    entries = (
        ("읽지 못한 파일", refused, "개"),
        ("회차마다 결과가 갈린 질문", len(insights.disagreeing), "개"),
        ("실패를 알리는 답인데 통과로 잡힌 문항", len(insights.hidden_failures), "건"),
        ("느린 답변", len(insights.slow), "건"),
        ("빠진 회차가 있는 질문", len(insights.missing), "개"),
        ("읽지 못한 Raw JSON", sum(insights.payloads.values()), "건"),
        ("입력 문제", result.problem_count, "건"),
    )
    return [f"{name} {count(n)}{unit}" for name, n, unit in entries if n]


def _basis(result: SetResult, insights: Insights) -> BasisView:
    rubric = result.rubric
    return BasisView(
        rules=rules(result, insights),
        tables=basis_tables(rubric),
        run_ids=_names(insights.run_ids) or NONE,
        executed=_executed(insights),
        llm_models=_names(insights.llm_models) or NONE,
        rubric=excerpt(rubric.profile, NAME_CHARS),
        rubric_digest=result.rubric_digest[:HASH_CHARS],
        engine=str(result.engine_version),
        inputs=input_table(result),
    )


def _executed(insights: Insights) -> str:
    times = insights.executed
    if times is None:
        return NONE
    first, last = excerpt(times.first, NAME_CHARS), excerpt(times.last, NAME_CHARS)
    if first == last:
        return first
    return f"{first}부터 {last}까지" if times.parsed else f"{first} … {last} (시각으로 읽을 수 없어 글자 순서)"


def _names(names: list[str] | tuple[str, ...]) -> str:
    shown = ", ".join(excerpt(name, NAME_CHARS) for name in names[:MAX_NAMES])
    return f"{shown} 외 {count(len(names) - MAX_NAMES)}개" if len(names) > MAX_NAMES else shown
