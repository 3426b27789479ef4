"""The gate of `scorewatch score`: decides on every set once it is scored."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from cli.comparison import load_sides
from cli.gate import GateFiles, exit_code, gate_lines, write_files
from cli.localised import spoken
from cli.score import Rubrics, ScoreSettings
from config import SettingsError, load_gate
from reporting.runs import (
    SetGate,
    UnreadableRunError,
    evaluate_folder,
    evaluate_set,
    find_baseline,
    reported_of_result,
    write_set_gate,
)
from reporting.store import STATUS, STATUS_JSON
from reporting.wording import system_reason
from scoring import Problem, TransientError
from scoring.comparison import Run
from scoring.gate import NOT_COMPARED, GateRules, Uncompared
from scoring.results import SetResult
from scoring.sets import SetId


def load_rules(settings: ScoreSettings, rubrics: Rubrics, gate_file: Path | None) -> GateRules:
    """The rules of the file that was named, of the setting, or of the settings file.

    Raises SettingsError when one is wrong, or when there is none.
    """
    rules = load_gate(gate_file or settings.gate_file, rubrics.in_force, language=settings.language)
    if not rules:
        raise SettingsError((spoken()("gate.none"),))
    return rules


class ScoreGate:
    """Decides on the sets of one `score`. gates: in the order of the sets.

    baseline: the run to compare with, taken under today's rubric where it can be; None takes the baseline beside the
    report, or without one what it would be in the folder of reports (setting out). Raises as `load_rules` and
    `load_sides` do.
    """

    def __init__(
        self, settings: ScoreSettings, rubrics: Rubrics, *, gate_file: Path | None, baseline: str | None
    ) -> None:
        self._rules = load_rules(settings, rubrics, gate_file)
        self._baseline: Run | None = None
        if baseline is not None:
            self._baseline = load_sides([baseline], settings, rubrics, is_named=True)[0].run
        self._language, self._out = settings.language, settings.out
        self.gates: list[SetGate] = []

    def scored(self, result: SetResult, set_name: str, key: str) -> SetGate:
        """From the result: no report was written."""
        gate = self._unwritten(result, set_name, key)
        self.gates.append(gate)
        return gate

    def written(self, folder: Path) -> SetGate:
        """From the report in its folder and the comparison beside it; written down there.

        Raises TransientError when that fails.
        """
        gate = self._written(folder)
        self.gates.append(gate)
        return gate

    def refused(self, set_name: str, profile: str) -> SetGate:
        """A set that has no figures."""
        gate = evaluate_set(set_name, profile=profile, reported=None, rules=self._rules)
        self.gates.append(gate)
        return gate

    def write(self, files: GateFiles) -> list[Problem]:
        """Write the files that were asked for; problems of those that cannot be written."""
        return write_files(self.gates, files, spoken())

    def lines(self, *, quiet: bool) -> Iterator[str]:
        """What a terminal shows."""
        return gate_lines(self.gates, spoken(), quiet=quiet)

    def exit_code(self, *, has_problems: bool) -> int:
        """The exit code of the command."""
        return exit_code(self.gates, has_problems=has_problems)

    def _written(self, folder: Path) -> SetGate:
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

    def _unwritten(self, result: SetResult, set_name: str, key: str) -> SetGate:
        reported = reported_of_result(result, SetId(set_name, key), language=self._language)
        of_profile = self._rules.of(result.rubric.profile)
        baseline: Run | Uncompared = self._baseline or NOT_COMPARED
        if self._baseline is None and of_profile is not None and of_profile.needs_baseline:
            baseline = find_baseline(self._out, reported.run)
        return evaluate_set(
            set_name, profile=result.rubric.profile, reported=reported, rules=self._rules, against=baseline
        )
