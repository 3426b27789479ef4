"""English texts about conversations."""

from __future__ import annotations

from collections.abc import Mapping

SESSIONS_EN: Mapping[str, str] = {
    "sessions.title": "Sessions",
    "sessions.session": "Session",
    "sessions.session-turn": "Session, turn",
    "sessions.counts": "Sessions: {n}. Passed: {share}.",
    "sessions.rule.last.passed": "A session passes when its last turn passes.",
    "sessions.rule.last.answered": "A session passes when its last turn is answered.",
    "sessions.rule.every.passed": "A session passes when every turn passes; turns with nothing to assess are ignored.",
    "sessions.rule.every.answered": "A session passes when every turn is answered.",
    "sessions.left-out": "Sessions left out, as the turns that decide cannot be assessed: {n}.",
    "sessions.outside": "Items without a session, which belong to no conversation: {n}.",
    "sessions.failing": "Sessions that do not pass",
    "sessions.first": "First failing turn",
    "sessions.of": "{turn} (of {n})",
    "sessions.turns": "Turns in order",
    "sessions.end.true": "passed",
    "sessions.end.false": "failed",
    "sessions.end.none": "not assessed",
    "sessions.more": "{n} more",
    "headline.sessions": "sessions passed {share}",
    "more.session": "Session",
    "more.turn": "Turn",
    "more.turns": "Turns of the session",
    "more.turn-line": "{turn}. [{status}] {question} → {answer}",
    "values.sessions": "sessions: {rule}",
    "brief.turn-not-a-number": "turns that are not numbers: {n}",
    "finding.turn-not-a-number": "Turns that are not numbers; the turns of their conversations are taken in row order: {n}",
    "fix.turn-not-a-number": "Number the turns of every session, or leave the column blank",
    "what.rubric-session-column": "'{value}' in the front matter needs a column `session`",
    "fix.rubric-session-column": "Add the session column under `columns`, or remove '{value}'",
}
