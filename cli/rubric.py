"""`scorewatch rubric list|check|show`: which rubric documents are in force, and how a document is read.

Exit code 0 when every document is fine, 1 otherwise. What a document says is decided by
`scoring.rubric_document`; texts of documents are cleaned before they reach the terminal.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from cli.rubric_values import role_title, value_lines
from config.rubric_store import load_rubrics, profile_named, read_document
from reporting.display import clean, excerpt
from reporting.json_text import encode_json
from scoring.bands import show_number
from scoring.problems import Problem, RubricError
from scoring.rubric import Rubric

if TYPE_CHECKING:
    from scoring.level_document import LevelDocument
    from scoring.rubric_document import Reading

EXIT_PROBLEMS = 1
DIGEST_CHARS = 12
LABEL_CHARS = 40
CRITERIA_CHARS = 120

REASONS = {
    "not-points": "상태나 구간과 점수로 된 표가 아님",
    "other-bands": "응답 시간이 아닌 값의 구간",
}

_rubrics_option = click.option(
    "--rubrics",
    "folder",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="루브릭 문서를 더 읽을 폴더(설정 rubrics).",
)
_json_option = click.option("--json", "as_json", is_flag=True, help="JSON으로 보여 줍니다.")


@click.group(help="루브릭 문서를 나열하고, 검사하고, 보여 줍니다.")
def command() -> None:
    """Group of the sub-commands."""


@command.command("list", help="채점에 쓰이는 루브릭을 나열합니다.")
@_rubrics_option
@_json_option
def list_rubrics(folder: Path | None, as_json: bool) -> None:
    """One line for each rubric in force."""
    rubrics = _in_force(folder)
    if as_json:
        _print_json([_summary(rubric) for rubric in rubrics])
        return
    for rubric in rubrics:
        files = ", ".join(map(clean, rubric.files))
        click.echo(f"{rubric.profile}  {clean(rubric.title)}  [{files}]  {rubric.digest[:DIGEST_CHARS]}")


@command.command("check", help="문서를 읽어 보고, 무엇을 어떻게 읽었는지 보여 줍니다. 문제가 있으면 1로 끝납니다.")
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="FILE…")
@click.option("--profile", metavar="NAME", help="표만 있는 문서의 바탕이 될 프로필. 없으면 표가 맞는 프로필.")
@_rubrics_option
@_json_option
@click.pass_context
def check(
    context: click.Context, files: Sequence[Path], profile: str | None, folder: Path | None, as_json: bool
) -> None:
    """Read each document on its own; one wrong document hides none of the others."""
    rubrics = _in_force(folder)
    bases = (profile_named(profile, rubrics),) if profile is not None else rubrics
    entries: list[dict[str, object]] = []
    is_fine = True
    for path in files:
        try:
            reading = _read_any(path, bases)
        except RubricError as error:
            is_fine = False
            entries.append({"file": clean(str(path)), "ok": False, "problems": _problem_entries(error.problems)})
            if not as_json:
                _print_problems(path, error.problems)
            continue
        entries.append({"file": clean(str(path)), "ok": True, "problems": [], **_reading_entry(reading)})
        if not as_json:
            _print_reading(path, reading)
    if as_json:
        _print_json({"files": entries})
    if not is_fine:
        context.exit(EXIT_PROBLEMS)


@command.command("show", help="문서나 프로필의 값을 모두 보여 줍니다.")
@click.argument("name", metavar="FILE|PROFILE")
@click.option("--profile", metavar="NAME", help="표만 있는 문서의 바탕이 될 프로필. 없으면 표가 맞는 프로필.")
@_rubrics_option
@_json_option
@click.option("--html", "as_html", is_flag=True, help="읽은 대로 그린 HTML 한 쪽을 출력합니다.")
def show(name: str, *, profile: str | None, folder: Path | None, as_json: bool, as_html: bool) -> None:
    """Values as they are used for scoring. A profile's name wins over a file of that name."""
    from scoring.rubric_document import Reading

    rubrics = _in_force(folder)
    named = [rubric for rubric in rubrics if rubric.profile == name]
    reading: Reading | None = None
    if named:
        rubric = named[0]
    elif Path(name).suffix or Path(name).exists():
        bases = (profile_named(profile, rubrics),) if profile is not None else rubrics
        found = _read_any(Path(name), bases)
        if not isinstance(found, Reading):
            _show_levels(Path(name), found, as_json=as_json, as_html=as_html)
            return
        reading, rubric = found, found.rubric
    else:
        rubric = profile_named(name, rubrics)
    if as_html:
        from cli.rubric_html import rubric_page

        click.echo(rubric_page(rubric, reading, source=name, reasons=REASONS), nl=False)
    elif as_json:
        _print_json({"digest": rubric.digest, "rubric": rubric})
    else:
        for line in value_lines(rubric):
            click.echo(line)


