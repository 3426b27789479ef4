"""Parsed copies of the shipped rubric documents, so that a start need not read Markdown and YAML.

A copy counts only for the very document it was made from: an edited document is read anew. Run
`python -m config.rubrics_cache` after editing a shipped document; a test compares copies and documents.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

import msgspec

from scoring.rubric.model import Rubric, decode_rubric

PARSED_NAME = "parsed.json"


class ParsedCopy(msgspec.Struct, frozen=True, kw_only=True):
    """document: SHA-256 (hex) of the document's bytes. rubric: what it says, left encoded until it is wanted."""

    document: str
    rubric: msgspec.Raw


def parsed_copy(path: Path) -> Rubric | None:
    """The rubric of a document from the copy beside it; None when there is no copy of just these bytes."""
    try:
        copies = msgspec.json.decode(path.with_name(PARSED_NAME).read_bytes(), type=dict[str, ParsedCopy])
        copy = copies[path.name]
        if copy.document == _digest(path):
            return decode_rubric(bytes(copy.rubric))
    except (OSError, msgspec.DecodeError, KeyError):
        return None
    return None


def encode_copies(folder: Path) -> bytes:
    """Copies of every document of a folder. Raises RubricError when one is wrong."""
    from scoring.rubric.document.read import parse_rubric

    copies = {
        path.name: {
            "document": _digest(path),
            "rubric": parse_rubric(path.read_text(encoding="utf-8"), source=path.name),
        }
        for path in sorted(folder.glob("*.md"))
    }
    encoded = msgspec.json.encode(copies, order="deterministic")
    return msgspec.json.format(encoded, indent=1) + b"\n"


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


if __name__ == "__main__":
    shipped = Path(__file__).with_name("rubrics")
    (shipped / PARSED_NAME).write_bytes(encode_copies(shipped))
