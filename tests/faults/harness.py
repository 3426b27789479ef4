"""Real processes for tests: `scorewatch up` in folders of its own, and the reports that must come out.

Times are short by settings, never by waiting less: every wait is for a condition, with a deadline that fails.
"""

import atexit
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from bench.make_csv import write_file
from reporting.store import (
    BASELINE_JSON,
    CHANGES_HTML,
    CHANGES_MD,
    CHANGES_SVG,
    COMPARE_HTML,
    COMPARE_JSON,
    COMPARE_MD,
    HISTORY,
    SUMMARY_HTML,
    SUMMARY_JSON,
    SUMMARY_MD,
    WORK_AREA,
)
from tests.faults import quick
from tests.inner import SERVER_NAMES, command_line

ROOT = Path(__file__).resolve().parent.parent.parent
LONGEST_SECONDS = 120.0  # on a machine busy with other things
# Nothing tells of a condition in other processes, so one has to look; which costs milliseconds of a core they need.
POLL_SECONDS = 0.05

# `make faults` runs the long form: every fault in FAULT_ROUNDS variants, random ones from FAULT_SEEDS seeds.
ROUNDS = int(os.environ.get("FAULT_ROUNDS", "1"))
SEEDS = int(os.environ.get("FAULT_SEEDS", "1"))
IS_LONG = ROUNDS > 1

SHORT = {
    "SETTLE_SECONDS": "0.15",
    "CLOSED_SETTLE_SECONDS": "0.05",
    "OPEN_SETTLE_SECONDS": "0.6",
    "POLLING_SETTLE_SECONDS": "0.3",
    "EMPTY_FILE_SECONDS": "0.5",
    "SET_QUIET_SECONDS": "0.4",
    "RESCAN_SECONDS": "1",
    "RETRY_SECONDS": "2",
    "WORKERS": "1",
}
QUICK = (*quick.SETTLING, quick.RETRY)


class Up:
    """One `scorewatch up`. A context manager: whatever happens in a test, nothing is left running."""

    def __init__(self, home: Path, *arguments: str, **settings: str) -> None:
        self.watch, self.out, self.state = home / "in", home / "out", home / "state"
        self.watch.mkdir(parents=True, exist_ok=True)
        self.log = home / "up.log"
        self._arguments = arguments
        self._settings = {**SHORT, **settings}
        self._events = Events()
        self.process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        assert self.process is not None
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        if kind is not None:
            sys.stderr.write(self.log.read_text(errors="replace")[-6000:])
        wait_for(lambda: not self.children(), "children to end with their parent")

    def command(self) -> list[str]:
        """Its command line."""
        return [sys.executable, "-m", "tests.faults.quick", "up", *self._arguments]

    def environment(self) -> dict[str, str]:
        """Environment of its processes."""
        return environment(self.watch, self.out, self.state, **self._settings)

    def start(self) -> None:
        """Start it (again)."""
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                self.command(),
                cwd=ROOT,
                env=self.environment(),
                stdout=log,
                stderr=log,
                process_group=0,
            )

    def stop(self, number: signal.Signals = signal.SIGINT) -> int:
        """Ask it to end, as Ctrl-C does; its exit code."""
        assert self.process is not None
        self.process.send_signal(number)
        return self.process.wait(timeout=LONGEST_SECONDS)

    def wait(self) -> int:
        """Exit code of one that ends by itself."""
        assert self.process is not None
        return self.process.wait(timeout=LONGEST_SECONDS)

    def pid_of(self, name: str) -> int:
        """Process id of the "broker" or the "worker"."""
        found: list[int] = []

        def is_there() -> bool:
            with suppress(OSError, ValueError, IndexError):
                pid = int((self.state / "run" / f"{name}.pid").read_text().split()[0])
                # parent_death.py has the same arguments until it has become the command.
                if command_line(pid) and "parent_death.py" not in command_line(pid):
                    found.append(pid)
            return bool(found)

        wait_for(is_there, f"{name} to run")
        return found[-1]

    def pool_pids(self) -> list[int]:
        """Children of the worker."""
        found: list[int] = []

        def is_there() -> bool:
            found[:] = children_of(self.pid_of("worker"))  # which may have been started again
            return bool(found)

        wait_for(is_there, "the worker's pool")
        return found

    def children(self) -> list[str]:
        """Command lines of every process that works for this state folder."""
        return processes_of(str(self.state), str(self.watch))

    def status(self, name: str) -> dict[str, Any] | None:
        """status.json of a set."""
        try:
            content: dict[str, Any] = json.loads((self.out / name / "status.json").read_bytes())
        except FileNotFoundError:
            return None
        return content

    def wait_settled(self, *names: str) -> None:
        """Wait until every set has a status for the bytes that lie in the watched folder."""
        for name in names:
            wait_for(lambda name=name: self.status(name) is not None, f"set {name}")  # type: ignore[misc]

    def events(self) -> list[dict[str, Any]]:
        """Structured log lines so far."""
        return self._events.of(self.log)


