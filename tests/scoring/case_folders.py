"""The cases: one folder each, an input file and `expected.json` (tests/cases/README.md).

A folder `shared/cases` beside the repository may hold more of them; they run as well.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_TESTS = Path(__file__).resolve().parents[1]
FOLDERS = (_TESTS / "cases", _TESTS.parents[1] / "shared" / "cases")


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """name: of the folder. path: the input file. expected: the content of `expected.json`."""

    name: str
    path: Path
    expected: dict[str, Any]


def find_cases(prefix: str) -> list[Case]:
    """The cases whose input file starts with `prefix`, by name; at least one, or AssertionError."""
    found: dict[str, Case] = {}
    for folder in FOLDERS:
        for expected in sorted(folder.glob("*/expected.json")):
            (path,) = (path for path in expected.parent.iterdir() if path.name != expected.name)
            if path.name.startswith(prefix):
                name = expected.parent.name
                found.setdefault(
                    name, Case(name=name, path=path, expected=json.loads(expected.read_text(encoding="utf-8")))
                )
    if not found:
        raise AssertionError(f"no case {prefix}* in {FOLDERS[0]}")
    return [found[name] for name in sorted(found)]
