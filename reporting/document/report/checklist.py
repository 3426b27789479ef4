"""The operating checklist (docs/scoring.md#checklist), every line answered from the data."""

from collections import Counter
from collections.abc import Callable, Mapping
from math import comb
from typing import NamedTuple

from reporting.document.blocks import Check, Checks
from reporting.document.tables import shown_groups
from reporting.wording import count, percent, round_name, track_name
from scoring.items import latency_class_of
from scoring.judging import JudgeFigures
from scoring.results import SLOW, Insights, SetResult, checklist_lines, unknown_levels
from texts import Texts

MAX_ODD_TRACKS = 5


class _Line(NamedTuple):
    question: str
    answer: str


def checklist(result: SetResult, insights: Insights, t: Texts) -> Checks:
    """The lines that the profile has, in the order of the checklist."""
    views: Mapping[str, Callable[[], _Line]] = {
        "tracks": lambda: _tracks(result, t),
        "payloads": lambda: _payloads(result, insights, t),
        "recorded": lambda: _recorded_scores(result, insights, t),
        "verdicts": lambda: _verdicts(result, t),
        "checks": lambda: _checks(result, t),
        "rubrics": lambda: _levels(result, t),
        "judge": lambda: _judge(result.judge, t),
        "pairs": lambda: _pairs(result, insights, t),
    }
    slow = _slow_items(result, insights, t)
    lines = []
    for name, is_fine in checklist_lines(result):
        question, answer = slow[name] if name in slow else views[name]()
        lines.append(Check(is_fine, question, answer))
    return Checks(lines, t("check.fine"), t("check.look"))


def _answer(*findings: str) -> str:
    """The findings that are not empty, in one line."""
    return ". ".join(filter(None, findings))


def _tracks(result: SetResult, t: Texts) -> _Line:
    named = result.rubric.named_tracks
    unequal, absent = [], []
    for key, group in shown_groups(result):
        name = track_name(key, t)
        if group is None:
            absent.append(name)
        elif len(set(group.items)) > 1:
            unequal.append(f"{name} {'/'.join(map(count, group.items))}")
    odd = [
        f"{track_name(group.key, t)} {count(group.n)}"
        for group in result.groups[1:]
        if not result.rubric.names_track(group.track)
    ]
    return _Line(
        question=t("check.tracks", tracks="/".join(map(str, named))),
        answer=_answer(
            track_shares(result, t),
            t("check.tracks-absent", tracks=", ".join(absent)) if absent else "",
            t("check.tracks-unequal", tracks=", ".join(unequal)) if unequal else "",
            t("check.tracks-odd", tracks=", ".join(odd[:MAX_ODD_TRACKS])) if odd else "",
        ),
    )


def track_shares(result: SetResult, t: Texts) -> str:
    """`Track 1=110, Track 2=8`."""
    return ", ".join(f"{track_name(key, t)}={count(group.n if group else 0)}" for key, group in shown_groups(result))


def _payloads(result: SetResult, insights: Insights, t: Texts) -> _Line:
    invalid = sum(insights.payloads.values())
    n = len(result.items)
    answer = t("check.payloads-answer", n=count(invalid), items=t.counted("items", count(n)), share=percent(invalid, n))
    return _Line(question=t("check.payloads"), answer=answer)


def _recorded_scores(result: SetResult, insights: Insights, t: Texts) -> _Line:
    sources = insights.intent_sources
    contradicting = result.counts.get("recorded-contradicts-failure", 0) + result.counts.get("recorded-zero-on-pass", 0)
    used = intent_sources(insights, t)
    if sources.from_status:
        used += f" ({', '.join(source_reasons(insights, t))})"
    return _Line(
        question=t("check.recorded"),
        answer=_answer(used, _some("check.recorded-against", contradicting, t)),
    )


def _verdicts(result: SetResult, t: Texts) -> _Line:
    missing = sum(one.intent is None for one in result.table.traits())
    return _evaluated("verdicts", missing, result.counts.get("verdict-unknown", 0), result, t)


def _levels(result: SetResult, t: Texts) -> _Line:
    missing = sum(sum(counts.none) for counts in result.levels[:1])
    return _evaluated("rubrics", missing, unknown_levels(result), result, t)


