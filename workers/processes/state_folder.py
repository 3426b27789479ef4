"""The state folder: private to one machine and held by one `up` at a time. Losing it costs time only."""

import os
from pathlib import Path
from typing import IO, Self

from config import SettingsError
from reporting.store import is_same_file, try_lock
from reporting.wording import reason_of
from texts import Texts, texts

LOCK_NAME = "up.lock"
WORKER, JUDGE = "worker", "judge"  # names of the workers of an `up`


class StateHeldError(SettingsError):
    """Another process uses this state folder. holder: its pid, "" when unknown."""

    def __init__(self, folder: str, holder: str, t: Texts) -> None:
        who = t("service.process", pid=holder) if holder else t("service.another-process")
        super().__init__((t("service.state-held", who=who, folder=folder),))


class StateFolder:
    """A claimed state folder; use as a context manager. t: language of the errors.

    Raises StateHeldError when another process has it, SettingsError when it cannot be created or written.
    """

    def __init__(self, folder: Path, t: Texts | None = None) -> None:
        self.path = folder.absolute()
        self._t = t or texts()
        self._lock: IO[str] | None = None

    def __enter__(self) -> Self:
        try:
            self._claim()
        except OSError as error:
            reason = reason_of(error, self._t)
            raise SettingsError((self._t("service.state-unusable", reason=reason),)) from error
        return self

    def _claim(self) -> None:
        prepare_private(self.path)
        lock = (self.path / LOCK_NAME).open("a+", encoding="ascii")
        lock.seek(0)
        if not try_lock(lock.fileno()):
            holder = lock.read().strip()
            lock.close()
            raise StateHeldError(str(self.path), holder, self._t)
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
        """Claim the folder again when it was deleted together with our lock; True when that was so.

        Raises StateHeldError when another process has claimed it meanwhile, OSError when it cannot be created.
        """
        lost = self._lock
        if lost is None or is_same_file(self.path / LOCK_NAME, lost.fileno()):
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
        """Folder for temporary files of the workers; a killed worker leaves some."""
        return self.path / "scratch"


def address_file(state: Path, worker: str = WORKER) -> Path:
    """The file in which a worker notes the free port that it serves its metrics on."""
    return state.absolute() / "run" / f"{worker}.address"


def prepare_private(folder: Path) -> None:
    """Create a folder that only its owner can enter and that git ignores."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    folder.chmod(0o700)
    ignore = folder / ".gitignore"
    if not ignore.exists():
        ignore.write_text("*\n", encoding="ascii")
