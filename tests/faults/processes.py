"""One command of ours beside a service, as a process of its own: another watcher, another worker."""

import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Protocol, Self

from tests.faults.harness import LONGEST_SECONDS, ROOT, SHORT, Events, Up, environment, wait_for

_HOLD = """
import os, sys, time

IS_WORKER = "-m workers" in " ".join(sys.orig_argv)

def hook(event, arguments):
    if event == "open" and isinstance(arguments[0], str) and IS_WORKER:
        if arguments[0].endswith("_held.csv"):
            open(os.environ["BEGUN"], "w").close()
            while not os.path.exists(os.environ["RELEASED"]):
                time.sleep(0.02)  # no more reaches a process from outside

sys.addaudithook(hook)
"""


class Command:
    """`scorewatch NAME …` with short times. A context manager: it and its children end with the test."""

    def __init__(self, home: Path, *arguments: str, watch: Path, out: Path, state: Path, **settings: str) -> None:
        self.log = home / f"{'-'.join(arguments)}.log"
        self._arguments = arguments
        self.environment = environment(watch, out, state, **{**SHORT, **settings})
        self._events = Events()
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        with self.log.open("wb") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "tests.faults.quick", *self._arguments],
                cwd=ROOT,
                env=self.environment,
                stdout=log,
                stderr=log,
                process_group=0,
            )
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        assert self._process is not None
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        if kind is not None:
            sys.stderr.write(self.log.read_text(errors="replace")[-6000:])

    @property
    def pid(self) -> int:
        """Process id."""
        assert self._process is not None
        return self._process.pid

    def stop(self) -> int:
        """Ask it to end; its exit code."""
        assert self._process is not None
        self._process.send_signal(signal.SIGTERM)
        return self.wait()

    def wait(self) -> int:
        """Exit code of one that ends by itself."""
        assert self._process is not None
        return self._process.wait(timeout=LONGEST_SECONDS)

    def events(self) -> list[dict[str, Any]]:
        """Structured log lines so far."""
        return self._events.of(self.log)

    def wait_event(self, event: str, **values: object) -> None:
        """Wait for a log line with these values."""
        wait_event(self, event, **values)


class PatchedUp(Up):
    """A service whose own process starts with a few lines of Python: other constants, another engine."""

    def __init__(self, home: Path, *arguments: str, code: str, **settings: str) -> None:
        super().__init__(home, *arguments, **settings)
        self._code = code

    def command(self) -> list[str]:
        """The command line that runs the lines, then `scorewatch up`."""
        run = f"from tests.faults.quick import main, shorten\nshorten()\n{self._code}\nimport sys\nsys.exit(main())"
        return [sys.executable, "-c", run, "up", *self._arguments]

    def start(self) -> None:
        """Start it (again)."""
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                self.command(), cwd=ROOT, env=self.environment(), stdout=log, stderr=log, process_group=0
            )


class HoldingUp(PatchedUp):
    """A service whose workers stay at files named `…_held.csv` until they are released.

    begun: there once one does. temporary: its folder for temporary files. in_workers: a line that they start with.
    """

    def __init__(self, home: Path, *arguments: str, code: str = "", in_workers: str = "", **settings: str) -> None:
        super().__init__(home, *arguments, code=code, **settings)
        self.begun, self._released = home / "begun", home / "released"
        self._site, self.temporary = home / "site", home / "temporary"
        self._site.mkdir()
        self.temporary.mkdir()
        (self._site / "sitecustomize.py").write_text(f"{_HOLD}\nif IS_WORKER:\n    {in_workers or 'pass'}\n")

    def environment(self) -> dict[str, str]:
        """Environment of its processes."""
        return super().environment() | {
            "PYTHONPATH": f"{self._site}:{ROOT}",
            "BEGUN": str(self.begun),
            "RELEASED": str(self._released),
            "TMPDIR": str(self.temporary),
        }

    def release(self) -> None:
        """Let the work on such files go on."""
        self._released.touch()


class Logged(Protocol):
    """What has a log."""

    def events(self) -> list[dict[str, Any]]:
        """Structured log lines so far."""


def wait_event(logged: Logged, event: str, **values: object) -> None:
    """Wait for a log line with these values."""
    wait_for(lambda: has_event(logged.events(), event, **values), f"the event {event!r}")


def has_event(events: list[dict[str, Any]], event: str, **values: object) -> bool:
    """Is there a log line with these values?"""
    return any(line["event"] == event and values.items() <= line.items() for line in events)