def _show_levels(path: Path, document: LevelDocument, *, as_json: bool, as_html: bool) -> None:
    """A rubric of levels in the form that was asked for."""
    if as_html:
        from cli.rubric_html import levels_page

        click.echo(levels_page(document, source=str(path)), nl=False)
    elif as_json:
        _print_json({"file": clean(str(path)), **_reading_entry(document)})
    else:
        _print_levels(path, document)


def _in_force(folder: Path | None) -> tuple[Rubric, ...]:
    from config.settings import load_settings

    return load_rubrics(load_settings(rubrics=folder).rubrics)


def _read(path: Path, bases: Sequence[Rubric]) -> Reading:
    """Read a document against the base of which it says most. Raises RubricError."""
    from scoring.rubric_document import read_fitting

    return read_fitting(read_document(path), source=str(path), bases=bases)


def _read_any(path: Path, bases: Sequence[Rubric]) -> Reading | LevelDocument:
    """A document of a profile, else a rubric of levels. Raises RubricError."""
    from scoring.level_document import read_levels

    try:
        return _read(path, bases)
    except RubricError as error:
        if {problem.code for problem in error.problems} != {"rubric-nothing-understood"}:
            raise
        levels = read_levels(read_document(path), source=str(path))
        if levels is None:
            raise
        return levels


def _summary(rubric: Rubric) -> dict[str, object]:
    return {
        "profile": rubric.profile,
        "title": rubric.title,
        "files": rubric.files,
        "digest": rubric.digest,
    }


def _reading_entry(reading: Reading | LevelDocument) -> dict[str, object]:
    from scoring.level_document import LevelDocument

    if isinstance(reading, LevelDocument):
        levels = [{"level": level.points, "name": level.name, "criteria": level.criteria} for level in reading.levels]
        return {"profile": None, "levels": levels, "line": reading.line, "last_line": reading.last_line}
    return {
        "profile": reading.rubric.profile,
        "digest": reading.rubric.digest,
        "understood": reading.understood,
        "ignored": reading.ignored,
        "kept": reading.kept,
    }


def _problem_entries(problems: Iterable[Problem]) -> list[dict[str, object]]:
    from reporting.problem_text import describe

    return [
        {
            "code": problem.code,
            "source": clean(problem.source),
            "line": problem.line,
            "found": problem.found,
            "values": problem.values,
            "text": describe(problem),
        }
        for problem in problems
    ]


def _print_problems(path: Path, problems: Sequence[Problem]) -> None:
    from reporting.problem_text import describe

    click.echo(f"{clean(str(path))}: 문제 {len(problems)}건")
    for problem in problems:
        click.echo(f"  {describe(problem)}")


def _print_levels(path: Path, document: LevelDocument) -> None:
    numbers = [level.points for level in document.levels]
    least, most = show_number(min(numbers)), show_number(max(numbers))
    click.echo(f"{clean(str(path))}: 이상 없음. 등급 루브릭, {least}~{most}의 {len(numbers)}등급")
    click.echo(f"  읽은 표: {_lines(document.line, document.last_line)}")
    for level in document.levels:
        criteria = excerpt(level.criteria, CRITERIA_CHARS)
        score = float(document.score(level.points))
        click.echo(f"    {show_number(level.points)} {excerpt(level.name, LABEL_CHARS)} ({score:.2f}): {criteria}")
    if document.ignored:
        click.echo("  쓰지 않은 표")
    for first, last, label in document.ignored:
        click.echo(f"    {_lines(first, last)} '{excerpt(label, LABEL_CHARS)}'")


def _print_reading(path: Path, reading: Reading | LevelDocument) -> None:
    from scoring.level_document import LevelDocument

    if isinstance(reading, LevelDocument):
        _print_levels(path, reading)
        return
    rubric = reading.rubric
    click.echo(f"{clean(str(path))}: 이상 없음. {clean(rubric.title)}({rubric.profile}) {rubric.digest[:DIGEST_CHARS]}")
    click.echo("  읽은 표")
    for table in reading.understood:
        rows = " · ".join(f"{excerpt(cell, LABEL_CHARS)} → {show_number(points)}" for cell, points in table.rows)
        click.echo(f"    {_lines(table.line, table.last_line)} {role_title(rubric, table.role)}: {rows}")
    if reading.ignored:
        click.echo("  쓰지 않은 표")
    for unused in reading.ignored:
        label = excerpt(unused.label, LABEL_CHARS)
        click.echo(f"    {_lines(unused.line, unused.last_line)} '{label}': {REASONS[unused.reason]}")
        for line, cell in unused.rows:
            click.echo(f"      {line}번째 줄 '{excerpt(cell, LABEL_CHARS)}'")
    if reading.kept:
        click.echo(f"  이 문서에 없어 {rubric.profile} 값을 그대로 쓰는 표")
    for role in reading.kept:
        click.echo(f"    {role_title(rubric, role)}")


def _lines(first: int, last: int) -> str:
    return f"{first}번째 줄" if first == last else f"{first}~{last}번째 줄"


def _print_json(value: object) -> None:
    click.echo(encode_json(value).decode(), nl=False)
