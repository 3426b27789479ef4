"""Verdicts beside a report: none is lost that was paid for, whatever happened to the file."""

import errno
import os
from pathlib import Path

import pytest

from reporting.store import verdicts as verdict_file
from reporting.store.set_folders import VERDICTS, remove_stale
from reporting.store.verdicts import (
    VerdictReader,
    append_verdicts,
    forget_failures,
    put_in_order,
    read_verdicts,
    tidied,
)
from scoring import InputError, TransientError
from scoring.judging import Verdict
from tests.reporting.publishing import publish_report
from tests.reporting.results import make_result

HASHES = [f"{number:064x}" for number in range(4)]
GOOD = Verdict(hash=HASHES[0], level="4", reason="정확하고 잘 짜였습니다.", votes=("4", "4", "5"), prompt_tokens=9)
WORSE = Verdict(hash=HASHES[1], level="FAILED", reason='"따옴표"와\\', completion_tokens=3, model="m", prompt="1")
FAILED = Verdict(hash=HASHES[2], failure="timeout", tries=1)


def test_what_was_appended_is_read(tmp_path: Path) -> None:
    append_verdicts(tmp_path, "a/b", [GOOD])
    append_verdicts(tmp_path, "a/b", [WORSE, FAILED])
    append_verdicts(tmp_path, "a/b", [])
    assert read_verdicts(tmp_path, "a/b") == {one.hash: one for one in (GOOD, WORSE, FAILED)}
    assert (tmp_path / "a/b" / VERDICTS).read_bytes().count(b"\n") == 3


def test_what_stands_there_already_is_not_added_again(tmp_path: Path) -> None:
    append_verdicts(tmp_path, "s", [GOOD, FAILED])
    before = (tmp_path / "s" / VERDICTS).read_bytes()
    append_verdicts(tmp_path, "s", [FAILED, GOOD])
    append_verdicts(tmp_path, "s", [Verdict(hash=GOOD.hash, failure="timeout", tries=1)])
    assert (tmp_path / "s" / VERDICTS).read_bytes() == before
    append_verdicts(tmp_path, "s", [WORSE, WORSE])
    assert (tmp_path / "s" / VERDICTS).read_bytes().count(b"\n") == 3


def test_a_long_file_is_looked_at_from_its_end_alone(tmp_path: Path) -> None:
    many = [Verdict(hash=f"{number:064x}", level="1", reason="r" * 400) for number in range(1000)]
    append_verdicts(tmp_path, "s", many)
    append_verdicts(tmp_path, "s", [many[-1], many[0]])
    lines = (tmp_path / "s" / VERDICTS).read_bytes().splitlines()
    assert len(lines) == 1001  # the first is too far back: tidied away with the next report
    assert len(read_verdicts(tmp_path, "s")) == 1000


def test_no_file_means_no_verdicts_and_no_folder_is_made(tmp_path: Path) -> None:
    assert read_verdicts(tmp_path, "s") == {}
    append_verdicts(tmp_path, "s", [])
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        pytest.param([Verdict(hash="a", level="1"), Verdict(hash="a", level="2")], "1", id="first-stays"),
        pytest.param([Verdict(hash="a", level="1"), Verdict(hash="a", failure="timeout", tries=1)], "1", id="level"),
        pytest.param([Verdict(hash="a", failure="timeout", tries=1), Verdict(hash="a", level="1")], "1", id="later"),
    ],
)
def test_of_several_lines_the_first_level_counts(lines: list[Verdict], expected: str, tmp_path: Path) -> None:
    append_verdicts(tmp_path, "s", lines)
    assert read_verdicts(tmp_path, "s")["a"].level == expected


def test_last_failure_counts_its_tries(tmp_path: Path) -> None:
    append_verdicts(tmp_path, "s", [Verdict(hash="a", failure="timeout", tries=n) for n in (1, 2)])
    assert read_verdicts(tmp_path, "s")["a"].tries == 2


def test_half_a_line_costs_that_line_alone(tmp_path: Path) -> None:
    """As a writer leaves it that is killed: the next one must not stick to it."""
    append_verdicts(tmp_path, "s", [GOOD, WORSE])
    path = tmp_path / "s" / VERDICTS
    whole = path.read_bytes()
    for cut in range(len(whole)):
        path.write_bytes(whole[:cut])
        append_verdicts(tmp_path, "s", [FAILED])
        read = read_verdicts(tmp_path, "s")
        assert read.pop(FAILED.hash) == FAILED
        complete = whole[:cut].count(b"}")  # a line without its line break is a line
        assert read == {one.hash: one for one in (GOOD, WORSE)[:complete]}


@pytest.mark.parametrize(
    "damage",
    [b"\0" * 100, b"{}", b"[]", b'{"hash":7}', b'{"hash":"a","tries":"x"}', b"\xff\xfe", b"", b"x" * 200_000],
)
def test_damaged_lines_are_left_out(damage: bytes, tmp_path: Path) -> None:
    append_verdicts(tmp_path, "s", [GOOD])
    with (tmp_path / "s" / VERDICTS).open("ab") as stream:
        stream.write(damage + b"\n")
    append_verdicts(tmp_path, "s", [WORSE])
    assert read_verdicts(tmp_path, "s") == {GOOD.hash: GOOD, WORSE.hash: WORSE}


def test_fields_of_a_later_version_are_passed_over(tmp_path: Path) -> None:
    (tmp_path / "s").mkdir()
    (tmp_path / "s" / VERDICTS).write_bytes(b'{"hash":"a","level":"1","mood":"good"}\n')
    assert read_verdicts(tmp_path, "s") == {"a": Verdict(hash="a", level="1")}


