"""The log of `scorewatch score`: a JSON line per set and problem."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import structlog

from scoring import Problem
from scoring.sets import shown

if TYPE_CHECKING:
    from cli.score.screen import SetOutcome

_log = structlog.get_logger("scorewatch.score")


class ScoreLog:
    """Writes to the log of this process, which `configure_logging` has set up."""

    def scored(self, outcome: SetOutcome) -> None:
        """A set that came out as a report or as a problem."""
        _log.info(
            "scored",
            set=outcome.name,
            key=outcome.key,
            profile=outcome.profile,
            state=str(outcome.state),
            items=None if outcome.headline is None else outcome.headline.n,
            findings={finding.code: finding.count for finding in outcome.findings},
            is_fine=outcome.is_fine,
            folder=None if outcome.folder is None else _path(outcome.folder),
        )

    def problem(self, problem: Problem, text: str) -> None:
        """A problem of no set. text: in words."""
        _log.error("problem", code=problem.code, source=problem.source, text=text)


def _path(folder: Path) -> str:
    return shown(str(folder))
