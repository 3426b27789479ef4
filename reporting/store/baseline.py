"""`baseline.json`: what the comparison beside a report compares, and its verdicts.

It is the commit mark of the comparison with the baseline: removed first and written last, so that a comparison is whole
or absent. It is no part of the report. Index, gate and notifications read it, since it is small.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

import msgspec

from reporting.store.set_folder import BASELINE_JSON
from reporting.store.status import State, StatusFile
from reporting.store.stored_file import StoredFile
from scoring.comparison.baseline import Baseline, Origin
from scoring.comparison.changes import Verdict
from scoring.comparison.compare import Difference

FORMAT_VERSION = 1


class BaselineFile(msgspec.Struct, frozen=True, kw_only=True):
    """The content of `baseline.json`.

    key: of the run (`run_key`). origin: how the baseline was chosen, or why there is none. baseline, baseline_key: name
    and key of the run that it was compared with; without one the key is "". headline: metric that the comparison is
    told by. verdicts: by metric, over all shared queries; empty where nothing was compared. differences, notes: what
    else differs, as codes and in words.
    """

    format_version: int = FORMAT_VERSION
    set: str
    key: str
    origin: Origin
    baseline: str = ""
    baseline_key: str = ""
    language: str
    engine_version: int
    headline: str = ""
    verdicts: dict[str, Verdict] = {}
    sentence: str
    differences: tuple[Difference, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def is_like_with_like(self) -> bool:
        """Do rubric, engine, judge and profile agree?"""
        return set(self.differences) <= {Difference.QUESTIONS}

    @property
    def worse(self) -> tuple[str, ...]:
        """Metrics that are worse, where like was compared with like."""
        found = [name for name, verdict in self.verdicts.items() if verdict is Verdict.WORSE]
        return tuple(found) if self.is_like_with_like else ()

    def is_about(self, status: StatusFile) -> bool:
        """Is it about this version of the report?"""
        return status.state is State.REPORT and self.key == run_key(status.key, status.judge_digest)

    def fits(self, key: str, baseline: Baseline, *, language: str, engine_version: int) -> bool:
        """Does it compare the run of this key with this baseline, as it would be done now?"""
        return (self.key, self.origin, self.baseline, self.baseline_key, self.language, self.engine_version) == (
            key,
            baseline.origin,
            baseline.name,
            baseline.key,
            language,
            engine_version,
        )


def run_key(key: str, judge_digest: str, selection: str = "") -> str:
    """Key of a run: that of its report, with what else decides the values: verdicts of a judge, the chosen round."""
    if not judge_digest and not selection:
        return key
    return hashlib.sha256(f"{key}\0{judge_digest}\0{selection}".encode()).hexdigest()


BASELINE = StoredFile(BaselineFile, BASELINE_JSON, FORMAT_VERSION)


def read_baseline(folder: Path, status: StatusFile) -> BaselineFile | None:
    """The comparison of the report with this status; None when there is none yet."""
    found = BASELINE.read(folder)
    return found if found is not None and found.is_about(status) else None
