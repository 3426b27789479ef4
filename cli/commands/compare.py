"""`scorewatch compare`: did it get worse? Two runs compared query by query; of more, which is the best.

Exit code 0 whatever the verdict, 1 for inputs that cannot be scored, 2 for usage, 4 when the runs share no query.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from pathlib import Path

import click

from cli.commands.options import verbose_option
from cli.comparison import Side, load_sides
from cli.kept_files import Kept
from cli.localised import Command, PathType, language_option, option, spoken
from cli.process_exit import EXIT_UNDECIDABLE, collect_rarely
from cli.score import Rubrics, ScoreSettings, load_score_settings
from cli.screen import LEAST_NAME, Piece, bad_line, cut, fitted, say, verdict_pieces
from cli.set_names import missing_report
from reporting.comparison import (
    change_text,
    interval_text,
    list_title,
    lists_of,
    metric_of,
    notes_of,
    ranking_line,
    ranking_lines,
    run_name,
    sentence,
    told_figure,
    value_text,
    verdicts_text,
)
from reporting.runs import comparison_files, publish_comparison, publish_ranking, ranking_files, with_known
from reporting.store import (
    COMPARE_HTML,
    COMPARE_JSON,
    COMPARE_MD,
    RANKING_HTML,
    RANKING_JSON,
    RANKING_MD,
    Destination,
    sweep_temporary,
)
from reporting.wording import count
from scoring import InputError, Problem, TransientError, number
from scoring.comparison import Comparison, NoSharedQueryError, Verdict, compare_runs, rank_runs
from scoring.sets import shown
from texts import Texts

MOST_RUNS = 20
_COMPARED = (COMPARE_HTML, COMPARE_JSON, COMPARE_MD)
_RANKED = (RANKING_HTML, RANKING_JSON, RANKING_MD)


@click.command(cls=Command, help="help.compare")
@click.argument("names", nargs=-1, metavar="BEFORE AFTER…")
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
    names: tuple[str, ...],
    out: Path | None,
    margin: str | None,
    document: Path | None,
    as_json: bool,
    verbose: bool,
) -> None:
    """Compare two runs, or rank more of them, print a line, and write the pages where there is a place for them."""
    collect_rarely()
    settings = load_score_settings()
    if len(names) < 2:
        raise missing_report("compare BEFORE AFTER", settings.out)
    t = spoken()
    if len(names) > MOST_RUNS:
        raise click.UsageError(t("rank.too-many", limit=count(MOST_RUNS), n=count(len(names))))
    is_ranking = len(names) > 2
    if is_ranking and margin is not None:
        raise click.UsageError(t("rank.margin"))
    points = None if margin is None else _margin(margin)
    if out is not None:
        kept = Kept(inputs=[Path(name) for name in names], documents=(document, settings.rubrics))
        kept.refuse(*(out / name for name in (_RANKED if is_ranking else _COMPARED)))
    sides = load_sides(
        names,
        settings,
        Rubrics(settings.rubrics, document, language=settings.language),
        is_named=document is not None,
    )
    if is_ranking:
        _rank(context, sides, out, settings, as_json=as_json, verbose=verbose)
        return
    try:
        before, after = sides
        run = after.run if after.folder is None else with_known(after.run, after.folder)
        comparison = compare_runs(before.run, run, margin=points)
    except NoSharedQueryError:
        runs = {name: run_name(side.run, t) for name, side in zip(("before", "after"), sides, strict=True)}
        click.echo(t("compare.no-shared", **runs), err=True)
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


def _rank(
    context: click.Context,
    sides: Sequence[Side],
    out: Path | None,
    settings: ScoreSettings,
    *,
    as_json: bool,
    verbose: bool,
) -> None:
    """Rank more than two runs; the pages stand in the folder of reports where any of them has its report there."""
    t = spoken()
    try:
        ranking = rank_runs([side.run for side in sides])
    except NoSharedQueryError:
        click.echo(t("rank.no-shared"), err=True)
        context.exit(EXIT_UNDECIDABLE)
    reports = [side.folder for side in sides]
    root = settings.out.absolute()
    is_there = any(report is not None and report.absolute().is_relative_to(root) for report in reports)
    folder = out or (settings.out if is_there else None)
    if folder is None:
        files = ranking_files(ranking, language=settings.language, pages=[""] * len(sides))
    else:
        files = _published(
            folder, settings, lambda destination: publish_ranking(ranking, folder, destination, reports=reports)
        )
    if as_json:
        click.echo(files[RANKING_JSON].decode(), nl=False)
        return
    click.echo(ranking_line(ranking, t))
    for line in ranking_lines(ranking, t) if verbose or ranking.board is not None else ():
        click.echo(f"  {line}")
    if folder is not None:
        click.echo(t("compare.written", path=shown(str(folder / RANKING_HTML))))


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
    reports = before.folder, after.folder
    files = _published(
        folder, settings, lambda destination: publish_comparison(comparison, folder, destination, reports=reports)
    )
    return files, folder


def _published(
    folder: Path, settings: ScoreSettings, publish: Callable[[Destination], dict[str, bytes]]
) -> dict[str, bytes]:
    """The files that were written into a folder. Raises InputError when they cannot be."""
    area = settings.out if folder.absolute().is_relative_to(settings.out.absolute()) else folder
    if area is not folder or area.is_dir():
        sweep_temporary(area)
    try:
        return publish(settings.destination(area))
    except TransientError as error:
        source, values = shown(str(folder / COMPARE_HTML)), {"reason": str(error)}
        raise InputError((Problem(code="file-not-written", source=source, values=values),)) from error


def _line(comparison: Comparison, t: Texts) -> str:
    """The later run, what it was compared with over how many queries, and what came of it."""
    if comparison.damaged:
        return bad_line(run_name(comparison.after, t), sentence(comparison, t))
    told = told_figure(comparison, t)
    is_compared = told.verdict not in {Verdict.NOT_COMPARABLE, Verdict.NO_VALUE}
    pieces = [
        Piece(t("compare.line-before", name=cut(run_name(comparison.before, t), LEAST_NAME))),
        Piece(t.counted("queries", count(len(comparison.pairing.shared))), goes=1),
        *verdict_pieces(told, len(comparison.lists.now_fails), t, known=len(comparison.known_fails or ())),
    ]
    return fitted(*(("✓", "green") if is_compared else ("–", "yellow")), run_name(comparison.after, t), pieces)


def _details(comparison: Comparison, t: Texts) -> Iterator[str]:
    """Notes, the sentence, every metric, and how long the lists are."""
    yield from (note.text for note in notes_of(comparison, t))
    if comparison.damaged:
        yield from chain.from_iterable(run.damage for run in comparison.damaged)
        return
    yield sentence(comparison, t)
    for change in comparison.groups[0].changes:
        if change.queries:
            values = " → ".join(value_text(change.metric, value) for value in (change.before, change.after))
            difference = change_text(change, t)
            interval = interval_text(change.metric, change.interval, t)
            name = metric_of(comparison.after, change.metric, t)
            yield f"{name}: {values}, {difference} ({interval}), {verdicts_text(change, comparison.margin, t)}"
    yield ", ".join(list_title(name, comparison, t) for name in lists_of(comparison))
