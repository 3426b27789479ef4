"""`scorewatch review SET --for NAME`: the sheet for a reviewer; `--merge FILE…` takes it back.

`--show` tells what became of the rows of every review file, `--withdraw NAME` takes the grades of a person back.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from cli.comparison import folder_of_report, unreadable
from cli.kept_files import Kept
from cli.localised import Command, PathType, language_option, option, refusing_to_start, spoken
from cli.process_exit import EXIT_PROBLEMS, collect_rarely
from cli.review import (
    default_name,
    find_reviews,
    put_into_set,
    rubric_of,
    score_again,
    tallies,
    whole_answers,
    withdraw,
)
from cli.score import Rubrics, ScoreSettings, load_score_settings
from cli.set_names import missing_report
from reporting import ReviewSheet, Wanted, make_sheet, write_sheet
from reporting.data import ItemsFileError
from reporting.index import REVIEW_CODES, write_index
from reporting.runs import UnreadableRunError, read_report
from reporting.store import ITEMS_CSV, ReviewShelf, read_unused
from reporting.wording import Tally, clean, count, describe
from scoring import InputError, Problem
from scoring.review import graded_metrics
from scoring.rubric import Rubric
from scoring.statistics import QUERIES_FOR_INTERVAL, QUERIES_FOR_VALUE
from texts import Texts

_SUFFIXES = (".xlsx", ".csv")
ROWS = 60


@click.command(cls=Command, help="help.review")
@click.argument("names", nargs=-1, metavar="SET|FILE…")
@option("--for", "reviewer", metavar="NAME", help="option.review-for")
@option("--n", "rows", type=click.IntRange(min=0), default=ROWS, metavar="N", help="option.review-n")
@option("--metric", metavar="METRIC", default="", help="option.review-metric")
@option("--blind", is_flag=True, help="option.review-blind")
@option("-o", "--output", type=PathType("file"), metavar="FILE", help="option.review-output")
@option("--merge", is_flag=True, help="option.review-merge")
@option("--show", is_flag=True, help="option.review-show")
@option("--withdraw", metavar="NAME", help="option.review-withdraw")
@language_option
@click.pass_context
def command(
    context: click.Context,
    *,
    names: Sequence[str],
    reviewer: str | None,
    rows: int,
    metric: str,
    blind: bool,
    output: Path | None,
    merge: bool,
    show: bool,
    withdraw: str | None,
) -> None:
    """Write, take back, show or withdraw."""
    collect_rarely()
    t = spoken()
    if sum((merge, show, withdraw is not None, reviewer is not None)) > 1:
        raise click.UsageError(t("review.usage-one"))
    settings = load_score_settings()
    rubrics = Rubrics(settings.rubrics, None, language=settings.language)
    if merge:
        problems = _merge(names, settings, rubrics)
    elif show:
        problems = _show(names, settings, rubrics)
    elif withdraw is not None:
        problems = _withdraw(withdraw.strip(), names, settings, rubrics)
    else:
        wanted = Wanted((reviewer or "").strip(), rows, metric, blind)
        problems = _write(names, wanted, output, settings, rubrics)
    for problem in problems:
        click.echo(describe(problem, t.language), err=True)
    if problems:
        context.exit(EXIT_PROBLEMS)


def _write(
    names: Sequence[str], wanted: Wanted, output: Path | None, settings: ScoreSettings, rubrics: Rubrics
) -> list[Problem]:
    t = spoken()
    if len(names) != 1:
        raise missing_report("review SET --for NAME", settings.out)
    if not wanted.reviewer:
        raise click.UsageError(t("review.usage-for"))
    folder = folder_of_report(names[0], settings)
    try:
        report = read_report(folder)
    except UnreadableRunError:
        raise unreadable(names[0], folder) from None
    rubric = rubric_of(report, rubrics)
    _refuse_metric(wanted.metric, rubric)
    path = output or Path(default_name(report.set, wanted.reviewer))
    if path.suffix.casefold() not in _SUFFIXES:
        raise click.UsageError(t("review.usage-output", file=clean(str(path))))
    Kept(inputs=(settings.watch,), documents=(settings.rubrics,), reports=(settings.out,)).refuse(path)
    with refusing_to_start("service.not-writable"):
        try:
            sheet = make_sheet(folder, report, rubric, wanted)
        except ItemsFileError as error:
            values = {"file": clean(str(folder / ITEMS_CSV)), "line": str(error.line)}
            raise click.UsageError(t("review.damaged", **values)) from None
        if not sheet.rows:
            click.echo(t("review.nothing"))
            return []
        whole = whole_answers(sheet, settings, rubrics)
        write_sheet(path, sheet, t, whole)
    flagged = sum(row.key.sample.value == "flagged" for row in sheet.rows)
    numbers = {"rows": count(len(sheet.rows)), "random": count(sheet.random), "flagged": count(flagged)}
    click.echo(t("review.written", file=clean(str(path)), **numbers))
    if lost := len(sheet.cut) - len(whole):
        click.echo(t("review.written-cut", n=count(lost)))
    for line in _missing(sheet, t):
        click.echo(line)
    return []


def _missing(sheet: ReviewSheet, t: Texts) -> Iterator[str]:
    """How many rows a corrected figure and its interval take, where these have too few random questions."""
    least = {"value": QUERIES_FOR_VALUE, "interval": QUERIES_FOR_INTERVAL}
    for what, queries in least.items():
        rows = sheet.rows_for[queries]
        if not rows:
            yield t("review.rows-for.too-few", **{name: count(n) for name, n in least.items()})
            return
        if sheet.random < queries:
            yield t(f"review.rows-for.{what}", queries=count(queries), rows=str(rows))


def _refuse_metric(metric: str, rubric: Rubric) -> None:
    known = graded_metrics(rubric)
    if not known or (metric and metric not in known):
        raise click.UsageError(spoken()("review.no-metric", metric=clean(metric), known=", ".join(known) or "—"))


def _merge(names: Sequence[str], settings: ScoreSettings, rubrics: Rubrics) -> list[Problem]:
    t = spoken()
    if not names:
        raise click.UsageError(t("review.usage-merge"))
    given = ReviewShelf(settings.adjudicator or "")
    places: list[Path] = []
    for name in names:
        path = Path(name)
        with refusing_to_start("service.not-writable"):
            if not given.take(path):
                raise click.UsageError(t("review.not-one", file=clean(name)))
            file = given.found[str(path)]
            if not file.grades:
                click.echo(t("review.no-set", file=clean(name)))
                continue
            places.append(put_into_set(path, file, settings.out))
            click.echo(t("review.merged", file=clean(name), place=clean(str(places[-1]))))
    sets = {grade.key.set_name for grade in given.grades()}
    problems = _again(sets, settings, rubrics) if places else []
    merged = {str(place) for place in places}
    shelf = find_reviews(settings)
    told = [
        one for path, one in zip(sorted(shelf.found), tallies(shelf, settings, rubrics), strict=True) if path in merged
    ]
    refused = [
        problem for file in given.found.values() for problem in (*file.refused, *file.problems) if not file.grades
    ]
    return [*problems, *_told(told), *refused]


def _show(names: Sequence[str], settings: ScoreSettings, rubrics: Rubrics) -> list[Problem]:
    shelf = find_reviews(settings)
    wanted = set(names)
    found = [
        one
        for (_, file), one in zip(sorted(shelf.found.items()), tallies(shelf, settings, rubrics), strict=True)
        if not wanted or any(grade.key.set_name in wanted for grade in file.grades)
    ]
    if not found:
        click.echo(spoken()("review.none"))
    return _told(found)


def _withdraw(name: str, names: Sequence[str], settings: ScoreSettings, rubrics: Rubrics) -> list[Problem]:
    t = spoken()
    shelf = find_reviews(settings)
    sets = {grade.key.set_name for grade in shelf.grades() if grade.reviewer == name}
    with refusing_to_start("service.not-writable"):
        lines = list(withdraw(shelf, name, names[0] if names else None))
    for line in lines or [t("review.withdraw-none", name=clean(name))]:
        click.echo(line)
    return _again(sets, settings, rubrics) if lines else []


def _again(sets: set[str], settings: ScoreSettings, rubrics: Rubrics) -> list[Problem]:
    try:
        problems = score_again(sets, settings, rubrics)
    except InputError as error:
        return list(error.problems)
    unused = [problem for problem in problems if problem.code.startswith(REVIEW_CODES)]
    others = [problem for problem in read_unused(settings.out) if not problem.code.startswith(REVIEW_CODES)]
    with refusing_to_start("service.not-writable"):
        write_index(settings.out, language=settings.language, unused=[*unused, *others])
    return [problem for problem in problems if problem not in unused]


def _told(found: Sequence[Tally]) -> list[Problem]:
    for one in found:
        click.echo(one.line(spoken()))
    return [problem for one in found for problem in one.problems]
