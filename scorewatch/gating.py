"""A gate: does a run keep its rules? Nothing is written."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from cli import exit_code, load_rules, load_sides, spoken
from cli.score import Rubrics
from config import parse_gate
from reporting.gate import reason_text, rule_name
from reporting.runs import SetGate, UnreadableRunError, evaluate_folder
from reporting.store import STATUS
from scorewatch.reports import Run, folder_of
from scorewatch.surroundings import broken, within

if TYPE_CHECKING:
    from cli.score import ScoreSettings


class RuleOutcome(NamedTuple):
    """How one rule ended.

    state: `passed`, `failed` or `undecidable`. reason: in words. value, low, high, limit: what was compared, with its
    95% interval, and with what; shares 0 to 1, times in seconds, points on their scale; None where the rule names no
    value. queries: the first Query IDs by which it did not pass.
    """

    rule: str
    state: str
    reason: str
    value: float | None
    low: float | None
    high: float | None
    limit: float | None
    queries: tuple[str, ...]


class Gate(NamedTuple):
    """How the gate of a set ended.

    state: the worst of its rules, `failed`, `undecidable` or `passed`; `undecidable` without any. baseline: the run
    that rules compared it with, "" for none. exit_code: of `scorewatch gate`: 0, 3 for failed, 4 for undecidable.
    """

    set: str
    state: str
    rules: tuple[RuleOutcome, ...]
    baseline: str
    exit_code: int

    @property
    def is_passed(self) -> bool:
        """Did every rule pass, of one at least?"""
        return self.exit_code == 0


def gate(
    run: Run,
    *,
    rules: Sequence[str] | str | Path | None = None,
    baseline: Run | None = None,
    language: str | None = None,
) -> Gate:
    """Whether a report keeps its rules.

    run, baseline: a Report, the name of a set or the folder of a report. rules: as docs/gate.md has them, such as
    `["intent >= 4.0", "not worse than baseline"]`, or a file of them; None takes those of the settings. Without a
    baseline rules compare with the one beside the report, which `score` finds in its folder of reports.

    Raises RequestError for a run that is not there, SettingsError for rules that are wrong or where there are none.
    """
    return within(language, lambda settings: _decided(run, rules, baseline, settings))


def _decided(run: Run, rules: Sequence[str] | str | Path | None, baseline: Run | None, settings: ScoreSettings) -> Gate:
    folder = folder_of(run)
    rubrics = Rubrics(settings.rubrics, None, language=settings.language)
    if rules is None or isinstance(rules, (str, Path)):
        of_profiles = load_rules(settings, rubrics, None if rules is None else Path(rules))
    else:
        of_profiles = parse_gate(rules, rubrics.in_force, language=settings.language)
    status = STATUS.read(folder)
    if status is None:
        raise broken(folder)
    before = after = None
    try:
        if baseline is not None:
            names = [str(folder_of(one)) for one in (baseline, run)]
            before, after = (side.run for side in load_sides(names, settings, rubrics, is_named=False))
        return _gate_of(evaluate_folder(folder, status, of_profiles, before, run=after))
    except UnreadableRunError:
        raise broken(folder) from None


def _gate_of(found: SetGate) -> Gate:
    t = spoken()
    outcomes = tuple(
        RuleOutcome(
            rule_name(one, t),
            one.state.value,
            reason_text(one, t),
            one.value,
            one.low,
            one.high,
            one.limit,
            one.queries,
        )
        for one in found.result.rules
    )
    state = found.result.state.value if found.rules is not None else "undecidable"
    return Gate(found.set_name, state, outcomes, found.baseline, exit_code([found], has_problems=False))
