"""Commands in a folder of their own, and everything that they leave: files, what they print, and the exit code.

Nothing of the machine gets into what is recorded: the folder, its time zone, width and settings are always the same
ones, and what tells of the moment is replaced.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple
from unittest import mock

from tests.api import main
from tests.paths import ROOT

INPUT_TIME = 1_767_600_000  # what inputs were written at, so that no order follows the time of a check-out
_KEPT_VARIABLES = ("PATH", "HOME", "TMPDIR", "PYTHONHASHSEED", "VIRTUAL_ENV", "COVERAGE_PROCESS_START")
_LOCKS = re.compile(r"\.lock$")
_MARK = re.compile(rb'"mark":"[0-9a-f]{8}"')  # of a page, which the moments in it are part of
_TRACEBACK = re.compile(rb"(?m)^(Traceback [^\n]*\n)(?: [^\n]*\n)+")  # where in the code is none of its business


class Done(NamedTuple):
    """code: the exit code, or the name of an exception that got out."""

    code: int | str
    out: str
    err: str


Call = Callable[[Sequence[str], Mapping[str, str]], Done]


class Recorder:
    """Runs the steps of one case in its folder, and keeps what each left: `step/file` -> text."""

    def __init__(self, folder: Path, call: Call, environment: Mapping[str, str]) -> None:
        self.folder = folder
        self.outputs: dict[str, bytes] = {}
        self._call = call
        self._environment = environment
        self._before: dict[str, bytes] = {}
        self._moment = _moments()

    def note_inputs(self) -> None:
        """Take what lies in the folder as inputs, which are not recorded."""
        self._before = _files(self.folder)

    def run(self, step: str, *arguments: str) -> Done:
        """Run one command. A file counts as left by it that is new, or other than before."""
        done = self._call(arguments, self._environment)
        self.outputs[f"{step}/exit"] = str(done.code).encode()
        for name, data in (("stdout", done.out.encode()), ("stderr", _TRACEBACK.sub(rb"\1", done.err.encode()))):
            if data:
                self.outputs[f"{step}/{name}"] = self._stable(data)
        after = _files(self.folder)
        for name, data in after.items():
            if self._before.get(name) != data:
                self.outputs[f"{step}/{name}"] = self._stable(data, name)
        for name in self._before.keys() - after.keys():
            self.outputs[f"{step}/{name}"] = b"(removed)"
        self._before = after
        return done

    def sets(self) -> list[str]:
        """The names of the sets that have a report, as `status --json` tells them."""
        listed = json.loads(self._call(("status", "--json"), self._environment).out)["sets"]
        return [one["set"] for one in listed if one["state"] == "report"]

    def _stable(self, data: bytes, name: str = "") -> bytes:
        """The data without the folder, the moment, and orders that mean nothing."""
        if "/first-published/" in name:
            return b"<moment>"
        data, moments = self._moment.subn(b"<moment>", data.replace(str(self.folder).encode(), b"<folder>"))
        if moments:
            data = _MARK.sub(b'"mark":"<mark>"', data)
        if name.endswith(".json") and "/.scorewatch/" in name:  # read as a mapping, whose order means nothing
            with contextlib.suppress(ValueError):
                return json.dumps(json.loads(data), sort_keys=True, ensure_ascii=False, indent=1).encode()
        return data


def _moments() -> re.Pattern[bytes]:
    """Times of these days, which tell when a test ran; those of inputs are older."""
    today = datetime.now(UTC).date()
    days = "|".join((today + timedelta(days=shift)).isoformat() for shift in (-1, 0, 1))
    of_day = rf"(?:{days})(?:</bdi>)?[ T]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?: ?(?:Z|[+-]\d\d:?\d\d))?"
    of_line = r"(?m:^\d\d[:-]\d\d)(?= (?:✓|✗|–) )"  # of a set, as `status` has it
    return re.compile(f"{of_day}|{of_line}".encode())


def _files(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not _LOCKS.search(path.name)
    }


@contextlib.contextmanager
def recording(language: str, call: Call | None = None) -> Iterator[Recorder]:
    """An empty folder that is the working directory, with a recorder of what commands do there."""
    kept = {name: os.environ[name] for name in _KEPT_VARIABLES if name in os.environ}
    fixed = {"SCOREWATCH_LANGUAGE": language, "COLUMNS": "100", "LINES": "40", "LC_ALL": "C.UTF-8", "TZ": "UTC"}
    with tempfile.TemporaryDirectory(prefix="manifest-") as name, contextlib.chdir(name):
        yield Recorder(Path(name).resolve(), call or in_process, {**kept, **fixed})


def in_process(arguments: Sequence[str], environment: Mapping[str, str]) -> Done:
    """Run `scorewatch` within this process."""
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", newline="", write_through=True) for _ in range(2))
    with (
        mock.patch.dict(os.environ, environment, clear=True),
        mock.patch.object(sys, "stdin", io.StringIO("")),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        code: int | str
        try:
            code = main(list(arguments))
        except (KeyboardInterrupt, SystemExit):
            raise
        except BaseException as error:  # noqa: BLE001 -- a traceback, or a panic of Rust: which one is recorded
            code = type(error).__name__
    return Done(code, *(_text(stream) for stream in (out, err)))


def _text(stream: io.TextIOWrapper) -> str:
    stream.flush()
    buffer = stream.buffer
    assert isinstance(buffer, io.BytesIO)
    return buffer.getvalue().decode()


def as_process(arguments: Sequence[str], environment: Mapping[str, str]) -> Done:
    """Run `scorewatch` as a real process."""
    ran = subprocess.run(
        [sys.executable, "-m", "cli.main", *arguments],
        env={**environment, "PYTHONPATH": str(ROOT)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )
    return Done(ran.returncode, ran.stdout.decode(), ran.stderr.decode())
