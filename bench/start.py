"""How long `scorewatch status` and `score` take from their start, whole processes beside the bare interpreter.

    python -m bench.start [--sets 10000] [--times 7]

What they may import is held by tests/cli/test_light_start.py; this says what it costs.
"""

import argparse
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import msgspec

from bench.make_csv import write_file
from bench.score import SMALL_ROWS, run
from bench.targets import TIMES, Figure, Target, alternate, print_table
from cli.main import main as scorewatch
from reporting.store import STATUS, STATUS_JSON, encode_json

SETS = 10_000
MOST_OF_STATUS, MOST_OF_MANY, MOST_OF_SCORE = Target(0.35), Target(1.0), Target(0.45)
_NOTHING = [sys.executable, "-c", "pass"]
_CODES = "import sys; from cli.main import main; main(sys.argv[1:])"  # whatever the exit code says of the sets


def fill(out: Path, sets: int, sample: Path) -> None:
    """Folders of so many sets, each with the status of the sample under a name of its own, as `status` reads them."""
    status = STATUS.read(sample)
    assert status is not None
    for number in range(sets):
        name = f"resume_agent_{number:05}"
        folder = out / name
        folder.mkdir(parents=True)
        (folder / STATUS_JSON).write_bytes(encode_json(msgspec.structs.replace(status, set=name)))


def measure(name: str, command: Sequence[str], target: Target, times: int) -> list[Figure]:
    """CPU and wall of a command, after a run that warms the caches, in turn with the bare interpreter."""
    run(command)
    floors, costs = zip(*alternate(lambda: run(_NOTHING), lambda: run(command), times), strict=True)
    return [
        Figure(
            f"{name}: CPU",
            [cost.cpu_seconds for cost in costs],
            " s",
            target,
            [floor.cpu_seconds for floor in floors],
        ),
        Figure(f"{name}: wall", [cost.wall_seconds for cost in costs], " s"),
    ]


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure in a temporary folder; 0 when every target is met."""
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
        figures: list[Figure] = []
        for name, out, target in (
            ("`status`, no set", home / "none", MOST_OF_STATUS),
            (f"`status`, {asked.sets:,} sets", home / "many", MOST_OF_MANY),
        ):
            settings = {"out": out, "state": home / "state", "watch": home / "in"}
            lines = [f"{key} = {str(path)!r}\n" for key, path in settings.items()]
            (home / "settings.toml").write_text("".join(lines), encoding="utf-8")
            figures += measure(name, status, target, asked.times)
        score = [sys.executable, "-m", "cli.main", "score", str(file), "--out", str(home / "out"), "--quiet"]
        figures += measure(f"`score`, {SMALL_ROWS} rows", score, MOST_OF_SCORE, asked.times)
    return print_table(figures)


if __name__ == "__main__":
    sys.exit(main())
