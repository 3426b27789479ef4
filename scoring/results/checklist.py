"""Decides which lines of the operating checklist a profile has, and which need a look (docs/scoring.md#checklist).

`reporting.document.report.checklist` answers the lines in words and figures.
"""

from collections.abc import Iterator

from scoring.findings import FindingLog
from scoring.items import WHY_LEVEL_UNKNOWN, details_of, latency_class_of
from scoring.problems import Problem
from scoring.results.model import SetResult
from scoring.rubric import group_key

SLOW = "slow"
# Nobody declared how many items a track has to have, or that there is more than one round.
_UNDECLARED = frozenset({"tracks", "one-round"})


def find_unticked(result: SetResult, log: FindingLog) -> None:
    """Log every line that needs a look and whose expectation is declared."""
    for name, is_fine in checklist_lines(result):
        line = "one-round" if name == "pairs" and len(result.rounds) < 2 else name
        if not is_fine and line not in _UNDECLARED:
            log.add(Problem(code="checklist-unticked", values={"item": name.partition(".")[0]}))


def checklist_lines(result: SetResult) -> Iterator[tuple[str, bool]]:
    """(name, is there nothing to look at?) of each line that the profile has, in the order of the checklist.

    The name of a line about slow items is "slow.<latency class>".
    """
    rubric, counts = result.rubric, result.counts
    if rubric.has_tracks:
        yield "tracks", _has_even_tracks(result)
    if rubric.has_column("raw_json"):
        yield "payloads", not any(code.startswith("payload:") for code in counts)
    if "intent" in rubric.status_points:
        contradicting = ("recorded-contradicts-failure", "recorded-zero-on-pass")
        unused = any(kind.recorded_issue for kind in result.kinds)
        yield "recorded", not (unused or any(counts.get(code) for code in contradicting))
    if rubric.verdict is not None:
        has_unjudged = any(one.intent is None for one in result.table.distinct)
        yield (
            "verdicts",
            not (counts.get("verdict-unknown") or has_unjudged),
        )
    if rubric.checks is not None or rubric.addresses is not None:
        yield "checks", not (counts.get("not-assessable") or counts.get("checks-faulty"))
    if rubric.rubrics is not None:
        missing = any(sum(levels.none) for levels in result.levels[:1])
        yield "rubrics", not (missing or unknown_levels(result))
    if result.judge is not None and result.judge.model:
        yield "judge", result.judge.judged == result.judge.wanted
    if rubric.has_metric("consistency"):
        yield "pairs", len(result.rounds) > 1 and not any(None in ends.statuses for ends in result.queries.ends)
    yield from _slow_lines(result)


def unknown_levels(result: SetResult) -> int:
    """Number of items whose recorded level the rubric does not have."""
    return sum(
        n
        for one, n in zip(result.table.distinct, result.table.counts(), strict=True)
        if details_of(one).rubrics_why == WHY_LEVEL_UNKNOWN
    )


def _has_even_tracks(result: SetResult) -> bool:
    """Has every track of the document items, as many in each round, and are there no others?"""
    named = set(map(group_key, result.rubric.named_tracks))
    found = {group.key: group for group in result.groups[1:]}
    return found.keys() == named and all(len(set(group.items)) == 1 for group in found.values())


def _slow_lines(result: SetResult) -> Iterator[tuple[str, bool]]:
    limited = [entry.name for entry in result.rubric.latency_classes if entry.slow_seconds is not None]
    if not limited:
        return
    slow = {latency_class_of(result.table.traits_at(index), result.rubric) for index in result.slow}
    for name in limited:
        yield f"{SLOW}.{name}", name not in slow
