"""The key of a set: two reports with the same key are the same, byte for byte."""

from __future__ import annotations

import hashlib
import json
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Self

from scoring.items.part import ENGINE_VERSION
from scoring.judging.verdicts import JudgeIdentity, judge_settings
from scoring.problems import Problem
from scoring.rubric.model import Rubric

_FORMAT = "scorewatch-key-1"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportBasis:
    """Everything but the inputs that a report depends on; made once per rubric, since digests take time.

    judge: None when no rule of the rubric is judged, or no judge is set. settings: as for `set_key`.
    """

    rubric_digest: str
    language: str
    judge: JudgeIdentity | None
    settings: Mapping[str, str]

    @classmethod
    def of(cls, rubric: Rubric, *, language: str, judge: JudgeIdentity | None = None) -> Self:
        """The basis of reports by this rubric. judge: the one in the settings."""
        return cls(
            rubric_digest=rubric.digest,
            language=language,
            judge=judge if rubric.judged else None,
            settings={"language": language, **judge_settings(rubric.judged, judge)},
        )

    def key(self, inputs: Iterable[tuple[str, str]]) -> str:
        """Key of the report of these inputs, by this engine. inputs: as for `set_key`."""
        return set_key(inputs, rubric_digest=self.rubric_digest, report_settings=self.settings)


def refusal_key(
    inputs: Sequence[tuple[str, str]], problems: Sequence[Problem], *, rubric_digest: str, language: str
) -> str:
    """Key of a set that is refused before it is scored: the problems belong to it.

    inputs: (shown path, SHA-256 or "" when the file was not read). rubric_digest: "" when no rubric claims the files.
    """
    named = [*inputs, *((problem.code, str(problem)) for problem in problems)]
    return set_key(named, rubric_digest=rubric_digest, report_settings={"language": language})


def set_key(
    inputs: Iterable[tuple[str, str]],
    *,
    rubric_digest: str,
    report_settings: Mapping[str, str],
    engine_version: int = ENGINE_VERSION,
) -> str:
    """SHA-256 (64 hex digits) over everything that a report depends on.

    inputs: (name relative to the set, SHA-256 of the whole content), any order, any normal form.
    report_settings: settings that change what a report says ("language").
    """
    named = sorted((unicodedata.normalize("NFC", name), sha256) for name, sha256 in inputs)
    values = [_FORMAT, engine_version, rubric_digest, sorted(report_settings.items()), named]
    # ASCII with escapes: also names with lone surrogates have one form, and no separator can be forged.
    return hashlib.sha256(json.dumps(values, separators=(",", ":")).encode("ascii")).hexdigest()
