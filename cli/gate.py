"""What a gate prints, writes and ends with, for `scorewatch gate` and `scorewatch score --gate`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import click

from cli.process_exit import EXIT_FAILED, EXIT_UNDECIDABLE
from reporting.gate import encode_junit, gate_summary, reason_text, state_line, state_name
from reporting.runs import SetGate
from reporting.store import write_atomic
from reporting.wording import clean
from scoring import Problem
from scoring.gate import GateState, RuleResult
from scoring.sets import shown
from texts import Texts

EXIT_PROBLEMS = 1


class GateFiles(NamedTuple):
    """Where the outcome is written besides; None for nowhere."""

    junit: Path | None = None
    summary: Path | None = None

    @classmethod
    def of(cls, junit: Path | None, summary: Path | None, t: Texts) -> GateFiles:
        """The files that were asked for. Raises click.UsageError when both are one file."""
        if junit is not None and summary is not None and junit.resolve() == summary.resolve():
            raise click.UsageError(t("gate.same-file", path=shown(str(summary))))
        return cls(junit, summary)


def exit_code(gates: Sequence[SetGate], *, has_problems: bool) -> int:
    """The worst of a rule that failed, one that cannot be decided, and inputs with problems.

    Where no set has a rule, nothing was decided.
    """
    decided = [gate for gate in gates if gate.rules is not None]
    states = {gate.result.state for gate in decided}
    if GateState.FAILED in states:
        return EXIT_FAILED
    if GateState.UNDECIDABLE in states or not decided:
        return EXIT_UNDECIDABLE
    return EXIT_PROBLEMS if has_problems else 0


def gate_lines(gates: Sequence[SetGate], t: Texts, *, quiet: bool = False) -> Iterator[str]:
    """A line per rule, those that passed too, and the numbers of sets. quiet: only what did not pass."""
    for gate in gates:
        name = clean(shown(gate.set_name))
        if gate.rules is None and not quiet:
            yield t("gate.line", name=name, state=t("gate.no-rules"))
        for result in gate.result.rules:
            if not (quiet and result.state is GateState.PASSED):
                yield rule_line(gate.set_name, result, t)
    if not any(gate.rules is not None for gate in gates):
        yield t("gate.nothing-decided")
    elif not quiet:
        yield state_line(gates, t)


def rule_line(set_name: str, result: RuleResult, t: Texts) -> str:
    """`nightly: failed intent >= 4.0 (value 3.91)`."""
    rule = {"rule": clean(result.rule), "reason": reason_text(result, t)}
    return t("gate.line-rule", name=clean(shown(set_name)), state=state_name(result, t), **rule)


def write_files(gates: Sequence[SetGate], files: GateFiles, t: Texts) -> list[Problem]:
    """Write what was asked for; problems of files that cannot be written."""
    problems = []
    wanted: list[tuple[Path, bytes]] = []
    if files.junit is not None:
        wanted.append((files.junit, encode_junit(gates, t)))
    if files.summary is not None:
        wanted.append((files.summary, gate_summary(gates, t).encode(errors="replace")))
    for path, data in wanted:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            write_atomic(path, data)
        except OSError as error:
            values = {"reason": error.strerror or type(error).__name__}
            problems.append(Problem(code="file-not-written", source=shown(str(path)), values=values))
    return problems
