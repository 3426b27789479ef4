"""Scoring a file that may have killed its worker, alone in a process with memory and time limits.

Run as `python -m workers.jobs.isolated FILE NAME RUBRIC PART MEGABYTES`. Only the death or time-out of that process
proves that the file is poison; earlier deaths may have had other causes.
"""

import contextlib
import errno
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import msgspec
import structlog

from config import without_settings
from reporting.store import private_folder
from scoring import Problem, TransientError
from scoring.items import score_file
from scoring.items.spool import Part, SpoolSpace, encode_stored, open_stored
from scoring.reading import open_regular
from scoring.rubric import Rubric, decode_rubric, encode_rubric
from workers.jobs.inputs import GiveUpError
from workers.processes import ending_with_us, limit_memory

DEATHS = 2  # one could be a stray kill -9
EX_TRANSIENT = 75
EX_MEMORY = 77

_log = structlog.get_logger()


def score_alone(
    real: str,
    *,
    name: str,
    rubric: Rubric,
    sha256: str,
    size: int,
    strikes: int,
    seconds: float,
    megabytes: int,
    out: Path,
) -> Part:
    """Score one file in a process of its own.

    real: its path without links; name: its name, for the extension; sha256, size: of the content that was planned;
    strikes: deaths counted before, for the message. seconds: for all attempts together. megabytes: of address space.
    out: output folder, whose work area takes the part. A file that kills its process twice or exceeds a limit gives a
    refused part with the problem "poisoned". Raises GiveUpError or OSError when the file cannot be read or the disk
    fails.
    """
    deadline = time.monotonic() + seconds
    reason = ""
    with private_folder(out) as folder:
        rubric_file, part_file = folder / "rubric.json", folder / "part"
        rubric_file.write_bytes(encode_rubric(rubric))
        for _ in range(DEATHS):
            arguments = [real, name, str(rubric_file), str(part_file), str(megabytes)]
            reason, part = _try(arguments, part_file, deadline - time.monotonic())
            if part is not None:
                return part
            if reason == "time":
                break
    problem = Problem(code="poisoned", values={"strikes": str(strikes), "reason": reason})
    return Part(sha256=sha256, size=size, rubric_digest=rubric.digest, refused=True, problems=(problem,))


def _try(arguments: Sequence[str], part_file: Path, seconds: float) -> tuple[str, Part | None]:
    """Why an attempt failed, or its part. arguments: of `main`."""
    command = [sys.executable, "-P", "-m", "workers.jobs.isolated", *arguments]
    root = str(Path(__file__).resolve().parents[2])
    path = os.pathsep.join(filter(None, [root, os.environ.get("PYTHONPATH", "")]))
    with subprocess.Popen(  # noqa: S603 -- our own command
        ending_with_us(signal.SIGKILL, *command),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        env={**without_settings(os.environ), "PYTHONPATH": path},
    ) as process:
        try:
            code = process.wait(timeout=max(seconds, 0.1))
        except subprocess.TimeoutExpired:
            process.kill()
            return "time", None
    _log.warning("scored alone", exit_code=code)
    if code == EX_TRANSIENT:
        raise GiveUpError("unreadable", "alone")
    if code == 0:
        with contextlib.suppress(OSError, msgspec.DecodeError):
            return "", open_stored(open_regular(part_file), Part)
    if code == EX_MEMORY:
        return "memory", None
    return (f"signal {-code}" if code < 0 else f"exit {code}"), None


def main(real: str, name: str, rubric_file: str, part_file: str, megabytes: str) -> int:
    """Score a file and write its part. Returns 0, EX_MEMORY, or EX_TRANSIENT when a file cannot be used."""
    limit_memory(int(megabytes), for_good=True)
    if sys.platform != "win32":
        import resource

        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    rubric = decode_rubric(Path(rubric_file).read_bytes())
    try:
        with open_regular(real) as stream:
            space = SpoolSpace(lambda: tempfile.TemporaryFile(dir=Path(part_file).parent))  # noqa: SIM115
            part = score_file(stream, name=name, rubric=rubric, space=space)
        with Path(part_file).open("wb") as stored:
            stored.writelines(encode_stored(part))
    except TransientError:
        return EX_TRANSIENT
    except OSError as error:
        return EX_MEMORY if error.errno == errno.ENOMEM else EX_TRANSIENT
    except MemoryError:
        return EX_MEMORY
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:6]))