def _evaluated(name: str, missing: int, unknown: int, result: SetResult, t: Texts) -> _Line:
    """missing: items without a level. unknown: levels that the rubric does not have."""
    answer = t(f"check.{name}-answer", n=count(missing), total=count(len(result.items)))
    return _Line(
        question=t(f"check.{name}"),
        answer=_answer(answer, _some(f"check.{name}-unknown", unknown, t)),
    )


def _judge(judge: JudgeFigures | None, t: Texts) -> _Line:
    assert judge is not None
    answer = t(
        "check.judge-answer",
        wanted=t.counted("items", count(judge.wanted)),
        judged=count(judge.judged),
        pending=count(judge.pending),
        gave_up=count(judge.gave_up),
    )
    return _Line(question=t("check.judge"), answer=answer)


def _checks(result: SetResult, t: Texts) -> _Line:
    missing = result.counts.get("not-assessable", 0)
    faulty = result.counts.get("checks-faulty", 0)
    return _Line(
        question=t("check.checks"),
        answer=_answer(
            t("check.checks-answer", n=count(missing), items=t.counted("items", count(len(result.items)))),
            _some("check.checks-faulty", faulty, t),
            _some("check.checks-ignored", result.counts.get("checks-ignored", 0), t),
        ),
    )


def _some(key: str, n: int, t: Texts) -> str:
    return t(key, n=count(n)) if n else ""


def intent_sources(insights: Insights, t: Texts) -> str:
    """How many items took the recorded score, and how many that of their status."""
    sources = insights.intent_sources
    return t(
        "basis.intent-sources",
        recorded=t.counted("items", count(sources.recorded)),
        counted=t.counted("items", count(sources.from_status)),
    )


def source_reasons(insights: Insights, t: Texts) -> list[str]:
    """Why items have no recorded score: `빈 칸 150`, zero reasons left out."""
    sources = insights.intent_sources
    reasons = (
        ("check.blank", sources.blank),
        ("check.not-a-number", sources.not_a_number),
        ("check.out-of-range", sources.out_of_range),
    )
    return [t(key, n=count(n)) for key, n in reasons if n]


def _pairs(result: SetResult, insights: Insights, t: Texts) -> _Line:
    rounds = len(result.rounds)
    missing = [[ends.statuses[index] for ends in result.queries.ends].count(None) for index in range(rounds)]
    per_round = [len(result.queries) - n for n in missing]
    queries = ", ".join(
        t("check.pairs-round", round=round_name(entry, t), queries=t.counted("queries", count(n)))
        for entry, n in zip(result.rounds, per_round, strict=True)
    )
    answer = t(
        "check.pairs-answer",
        rounds=queries,
        n=count(result.groups[0].pairs.compared),
        all=count(len(result.queries) * comb(rounds, 2)),
    )
    return _Line(
        question=t("check.pairs"),
        answer=_answer(
            answer,
            _some("check.pairs-missing", len(insights.missing), t),
            "" if rounds > 1 else t("check.pairs-one-round"),
        ),
    )


def _slow_items(result: SetResult, insights: Insights, t: Texts) -> dict[str, _Line]:
    """The lines of latency classes with a limit, by the name of the line."""
    lines = {}
    slow = Counter(
        [(latency_class_of(one, result.rubric), one.round) for one in map(result.table.traits_at, insights.slow)]
    )
    for entry in result.rubric.latency_classes:
        if entry.slow_seconds is None:
            continue
        per_round = {of_round: slow[entry.name, of_round.label] for of_round in result.rounds}
        total = sum(per_round.values())
        rounds = ", ".join(
            t("check.slow-round", round=t("round.short", number=str(of_round.number)), n=count(n))
            for of_round, n in per_round.items()
        )
        tracks = "/".join(map(str, entry.tracks))
        place = t("check.slow-tracks", tracks=tracks) if tracks else entry.title
        found = next(one for one in result.distributions if one.name == entry.name)
        items = t.counted("items", count(sum(found.set)))
        lines[f"{SLOW}.{entry.name}"] = _Line(
            question=t("check.slow", place=place, seconds=t("unit.seconds", n=f"{entry.slow_seconds:g}")),
            answer=t("check.slow-answer", n=count(total), items=items, rounds=rounds),
        )
    return lines
