"""The manifest: one line for each output of each case, with the beginning of its SHA-256, or the exit code."""

from __future__ import annotations

import difflib
import hashlib
import platform
import re
import shutil
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from tests.manifest.cases import Steps
from tests.manifest.run import Call, recording
from tests.paths import ROOT

FOLDER = ROOT / "tests" / "manifest"
ACTUAL = ROOT / "tests" / "actual_manifest"
BEFORE = ROOT / "tests" / "before_manifest"
LANGUAGES = ("ko", "en")
DIGITS = 16  # of the hexadecimal SHA-256
SHOWN_LINES = 20
SHOWN_CHARACTERS = 200
# The last digits of sines and error functions are those of a C library, so the second digest holds for one platform.
HAS_EXACT_DIGITS = sys.platform == "linux" and platform.machine() == "x86_64"
_LONG_FRACTION = re.compile(rb"\.\d{12}")
_LONG_NUMBER = re.compile(rb"-?\d+\.\d{12,}(?:e-?\d+)?")

Outputs = Mapping[str, bytes]


def manifest_path(language: str) -> Path:
    """Where the manifest of a language lies."""
    return FOLDER / f"manifest_{language}.txt"


def outputs_of(steps: Steps, language: str, call: Call | None = None) -> Outputs:
    """Everything that the steps of a case leave: `step/file` -> content."""
    with recording(language, call) as recorder:
        steps(recorder)
    return dict(sorted(recorder.outputs.items()))


def mark(name: str, data: bytes) -> str:
    """What the manifest says of one output: the exit code itself, or a digest.

    Where there are numbers with all their digits a second digest follows, and the first is of rounded ones.
    """
    if name.endswith("/exit"):
        return data.decode()
    rounded = data
    if _LONG_FRACTION.search(data):  # found ten times as fast
        rounded = _LONG_NUMBER.sub(lambda number: b"%.11g" % float(number[0]), data)
    return _digest(data) if rounded == data else f"{_digest(rounded)}:{_digest(data)}"


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:DIGITS]


def lines_of(case: str, outputs: Outputs) -> dict[str, str]:
    """The lines of a case: name -> mark."""
    return {f"{case}/{name}": mark(name, data) for name, data in outputs.items()}


def read_manifest(language: str) -> dict[str, str]:
    """The accepted lines: name -> mark."""
    path = manifest_path(language)
    lines = path.read_text(encoding="utf-8").split("\n") if path.is_file() else []
    return {name: found for name, _, found in (line.rpartition(" ") for line in lines if line)}


def write_manifest(language: str, lines: Mapping[str, str]) -> None:
    """Accept these lines."""
    text = "".join(f"{name} {found}\n" for name, found in sorted(lines.items()))
    manifest_path(language).write_text(text, encoding="utf-8", newline="\n")


def accepted_of(case: str, manifest: Mapping[str, str]) -> dict[str, str]:
    """The accepted lines of one case."""
    return {name: found for name, found in manifest.items() if name.startswith(f"{case}/")}


def differences(case: str, outputs: Outputs, accepted: Mapping[str, str], language: str) -> list[str]:
    """What differs from the accepted lines, each with a short diff where an earlier output is at hand.

    The outputs of a case that differs are left in tests/actual_manifest.
    """
    actual = lines_of(case, outputs)
    changed = sorted(
        name for name in {*actual, *accepted} if _compared(actual.get(name)) != _compared(accepted.get(name))
    )
    shutil.rmtree(ACTUAL / language / case, ignore_errors=True)
    if changed:
        write_outputs(ACTUAL / language / case, outputs)
    found = []
    for name in changed:
        found.append(f"{name}: {accepted.get(name, '(none)')} -> {actual.get(name, '(none)')}")
        inner = name.removeprefix(f"{case}/")
        found += _text_diff(BEFORE / language / case / inner, outputs.get(inner))
    return found


def _compared(found: str | None) -> str | None:
    return found if found is None or HAS_EXACT_DIGITS else found.partition(":")[0]


def _text_diff(before: Path, now: bytes | None) -> Iterator[str]:
    """The lines that differ from an output of an earlier commit; none where it was not written."""
    if now is None or not before.is_file():
        return
    old, new = (data.decode(errors="replace").splitlines() for data in (before.read_bytes(), now))
    diff = list(difflib.unified_diff(old, new, n=0, lineterm=""))[2:]
    yield from (f"    {line[:SHOWN_CHARACTERS]}" for line in diff[:SHOWN_LINES])
    if len(diff) > SHOWN_LINES:
        yield f"    … {len(diff) - SHOWN_LINES} more lines"


def write_outputs(folder: Path, outputs: Outputs) -> None:
    """Lay the outputs of a case down as files, to be compared with `diff -r`."""
    for name, data in outputs.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
