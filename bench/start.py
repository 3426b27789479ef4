"""How long `scorewatch status` and `score` take from their start, whole processes beside the bare interpreter.

    python -m bench.start [--sets 10000] [--times 7]

What they may import is held by tests/cli/test_light_start.py; this says what it costs.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import msgspec

from bench.make_csv import write_file
from bench.score import SMALL_ROWS, Cost, run
from cli.main import main as scorewatch
from reporting.store.json import encode_json
from reporting.store.status import STATUS_JSON, read_status

SETS = 10_000
TIMES = 7
_CODES = "import sys; from cli.main import main; main(sys.argv[1:])"  # whatever the exit code says of the sets


def fill(out: Path, sets: int, sample: Path) -> None:
    """Folders of so many sets, each with the status of the sample under a name of its own, as `status` reads them."""
    status = read_status(sample / STATUS_JSON)
    assert status is not None
    for number in range(sets):
        name = f"resume_agent_{number:05}"
        folder = out / name
        folder.mkdir(parents=True)
        (folder / STATUS_JSON).write_bytes(encode_json(msgspec.structs.replace(status, set=name)))


def measure(name: str, command: Sequence[str], times: int) -> list[Cost]:
    """Run a command so many times after one that warms the caches, and print the median and the range."""
    run(command)
    costs = [run(command) for _ in range(times)]
    for what, values in (
        ("CPU", [cost.cpu_seconds for cost in costs]),
        ("wall", [cost.wall_seconds for cost in costs]),
    ):
        print(f"{name:36} {what:4} {statistics.median(values):.2f} s ({min(values):.2f} to {max(values):.2f})")
    return costs


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure in a temporary folder."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", type=int, default=SETS)
    parser.add_argument("--times", type=int, default=TIMES)
    asked = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        file = home / "resume_agent_sample.csv"
        write_file(file, SMALL_ROWS, seed=1)
        scorewatch(["score", str(file), "--out", str(home / "sample"), "--quiet"])
        fill(home / "many", asked.sets, home / "sample" / file.stem)
        status = [sys.executable, "-c", _CODES, "--config", str(home / "settings.toml"), "status"]
        measure("bare interpreter", [sys.executable, "-c", "pass"], asked.times)
        for name, out in (("status, no set", home / "none"), (f"status, {asked.sets:,} sets", home / "many")):
            settings = {"out": out, "state": home / "state", "watch": home / "in"}
            lines = [f"{key} = {str(path)!r}\n" for key, path in settings.items()]
            (home / "settings.toml").write_text("".join(lines), encoding="utf-8")
            measure(name, status, asked.times)
        score = [sys.executable, "-m", "cli.main", "score", str(file), "--out", str(home / "out"), "--quiet"]
        measure(f"score, one file of {SMALL_ROWS} rows", score, asked.times)
    return 0


if __name__ == "__main__":
    sys.exit(main())
