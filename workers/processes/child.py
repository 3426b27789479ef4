"""Child processes that end with us: process group, parent-death signal, pid file, reaping of leftovers.

Start them from the main thread: Linux ties the parent-death signal to the thread that forked.
"""

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO

from workers.processes.parent_death import ending_with_us

POLL_SECONDS = 0.02


class Child:
    """One child process with a pid file.

    name: stem of the pid file in `run`. marker: a text in its command line that tells a leftover of an earlier run from
    an unrelated process with the same pid.
    """

    def __init__(self, name: str, run: Path, *, marker: str) -> None:
        self.name = name
        self._pid_file = run / f"{name}.pid"
        self._marker = marker
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int | None:
        """Process id while it runs, else None."""
        return self._process.pid if self._process is not None and self._process.poll() is None else None

    @property
    def exit_code(self) -> int | None:
        """Exit code (negative: the signal) once it has ended; None before."""
        return None if self._process is None else self._process.poll()

    def start(
        self,
        command: Sequence[str],
        *,
        environment: Mapping[str, str] | None = None,
        folder: Path | None = None,
        stdout: IO[bytes] | int | None = None,
        stderr: IO[bytes] | int | None = None,
        death_signal: signal.Signals = signal.SIGKILL,
    ) -> None:
        """Start `command` (absolute path first). Raises OSError when that or writing the pid file fails."""
        assert self.pid is None, f"{self.name} is running"
        self._process = subprocess.Popen(  # noqa: S603 -- our own commands
            ending_with_us(death_signal, *command),
            stdin=subprocess.DEVNULL,
            stdout=stdout,
            stderr=stderr,
            cwd=folder,
            env=dict(environment) if environment is not None else None,
            process_group=None if sys.platform == "win32" else 0,
        )
        try:
            self._write_pid_file(self._process.pid)
        except OSError:
            self.kill()  # no later run could reap it
            raise

    def keep_pid_file(self) -> None:
        """Write the pid file again if it was deleted while the process runs; the next call tries again."""
        pid = self.pid
        if pid is not None and not self._pid_file.exists():
            with contextlib.suppress(OSError):
                self._write_pid_file(pid)

    def _write_pid_file(self, pid: int) -> None:
        self._pid_file.parent.mkdir(parents=True, exist_ok=True)
        self._pid_file.write_text(f"{pid}\n{self._marker}\n", encoding="utf-8", errors="surrogateescape")

    def signal(self, signal_number: signal.Signals) -> None:
        """Send a signal to the process unless it has ended."""
        if self.pid is not None and self._process is not None:
            with contextlib.suppress(ProcessLookupError):
                self._process.send_signal(signal_number)

    def wait(self, seconds: float) -> bool:
        """Wait up to `seconds`; True when it has ended."""
        if self._process is None:
            return True
        try:
            self._process.wait(timeout=max(seconds, 0))
        except subprocess.TimeoutExpired:
            return False
        return True

    def end(self, seconds: float) -> None:
        """Terminate; after `seconds` kill the whole process group. Leaves no process and no pid file."""
        self.signal(signal.SIGTERM)
        if not self.wait(seconds):
            self.kill()
        self.forget()

    def kill(self) -> None:
        """Kill the process group and wait for the process."""
        if self._process is not None:
            _kill_group(self._process.pid)
            self._process.wait()

    def forget(self) -> None:
        """Remove the pid file of an ended process; a stale one is harmless."""
        with contextlib.suppress(OSError):
            self._pid_file.unlink(missing_ok=True)

    def reap(self, seconds: float = 5.0) -> int | None:
        """End the leftover of an earlier run. Returns its pid, None when there was none."""
        try:
            first, marker, *_ = self._pid_file.read_text(encoding="utf-8", errors="surrogateescape").splitlines()
            pid = int(first)
        except (OSError, ValueError):
            pid, marker = 0, ""
        found = None
        if pid > 1 and marker and marker in command_line(pid):
            found = pid
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGTERM)
            if not _is_gone(pid, marker, seconds):
                _kill_group(pid)
                _is_gone(pid, marker, seconds)
        self.forget()
        return found


def _is_gone(pid: int, marker: str, seconds: float) -> bool:
    """Wait until the process has ended; False when it has not within `seconds`."""
    deadline = time.monotonic() + seconds
    while marker in command_line(pid):
        if time.monotonic() >= deadline:
            return False
        time.sleep(POLL_SECONDS)
    return True


def command_line(pid: int) -> str:
    """Command line of a process, its arguments joined by spaces; "" for none and for a zombie."""
    proc = Path("/proc") / str(pid) / "cmdline"
    if Path("/proc/self/cmdline").exists():
        try:
            return os.fsdecode(proc.read_bytes().replace(b"\0", b" "))
        except OSError:
            return ""
    try:
        listed = subprocess.run(  # noqa: S603
            ["ps", "-ww", "-p", str(pid), "-o", "command="],  # noqa: S607
            capture_output=True,
            check=False,
            timeout=5,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return os.fsdecode(listed.stdout).strip()


def _kill_group(pid: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        if sys.platform == "win32":
            os.kill(pid, signal.SIGTERM)
        else:
            os.killpg(pid, signal.SIGKILL)
