"""What `scorewatch review` does: a sheet from a report, files into the folders of their sets, grades taken back."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import click

from cli.localised import spoken
from cli.score import PlannedSet, Rubrics, Runner, ScoreJudge, ScoreSettings, Screen, plan_work
from reporting import ReviewSheet
from reporting.data import Report, item_places
from reporting.runs import UnreadableRunError, read_report
from reporting.store import ITEMS_CSV, REVIEWS, ReviewShelf, set_folder, status_of_set, write_atomic
from reporting.wording import Tally, clean, of_no_set, tally
from scoring import InputError, Problem, ScorewatchError
from scoring.items import open_payload
from scoring.reading import NotThisEncodingError, open_named, open_table, read_named, whole_hash
from scoring.review import Outcome, ReviewFile, grades_for, outcome_of
from scoring.rubric import Rubric
from scoring.sets import safe_component
from watcher import InputFolder

WITHDRAWN = ".withdrawn"


def rubric_of(report: Report, rubrics: Rubrics) -> Rubric:
    """The document of a profile that is in force. Raises click.UsageError."""
    found = next((rubric for rubric in rubrics.in_force if rubric.profile == report.profile), None)
    if found is None:
        raise click.UsageError(spoken()("review.no-rubric", profile=clean(report.profile)))
    return found


def whole_answers(sheet: ReviewSheet, settings: ScoreSettings, rubrics: Rubrics) -> Mapping[tuple[str, str], str]:
    """The answers that the report has cut, by file and row, from inputs that still are what they were."""
    wanted: dict[str, set[int]] = {}
    for row in sheet.cut:
        wanted.setdefault(row.cells["file"], set()).add(int(row.cells["row"]))
    if not wanted or not settings.watch.is_dir():
        return {}
    planned = _planned(sheet.report.set, settings, rubrics)
    hashes = {entry.name: entry.sha256 for entry in sheet.report.inputs}
    found: dict[tuple[str, str], str] = {}
    for name, file in zip(planned.plan.names, planned.files, strict=True) if planned is not None else ():
        if name in wanted:
            try:
                answers = _answers(file, hashes.get(name, ""), sheet.rubric, wanted[name])
                found |= {(name, str(number)): text for number, text in answers}
            except (OSError, ScorewatchError):
                continue  # it stays cut, and the sheet says so
    return found


def _answers(file: Path, sha256: str, rubric: Rubric, rows: set[int]) -> Iterator[tuple[int, str]]:
    with open_named(file) as stream:
        if whole_hash(stream).sha256 != sha256:
            return
        columns = rubric.wanted_columns
        try:
            table = open_table(stream, file.name, columns, records=rubric.records)
        except NotThisEncodingError as error:
            table = open_table(stream, file.name, columns, records=rubric.records, encoding=error.next_encoding)
        at = table.columns.at
        for number, row in enumerate(table.rows(), start=table.first_row):
            if number in rows:
                cells = {name: row[at[name]] for name in ("response", "raw_json") if name in at and at[name] < len(row)}
                yield number, _message(cells.get("raw_json", "")) or cells.get("response", "")


def _message(cell: str) -> str:
    opened = open_payload(cell)
    message: object = None if opened is None or isinstance(opened, str) else opened.value.get("assistantMessage")
    return message if isinstance(message, str) else ""


def default_name(set_name: str, reviewer: str) -> str:
    """`review_a_김검수.xlsx`."""
    return safe_component(f"review_{set_name.replace('/', '_')}_{reviewer}.xlsx")


def find_reviews(settings: ScoreSettings) -> ReviewShelf:
    """Every review file in the watched folder and in the folders of the sets."""
    shelf = ReviewShelf(settings.adjudicator or "")
    shelf.look(settings.out)
    if settings.watch.is_dir():
        listing = InputFolder(settings.watch, out=settings.out, ignore=settings.ignore).scan()
        for path in sorted(listing.files):
            try:
                shelf.take(settings.watch / path, path)
            except OSError:
                continue
    return shelf


def tallies(shelf: ReviewShelf, settings: ScoreSettings, rubrics: Rubrics) -> list[Tally]:
    """What became of every file, by the reports as they are."""
    names = {grade.key.set_name for grade in shelf.grades()}
    profiles = {name: _profile_of(name, settings) for name in names}
    if None in profiles.values():  # of a set that is gone, grades may count in another
        names |= {str(path.parent.relative_to(settings.out)) for path in settings.out.rglob(REVIEWS)}
    found = (_outcome(name, profiles, shelf, settings, rubrics) for name in sorted(names))
    outcomes = [one for one in found if one is not None]
    files = [file for _, file in sorted(shelf.found.items())]
    outcomes.append(of_no_set(files, outcomes, profiles.__getitem__))
    return [tally(file, outcomes) for file in files]


def _profile_of(name: str, settings: ScoreSettings) -> str | None:
    """As of `of_no_set`, among the reports."""
    try:
        status = status_of_set(settings.out, name)
    except InputError:  # no name that a set can have
        return None
    return None if status is None else status.profile


def _outcome(
    name: str, profiles: Mapping[str, str | None], shelf: ReviewShelf, settings: ScoreSettings, rubrics: Rubrics
) -> Outcome | None:
    """Which grades fit the items of a report; None without one."""
    try:
        folder = set_folder(settings.out, name)
        rubric = rubric_of(read_report(folder), rubrics)
        items = item_places(folder / ITEMS_CSV)
    except (UnreadableRunError, OSError, InputError, ValueError, click.UsageError):
        return None
    grades = grades_for(
        name,
        rubric.profile,
        shelf.grades(),
        is_gone=lambda one: profiles.get(one) is None,
        text_places=lambda: set(items),
    )
    return outcome_of(items, rubric, grades)


def put_into_set(path: Path, file: ReviewFile, out: Path) -> Path:
    """Copy a review file into the folder of the set that most of its grades name. Raises OSError, InputError."""
    name, _ = Counter(grade.key.set_name for grade in file.grades).most_common(1)[0]
    folder = set_folder(out, name)
    folder.mkdir(parents=True, exist_ok=True)
    place, number = folder / path.name, 1
    content = read_named(path)
    while place.exists() and not place.samefile(path) and read_named(place) != content:
        number += 1
        place = folder / f"{path.stem} ({number}){path.suffix}"
    if not place.exists():
        write_atomic(place, content)
    return place


def withdraw(shelf: ReviewShelf, name: str, set_name: str | None) -> Iterator[str]:
    """Take back the grades of a person: her files get another name, which nobody reads; a line for each."""
    t = spoken()
    for found, file in sorted(shelf.found.items()):
        reviewers = {grade.reviewer for grade in file.grades}
        is_meant = set_name is None or any(grade.key.set_name == set_name for grade in file.grades)
        if name not in reviewers or not is_meant:
            continue
        path = Path(found)
        if len(reviewers) > 1:
            others = ", ".join(map(clean, sorted(reviewers - {name})))
            yield t("review.withdraw-mixed", file=clean(found), name=clean(name), others=others)
            continue
        place = path.with_name(f"{path.name}{WITHDRAWN}")
        path.replace(place)
        shelf.drop(path)
        yield t("review.withdrawn", name=clean(name), file=clean(found), place=clean(place.name))


def score_again(names: Iterable[str], settings: ScoreSettings, rubrics: Rubrics) -> list[Problem]:
    """Make the reports of these sets again, where their inputs are in the watched folder."""
    screen = Screen(quiet=True, as_json=False)
    wanted = set(names)
    problems: list[Problem] = []
    sets: list[PlannedSet] = []
    if settings.watch.is_dir():
        work = plan_work(
            [settings.watch],
            rubrics,
            out=settings.out,
            ignore=settings.ignore,
            set_name=None,
            adjudicator=settings.adjudicator or "",
            watch=settings.watch,
        )
        sets = [one for one in work.sets if one.plan.name in wanted]
        judged = settings.judge is not None and any(one.rubric.judged for one in sets)
        judge = ScoreJudge(settings.judge, settings.out, screen) if judged and settings.judge is not None else None
        problems = Runner(settings, settings.out, screen, judge).run(work, only=wanted)
    for name in sorted(wanted - {one.plan.name for one in sets}):
        click.echo(spoken()("review.not-rescored", set=clean(name)), err=True)
    return problems


def _planned(name: str, settings: ScoreSettings, rubrics: Rubrics) -> PlannedSet | None:
    work = plan_work(
        [settings.watch], rubrics, out=settings.out, ignore=settings.ignore, set_name=None, watch=settings.watch
    )
    return next((one for one in work.sets if one.plan.name == name), None)
