"""`scorewatch score` scores a large file on several cores, with the bytes of one."""

import multiprocessing
import os
import signal
from collections.abc import Callable
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

import pytest

from cli.score import pieces
from cli.score import pieces as module
from cli.score.pieces import Pieces
from scoring import InputError, PiecePlan, TransientError, hash_spans, join_pieces, score_piece
from scoring.items import score_file
from scoring.items.spool import Part
from tests.cli.place import Place, tree
from tests.scoring.files import csv_text, resume_rubric
from tests.scoring.test_same_as_one_piece import many_rows, stored

PIECE_BYTES = 4_000


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "resume_agent_x.csv"
    path.write_bytes(csv_text(many_rows(150)).encode())
    return path


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "out"


def in_pieces(
    file: Path, out: Path | None, *, jobs: int = 2, progress: Callable[[int], None] | None = None
) -> Part | None:
    with file.open("rb") as stream:
        pieces = Pieces(jobs, out, least_bytes=1_000, piece_bytes=PIECE_BYTES)
        return pieces.score(file, stream, rubric=resume_rubric(), progress=progress)


def in_one(file: Path) -> bytes:
    with file.open("rb") as stream:
        return stored(score_file(stream, name=file.name, rubric=resume_rubric()))


def left_in(out: Path) -> list[Path]:
    return list((out / ".scorewatch/tmp").iterdir())


@pytest.mark.parametrize("jobs", [2, 3, 50])
def test_a_file_in_pieces_gives_the_part_of_one(file: Path, out: Path, jobs: int) -> None:
    told: list[int] = []
    part = in_pieces(file, out, jobs=jobs, progress=told.append)
    assert part is not None
    assert stored(part) == in_one(file)
    assert (told[-1], told == sorted(told)) == (file.stat().st_size, True)
    assert left_in(out) == []
    assert multiprocessing.active_children() == []


def test_pieces_need_no_folder_of_reports(file: Path) -> None:
    part = in_pieces(file, None)
    assert part is not None
    assert stored(part) == in_one(file)


def test_processes_that_are_not_forked_do_the_same(file: Path, out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As on systems other than Linux."""
    monkeypatch.setattr("sys.platform", "darwin")
    part = in_pieces(file, out)
    assert part is not None
    assert stored(part) == in_one(file)


def test_one_job_or_a_small_file_is_left_to_one_process(file: Path, out: Path) -> None:
    assert in_pieces(file, out, jobs=1) is None
    with file.open("rb") as stream:
        assert Pieces(2, out).score(file, stream, rubric=resume_rubric()) is None


def refused(*_: Any, **__: Any) -> None:
    raise MemoryError


def unreadable(*_: Any, **__: Any) -> None:
    raise OSError(5, "Input/output error")


@pytest.mark.parametrize("fault", [refused, unreadable])
def test_what_fails_in_a_process_leaves_the_file_to_one_piece(
    file: Path, out: Path, monkeypatch: pytest.MonkeyPatch, fault: Callable[..., None]
) -> None:
    monkeypatch.setattr(pieces, "score_piece", fault)
    assert in_pieces(file, out) is None
    assert left_in(out) == []
    assert multiprocessing.active_children() == []


@pytest.mark.parametrize("started", [0, 1])
def test_where_no_more_process_can_be_started_those_there_are_do_it(
    file: Path, out: Path, monkeypatch: pytest.MonkeyPatch, started: int
) -> None:
    """At the limit on processes: two of three are refused, or all, which leaves the file to one piece."""
    left = [True] * started
    real = BaseProcess.start

    def start(self: BaseProcess) -> None:
        if not left:
            raise BlockingIOError(11, "Resource temporarily unavailable")
        left.pop()
        real(self)

    monkeypatch.setattr(BaseProcess, "start", start)
    part = in_pieces(file, out, jobs=3)
    assert (None if part is None else stored(part)) == (in_one(file) if started else None)
    assert left_in(out) == []
    assert multiprocessing.active_children() == []


def test_where_no_folder_can_be_made_the_file_is_left_to_one_piece(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def unusable(**_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(module, "TemporaryDirectory", unusable)
    assert in_pieces(file, None) is None


def test_a_process_that_is_killed_leaves_the_file_to_one_piece(
    file: Path, out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the middle: others have scored pieces."""
    scored = score_piece

    def kill_in_the_middle(*arguments: Any, number: int, **named: Any) -> Any:
        if number == 3:
            os.kill(os.getpid(), signal.SIGKILL)
        return scored(*arguments, number=number, **named)

    monkeypatch.setattr(pieces, "score_piece", kill_in_the_middle)
    assert in_pieces(file, out) is None
    assert left_in(out) == []


def test_a_full_disk_is_named(file: Path, out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(pieces, "encode_stored", full)
    with pytest.raises(TransientError, match="No space left on device"):
        in_pieces(file, out)
    assert left_in(out) == []
    assert multiprocessing.active_children() == []


@pytest.mark.parametrize("error", [KeyboardInterrupt(), InputError(())])
def test_an_interruption_ends_the_processes(file: Path, out: Path, error: BaseException) -> None:
    """Ctrl-C, and the time limit."""

    def interrupted(_: int) -> None:
        raise error

    with pytest.raises(type(error)):
        in_pieces(file, out, progress=interrupted)
    assert left_in(out) == []
    assert multiprocessing.active_children() == []


@pytest.mark.parametrize("how", ["rewritten", "replaced", "grown"])
def test_a_file_that_changes_gives_no_part_of_two_contents(
    file: Path, out: Path, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    hashed = hash_spans
    old, new = file.read_bytes(), csv_text(many_rows(150, 응답="다른 답변입니다")).encode()

    def changed(stream: Any, plan: PiecePlan) -> Any:
        if how == "replaced":
            other = file.with_name("other.csv")
            other.write_bytes(new)
            other.replace(file)
            with file.open("rb") as found:
                return hashed(found, plan)
        file.write_bytes(new if how == "rewritten" else old + old.split(b"\n", 1)[1])
        return hashed(stream, plan)

    monkeypatch.setattr(pieces, "hash_spans", changed)
    part = in_pieces(file, out)
    assert part is None or stored(part) == in_one(file)  # all pieces may have been read after the change


@pytest.mark.parametrize("value", ["0", "-1", "x"])
def test_jobs_are_a_number_of_processes(place: Place, value: str) -> None:
    assert place.run("score", "in", "--jobs", value).code == 2


def test_jobs_change_nothing_in_the_report(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    place.file("in/resume_agent_x.csv", csv_text(many_rows(150)))
    monkeypatch.setattr("cli.score.run.LEAST_BYTES", 1_000)
    monkeypatch.setattr(module, "Pieces", lambda jobs, out: Pieces(jobs, out, least_bytes=1_000, piece_bytes=4_000))
    joined: list[Part | None] = []

    def noted(*arguments: Any, **named: Any) -> Part | None:
        joined.append(join_pieces(*arguments, **named))
        return joined[-1]

    monkeypatch.setattr(module, "join_pieces", noted)
    for jobs in ("1", "2"):
        place.run("score", "in", "--out", f"out{jobs}", "--jobs", jobs)
    one, two = (tree(place.root / f"out{jobs}/resume_agent_x") for jobs in ("1", "2"))
    assert one == two
    assert [part is not None for part in joined] == [True]
