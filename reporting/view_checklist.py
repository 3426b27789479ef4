"""Seed 002 §7: every line of the operating checklist, answered from the data."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from math import comb

from reporting import words
from reporting.display import count, percent
from reporting.view_metrics import shown_groups
from scoring.insights import Insights
from scoring.repetition import latency_class_of
from scoring.result import SetResult


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckView:
    """One line. is_fine: nothing to look at; answer: the figures that say so."""

    is_fine: bool
    question: str
    answer: str


def checklist(result: SetResult, insights: Insights) -> tuple[CheckView, ...]:
    """The lines in seed 002's order."""
    rubric = result.rubric
    return (
        *([_tracks(result)] if rubric.has_tracks else []),
        _payloads(insights),
        *([_recorded_scores(result, insights)] if rubric.verdict is None and not rubric.intent_of else []),
        *([_verdicts(result)] if rubric.verdict is not None else []),
        *([_checks(result)] if rubric.checks is not None or rubric.addresses is not None else []),
        _pairs(result, insights),
        *_slow_items(result, insights),
    )


def _tracks(result: SetResult) -> CheckView:
    named = sorted({track for entry in result.rubric.latency_classes for track in entry.tracks})
    unequal, absent = [], []
    for key, group in shown_groups(result):
        name = words.track_name(key)
        if group is None:
            absent.append(name)
        elif len(set(group.items)) > 1:
            unequal.append(f"{name} {'/'.join(map(count, group.items))}")
    odd = [
        f"{words.track_name(group.key)} {count(group.n)}"
        for group in result.groups[1:]
        if not result.rubric.names_track(group.track)
    ]
    shares = ", ".join(
        f"{words.track_name(key)}={count(group.n if group else 0)}" for key, group in shown_groups(result)
    )
    findings = [shares]
    if absent:
        findings.append(f"문항이 없는 Track: {', '.join(absent)}")
    if unequal:
        findings.append(f"회차마다 문항 수가 다름: {', '.join(unequal)}")
    if odd:
        findings.append(f"루브릭에 없거나 미지정: {', '.join(odd[:5])}")
    return CheckView(
        is_fine=not (absent or unequal or odd),
        question=f"Track {'/'.join(map(str, named))} 분포가 의도대로 매칭되었는지",
        answer=". ".join(findings),
    )


def _payloads(insights: Insights) -> CheckView:
    invalid = sum(insights.payloads.values())
    answer = f"읽지 못한 Raw JSON {count(invalid)}건 (전체 {count(insights.n)}문항 대비 {percent(invalid, insights.n)})"
    return CheckView(is_fine=not invalid, question="Raw JSON 파싱 실패율이 이상치인지", answer=answer)


def _recorded_scores(result: SetResult, insights: Insights) -> CheckView:
    sources = insights.intent_sources
    contradicting = result.counts.get("recorded-contradicts-failure", 0) + result.counts.get("recorded-zero-on-pass", 0)
    answer = f"LLM 점수 사용 {count(sources.recorded)}문항, 상태로 산정 {count(sources.from_status)}문항"
    if sources.from_status:
        answer += f" ({', '.join(source_reasons(insights))})"
    if contradicting:
        answer += f". 상태와 어긋나는 LLM 점수 {count(contradicting)}건"
    return CheckView(
        is_fine=not (contradicting or sources.not_a_number or sources.out_of_range),
        question="LLM 정량 점수 존재 시 사용했는지, 미존재 시 휴리스틱 사용 사유 기록",
        answer=answer,
    )


def _verdicts(result: SetResult) -> CheckView:
    missing = sum(item.intent is None for item in result.items)
    answer = f"평가하지 않은 문항 {count(missing)} / {count(len(result.items))}"
    unknown = sum(problem.code == "verdict-unknown" for problem in result.problems)
    if unknown:
        answer += f". 루브릭에 없는 판정 {count(unknown)}건"
    return CheckView(is_fine=not (missing or unknown), question="모든 문항의 의도를 판정했는지", answer=answer)


def _checks(result: SetResult) -> CheckView:
    missing = result.counts.get("not-assessable", 0)
    ignored = result.counts.get("checks-ignored", 0)
    faulty = sum(problem.code.startswith("check") for problem in result.problems)
    answer = f"평가 불가 {count(missing)} / {count(len(result.items))}문항"
    if faulty:
        answer += f". 읽지 못한 체크 {count(faulty)}건"
    if ignored:
        answer += f". 메시지에 대한 것이라 세지 않은 체크 {count(ignored)}건"
    return CheckView(is_fine=not (missing or faulty), question="모든 문항에 읽을 수 있는 체크가 있는지", answer=answer)


def source_reasons(insights: Insights) -> list[str]:
    """Why items have no recorded score: `빈 칸 150`, zero reasons left out."""
    sources = insights.intent_sources
    reasons = (
        ("빈 칸", sources.blank),
        ("숫자가 아님", sources.not_a_number),
        ("범위를 벗어남", sources.out_of_range),
    )
    return [f"{name} {count(n)}" for name, n in reasons if n]


def _pairs(result: SetResult, insights: Insights) -> CheckView:
    rounds = len(result.rounds)
    compared = result.groups[0].pairs.compared
    per_round = [sum(query.statuses[index] is not None for query in result.queries) for index in range(rounds)]
    queries = ", ".join(
        f"{words.round_name(entry)} 질의 {count(n)}" for entry, n in zip(result.rounds, per_round, strict=True)
    )
    answer = f"{queries}. 비교한 쌍 {count(compared)} (모두 있으면 {count(len(result.queries) * comb(rounds, 2))})"
    if insights.missing:
        answer += f". 빠진 회차가 있는 질의 {count(len(insights.missing))}개"
    return CheckView(
        is_fine=rounds > 1 and not insights.missing,
        question="일관성 쿼리 쌍 개수를 회차별로 확인",
        answer=answer if rounds > 1 else f"{answer}. 회차가 하나라 비교하지 못함",
    )


def _slow_items(result: SetResult, insights: Insights) -> list[CheckView]:
    checks = []
    numbers = {entry.label: entry.number for entry in result.rounds}
    slow = Counter(
        [(latency_class_of(result.items[at], result.rubric), result.items[at].round) for at in insights.slow]
    )
    for entry in result.rubric.latency_classes:
        if entry.slow_seconds is None:
            continue
        per_round = dict.fromkeys(numbers.values(), 0)
        for (name, label), n in slow.items():
            if name == entry.name:
                per_round[numbers[label]] += n
        total = sum(per_round.values())
        of_rounds = ", ".join(f"{number}회차 {count(n)}건" for number, n in per_round.items())
        where = f"Track{'/'.join(map(str, entry.tracks))}" if entry.tracks else entry.title
        found = next(one for one in result.distributions if one.name == entry.name)
        checks.append(
            CheckView(
                is_fine=not total,
                question=f"{where}에서 {entry.slow_seconds:g}초 이상 구간이 누적되는지 확인",
                answer=f"{count(total)}건 / {count(sum(found.set))}문항 ({of_rounds})",
            )
        )
    return checks