class Events:
    """Structured lines of a log that grows: each is decoded once, however often a test looks."""

    def __init__(self) -> None:
        self._lines: list[dict[str, Any]] = []
        self._read = 0

    def of(self, log: Path) -> list[dict[str, Any]]:
        """All of them so far."""
        with log.open("rb") as stream:
            stream.seek(self._read)
            whole = stream.read().rpartition(b"\n")[0]
        if whole:
            self._read += len(whole) + 1
            for text in whole.split(b"\n"):
                with suppress(ValueError):
                    line = json.loads(text)
                    if isinstance(line, dict):
                        self._lines.append(line)
        return list(self._lines)


def environment(watch: Path, out: Path, state: Path, **settings: str) -> dict[str, str]:
    """Environment with exactly these settings; delays that are none are for `tests.faults.quick`."""
    ours = {"WATCH": str(watch), "OUT": str(out), "STATE": str(state), "LOG": "json", **settings}
    named = {(quick.PREFIX if name in QUICK else "SCOREWATCH_") + name: value for name, value in ours.items()}
    # The bundled server always: one on PATH may be of any version.
    folders = [
        folder
        for folder in os.environ["PATH"].split(os.pathsep)
        if not any(Path(folder, server).exists() for server in SERVER_NAMES)
    ]
    return {**_without_settings(), **named, "PATH": os.pathsep.join(folders)}


def _without_settings() -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("SCOREWATCH_")}
    return {**kept, "PYTHONPATH": str(ROOT)}


def drop(folder: Path, *names: str, rows: int = 12, seed: int = 1) -> None:
    """Write realistic files of our own; the same name and seed give the same bytes."""
    for offset, name in enumerate(names):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        write_file(path, rows, seed=seed + offset)


def score_directly(home: Path, watch: Path) -> Path:
    """What `scorewatch score` writes for the watched folder: the reports that the service must match."""
    out = home / "expected"
    scorer = _scorer()
    assert scorer.stdin is not None
    assert scorer.stdout is not None
    scorer.stdin.write(f"{watch}\t{out}\n")
    scorer.stdin.flush()
    assert scorer.stdout.readline() in {"0\n", "1\n"}, "scoring without a service failed"
    return out


# One process for all: its imports cost more than what it scores.
SCORER = """
import os, sys
answers = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)
from cli.main import main
for line in sys.stdin:
    watch, out = line[:-1].split("\t")
    print(main(["score", watch, "--out", out]), file=answers, flush=True)
"""


@cache
def _scorer() -> subprocess.Popen[str]:
    scorer = subprocess.Popen(
        [sys.executable, "-c", SCORER],
        cwd=ROOT,
        env=_without_settings(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )

    def end() -> None:
        scorer.communicate()

    atexit.register(end)
    return scorer


# What tells of other sets or of the past is outside the promise that a report is a function of its key.
NO_REPORT = (
    "index.md",
    "index.html",
    CHANGES_MD,
    CHANGES_HTML,
    CHANGES_SVG,
    COMPARE_MD,
    COMPARE_HTML,
    COMPARE_JSON,
    BASELINE_JSON,
    SUMMARY_HTML,
    SUMMARY_JSON,
    SUMMARY_MD,
    HISTORY,
    WORK_AREA,
)


def report_files(out: Path) -> dict[str, bytes]:
    """Every file of every report, by its path below the output folder."""
    found = {}
    for path in sorted(out.rglob("*")):
        name = path.relative_to(out).as_posix()
        is_trend = "/" not in name and name.startswith("trend-")
        if path.is_file() and not is_trend and not set(NO_REPORT).intersection(name.split("/")):
            found[name] = path.read_bytes()
    return found


def wait_for(
    is_true: Callable[[], bool], what: str, seconds: float = LONGEST_SECONDS, *, every: float = POLL_SECONDS
) -> None:
    """Wait for a condition; fail by name when it does not come true. every: seconds between two looks."""
    deadline = time.monotonic() + seconds
    while not is_true():
        if time.monotonic() > deadline:
            raise AssertionError(f"waited {seconds:.0f} s for {what}")
        time.sleep(every)


def processes_of(*marks: str) -> list[str]:
    """Command lines of the other processes that have one of these texts in their arguments or environment."""
    lines = []
    for pid, _ in _parents():
        with suppress(OSError):
            environ = Path(f"/proc/{pid}/environ").read_bytes().decode(errors="replace")
            line = command_line(pid)
            if pid != os.getpid() and line and any(mark in environ or mark in line for mark in marks):
                lines.append(line)
    return lines


def children_of(parent: int) -> list[int]:
    """Process ids of the children that run."""
    return [pid for pid, above in _parents() if above == parent]


def _parents() -> list[tuple[int, int]]:
    """(pid, parent's pid) of every process that runs."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with suppress(OSError, IndexError, ValueError):
                fields = (entry / "stat").read_text(errors="replace").rpartition(")")[2].split()
                if fields[0] != "Z":
                    found.append((int(entry.name), int(fields[1])))
    return found
