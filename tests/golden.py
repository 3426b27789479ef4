"""Byte-for-byte comparison with the files under tests/golden.

A difference writes what came out to the git-ignored tests/actual; `make golden-accept` takes it over.
"""

import shutil
from collections.abc import Mapping

from tests.paths import ROOT

GOLDEN = ROOT / "tests" / "golden"
ACTUAL = ROOT / "tests" / "actual"


def assert_golden(case: str, files: Mapping[str, str]) -> None:
    """Compare `files` (path below the case's folder -> text) with what was accepted: no more, no fewer, no other."""
    folder = GOLDEN / case
    accepted = {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    made = {name: text.encode() for name, text in files.items()}
    shutil.rmtree(ACTUAL / case, ignore_errors=True)
    if made == accepted:
        return
    for name, data in made.items():
        path = ACTUAL / case / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    different = sorted(name for name in {*made, *accepted} if made.get(name) != accepted.get(name))
    raise AssertionError(
        f"{case}: {', '.join(different)} differ. Compare tests/golden/{case} with tests/actual/{case};"
        " `make golden-accept` takes tests/actual over."
    )
