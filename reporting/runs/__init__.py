"""Runs: choosing a baseline, comparing, storing, publishing and gating."""

from typing import TYPE_CHECKING

from scoring.door import door

if TYPE_CHECKING:
    from reporting.runs.apart import RoundsApart
    from reporting.runs.baselines import BaselineAsk, Baselines
    from reporting.runs.compare import announce_comparison, compare_missing, compare_with_baseline, comparison_files
    from reporting.runs.compare import place_files, publish_comparison
    from reporting.runs.gate import SetGate, decide_again, evaluate_folder, evaluate_set, find_baseline, keep_gate
    from reporting.runs.gate import known_gate, known_of_report, needs_baseline, write_set_gate
    from reporting.runs.publish import Outcome, Published, publish_problem, publish_report
    from reporting.runs.ranking import publish_ranking, ranking_files
    from reporting.runs.read import UnknownRoundError, UnreadableRunError, read_repeats, read_report, read_rounds
    from reporting.runs.read import read_run, reported_of_result, run_id, with_known
    from reporting.runs.stored import Chosen, OtherEngineError, StoredReport
else:
    __getattr__ = door(__name__)
