"""`scorewatch plan SET`: what to do next time, one more round or more questions.

Exit code 0, 2 for usage, 4 for a set that has no report or nothing that varies. Nothing is written.
"""

from collections.abc import Iterator
from typing import Any

import click

from cli.comparison import folder_of_report, unreadable
from cli.localised import Command, language_option, option, spoken
from cli.process_exit import EXIT_UNDECIDABLE
from cli.score import load_score_settings
from cli.set_names import missing_report
from reporting.comparison import size_text
from reporting.data import Report
from reporting.runs import UnreadableRunError, read_report
from reporting.store import STATUS, State, encode_json
from reporting.summary import Plan, figure_title, flips_text, half_width, plan_of
from reporting.wording import clean, count, percent
from scoring import number
from scoring.comparison import SHARES, length_of
from texts import Texts


@click.command(cls=Command, help="help.plan")
@click.argument("name", metavar="SET", required=False)
@option("--find", metavar="CHANGE", help="option.plan-find")
@option("--json", "as_json", is_flag=True, help="option.plan-json")
@language_option
@click.pass_context
def command(context: click.Context, *, name: str | None, find: str | None, as_json: bool) -> None:
    """Say what one more round or more questions would show."""
    settings, t = load_score_settings(), spoken()
    if name is None:
        raise missing_report("plan SET", settings.out)
    folder = folder_of_report(name, settings)
    status = STATUS.read(folder)
    if status is not None and status.state is not State.REPORT:
        click.echo(t("plan.no-report", name=clean(status.set)), err=True)
        context.exit(EXIT_UNDECIDABLE)
    try:
        report = read_report(folder)
        plan = plan_of(folder, report)
    except UnreadableRunError:
        raise unreadable(name, folder) from None
    if plan is None:
        click.echo(t("plan.none", name=clean(report.set)), err=True)
        context.exit(EXIT_UNDECIDABLE)
    change = None if find is None else _change(find, plan, report, t)
    if as_json:
        click.echo(encode_json(_as_json(plan, report, change)).decode(), nl=False)
        return
    head, *lines = _lines(plan, report, change, t)
    click.echo(head)
    for line in lines:
        click.echo(f"  {line}")


def _change(written: str, plan: Plan, report: Report, t: Texts) -> float:
    """The change to be found, of a share as a part of 1. Raises click.UsageError."""
    is_share = plan.figure in SHARES
    text = written.strip()
    bare = text.removesuffix("%p").removesuffix("pp").strip()
    value = number(bare) if is_share == (bare != text) else None
    most = length_of(plan.figure, report.basis.points.length)
    found = None if value is None else value / 100 if is_share else value
    if found is None or not 0 < found <= most:
        values = {"metric": figure_title(plan, report, t), "most": f"{most:g}", "found": clean(written)}
        raise click.UsageError(t("plan.find-share" if is_share else "plan.find-points", **values))
    return found


def _lines(plan: Plan, report: Report, change: float | None, t: Texts) -> Iterator[str]:
    """The figure with its error now, then what would make it smaller, one indented line each."""
    split = plan.split
    queries, rounds, icc = count(split.queries), count(split.rounds), split.icc or 0.0
    shown = {"queries": queries, "rounds": rounds}
    yield t("plan.head", metric=figure_title(plan, report, t), now=half_width(plan, t), **shown)
    more = split.rounds + 1
    yield t("plan.round", queries=queries, rounds=count(more), width=half_width(plan, t, rounds=more))
    as_many = count(round(split.queries_for_a_round))
    width = half_width(plan, t, queries=split.queries_for_a_round)
    yield t("plan.queries", queries=as_many, rounds=rounds, width=width)
    yield t("plan.split", between=percent(icc, 1.0), within=percent(1 - icc, 1.0))
    if not split.within:
        yield t("plan.change-none")
    else:
        sizes = {
            "change": split.smallest_change(),
            "queries": split.smallest_change(queries=2 * split.queries),
            "rounds": split.smallest_change(rounds=2 * split.rounds),
        }
        yield t("plan.change", **{name: size_text(plan.figure, size, t) for name, size in sizes.items()})
    if change is not None and (needed := _needed(plan, change)) is not None:
        yield t("plan.find", change=size_text(plan.figure, change, t), **{name: count(n) for name, n in needed.items()})
    yield from flips_text(plan, t)
    if plan.rounds_differ:
        yield t("summary.rounds-differ")


def _needed(plan: Plan, change: float) -> dict[str, int] | None:
    """Rounds of these queries or queries with these rounds that find a change, with their items; None for any."""
    rounds, queries = plan.split.rounds_for(change), plan.split.queries_for(change)
    if rounds is None or queries is None:
        return None
    items, other = rounds * plan.split.queries, queries * plan.split.rounds
    return {"rounds": rounds, "items": items, "queries": queries, "other": other}


def _as_json(plan: Plan, report: Report, change: float | None) -> dict[str, Any]:
    split = plan.split
    return {
        "set": report.set,
        "figure": plan.figure,
        "queries": split.queries,
        "rounds": split.rounds,
        "split": {"within": split.within, "between": split.between, "icc": split.icc, "n0": split.n0},
        "half_width": {
            "now": split.half_width(),
            "one_more_round": split.half_width(rounds=split.rounds + 1),
            "that_round_as_new_queries": split.half_width(queries=split.queries_for_a_round),
        },
        "smallest_change": split.smallest_change(),
        "find": None if change is None else {"change": change, "needed": _needed(plan, change)},
        "flips": plan.flips,
        "rounds_differ": plan.rounds_differ,
    }
