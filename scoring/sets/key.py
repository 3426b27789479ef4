"""The key of a set: two reports with the same key are the same, byte for byte."""

from __future__ import annotations

import hashlib
import json
import unicodedata
from collections.abc import Iterable, Mapping, Sequence

from scoring.items.part import ENGINE_VERSION
from scoring.judging.verdicts import JudgeIdentity, judge_settings
from scoring.problems import Problem
from scoring.rubric.model import Rubric

_FORMAT = "scorewatch-key-1"


def report_key(
    inputs: Iterable[tuple[str, str]], rubric: Rubric, *, language: str, judge: JudgeIdentity | None = None
) -> str:
    """Key of a report by this engine. inputs: as for `set_key`. judge: counts only where a rule is judged."""
    settings = {"language": language, **judge_settings(rubric.judged, judge)}
    return set_key(inputs, rubric_digest=rubric.digest, report_settings=settings)


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
