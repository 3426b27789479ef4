"""Cache of the parsed shipped rubric documents, so that a start reads neither Markdown nor YAML (0.2 s).

The files lie beside Python's own compiled modules and follow the same rules: none is written where the folder is
read-only or the interpreter writes no bytecode. An installation fills the cache: `python -m config.rubrics_in_force`.
"""

from __future__ import annotations

import importlib.util
import os
import sys
from contextlib import suppress
from functools import cache
from hashlib import sha256
from pathlib import Path

import msgspec

import scoring
from scoring.rubric.model import Rubric, decode_rubric, encode_rubric


def cached_rubric(document: Path) -> Rubric | None:
    """The rubric of a document; None without a copy that this code made of just these bytes."""
    with suppress(OSError, msgspec.DecodeError):
        key, _, encoded = _cache_file(document).read_bytes().partition(b"\n")
        if key == _key(document):
            return decode_rubric(encoded)
    return None


def cache_rubric(document: Path, rubric: Rubric) -> None:
    """Keep the rubric of a document, whole or not at all: other processes may be reading."""
    if sys.dont_write_bytecode:
        return
    path = _cache_file(document)
    staged = path.with_name(f"{path.name}.{os.getpid()}")
    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        staged.write_bytes(_key(document) + b"\n" + encode_rubric(rubric))
        staged.replace(path)


def _cache_file(document: Path) -> Path:
    return Path(importlib.util.cache_from_source(str(document))).with_suffix(".json")


def _key(document: Path) -> bytes:
    return sha256(_code_digest() + document.read_bytes()).hexdigest().encode()


@cache
def _code_digest() -> bytes:
    """SHA-256 of the code that reads documents."""
    digest = sha256()
    folder = Path(scoring.__file__).parent
    for path in (*sorted(folder.glob("*.py")), *sorted((folder / "rubric").rglob("*.py"))):
        digest.update(path.read_bytes())
    return digest.digest()
