"""Makes the comparisons that are missing in a folder of reports, in this process: for `score`, `bless` and `forget`."""

from __future__ import annotations

from reporting.baseline.choose import Baselines
from reporting.baseline.publish import compare_with_baseline
from reporting.known.sets import KnownSets
from reporting.store.destination import Destination
from reporting.store.set_folder import COMPARE_HTML
from scoring.problems import InputError, Problem, TransientError
from scoring.sets.names import shown


def compare_missing(destination: Destination, known: KnownSets | None = None) -> tuple[int, list[Problem]]:
    """Make every comparison that is missing or outdated. Gives their number, and what could not be written.

    known: the sets, which are looked at unless they are known already, and brought up to date.
    """
    made = 0
    problems: list[Problem] = []
    try:
        known = known or KnownSets(destination.out)
        if not known.looks:
            known.look()
        asks = Baselines(known, language=destination.language).missing()
    except OSError as error:
        return 0, [_not_written(str(destination.out), error.strerror or type(error).__name__)]
    for ask in asks:
        try:
            made += compare_with_baseline(ask, destination) is not None
        except InputError as error:
            problems += error.problems
        except TransientError as error:
            problems.append(_not_written(f"{ask.set_name}/{COMPARE_HTML}", str(error)))
    known.look_at([ask.set_name for ask in asks])
    return made, problems


def _not_written(source: str, reason: str) -> Problem:
    return Problem(code="not-written", source=shown(source), values={"reason": reason})
