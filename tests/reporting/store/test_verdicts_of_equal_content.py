"""A set of another name with the same files finds the verdicts that are paid for."""

import errno
from pathlib import Path

import pytest

from reporting.store import verdicts
from reporting.store.set_folders import WORK_AREA
from reporting.store.verdicts import INDEX_FOLDER, append_verdicts, known_verdicts, note_verdicts, read_verdicts
from scoring.judging import Verdict

CONTENTS = ("1" * 64, "2" * 64)
GOOD = Verdict(hash="a" * 64, level="4", reason="까닭", prompt_tokens=9)
FAILED = Verdict(hash="b" * 64, failure="timeout", tries=3)


def _judged(out: Path, name: str = "before") -> None:
    append_verdicts(out, name, [GOOD, FAILED])
    note_verdicts(out, name, CONTENTS)


def test_levels_of_the_same_files_are_taken_over_and_failures_are_not(tmp_path: Path) -> None:
    _judged(tmp_path, "a/\udcff")
    assert known_verdicts(tmp_path, "after", CONTENTS[::-1]) == {GOOD.hash: GOOD}
    assert read_verdicts(tmp_path, "after") == {GOOD.hash: GOOD}


def test_own_verdicts_are_not_mixed_with_others(tmp_path: Path) -> None:
    _judged(tmp_path)
    append_verdicts(tmp_path, "after", [FAILED])
    assert known_verdicts(tmp_path, "after", CONTENTS) == {FAILED.hash: FAILED}
    assert known_verdicts(tmp_path, "before", CONTENTS) == read_verdicts(tmp_path, "before")


def test_other_files_have_none(tmp_path: Path) -> None:
    _judged(tmp_path)
    assert known_verdicts(tmp_path, "after", CONTENTS[:1]) == {}
    assert not (tmp_path / "after").exists()


@pytest.mark.parametrize("noted", [b"", b"../elsewhere", b"before\0", b"gone", b"after", b"\xff\xfe", b"x" * 5_000])
def test_a_note_that_leads_nowhere_is_none(noted: bytes, tmp_path: Path) -> None:
    out = tmp_path / "out"
    _judged(out)
    append_verdicts(tmp_path, "elsewhere", [GOOD])
    (note,) = (out / WORK_AREA / INDEX_FOLDER).iterdir()
    note.write_bytes(noted)
    assert known_verdicts(out, "after", CONTENTS) == {}


def test_a_full_disk_costs_the_note_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(verdicts, "write_atomic", full)
    _judged(tmp_path)
    assert known_verdicts(tmp_path, "after", CONTENTS) == {}
