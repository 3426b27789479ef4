"""A report that is compared with nothing: why, in `compare.json` and in words."""

from __future__ import annotations

import hashlib
import json

import msgspec

from reporting.store.status import FileMark
from reporting.wording.display import excerpt
from scoring.comparison.baseline import Baseline, Origin
from scoring.items.part import ENGINE_VERSION
from scoring.sets.names import shown
from texts import Texts

FORMAT_VERSION = 1
NO_SHARED, UNREADABLE = "no-shared", "unreadable"  # reasons besides the origins without a baseline
_FORMAT = "scorewatch-no-baseline-1"
_NAME_CHARS = 120


class Absence(msgspec.Struct, frozen=True, kw_only=True):
    """The content of compare.json where there is nothing to compare with.

    run: key of the run. origin, baseline: the choice of the baseline, "" without a name. reason: its slug. sentence:
    the same in words. files: size and hash of the pages beside.
    """

    format_version: int = FORMAT_VERSION
    key: str
    language: str
    engine_version: int
    set: str
    run: str
    origin: Origin
    baseline: str
    reason: str
    sentence: str
    files: dict[str, FileMark]


def absence_text(baseline: Baseline, reason: str, t: Texts) -> str:
    """Why there is no comparison, in a sentence."""
    return t(f"baseline.{reason}", name=excerpt(shown(baseline.name), _NAME_CHARS))


def absence_key(set_name: str, run: str, baseline: Baseline, reason: str, *, language: str) -> str:
    """SHA-256 (hex) over everything that the files depend on."""
    values = [_FORMAT, ENGINE_VERSION, set_name, run, *baseline, reason, language]
    return hashlib.sha256(json.dumps(values, separators=(",", ":")).encode("ascii")).hexdigest()
