"""`scorewatch compare`: did it get worse? Two runs compared query by query.

Exit code 0 whatever the verdict, 1 for inputs that cannot be scored, 2 for usage, 4 when the runs share no query.
"""

from collections.abc import Iterator
from pathlib import Path

import click

from cli.commands.options import verbose_option
from cli.comparison import Side, load_sides
from cli.kept_files import Kept
from cli.localised import Command, PathType, language_option, option, spoken
from cli.process_exit import EXIT_UNDECIDABLE, collect_rarely
from cli.score import Rubrics, ScoreSettings, load_score_settings
from cli.screen import LEAST_NAME, Piece, cut, fitted, say, verdict_pieces
from cli.set_names import known_sets, missing_set
from reporting.comparison import (
    LISTS,
    change_text,
    interval_text,
    metric_of,
    notes_of,
    run_name,
    sentence,
    told_figure,
    value_text,
    verdicts_text,
)
from reporting.runs import comparison_files, publish_comparison
from reporting.store import COMPARE_HTML, COMPARE_JSON, COMPARE_MD, State, sweep_temporary
from reporting.wording import count
from scoring import InputError, Problem, TransientError, number
from scoring.comparison import Comparison, NoSharedQueryError, Verdict, compare_runs
from scoring.sets import shown
from texts import Texts


@click.command(cls=Command, help="help.compare")
@click.argument("before", metavar="BEFORE", required=False)
@click.argument("after", metavar="AFTER", required=False)
@option("--out", type=PathType("folder"), metavar="DIR", help="option.compare-out")
@option("--margin", metavar="POINTS", help="option.compare-margin")
@option("--rubric", "document", type=PathType(), metavar="FILE|PROFILE", help="option.compare-rubric")
@option("--json", "as_json", is_flag=True, help="option.compare-json")
@verbose_option
@language_option
@click.pass_context
def command(
    context: click.Context,
    *,
    before: str | None,
    after: str | None,
    out: Path | None,
    margin: str | None,
    document: Path | None,
    as_json: bool,
    verbose: bool,
) -> None:
    """Compare two runs, print a line, and write the pages where there is a place for them."""
    collect_rarely()
    settings = load_score_settings()
    if before is None or after is None:
        sets = known_sets(settings.out)
        raise missing_set("compare BEFORE AFTER", [one.set_name for one in sets if one.status.state is State.REPORT])
    points = None if margin is None else _margin(margin)
    if out is not None:
        kept = Kept(inputs=(Path(before), Path(after)), documents=(document, settings.rubrics))
        kept.refuse(*(out / name for name in (COMPARE_HTML, COMPARE_JSON, COMPARE_MD)))
    sides = load_sides(
        [before, after],
        settings,
        Rubrics(settings.rubrics, document, language=settings.language),
        is_named=document is not None,
    )
    t = spoken()
    try:
        comparison = compare_runs(*(side.run for side in sides), margin=points)
    except NoSharedQueryError:
        names = {name: run_name(side.run, t) for name, side in zip(("before", "after"), sides, strict=True)}
        click.echo(t("compare.no-shared", **names), err=True)
        context.exit(EXIT_UNDECIDABLE)
    files, folder = _write(comparison, sides, out, settings)
    if as_json:
        click.echo(files[COMPARE_JSON].decode(), nl=False)
        return
    say(_line(comparison, t))
    for line in _details(comparison, t) if verbose else [sentence(comparison, t)] if points is not None else ():
        say(f"  {line}")
    if folder is not None:
        click.echo(t("compare.written", path=shown(str(folder / COMPARE_HTML))))


def _margin(written: str) -> float:
    points = number(written)
    if points is None or points <= 0:
        raise click.UsageError(spoken()("compare.margin"))
    return points


def _write(
    comparison: Comparison, sides: list[Side], out: Path | None, settings: ScoreSettings
) -> tuple[dict[str, bytes], Path | None]:
    """The files by name, and the folder they were written to; None where there is no place for them.

    Raises InputError when they cannot be written.
    """
    before, after = sides
    folder = out or after.folder
    if folder is None:
        return comparison_files(comparison, language=settings.language), None
    area = settings.out if folder.absolute().is_relative_to(settings.out.absolute()) else folder
    if area is not folder or area.is_dir():
        sweep_temporary(area)
    try:
        reports = before.folder, after.folder
        files = publish_comparison(comparison, folder, settings.destination(area), reports=reports)
    except TransientError as error:
        source, values = shown(str(folder / COMPARE_HTML)), {"reason": str(error)}
        raise InputError((Problem(code="file-not-written", source=source, values=values),)) from error
    return files, folder


def _line(comparison: Comparison, t: Texts) -> str:
    """The later run, what it was compared with over how many queries, and what came of it."""
    told = told_figure(comparison, t)
    is_compared = told.verdict not in {Verdict.NOT_COMPARABLE, Verdict.NO_VALUE}
    pieces = [
        Piece(t("compare.line-before", name=cut(run_name(comparison.before, t), LEAST_NAME))),
        Piece(t.counted("queries", count(len(comparison.pairing.shared))), goes=1),
        *verdict_pieces(told, len(comparison.lists.now_fails), t),
    ]
    return fitted(*(("✓", "green") if is_compared else ("–", "yellow")), run_name(comparison.after, t), pieces)


def _details(comparison: Comparison, t: Texts) -> Iterator[str]:
    """Notes, the sentence, every metric, and how long the lists are."""
    yield from (note.text for note in notes_of(comparison, t))
    yield sentence(comparison, t)
    for change in comparison.groups[0].changes:
        if change.queries:
            values = " → ".join(value_text(change.metric, value) for value in (change.before, change.after))
            difference = change_text(change, t)
            interval = interval_text(change.metric, change.interval, t)
            name = metric_of(comparison.after, change.metric, t)
            yield f"{name}: {values}, {difference} ({interval}), {verdicts_text(change, comparison.margin, t)}"
    yield ", ".join(
        t("compare.list-count", name=t(f"compare.list.{name}"), n=count(len(getattr(comparison.lists, name))))
        for name in LISTS
    )
