"""산출 기준: how each figure came about, a line per rule, from the rubric that was used."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from reporting import words
from reporting.display import count, excerpt
from reporting.tables import table
from reporting.view_accuracy import SOURCES
from reporting.view_checklist import source_reasons
from reporting.view_metrics import Block, band_table, number_bands
from scoring.insights import Insights
from scoring.result import SetResult
from scoring.rubric import Rubric, Status

WORD_CHARS = 80
CHECK_SOURCES = {
    "column": "accuracyChecks 열",
    "criteria": "평가기준 열",
    "payload": "Raw JSON",
    "marked": "기대결과의 @check",
    "text": "기대결과의 문장",
}


class RuleView(NamedTuple):
    """One line: what it is about, and the rule."""

    title: str
    text: str


def rules(result: SetResult, insights: Insights) -> tuple[RuleView, ...]:
    """The lines in the order of the report."""
    rubric = result.rubric
    lines = [*_intent(result, insights), *_accuracy(rubric)]
    lines.append(RuleView("안정성", f"항상 답변 상태로 정합니다. {points_text(rubric, 'stability')}"))
    lines += [_consistency(rubric), _speed(rubric)]
    total = "총 가중치 합산은 하지 않습니다." if result.total is None else "종합 점수는 세트 점수의 가중 평균입니다."
    if rubric.agreement is not None:
        total = f"일관성은 질문의 평균입니다. {total}"
    lines.append(RuleView("집계", f"회차 점수는 문항 평균, 세트 점수는 회차 점수의 평균입니다. {total}"))
    return tuple(lines)


def basis_tables(rubric: Rubric) -> tuple[Block, ...]:
    """Levels, bands over the ratio, bands over seconds."""
    blocks = []
    if rubric.verdict is not None:
        # Without the criteria: they are prose, which is no part of the digest, and a report is a function of its key.
        rows = [[f"{level.points:g}", excerpt(level.name, WORD_CHARS)] for level in rubric.verdict.levels]
        blocks.append(Block(text="의도 등급표", table=table([">점수", "등급"], rows)))
    if rubric.checks is not None:
        bands = number_bands(rubric.checks.bands, "", "체크 없음")
        # A ratio never leaves 0..1, so that its ends are single numbers.
        rows = [[f"{points:g}", {"0 이하": "0", "1 이상": "1"}.get(text, text)] for points, text in bands]
        blocks.append(Block(text="정확성 구간표(통과한 체크의 비율)", table=table([">점수", "비율"], rows)))
    elif rubric.addresses is not None:
        rule = rubric.addresses
        rows = [
            [f"{rule.same_key:g}", "키가 같음"],
            [f"{rule.same_path:g}", "경로만 같음"],
            [f"{rule.neither:g}", "둘 다 다름"],
            [f"{rule.missing:g}", "기대 주소 없음(평가 불가)"],
        ]
        blocks.append(Block(text="정확성 점수표", table=table([">점수", "조건"], rows)))
    return (*blocks, Block(text="속도 구간표", table=band_table(rubric)))


def points_text(rubric: Rubric, metric: str) -> str:
    """`정상(ok) 5점, 보완 요청(partial) 4점, …`."""
    points = rubric.status_points[metric]
    return ", ".join(
        f"{title}({status.value}) {points[status]:g}점" for status, title in words.STATUSES.items() if status in points
    )


def _intent(result: SetResult, insights: Insights) -> list[RuleView]:
    rubric = result.rubric
    precedence = " > ".join(words.STATUSES[status] for status in Status)
    partial = ", ".join(excerpt(word, WORD_CHARS) for word in rubric.partial_words)
    statuses = RuleView("답변 상태", f"{precedence} 순으로 먼저 맞는 것을 씁니다. 보완 요청으로 보는 말: {partial}")
    if rubric.verdict is not None:
        order = " > ".join(SOURCES[source] for source in rubric.verdict.sources)
        counted = Counter([item.intent_source for item in result.items])
        used = ", ".join(f"{title} {count(counted[name])}문항" for name, title in SOURCES.items() if counted[name])
        text = f"{order} 순으로 먼저 나온 것을 씁니다. 아무것도 없으면 평가하지 않고 평균에서 뺍니다."
        return [RuleView("의도 판정", text), statuses, RuleView("점수의 출처", used)]
    if rubric.intent_of:
        title = {**words.METRICS, **rubric.metrics_by_name}[rubric.intent_of]
        return [RuleView("의도 충족", f"{title} 점수를 그대로 씁니다."), statuses]
    sources = insights.intent_sources
    reasons = f" (LLM 점수를 쓰지 않은 까닭: {', '.join(source_reasons(insights))})" if sources.from_status else ""
    labelling = f"LLM 점수가 없으면 답변 상태로 점수를 줍니다. {points_text(rubric, 'intent')}"
    used = f"LLM 점수 사용 {count(sources.recorded)}문항, 상태로 산정 {count(sources.from_status)}문항{reasons}"
    return [RuleView("라벨링 규칙", labelling), statuses, RuleView("점수의 출처", used)]


def _accuracy(rubric: Rubric) -> list[RuleView]:
    if rubric.checks is not None:
        order = ", ".join(CHECK_SOURCES[source] for source in rubric.checks.sources)
        text = "통과한 체크의 가중치 비율을 구간표의 점수로 바꿉니다."
        return [RuleView("정확성", f"{text} 체크는 {order} 순으로 찾아 먼저 나온 한 곳의 것만 씁니다.")]
    if rubric.addresses is not None:
        key, field = excerpt(rubric.addresses.key, WORD_CHARS), excerpt(rubric.addresses.field, WORD_CHARS)
        return [RuleView("정확성", f"기대결과의 {key} 주소를 답의 {field}와 견주어 가장 가까운 것으로 매깁니다.")]
    if rubric.accuracy_of == "intent":
        return [RuleView("정확성", "지금은 의도 충족 점수를 그대로 씁니다(임시 산정).")]
    title = {**words.METRICS, **rubric.metrics_by_name}[rubric.accuracy_of]
    return [RuleView("정확성", f"{title} 점수를 그대로 씁니다.")]


def _consistency(rubric: Rubric) -> RuleView:
    if rubric.agreement is not None:
        signature = ", ".join((*rubric.agreement.signature.keys, *rubric.agreement.signature.beside))
        text = (
            "Query ID마다 가장 많이 나온 라벨의 비율과 가장 많이 나온 시그니처의 비율을 반반 더해 만점을 곱합니다. "
            f"시그니처: {signature} (화면 요소의 순서는 보지 않음)"
        )
        return RuleView("일관성", text)
    text = "동일 Query ID의 회차쌍을 비교합니다. 둘 다 실패해도 결과가 같으므로 일관된 것으로 셉니다."
    if rubric.pass_rule is not None:
        title = {**words.METRICS, **rubric.metrics_by_name}[rubric.pass_rule.metric]
        text += f" {title} {rubric.pass_rule.points:g}점 이상이 통과입니다."
    return RuleView("일관성", text)


def _speed(rubric: Rubric) -> RuleView:
    text = "걸린 초를 아래 구간표의 점수로 바꿉니다. 시간이 없는 문항은 평균 초에서 뺍니다."
    if rubric.classes is not None:
        rule = rubric.classes
        several = ", ".join(excerpt(name, WORD_CHARS) for name in rule.several)
        title = next(entry.title for entry in rubric.latency_classes if entry.name == rule.several_class)
        text += (
            f" 구간은 {excerpt(rule.field, WORD_CHARS)} 값으로 고르고, 없으면 {several} 가운데 하나가 "
            f"{rule.several_count}개 이상일 때 {title} 구간을 씁니다."
        )
    return RuleView("속도", text)
