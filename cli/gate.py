"""The gate of `scorewatch gate` and `scorewatch score --gate`: its rules, what it prints, writes and ends with."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import click

from cli.comparison import load_sides
from cli.localised import spoken
from cli.process_exit import EXIT_FAILED, EXIT_PROBLEMS, EXIT_UNDECIDABLE
from cli.score import Rubrics, ScoreSettings
from cli.screen import Piece, fitted
from config import SettingsError, load_gate
from reporting.gate import encode_junit, reason_text, rule_line, rule_name, state_line
from reporting.runs import (
    SetGate,
    UnreadableRunError,
    decide_again,
    evaluate_folder,
    evaluate_set,
    find_baseline,
    reported_of_result,
    write_set_gate,
)
from reporting.store import STATUS, STATUS_JSON, KnownSets, write_atomic
from reporting.summary import gates_summary
from reporting.wording import count, system_reason
from scoring import Problem, TransientError, system_error
from scoring.comparison import Run
from scoring.gate import NOT_COMPARED, GateRules, GateState, Uncompared
from scoring.known import KnownLines
from scoring.results import SetResult
from scoring.sets import SetId, shown
from texts import Texts


def load_rules(
    settings: ScoreSettings, rubrics: Rubrics, gate_file: Path | None, *, may_lack: bool = False
) -> GateRules:
    """The rules of the file that was named, of the setting, or of the settings file.

    may_lack: a summary says something without rules. Raises SettingsError when one is wrong, or there is none.
    """
    rules = load_gate(gate_file or settings.gate_file, rubrics.in_force, language=settings.language)
    if not rules and not may_lack:
        raise SettingsError((spoken()("gate.none"),))
    return rules


def decide_gates_again(
    known: KnownSets, gate_file: Path | None, find_rubrics: Callable[[], Rubrics], *, language: str
) -> tuple[Problem, ...]:
    """Decide the gates again whose baseline is another now, and say how many; what could not be written.

    gate_file: of the setting. A rule that is wrong is said, and leaves the gates as they are.
    """
    t = spoken()

    def find_rules() -> GateRules:
        try:
            return load_gate(gate_file, find_rubrics().in_force, language=language)
        except SettingsError as error:
            for message in error.messages:
                click.echo(message, err=True)
            return GateRules()

    decided = decide_again(known, find_rules)
    for key, n in (("bless.gates", len(decided.names)), ("bless.other-gates", decided.others)):
        if n:
            click.echo(t(key, n=count(n)))
    return decided.problems


class ScoreGate:
    """Decides on the sets of one `score`.

    baseline: the run to compare with, taken under today's rubric where it can be; None takes the baseline beside the
    report, or without one what it would be in the folder of reports (setting out). may_lack: as of `load_rules`.
    lines: of known failures, for sets of which no report is written. Raises as `load_rules` and `load_sides` do.
    """

    def __init__(
        self,
        settings: ScoreSettings,
        rubrics: Rubrics,
        *,
        gate_file: Path | None,
        baseline: str | None,
        may_lack: bool = False,
        lines: KnownLines | None = None,
    ) -> None:
        self._lines = lines
        self._rules = load_rules(settings, rubrics, gate_file, may_lack=may_lack)
        self._baseline: Run | None = None
        if baseline is not None:
            self._baseline = load_sides([baseline], settings, rubrics, is_named=True)[0].run
        self._language, self._out = settings.language, settings.out

    def scored(self, result: SetResult, set_name: str, key: str) -> SetGate:
        """From the result: no report was written."""
        reported = reported_of_result(result, SetId(set_name, key), language=self._language)
        of_profile = self._rules.of(result.rubric.profile)
        baseline: Run | Uncompared = self._baseline or NOT_COMPARED
        if self._baseline is None and of_profile is not None and of_profile.needs_baseline:
            baseline = find_baseline(self._out, reported.run)
        return evaluate_set(
            set_name,
            profile=result.rubric.profile,
            reported=reported,
            rules=self._rules,
            against=baseline,
            lines=None if self._lines is None else self._lines.of(result.rubric.profile),
        )

    def written(self, folder: Path) -> SetGate:
        """From the report in its folder and the comparison beside it; written down there.

        Raises TransientError when that fails.
        """
        status = STATUS.read(folder)
        if status is None:
            raise TransientError(f"{folder / STATUS_JSON}: unreadable")
        try:
            gate = evaluate_folder(folder, status, self._rules, self._baseline)
            write_set_gate(folder, status, gate, self._baseline)
        except UnreadableRunError as error:
            raise TransientError(str(error)) from error
        except OSError as error:
            raise TransientError(system_reason(error)) from error
        return gate

    def refused(self, set_name: str, profile: str) -> SetGate:
        """A set that has no figures."""
        return evaluate_set(set_name, profile=profile, reported=None, rules=self._rules)

    @property
    def has_rules(self) -> bool:
        """Is there any rule?"""
        return bool(self._rules)


class GateFiles(NamedTuple):
    """Where the outcome is written besides; None for nowhere. with_queries: cases of queries in `junit`."""

    junit: Path | None = None
    summary: Path | None = None
    with_queries: bool = False

    @classmethod
    def of(cls, junit: Path | None, summary: Path | None, t: Texts, *, with_queries: bool) -> GateFiles:
        """The files that were asked for. Raises click.UsageError when both are one file, or queries are for none."""
        if with_queries and junit is None:
            raise click.UsageError(t("gate.queries-of-no-file"))
        if junit is not None and summary is not None and junit.resolve() == summary.resolve():
            raise click.UsageError(t("gate.same-file", path=shown(str(summary))))
        return cls(junit, summary, with_queries)


def exit_code(gates: Sequence[SetGate], *, has_problems: bool, has_rules: bool = True) -> int:
    """The worst of a rule that failed, one that cannot be decided, and inputs with problems.

    Where no set has a rule, nothing was decided. has_rules: False where there are none at all, for a summary alone.
    """
    if not has_rules:
        return EXIT_PROBLEMS if has_problems else 0
    decided = [gate for gate in gates if gate.rules is not None]
    states = {gate.result.state for gate in decided}
    if GateState.FAILED in states:
        return EXIT_FAILED
    if GateState.UNDECIDABLE in states or not decided:
        return EXIT_UNDECIDABLE
    return EXIT_PROBLEMS if has_problems else 0


def gate_lines(gates: Sequence[SetGate], t: Texts, *, quiet: bool = False, verbose: bool = False) -> Iterator[str]:
    """A line per set, with the first rule that did not pass, and the numbers of sets.

    quiet: only what did not pass. verbose: also every rule.
    """
    for gate in gates:
        if not quiet or (gate.rules is not None and gate.result.state is not GateState.PASSED):
            yield gate_line(gate, t)
            yield from (f"  {rule_line(gate.set_name, result, t)}" for result in gate.result.rules if verbose)
    if not any(gate.rules is not None for gate in gates):
        yield t("gate.nothing-decided")
    elif not quiet:
        yield state_line(gates, t)


def gate_line(gate: SetGate, t: Texts) -> str:
    """How the gate of a set ended, and why."""
    if gate.rules is None:
        return fitted("–", "yellow", gate.set_name, [Piece(t("gate.no-rules"))])
    state, rules = t(f"gate.state.{gate.result.state}"), t.counted("rules", str(len(gate.result.rules)))
    if gate.result.state is GateState.PASSED:
        return fitted("✓", "green", gate.set_name, [Piece(state, "green"), Piece(rules)])
    first, *others = [result for result in gate.result.rules if result.state is gate.result.state]
    reason = f"{rule_name(first, t)} ({reason_text(first, t)})"
    pieces = [Piece(f"{state}:", "red"), Piece(t("line.more", reason=reason, n=str(len(others))) if others else reason)]
    return fitted("✗" if gate.result.state is GateState.FAILED else "?", "red", gate.set_name, pieces)


def write_files(gates: Sequence[SetGate], files: GateFiles, t: Texts) -> list[Problem]:
    """Write what was asked for; problems of files that cannot be written."""
    problems = []
    wanted: list[tuple[Path, bytes]] = []
    if files.junit is not None:
        wanted.append((files.junit, encode_junit(gates, t, with_queries=files.with_queries)))
    if files.summary is not None:
        wanted.append((files.summary, gates_summary(gates, t).encode(errors="replace")))
    for path, data in wanted:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            write_atomic(path, data)
        except OSError as error:
            problems.append(system_error("file-not-written", error, shown(str(path))))
    return problems
