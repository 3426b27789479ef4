"""The fields that columns of a file can fill, and how a header is compared with their names."""

from __future__ import annotations

import unicodedata

from scoring.memo import CellMemo
from scoring.text import normalise

FIELDS = (
    "run_id",
    "item_id",
    "query_id",
    "track",
    "question",
    "expected",
    "category",
    "round",
    "response",
    "error",
    "llm_status",
    "llm_score",
    "llm_comment",
    "raw_json",
    "executed_at",
    "llm_model",
    "response_seconds",
    "latency_ms",
)
# Columns that only some profiles declare; nothing is spent on them elsewhere.
DETAIL_FIELDS = ("intent_verdict", "intent_label", "latency_class", "accuracy_checks", "criteria", "rubric_level")
SESSION_FIELDS = ("session", "turn")  # of profiles whose items are turns of conversations


def normalise_header(text: str) -> str:
    """The form in which headers are compared: NFC, case-folded, without white space, invisible characters, `_`, `-`."""
    return _KNOWN[text]


def _normalised(text: str) -> str:
    folded = unicodedata.normalize("NFC", normalise(text).casefold())
    return "".join(folded.replace("_", " ").replace("-", " ").split())


_KNOWN = CellMemo(_normalised, limit=2_000)  # a file compares its header some 400 times with the titles of a document
