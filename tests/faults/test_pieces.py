"""A large file in pieces, by real workers: kills, a change and a full disk end in the report that one piece gives."""

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from bench.make_csv import write_file
from tests.faults.harness import Up, wait_for
from tests.faults.processes import HoldingUp
from tests.faults.test_full_disk import small_disk
from tests.faults.undisturbed import Undisturbed

pytestmark = [pytest.mark.service, pytest.mark.slow, pytest.mark.timeout(600)]

ROWS = 6_000  # 17 MB
SMALL_PIECES = "import scoring.pieces as cuts; cuts.LEAST_BYTES, cuts.PIECE_BYTES = 2_000_000, 700_000"  # some 24
SOME = 3


@pytest.fixture
def up(tmp_path: Path) -> Iterator[Up]:
    with HoldingUp(tmp_path, in_workers=SMALL_PIECES, WORKERS="2") as up:
        up.pool_pids()
        yield up


def pieces_of(up: Up) -> list[Path]:
    """The pieces that are scored and not joined yet."""
    return list((up.out / ".scorewatch/parts").glob("*-piece-*"))


def kill_child(up: Up) -> None:
    with suppress(ProcessLookupError):
        os.kill(up.pool_pids()[0], signal.SIGKILL)


def kill_worker(up: Up) -> None:
    for pid in (*up.pool_pids(), up.pid_of("worker")):
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def lose_pieces(up: Up) -> None:
    for path in pieces_of(up):
        path.unlink(missing_ok=True)


def damage_pieces(up: Up) -> None:
    for path in pieces_of(up):
        with suppress(FileNotFoundError):
            path.write_bytes(path.read_bytes()[:-1])


def ask_twice(up: Up) -> None:
    """The queue is lost: the watcher asks again, while pieces are still being scored."""
    from tests.faults.test_kills import flush

    flush(up)


def in_the_middle(up: Up, path: Path, *, seed: int) -> None:
    """Drop a large file, and wait until some of its pieces are scored."""
    new = path.parents[1] / "new.csv"
    write_file(new, ROWS, seed=seed)
    new.rename(path)
    wait_for(lambda: len(pieces_of(up)) >= SOME, "some pieces", every=0.01)


@pytest.mark.parametrize("disturb", [kill_child, kill_worker, lose_pieces, damage_pieces, ask_twice])
def test_a_large_file_ends_in_the_report_of_one_piece(up: Up, tmp_path: Path, disturb: Callable[[Up], None]) -> None:
    with Undisturbed(up, tmp_path):
        in_the_middle(up, up.watch / "resume_agent_large.csv", seed=3)
        disturb(up)
    wait_for(lambda: not pieces_of(up), "pieces to be removed")


def test_a_file_that_grows_while_its_pieces_are_made(up: Up, tmp_path: Path) -> None:
    path = up.watch / "resume_agent_large.csv"
    with Undisturbed(up, tmp_path):
        in_the_middle(up, path, seed=4)
        more = tmp_path / "more.csv"
        write_file(more, 50, seed=5)
        with path.open("ab") as stream:
            stream.write(more.read_bytes().split(b"\n", 1)[1])


def test_a_file_that_is_replaced_while_its_pieces_are_made(up: Up, tmp_path: Path) -> None:
    path = up.watch / "resume_agent_large.csv"
    with Undisturbed(up, tmp_path):
        in_the_middle(up, path, seed=6)
        other = tmp_path / "other.csv"
        write_file(other, ROWS, seed=7)
        other.replace(path)


def test_a_disk_that_is_full_while_pieces_are_made(tmp_path: Path) -> None:
    with small_disk(tmp_path / "out", 100), HoldingUp(tmp_path, in_workers=SMALL_PIECES, WORKERS="2") as up:
        ballast = up.out / "ballast"
        ballast.write_bytes(b"x" * (98 << 20))
        path = up.watch / "resume_agent_large.csv"
        write_file(tmp_path / "new.csv", ROWS, seed=8)
        (tmp_path / "new.csv").rename(path)
        wait_for(lambda: any(event.get("kind") == "storage" for event in up.events()), "a full disk")
        assert up.status("resume_agent_large") is None
        ballast.unlink()
        up.wait_settled("resume_agent_large")
        wait_for(lambda: not pieces_of(up), "pieces to be removed")
