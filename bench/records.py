"""CPU time of `scorewatch score` on JSON beside the CSV of the same rows.

    python -m bench.records [--rows 20000] [--times 7]

Runs of each form alternate with runs of the CSV, so that a busy machine slows both.
"""

import argparse
import csv
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path

from bench.make_csv import COLUMNS, make_rows, write_csv
from bench.score import DATA, run_product
from bench.targets import TIMES, Figure, Target, alternate, print_table

RUBRIC = Path("config/rubrics/resume-agent.md")
MOST_OF_CSV = Target(1.2)
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


def compare(rows: int, times: int) -> list[Figure]:
    """Each form beside the CSV."""
    DATA.mkdir(parents=True, exist_ok=True)
    table = DATA / f"resume_agent_{rows}.csv"
    with table.open("w", encoding="utf-8", newline="") as stream:
        write_csv(stream, make_rows(rows))
    figures = []
    for number, (form, (suffix, write)) in enumerate(FORMS.items(), start=1):
        path = DATA / f"resume_agent_{rows}_{number}{suffix}"
        write(path, make_rows(rows))
        pairs = alternate(partial(_cpu_seconds, table), partial(_cpu_seconds, path), times)
        size = path.stat().st_size / table.stat().st_size
        name = f"JSON, {form}, {size:.2f} times the bytes, {rows:,} rows: CPU of that of CSV"
        ratios = [of_form / of_table for of_table, of_form in pairs]
        figures.append(Figure(name, ratios, "x", MOST_OF_CSV, [of_table for of_table, _ in pairs]))
    return figures


def _cpu_seconds(path: Path) -> float:
    return run_product(path, "--rubric", str(RUBRIC)).cpu_seconds


def main(arguments: Sequence[str] | None = None) -> int:
    """Command line, see the module; 0 when the target is met."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=20_000)
    parser.add_argument("--times", type=int, default=TIMES)
    options = parser.parse_args(arguments)
    csv.field_size_limit(sys.maxsize)
    return print_table(compare(options.rows, options.times))


if __name__ == "__main__":
    sys.exit(main())
