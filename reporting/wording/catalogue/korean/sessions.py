"""Korean texts about conversations."""

from __future__ import annotations

from collections.abc import Mapping

SESSIONS_KO: Mapping[str, str] = {
    "sessions.title": "대화(세션)",
    "sessions.session": "세션",
    "sessions.session-turn": "세션, 턴",
    "sessions.counts": "세션 {n}개 가운데 통과 {share}.",
    "sessions.rule.last.passed": "마지막 턴이 통과한 세션이 통과입니다.",
    "sessions.rule.last.answered": "마지막 턴의 응답이 성공한 세션이 통과입니다.",
    "sessions.rule.every.passed": "모든 턴이 통과한 세션이 통과입니다. 평가할 것이 없는 턴은 제외합니다.",
    "sessions.rule.every.answered": "모든 턴의 응답이 성공한 세션이 통과입니다.",
    "sessions.left-out": "판단할 턴을 평가할 수 없어 제외한 세션: {n}개.",
    "sessions.outside": "세션 값이 비어 어느 대화에도 속하지 않는 문항: {n}개.",
    "sessions.failing": "통과하지 못한 세션",
    "sessions.first": "처음 실패한 턴",
    "sessions.of": "{turn} ({n}턴 중)",
    "sessions.turns": "턴 순서",
    "sessions.end.true": "통과",
    "sessions.end.false": "실패",
    "sessions.end.none": "평가 제외",
    "sessions.more": "외 {n}턴",
    "headline.sessions": "세션 통과 {share}",
    "more.session": "세션",
    "more.turn": "턴",
    "more.turns": "대화의 턴",
    "more.turn-line": "{turn}턴 [{status}] {question} → {answer}",
    "values.sessions": "세션: {rule}",
    "brief.turn-not-a-number": "숫자가 아닌 턴 {n}개",
    "finding.turn-not-a-number": "숫자가 아닌 턴이 {n}개 있어, 그 대화의 턴은 행 순서로 보았습니다",
    "fix.turn-not-a-number": "세션의 모든 턴에 숫자를 적거나 열을 비워 두세요",
    "what.rubric-session-column": "머리말의 '{value}'에는 `session` 열이 있어야 합니다",
    "fix.rubric-session-column": "`columns`에 세션 열을 적거나 '{value}'을(를) 지우세요",
}
