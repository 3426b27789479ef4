"""The file scored by its new document, without a report: what a person would see next."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryFile

from reporting.store.status import State, headline_of
from reporting.view.headline import set_pieces
from reporting.wording.catalogue import Texts
from reporting.wording.findings import describe_finding
from reporting.wording.problems import describe
from scoring.items.score_file import score_file
from scoring.items.spool.space import SpoolSpace
from scoring.problems import InputError, Severity
from scoring.reading.regular_file import open_named
from scoring.results.merge import merge
from scoring.rubric.model import Rubric

LARGEST = 100_000_000  # bytes; scoring a larger file takes too long for a first look
_MAX_FINDINGS = 5


class Trial:
    """lines: what to say. is_fine: is there no refusal, and no row left out?"""

    def __init__(self, file: Path, rubric: Rubric, t: Texts) -> None:
        """Score the file. Raises OSError."""
        self.is_fine = True
        self.lines = list(self._score(file, rubric, t))

    def _score(self, file: Path, rubric: Rubric, t: Texts) -> Iterator[str]:
        with open_named(file) as stream:
            if stream.seek(0, io.SEEK_END) > LARGEST:
                yield t("new.not-scored", limit=str(LARGEST // 1_000_000))
                return
            part = score_file(stream, name=file.name, rubric=rubric, space=SpoolSpace(TemporaryFile))
        try:
            result = merge([(file.name, part)], rubric)
        except InputError as error:
            self.is_fine = False
            yield t("new.problems")
            yield from (f"  {describe(problem, t.language)}" for problem in error.problems[:_MAX_FINDINGS])
            return
        _, *figures = set_pieces(file.name, State.REPORT, headline_of(result), t)
        yield t("new.scored", figures=", ".join(figures))
        self.is_fine = all(finding.severity is Severity.NOTE for finding in result.findings)
        yield from (f"  {describe_finding(finding, t.language)}" for finding in result.findings[:_MAX_FINDINGS])