def test_tidied_is_the_same_for_the_same_verdicts(tmp_path: Path) -> None:
    one, other = {x.hash: x for x in (GOOD, WORSE, FAILED)}, {x.hash: x for x in (FAILED, GOOD, WORSE)}
    assert tidied(one) == tidied(other)
    (tmp_path / "s").mkdir()
    (tmp_path / "s" / VERDICTS).write_bytes(tidied(one))
    assert read_verdicts(tmp_path, "s") == one
    assert tidied({}) == b""


def test_forgetting_takes_failures_out_and_nothing_else(tmp_path: Path) -> None:
    append_verdicts(tmp_path, "s", [FAILED, GOOD, Verdict(hash=HASHES[3], failure="too-long", tries=3), WORSE])
    assert forget_failures(tmp_path, "s") == 2
    assert read_verdicts(tmp_path, "s") == {GOOD.hash: GOOD, WORSE.hash: WORSE}
    assert forget_failures(tmp_path, "s") == 0
    assert forget_failures(tmp_path, "nothing-there") == 0
    assert not (tmp_path / "nothing-there").exists()


def test_forgetting_keeps_votes_that_were_got_before_the_failure(tmp_path: Path) -> None:
    half = Verdict(hash=HASHES[2], votes=("4",), prompt_tokens=70, failure="timeout", tries=3)
    append_verdicts(tmp_path, "s", [half])
    assert forget_failures(tmp_path, "s") == 1
    (kept,) = read_verdicts(tmp_path, "s").values()
    assert kept == Verdict(hash=HASHES[2], votes=("4",), prompt_tokens=70)
    assert not kept.is_final
    assert forget_failures(tmp_path, "s") == 0


def test_reading_again_finds_what_came_since(tmp_path: Path) -> None:
    reader = VerdictReader(tmp_path, "s")
    path = tmp_path / "s" / VERDICTS
    assert reader.read() == {}
    append_verdicts(tmp_path, "s", [WORSE, FAILED])
    assert reader.read() == read_verdicts(tmp_path, "s")
    with path.open("ab") as stream:
        stream.write(b'{"hash":"half')
    assert reader.read() == read_verdicts(tmp_path, "s")
    append_verdicts(tmp_path, "s", [GOOD, Verdict(hash=HASHES[2], level="1")])
    assert reader.read() == read_verdicts(tmp_path, "s")
    assert reader.read()[HASHES[2]].level == "1"
    put_in_order(tmp_path, path.parent)
    append_verdicts(tmp_path, "s", [Verdict(hash=HASHES[3], failure="timeout", tries=1)])
    assert reader.read() == read_verdicts(tmp_path, "s")
    forget_failures(tmp_path, "s")
    assert reader.read() == read_verdicts(tmp_path, "s") != {}
    path.unlink()
    assert reader.read() == {}


def test_reading_again_parses_only_what_came_since(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    append_verdicts(tmp_path, "s", [GOOD, WORSE])
    reader = VerdictReader(tmp_path, "s")
    reader.read()
    append_verdicts(tmp_path, "s", [FAILED])
    taken: list[bytes] = []
    monkeypatch.setattr(verdict_file, "_take", lambda line, _: taken.append(line))
    reader.read()
    assert [b"timeout" in line for line in taken] == [True]


@pytest.mark.parametrize("rewrite", [b"", tidied({GOOD.hash: GOOD})])
def test_a_file_that_was_written_anew_in_place_is_read_anew(rewrite: bytes, tmp_path: Path) -> None:
    append_verdicts(tmp_path, "s", [WORSE, FAILED])
    reader = VerdictReader(tmp_path, "s")
    reader.read()
    (tmp_path / "s" / VERDICTS).write_bytes(rewrite)
    assert reader.read() == read_verdicts(tmp_path, "s")


def test_publishing_never_touches_the_verdicts(tmp_path: Path) -> None:
    append_verdicts(tmp_path, "s", [GOOD])
    before = (tmp_path / "s" / VERDICTS).read_bytes()
    for key in ("k1", "k2"):
        published = publish_report(make_result(), set_name="s", key=key, out=tmp_path)
        assert VERDICTS not in published.files
    remove_stale(tmp_path / "s", {})
    assert (tmp_path / "s" / VERDICTS).read_bytes() == before
    assert [path.parent.name for path in tmp_path.rglob(VERDICTS)] == ["s"]


def test_link_out_of_the_output_folder_is_refused(tmp_path: Path) -> None:
    out, elsewhere = tmp_path / "out", tmp_path / "elsewhere"
    (out / "s").mkdir(parents=True)
    (out / "s" / VERDICTS).symlink_to(elsewhere)
    for use in (lambda: read_verdicts(out, "s"), lambda: append_verdicts(out, "s", [GOOD])):
        with pytest.raises(InputError, match="output-outside"):
            use()
    assert not elsewhere.exists()


def test_full_disk_is_transient_and_loses_nothing_that_was_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    append_verdicts(tmp_path, "s", [GOOD])

    def full(*_: object) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "write", full)
        with pytest.raises(TransientError, match="No space left"):
            append_verdicts(tmp_path, "s", [WORSE])
    assert read_verdicts(tmp_path, "s") == {GOOD.hash: GOOD}


def test_folder_in_place_of_the_file_is_transient(tmp_path: Path) -> None:
    (tmp_path / "s" / VERDICTS).mkdir(parents=True)
    with pytest.raises(TransientError, match="not a regular file"):
        read_verdicts(tmp_path, "s")
