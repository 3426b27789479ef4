"""A packed set says all that its files say, in a fraction of the memory."""

import tracemalloc
from pathlib import Path

import msgspec
import pytest

from reporting.store import IndexEntry, KnownSets, ShownFinding, find_sets, read_set
from reporting.store.packed_entry import Packer
from scoring import Severity
from tests.reporting.index.folders import Folder, a_status, refused, write_comparison, write_status

MARKS = (2**64 - 1, 2, -3), (4, 5, 6), (0, 0, 0), (7, 8, 9), (0, 0, 0)
BYTES = 2_048  # of a set among many, with thirteen findings: as objects it takes ten thousand


@pytest.mark.parametrize("seed", range(3))
def test_what_is_known_is_what_the_files_say(tmp_path: Path, seed: int) -> None:
    folder = Folder(tmp_path, seed)
    known = KnownSets(tmp_path)
    known.look()
    for _ in range(40):
        known.look_at([folder.change()])
    assert known.entries
    assert {name: packed.unpack() for name, packed in known.entries.items()} == {
        entry.set_name: entry for entry in find_sets(tmp_path)
    }


def test_marks_and_what_is_asked_of_all_sets_are_kept(tmp_path: Path) -> None:
    status = a_status(tmp_path)
    entry = IndexEntry("a/b", msgspec.structs.replace(status, judge_digest="d"))
    packed = Packer().pack(entry, MARKS)
    assert packed.marks == MARKS
    assert packed.unpack() == entry._replace(published_ns=-3)
    assert (packed.set_name, packed.key, packed.profile, packed.order) == (
        "a/b",
        status.key,
        status.profile,
        entry.order,
    )
    assert packed.run_key != packed.key


def test_many_sets_with_findings_take_little_memory(tmp_path: Path) -> None:
    base = a_status(tmp_path)
    findings = tuple(
        ShownFinding(f"code-{number}", Severity.NOTE, number, f"{number}행: 값이 범위를 벗어났습니다. " * 8)
        for number in range(13)
    )
    before = None
    for number in range(200):
        name = f"resume_agent_{number:05}"
        inputs = {f"{name}.csv": f"{number:064x}"}
        status = msgspec.structs.replace(base, set=name, key=f"{number:064x}", inputs=inputs, findings=findings)
        write_status(tmp_path, status)
        write_comparison(tmp_path, status, before)
        before = status
    known = KnownSets(tmp_path)
    tracemalloc.start()
    try:
        known.look()
        taken, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert len(known.entries) == 201
    assert taken / 201 < BYTES


def test_texts_of_findings_are_kept_of_a_problem_and_read_again_of_a_report(tmp_path: Path) -> None:
    finding = ShownFinding("rows-equal", Severity.NOTE, 3, "3행은 다시 세지 않았습니다. [rows-equal]", "짧게")
    report = msgspec.structs.replace(a_status(tmp_path), set="report", findings=(finding,))
    for status in (report, refused(msgspec.structs.replace(report, set="problem"))):
        write_status(tmp_path, status)
    known = KnownSets(tmp_path)
    known.look()
    kept = {name: packed.unpack().status.findings for name, packed in known.entries.items()}
    assert kept["report"] == (ShownFinding("rows-equal", Severity.NOTE, 3, ""),)
    assert "[empty-file]" in kept["problem"][0].text
    whole = read_set(tmp_path, "report")
    assert whole is not None
    assert whole.status == report
    assert read_set(tmp_path, "gone") is None
