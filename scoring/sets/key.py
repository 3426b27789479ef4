"""The key of a set: two reports with the same key are the same, byte for byte."""

from __future__ import annotations

import hashlib
import json
import unicodedata
from collections.abc import Iterable, Mapping, Sequence

from scoring.problems import Problem

_FORMAT = "scorewatch-key-1"


def set_key(
    inputs: Iterable[tuple[str, str]],
    *,
    rubric_digest: str,
    engine_version: int,
    report_settings: Mapping[str, str],
) -> str:
    """SHA-256 (64 hex digits) over everything that a report depends on.

    inputs: (name relative to the set, SHA-256 of the whole content), any order, any normal form.
    report_settings: settings that change what a report says ("language").
    """
    named = sorted((unicodedata.normalize("NFC", name), sha256) for name, sha256 in inputs)
    values = [_FORMAT, engine_version, rubric_digest, sorted(report_settings.items()), named]
    # ASCII with escapes: also names with lone surrogates have one form, and no separator can be forged.
    return hashlib.sha256(json.dumps(values, separators=(",", ":")).encode("ascii")).hexdigest()


def refusal_key(
    inputs: Sequence[tuple[str, str]],
    problems: Sequence[Problem],
    *,
    rubric_digest: str,
    engine_version: int,
    report_settings: Mapping[str, str],
) -> str:
    """Key of a set that is refused for its names alone: what is wrong with them belongs to it.

    inputs: (shown path, SHA-256 or "" when the file was not read).
    """
    return set_key(
        [*inputs, *((problem.code, str(problem)) for problem in problems)],
        rubric_digest=rubric_digest,
        engine_version=engine_version,
        report_settings=report_settings,
    )
