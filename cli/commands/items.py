"""`scorewatch items SET`: the items of a report for a shell, all of them or those that a page's address leaves.

Exit code 0 also when no item fits, 2 for usage: an unknown set, an address that the page would not apply.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

import click
import msgspec

from cli.addresses import choose_items
from cli.comparison import folder_of_report, unreadable
from cli.localised import Command, language_option, option, spoken
from cli.score import load_score_settings
from cli.screen import cells, cut, say
from cli.set_names import missing_report
from reporting.data import Record, Value
from reporting.runs import Chosen, StoredReport, UnreadableRunError
from reporting.store import PROBLEM_MD, REPORT_JSON
from reporting.wording import clean, count

CSV, JSON, JSONL, TABLE = "csv", "json", "jsonl", "table"
_SHOWN = ("query_id", "round", "track", "category", "status", "why", "passed")  # of a table, before the points
_POINTS = ("intent", "accuracy", "rubrics", "stability", "latency", "seconds", "question")
_ROOM = 36  # cells of a text in a table


@click.command(cls=Command, help="help.items")
@click.argument("name", metavar="SET", required=False)
@option("--where", metavar="ADDRESS", help="option.items-where")
@option(
    "--format",
    "kind",
    type=click.Choice([TABLE, CSV, JSON, JSONL], case_sensitive=False),
    default=TABLE,
    metavar="table|csv|json|jsonl",
    help="option.items-format",
)
@language_option
def command(*, name: str | None, where: str | None, kind: str) -> int:
    """Print the items."""
    settings = load_score_settings()
    if name is None:
        raise missing_report("items SET", settings.out)
    folder = folder_of_report(name, settings)
    if not (folder / REPORT_JSON).exists() and (folder / PROBLEM_MD).exists():
        raise click.UsageError(spoken()("compare.refused", name=clean(name)))
    try:
        report = StoredReport(folder)
        _show(report, None if where is None else choose_items(report, where), kind)
    except UnreadableRunError:
        raise unreadable(name, folder) from None
    return 0


def _show(report: StoredReport, chosen: Chosen | None, kind: str) -> None:
    is_chosen = None if chosen is None else chosen.is_chosen
    if kind == CSV:
        for line in report.lines(is_chosen):
            click.echo(line, nl=False)
    elif kind == TABLE:
        _show_table(list(map(_row, report.items(is_chosen))))
    else:
        for text in _json(report.items(is_chosen), is_list=kind == JSON):
            click.echo(text, nl=False)
    t = spoken()
    if chosen is not None and chosen.left_out:
        click.echo(t("where.left-out", n=count(chosen.left_out), total=count(report.n)), err=True)
    if kind == TABLE:
        n = report.n if is_chosen is None else sum(is_chosen)
        click.echo(t("items.counted", n=count(n), total=count(report.n)))


def _json(records: Iterable[Record], *, is_list: bool) -> Iterator[str]:
    """One object a line, between brackets for a list."""
    lines = (msgspec.json.encode(record).decode() for record in records)
    if not is_list:
        yield from (f"{line}\n" for line in lines)
        return
    first = next(lines, None)
    yield "[" if first is None else f"[\n{first}"
    yield from (f",\n{line}" for line in lines)
    yield "]\n" if first is None else "\n]\n"


def _row(record: Record) -> dict[str, str]:
    scores = [name for name in record if name.startswith(("score_", "measure_"))]
    return {name: _cell(record[name]) for name in chain(_SHOWN, _POINTS[:-2], scores, _POINTS[-2:]) if name in record}


def _cell(value: Value) -> str:
    if isinstance(value, float):
        return f"{value:g}"
    text = str(value).lower() if isinstance(value, bool) else str(value)
    return "–" if value in {None, ""} else cut(text, _ROOM)


def _show_table(rows: Sequence[dict[str, str]]) -> None:
    """Columns that say something, as wide as their cells."""
    names = [name for name in (rows[0] if rows else ()) if any(row[name] != "–" for row in rows)]
    lines = [{name: name for name in names}, *rows]
    width = {name: max(cells(line[name]) for line in lines) for name in names}
    for line in lines if names else ():
        say("  ".join(line[name] + " " * (width[name] - cells(line[name])) for name in names).rstrip())
