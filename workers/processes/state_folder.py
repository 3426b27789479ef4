"""The state folder: private to one machine, held by one `up` at a time, and worth nothing but time when it is lost."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import IO, Self

from config.errors import SettingsError
from reporting.wording.catalogue import Texts, texts
from reporting.wording.display import system_reason
from workers.processes.process_id import is_alive

LOCK_NAME = "up.lock"
WORKER, JUDGE = "worker", "judge"  # names of the workers of an `up`


class StateHeldError(SettingsError):
    """Another process works in this state folder; the message names it. holder: its pid, "" when unknown."""

    def __init__(self, folder: str, holder: str, t: Texts) -> None:
        who = t("service.process", pid=holder) if holder else t("service.another-process")
        super().__init__((t("service.state-held", who=who, folder=folder),))


class StateFolder:
    """A claimed state folder; use as a context manager. t: in whose language a refusal speaks.

    Raises StateHeldError when another process has it, SettingsError when it cannot be made or written to.
    """

    def __init__(self, folder: Path, t: Texts | None = None) -> None:
        self.path = folder.absolute()
        self._t = t or texts()
        self._lock: IO[str] | None = None

    def __enter__(self) -> Self:
        try:
            self._claim()
        except OSError as error:
            raise state_unusable(error, self._t) from error
        return self

    def _claim(self) -> None:
        prepare_private(self.path)
        lock = (self.path / LOCK_NAME).open("a+", encoding="ascii")
        try:
            _lock(lock)
        except OSError:
            lock.seek(0)
            holder = lock.read().strip()
            lock.close()
            raise StateHeldError(str(self.path), holder, self._t) from None
        lock.truncate(0)
        lock.write(f"{os.getpid()}\n")
        lock.flush()
        self._lock = lock

    def __exit__(self, *_: object) -> None:
        if self._lock is not None:
            self._lock.truncate(0)
            self._lock.close()
            self._lock = None

    def take_again(self) -> bool:
        """Claim the folder anew when somebody wiped it with our lock; True when that was so.

        Raises StateHeldError when another process was quicker, OSError when the folder cannot be made.
        """
        lost = self._lock
        if lost is None or _is_at(lost, self.path / LOCK_NAME):
            return False
        self._claim()
        lost.close()
        return True

    @property
    def run(self) -> Path:
        """Folder of the pid files."""
        return self.path / "run"

    @property
    def scratch(self) -> Path:
        """Folder for temporary files of the workers, which a killed one leaves behind."""
        return self.path / "scratch"


def state_unusable(error: OSError, t: Texts) -> SettingsError:
    """The error for a state folder that cannot be made or written to."""
    return SettingsError((t("service.state-unusable", reason=system_reason(error)),))


def sweep_temporary(folder: Path) -> None:
    """Remove files `<name>.<pid>.tmp` that dead processes of this machine left half-written."""
    for path in folder.glob("*.*.tmp"):
        pid = path.name.split(".")[-2]
        if pid.isdigit() and int(pid) != os.getpid() and not is_alive(int(pid)):
            path.unlink(missing_ok=True)


def address_file(state: Path, worker: str = WORKER) -> Path:
    """Where a worker that took a free port for its metrics says which."""
    return state.absolute() / "run" / f"{worker}.address"


def prepare_private(folder: Path) -> None:
    """Make a folder that only its owner can enter and that git never sees."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    folder.chmod(0o700)
    ignore = folder / ".gitignore"
    if not ignore.exists():
        ignore.write_text("*\n", encoding="ascii")


def _is_at(file: IO[str], path: Path) -> bool:
    """Is this open file the one that stands there?"""
    try:
        return os.path.samestat(os.fstat(file.fileno()), path.stat())
    except FileNotFoundError:
        return False


if sys.platform == "win32":
    import msvcrt

    def _lock(file: IO[str]) -> None:
        file.seek(0)
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    def _lock(file: IO[str]) -> None:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
