"""Only regular files are opened, and nothing that is there instead of one can make the opening wait."""

import os
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from scoring.reading.regular_file import NotRegularError, open_named, open_regular

pytestmark = pytest.mark.timeout(20)


def make_socket(path: Path) -> None:
    before = Path.cwd()
    os.chdir(path.parent)  # a socket's address holds about a hundred bytes
    try:
        socket.socket(socket.AF_UNIX).bind(path.name)
    finally:
        os.chdir(before)


KINDS: dict[str, Callable[[Path], object]] = {
    "pipe": os.mkfifo,
    "socket": make_socket,
    "device": lambda path: path.symlink_to("/dev/zero"),
    "folder": Path.mkdir,
    "link to itself": lambda path: path.symlink_to(path.name),
}


@pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning")
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("opened", [open_regular, open_named])
def test_what_is_no_regular_file_is_refused(tmp_path: Path, kind: str, opened: Callable[[Path], object]) -> None:
    path = tmp_path / "a.csv"
    KINDS[kind](path)
    with pytest.raises(NotRegularError, match="not a regular file"):
        opened(path)


def test_a_link_is_followed_only_where_the_caller_says_so(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes(b"abc")
    (tmp_path / "b.csv").symlink_to("a.csv")
    with open_regular(tmp_path / "a.csv") as stream:
        assert stream.read() == b"abc"
    with open_named(tmp_path / "b.csv") as stream:
        assert stream.read() == b"abc"
    with pytest.raises(NotRegularError):
        open_regular(tmp_path / "b.csv")


def test_a_missing_file_is_missing(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        open_named(tmp_path / "a.csv")


def test_the_descriptor_is_not_inherited_and_does_not_wait(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes(b"abc")
    with open_regular(tmp_path / "a.csv") as stream:
        assert not os.get_inheritable(stream.fileno())
        assert not os.get_blocking(stream.fileno())
