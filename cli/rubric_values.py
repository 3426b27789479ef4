"""The values of a rubric as lines of text: what `scorewatch rubric show` prints."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from reporting.display import clean
from scoring.bands import show_number
from scoring.rubric import Bands, Rubric, Status
from scoring.rubric_found import LATENCY_PREFIX, TOTAL

TOTAL_TITLE = "종합 점수"
SPEED = "응답 속도"


def role_title(rubric: Rubric, role: str) -> str:
    """Korean name of the table of a role."""
    if role == TOTAL:
        return TOTAL_TITLE
    for latency_class in rubric.latency_classes:
        if role == f"{LATENCY_PREFIX}{latency_class.name}":
            return f"{SPEED}({clean(latency_class.title)})"
    return next(clean(metric.title) for metric in rubric.metrics if metric.name == role)


def value_lines(rubric: Rubric) -> Iterable[str]:
    """Every value that scores, a line each."""
    low, high = rubric.recorded_range
    yield f"{clean(rubric.title)} ({rubric.profile})"
    yield f"  요약값(digest): {rubric.digest}"
    yield f"  파일: {_joined(rubric.files)}"
    yield f"  만점: {show_number(rubric.scale)} · LLM 점수 범위: {show_number(low)}~{show_number(high)}"
    yield f"  회차 한도: {rubric.max_rounds} · 날짜로 바뀐 방/반복: {rubric.date_order}"
    yield "  열"
    for column in rubric.columns:
        aliases = f" = {_joined(column.aliases)}" if column.aliases else ""
        yield f"    {clean(column.title)}{aliases} ({column.name}{', 필수' if column.required else ''})"
    yield "  점수"
    for metric, points in rubric.status_points.items():
        yield f"    {role_title(rubric, metric)}: {_status_text(points)}"
    yield from _rule_lines(rubric)
    yield f"    통과로 보는 상태: {_joined(rubric.pass_statuses)}"
    for latency_class in rubric.latency_classes:
        tracks = ", ".join(f"Track {track}" for track in latency_class.tracks) or "트랙과 상관없음"
        others = " 및 그 밖의 트랙" if latency_class.name == rubric.default_class and latency_class.tracks else ""
        yield f"  응답 속도({clean(latency_class.title)}): {tracks}{others}"
        yield f"    {_band_text(latency_class.bands, '초', '누락')}"
        if latency_class.slow_seconds is not None:
            yield f"    느린 문항: {show_number(latency_class.slow_seconds)}초 이상"
    yield "  말"
    yield f"    partial: {_joined(rubric.partial_words)}"
    yield f"    오류 아님: {_joined(rubric.no_error_words)}"
    yield f"    실패를 인정하는 말: {_joined(rubric.failure_words)}"


def _rule_lines(rubric: Rubric) -> Iterator[str]:
    """Verdict, checks, addresses, agreement, weights: whatever the profile declares."""
    if rubric.verdict is not None:
        levels = " · ".join(f"{clean(level.name)} {show_number(level.points)}" for level in rubric.verdict.levels)
        yield f"    {role_title(rubric, 'intent')}: {levels} (출처 {' > '.join(rubric.verdict.sources)})"
    if rubric.intent_of:
        yield f"    {role_title(rubric, 'intent')}: {role_title(rubric, rubric.intent_of)}과 같음"
    accuracy = role_title(rubric, "accuracy")
    if rubric.checks is not None:
        bands = _band_text(rubric.checks.bands, "", "체크 없음")
        yield f"    {accuracy}(ratio): {bands} · {_status_text(rubric.checks.status_points)}"
        yield f"      체크의 출처: {' > '.join(rubric.checks.sources)}"
        yield f"      key를 찾는 곳: {_joined(rubric.checks.lookup)}"
        for pattern in rubric.checks.patterns:
            yield f"      {pattern.operator} {clean(pattern.pattern)}"
    elif rubric.addresses is not None:
        rule = rubric.addresses
        points = " · ".join(
            f"{name} {show_number(given)}"
            for name, given in (
                ("키가 같음", rule.same_key),
                ("경로만 같음", rule.same_path),
                ("둘 다 다름", rule.neither),
                ("기대 주소 없음", rule.missing),
            )
        )
        yield f"    {accuracy}({clean(rule.key)} ↔ {clean(rule.field)}): {points} · {_status_text(rule.status_points)}"
    else:
        yield f"    {accuracy}: {role_title(rubric, rubric.accuracy_of)}과 같음"
    if rubric.agreement is not None:
        label, signature = rubric.agreement.label, rubric.agreement.signature
        for entry in (*label.first, *label.most):
            yield f"    라벨 {clean(entry.label)}: {_joined(entry.words)}"
        yield f"    시그니처: {_joined((*signature.keys, *signature.beside))}"
    if rubric.pass_rule is not None:
        metric = role_title(rubric, rubric.pass_rule.metric)
        yield f"    회차를 견줄 때 통과: {metric} {show_number(rubric.pass_rule.points)}점 이상"
    if rubric.weights:
        weights = " · ".join(
            f"{_weight_title(rubric, metric)} {show_number(weight)}" for metric, weight in rubric.weights.items()
        )
        yield f"    {TOTAL_TITLE}: {weights}"


def _weight_title(rubric: Rubric, metric: str) -> str:
    return SPEED if metric == "latency" else role_title(rubric, metric)


def _status_text(points: Mapping[Status, float]) -> str:
    return " · ".join(f"{status} {show_number(points[status])}" for status in Status if status in points)


def _joined(words: Iterable[str]) -> str:
    return ", ".join(map(clean, words))


def _band_text(bands: Bands, unit: str, missing: str) -> str:
    """`<= 5초: 5 · … · > 20초: 0 · 누락: 0`."""
    upper = bands.upper or (False,) * len(bands.edges)
    texts = []
    for at, points in enumerate(bands.points):
        low = f"{'>=' if upper[at - 1] else '>'} {show_number(bands.edges[at - 1])}" if at else ""
        high = f"{'<' if upper[at] else '<='} {show_number(bands.edges[at])}" if at < len(bands.edges) else ""
        condition = ", ".join(part for part in (low, high) if part)
        texts.append(f"{condition}{unit}: {show_number(points)}")
    return " · ".join([*texts, f"{missing}: {show_number(bands.missing)}"])
