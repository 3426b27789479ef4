"""CPU time of `scorewatch score` on JSON beside the CSV of the same rows.

    python -m bench.records [--rows 20000] [--times 7]

Each form is scored right after the CSV, so that a busy machine slows both; printed is the ratio of the medians.
"""

from __future__ import annotations

import argparse
import csv
import json
import statistics
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from bench.make_csv import COLUMNS, make_rows, write_csv
from bench.score import DATA, product_command, run

RUBRIC = Path("config/rubrics/resume-agent.md")
PATTERN = "resume_agent_"
_PAYLOAD = "Raw JSON"


def flat_record(row: Sequence[str]) -> dict[str, object]:
    """A row as a record in which every value is a text."""
    return dict(zip(COLUMNS, row, strict=True))


def nested_record(row: Sequence[str]) -> dict[str, object]:
    """The same with the payload as an object, where it is one."""
    record = flat_record(row)
    with suppress(json.JSONDecodeError):
        record[_PAYLOAD] = json.loads(str(record[_PAYLOAD]))
    return record


def write_lines(path: Path, records: Iterator[dict[str, object]], *, ensure_ascii: bool) -> None:
    """One object a line, as `json.dumps` writes it."""
    with path.open("w", encoding="utf-8") as stream:
        stream.writelines(json.dumps(record, ensure_ascii=ensure_ascii) + "\n" for record in records)


def write_document(path: Path, records: Iterator[dict[str, object]]) -> None:
    """A list of objects."""
    path.write_text(json.dumps(list(records), ensure_ascii=False), encoding="utf-8")


FORMS: dict[str, tuple[str, Callable[[Path, Iterator[Sequence[str]]], None]]] = {
    "lines": (".jsonl", lambda path, rows: write_lines(path, map(flat_record, rows), ensure_ascii=False)),
    "lines, escaped": (".jsonl", lambda path, rows: write_lines(path, map(flat_record, rows), ensure_ascii=True)),
    "lines, payload nested": (
        ".jsonl",
        lambda path, rows: write_lines(path, map(nested_record, rows), ensure_ascii=False),
    ),
    "document": (".json", lambda path, rows: write_document(path, map(flat_record, rows))),
}


def compare(rows: int, times: int) -> None:
    """Print the medians of each form and of the CSV beside it."""
    DATA.mkdir(parents=True, exist_ok=True)
    table = DATA / f"resume_agent_{rows}.csv"
    with table.open("w", encoding="utf-8", newline="") as stream:
        write_csv(stream, make_rows(rows))
    for number, (form, (suffix, write)) in enumerate(FORMS.items(), start=1):
        path = DATA / f"resume_agent_{rows}_{number}{suffix}"
        write(path, make_rows(rows))
        seconds: dict[Path, list[float]] = {table: [], path: []}
        for _ in range(times):
            for file, taken in seconds.items():
                with tempfile.TemporaryDirectory() as out:
                    taken.append(run([*product_command(file, Path(out)), "--rubric", str(RUBRIC)]).cpu_seconds)
        of_table, of_form = (statistics.median(taken) for taken in seconds.values())
        size = path.stat().st_size / table.stat().st_size
        ratio = f"{of_form / of_table:.2f}x"
        print(f"{form} ({size:.2f} times the bytes): CSV {of_table:.2f} s, JSON {of_form:.2f} s CPU: {ratio}")


def main(arguments: Sequence[str] | None = None) -> int:
    """Command line, see the module."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=20_000)
    parser.add_argument("--times", type=int, default=7)
    options = parser.parse_args(arguments)
    csv.field_size_limit(sys.maxsize)
    compare(options.rows, options.times)
    return 0


if __name__ == "__main__":
    sys.exit(main())
