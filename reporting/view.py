"""Result -> what a report shows: display-ready texts and tables, not yet escaped for any format.

A function of the result alone: no clock, host or path. The same view serves every format.
"""

from __future__ import annotations

from dataclasses import dataclass

from reporting import words
from reporting.display import NONE, count, excerpt, percent, score
from reporting.page_paths import PageLink, page_links
from reporting.tables import Table
from reporting.view_checklist import CheckView, checklist, source_reasons
from reporting.view_findings import FindingsView, findings_view
from reporting.view_metrics import (
    ScoreView,
    SpeedView,
    band_table,
    box_table,
    consistency_reason,
    consistency_table,
    hidden_tracks,
    loss_place,
    score_table,
    shown_groups,
    speed_view,
    status_table,
)
from reporting.view_quality import HASH_CHARS, QualityView, input_table, quality_view
from scoring.insights import Insights, find_insights
from scoring.result import SetResult
from scoring.rubric import Rubric, Status

MAX_NAMES = 10  # run ids, models, file names in one line
NAME_CHARS = 80


@dataclass(frozen=True, slots=True, kw_only=True)
class BoxView:
    """What a reader must see first. todo: things to look at, empty when there are none."""

    passed: str
    failed: str
    weakest: str
    lost: str
    todo: tuple[str, ...]
    table: Table


@dataclass(frozen=True, slots=True, kw_only=True)
class BasisView:
    """산출 기준: one text per rule, the bands, the inputs."""

    labelling: str
    precedence: str
    partial_words: str
    intent_sources: str
    stability: str
    run_ids: str
    executed: str
    llm_models: str
    rubric: str
    rubric_digest: str
    engine: str
    bands: Table
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
    intent: ScoreView
    statuses: Table
    consistency: Table
    consistency_reason: str
    accuracy: ScoreView
    speed: SpeedView
    stability: ScoreView
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
        intent=ScoreView(title=words.METRICS["intent"], table=score_table(result, "intent")),
        statuses=status_table(result),
        consistency=consistency_table(result),
        consistency_reason=consistency_reason(result),
        accuracy=ScoreView(title=words.METRICS["accuracy"], table=score_table(result, "accuracy")),
        speed=speed_view(result),
        stability=ScoreView(title=words.METRICS["stability"], table=score_table(result, "stability")),
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
        passed=f"{count(insights.n)}문항 중 {count(insights.passed)}문항 통과 ({percent(insights.passed, insights.n)})",
        failed=failed,
        weakest=_weakest(insights),
        lost=_lost(insights),
        todo=tuple(_todo(result, insights)),
        table=box_table(result, insights),
    )


def _weakest(insights: Insights) -> str:
    """The weakest track by the first metric in which tracks differ; where it is weakest as well."""
    named = [(metric, insights.weakest_tracks[metric]) for metric in words.METRICS]
    first = next(((metric, entry) for metric, entry in named if entry is not None), None)
    if first is None:
        return f"{NONE} (Track이 하나이거나 차이가 없음)"
    metric, entry = first
    also = [words.METRICS[name] for name, other in named if other and name != metric and other.key == entry.key]
    more = f". {'·'.join(also)}도 가장 낮음" if also else ""
    return f"{words.track_name(entry.key)}, {words.METRICS[metric]} {score(entry.value)} (n={count(entry.n)}){more}"


def _lost(insights: Insights) -> str:
    """The metric that lost the largest share of its points, and where."""
    losses = [loss for loss in insights.losses if loss.points]
    if not losses:
        return f"{NONE} (잃은 점수 없음)"
    worst = max(losses, key=lambda loss: loss.points / loss.possible)
    title = words.METRICS[worst.metric]
    return f"{title}에서 {percent(worst.points, worst.possible)}를 잃음, 가장 큰 몫은 {loss_place(worst)}"


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
    rubric, sources = result.rubric, insights.intent_sources
    reasons = f" (LLM 점수를 쓰지 않은 까닭: {', '.join(source_reasons(insights))})" if sources.from_status else ""
    return BasisView(
        labelling=_points_text(rubric, "intent"),
        precedence=" > ".join(words.STATUSES[status] for status in Status),
        partial_words=", ".join(excerpt(word, NAME_CHARS) for word in rubric.partial_words),
        intent_sources=f"LLM 점수 사용 {count(sources.recorded)}문항, "
        f"상태로 산정 {count(sources.from_status)}문항{reasons}",
        stability=_points_text(rubric, "stability"),
        run_ids=_names(insights.run_ids) or NONE,
        executed=_executed(insights),
        llm_models=_names(insights.llm_models) or NONE,
        rubric=excerpt(rubric.profile, NAME_CHARS),
        rubric_digest=result.rubric_digest[:HASH_CHARS],
        engine=str(result.engine_version),
        bands=band_table(rubric),
        inputs=input_table(result),
    )


def _points_text(rubric: Rubric, metric: str) -> str:
    """`정상(ok) 5점, 보완 요청(partial) 4점, …`."""
    points = rubric.status_points[metric]
    return ", ".join(
        f"{title}({status.value}) {points[status]:g}점" for status, title in words.STATUSES.items() if status in points
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
