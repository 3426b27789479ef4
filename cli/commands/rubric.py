"""`scorewatch rubric list|check|show|new`: which rubric documents are in force, and how a document is read.

Exit code 0 when every document is fine, 1 otherwise. What a document says is decided by
`scoring.rubric.document.read`; texts of documents are cleaned before they reach the terminal.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click
import msgspec

from cli.localised import Command, Group, PathType, language_option, load, option, spoken
from cli.process_exit import EXIT_PROBLEMS
from cli.rubric import agents_lines, line_range, role_title, value_lines
from config import RubricFolderError, document_paths, load_rubrics, profile_named, read_document, shipped_rubrics
from reporting.store import encode_json
from reporting.wording import clean, excerpt
from scoring import Problem, RubricError
from scoring.rubric import Rubric, RuleLine, encode_rubric
from scoring.rubric.document import show_number

if TYPE_CHECKING:
    from config import Settings
    from scoring.rubric.document import LevelDocument, Reading

DIGEST_CHARS = 12
LABEL_CHARS = 40
CRITERIA_CHARS = 120

_rubrics_option = option("--rubrics", "folder", type=PathType(), metavar="DIR", help="option.rubrics")
_json_option = option("--json", "as_json", is_flag=True, help="option.json")
_profile_option = option("--profile", metavar="NAME", help="option.profile")


class _Commands(Group):
    """The sub-commands; `new` is imported when it is asked for: it brings all that scores a file."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Their names."""
        return sorted([*super().list_commands(ctx), "new"])

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """One of them; None when there is none of this name."""
        if cmd_name != "new":
            return super().get_command(ctx, cmd_name)
        from cli.commands.rubric_new import new

        return new


@click.group(cls=_Commands, help="help.rubric")
@language_option
def command() -> None:
    """Group of the sub-commands."""


@command.command("list", cls=Command, help="help.rubric-list")
@_rubrics_option
@_json_option
@language_option
def list_rubrics(folder: Path | None, as_json: bool) -> None:
    """One line for each rubric in force."""
    rubrics = _in_force(folder)
    if as_json:
        _print_json([_summary(rubric) for rubric in rubrics])
        return
    for rubric in rubrics:
        files = ", ".join(map(clean, rubric.files))
        click.echo(f"{rubric.profile}  {clean(rubric.title)}  [{files}]  {rubric.digest[:DIGEST_CHARS]}")


@command.command("check", cls=Command, help="help.rubric-check")
@click.argument("files", nargs=-1, type=PathType(), metavar="[FILE…]")
@_profile_option
@_rubrics_option
@_json_option
@language_option
@option("--strict", "is_strict", is_flag=True, help="option.strict-rules")
@click.pass_context
def check(
    context: click.Context,
    files: Sequence[Path],
    *,
    profile: str | None,
    folder: Path | None,
    as_json: bool,
    is_strict: bool,
) -> None:
    """Read each document on its own; one wrong document hides none of the others. Without FILE, all in force."""
    settings = load(rubrics=folder)
    paths = files or tuple(document_paths(settings.rubrics, language=settings.language))
    rubrics, together = _rubrics_and_faults(settings, is_strict=bool(files))
    bases = (profile_named(profile, rubrics),) if profile is not None else rubrics
    entries: list[dict[str, object]] = []
    is_fine = not together
    for path in paths:
        try:
            reading = _read_any(path, bases)
        except RubricError as error:
            is_fine = False
            together = [problem for problem in together if problem.code not in {one.code for one in error.problems}]
            entries.append(_problem_entry(path, error.problems, as_json=as_json))
            continue
        is_fine = is_fine and not (is_strict and _unread_rules(reading))
        entries.append({"file": clean(str(path)), "ok": True, "problems": [], **_reading_entry(reading)})
        if not as_json:
            _print_reading(path, reading, is_short=not files)
    if together and settings.rubrics is not None:
        entries.append(_problem_entry(settings.rubrics, together, as_json=as_json))
    if as_json:
        _print_json({"files": entries})
    if not is_fine:
        context.exit(EXIT_PROBLEMS)


def _problem_entry(path: Path, problems: Sequence[Problem], *, as_json: bool) -> dict[str, object]:
    """What is wrong with a document; printed as well where it is for people."""
    if not as_json:
        _print_problems(path, problems)
    return {"file": clean(str(path)), "ok": False, "problems": _problem_entries(problems)}


def _rubrics_and_faults(settings: Settings, *, is_strict: bool) -> tuple[tuple[Rubric, ...], list[Problem]]:
    """The rubrics in force, and what is wrong with the documents; then the shipped ones alone.

    is_strict: raise RubricError for what is wrong. Raises RubricFolderError anyhow.
    """
    try:
        return load_rubrics(settings.rubrics, language=settings.language), []
    except RubricError as error:
        if is_strict or isinstance(error, RubricFolderError):
            raise
        return shipped_rubrics(settings.language), list(error.problems)


@command.command("show", cls=Command, help="help.rubric-show")
@click.argument("name", metavar="FILE|PROFILE")
@_profile_option
@_rubrics_option
@_json_option
@language_option
@option("--html", "as_html", is_flag=True, help="option.html")
def show(name: str, *, profile: str | None, folder: Path | None, as_json: bool, as_html: bool) -> None:
    """Values as they are used for scoring. A profile's name wins over a file of that name."""
    from scoring.rubric.document import Reading

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
        from cli.rubric import rubric_page

        click.echo(rubric_page(rubric, reading, source=name, t=spoken()), nl=False)
    elif as_json:
        # What came later, and a document leaves out, is not there; a translation has everything.
        names = rubric.__struct_fields__ if rubric.scores_as else msgspec.json.decode(encode_rubric(rubric))
        _print_json({"digest": rubric.digest, "rubric": {name: getattr(rubric, name) for name in names}})
    else:
        for line in value_lines(rubric, spoken()):
            click.echo(line)


def _show_levels(path: Path, document: LevelDocument, *, as_json: bool, as_html: bool) -> None:
    """A rubric of levels in the form that was asked for."""
    if as_html:
        from cli.rubric import levels_page

        click.echo(levels_page(document, source=str(path), t=spoken()), nl=False)
    elif as_json:
        _print_json({"file": clean(str(path)), **_reading_entry(document)})
    else:
        _print_levels(path, document)


def _in_force(folder: Path | None) -> tuple[Rubric, ...]:
    settings = load(rubrics=folder)
    return load_rubrics(settings.rubrics, language=settings.language)


def _read_any(path: Path, bases: Sequence[Rubric]) -> Reading | LevelDocument:
    """A document of a profile, else a rubric of levels. Raises RubricError."""
    from scoring.rubric.document import read_any

    return read_any(read_document(path), source=str(path), bases=bases)


def _summary(rubric: Rubric) -> dict[str, object]:
    return {
        "profile": rubric.profile,
        "title": rubric.title,
        "files": rubric.files,
        "digest": rubric.digest,
    }


def _reading_entry(reading: Reading | LevelDocument) -> dict[str, object]:
    from scoring.rubric.document import LevelDocument

    if isinstance(reading, LevelDocument):
        levels = [{"level": level.points, "name": level.name, "criteria": level.criteria} for level in reading.levels]
        return {"profile": None, "levels": levels, "line": reading.line, "last_line": reading.last_line}
    return {
        "profile": reading.rubric.profile,
        "digest": reading.rubric.digest,
        "understood": reading.understood,
        "ignored": reading.ignored,
        "kept": reading.kept,
        "rules": reading.rules,
        "rules_not_read": reading.rubric.unread_rules,
        "prose": reading.prose,
        "edition": reading.rubric.edition,
    }


def _unread_rules(reading: Reading | LevelDocument) -> Sequence[RuleLine]:
    """Lines of a document that look like rules and were not read; none of a rubric of levels."""
    from scoring.rubric.document import LevelDocument

    return () if isinstance(reading, LevelDocument) else reading.rubric.unread_rules


def _problem_entries(problems: Iterable[Problem]) -> list[dict[str, object]]:
    from reporting.wording import describe

    return [
        {
            "code": problem.code,
            "source": clean(problem.source),
            "line": problem.line,
            "found": problem.found,
            "values": problem.values,
            "text": describe(problem, spoken().language),
        }
        for problem in problems
    ]


def _print_problems(path: Path, problems: Sequence[Problem]) -> None:
    from reporting.wording import describe

    t = spoken()
    click.echo(t("document.problems", path=clean(str(path)), n=str(len(problems))))
    for problem in problems:
        click.echo(f"  {describe(problem, t.language)}")


def _print_levels(path: Path, document: LevelDocument) -> None:
    numbers = [level.points for level in document.levels]
    least, most = show_number(min(numbers)), show_number(max(numbers))
    t = spoken()
    click.echo(t("document.fine-levels", path=clean(str(path)), least=least, most=most, n=str(len(numbers))))
    click.echo(f"  {t('document.read-table', lines=line_range(document.line, document.last_line, t))}")
    for level in document.levels:
        criteria = excerpt(level.criteria, CRITERIA_CHARS)
        score = float(document.score(level.points))
        click.echo(f"    {show_number(level.points)} {excerpt(level.name, LABEL_CHARS)} ({score:.2f}): {criteria}")
    if document.ignored:
        click.echo(f"  {t('document.unused-tables')}")
    for first, last, label in document.ignored:
        click.echo(f"    {line_range(first, last, t)} '{excerpt(label, LABEL_CHARS)}'")


def _print_reading(path: Path, reading: Reading | LevelDocument, *, is_short: bool) -> None:
    """is_short: without what was read of it."""
    from scoring.rubric.document import LevelDocument

    if isinstance(reading, LevelDocument):
        _print_levels(path, reading)
        return
    _print_fine(path, reading.rubric)
    if is_short:
        _print_rules("document.unread-rules", reading.rubric.unread_rules)
    else:
        _print_understood(reading)


def _print_fine(path: Path, rubric: Rubric) -> None:
    t = spoken()
    names = {"title": clean(rubric.title), "profile": rubric.profile, "digest": rubric.digest[:DIGEST_CHARS]}
    click.echo(t("document.fine", path=clean(str(path)), **names))


def _print_understood(reading: Reading) -> None:
    """What was read of a document, what was not, and what is kept of the profile."""
    rubric, t = reading.rubric, spoken()
    if rubric.edition:
        click.echo(f"  {t('document.edition', edition=excerpt(rubric.edition, LABEL_CHARS))}")
    for said in agents_lines(rubric, t):
        click.echo(f"  {said}")
    click.echo(f"  {t('document.read-tables')}")
    for table in reading.understood:
        rows = " · ".join(f"{excerpt(cell, LABEL_CHARS)} → {show_number(points)}" for cell, points in table.rows)
        lines = line_range(table.line, table.last_line, t)
        click.echo(f"    {lines} {role_title(rubric, table.role, t)}: {rows}")
    _print_rules("document.rules", reading.rules)
    _print_rules("document.unread-rules", rubric.unread_rules)
    if reading.ignored:
        click.echo(f"  {t('document.unused-tables')}")
    for unused in reading.ignored:
        label = excerpt(unused.label, LABEL_CHARS)
        lines, reason = line_range(unused.line, unused.last_line, t), t(f"document.reason.{unused.reason}")
        click.echo(f"    {lines} '{label}': {reason}")
        for line, cell in unused.rows:
            click.echo(f"      {line_range(line, line, t)} '{excerpt(cell, LABEL_CHARS)}'")
    if reading.prose:
        lines = ", ".join(
            str(first) if first == last else t("document.span", first=str(first), last=str(last))
            for first, last in reading.prose
        )
        click.echo(f"  {t('document.prose', lines=lines)}")
    if reading.kept:
        click.echo(f"  {t('document.kept', profile=rubric.profile)}")
    for role in reading.kept:
        click.echo(f"    {role_title(rubric, role, t)}")


def _print_rules(title: str, rules: Sequence[RuleLine]) -> None:
    """Lines that state rules beside the tables, under a title; nothing without any."""
    t = spoken()
    if rules:
        click.echo(f"  {t(title)}")
    for rule in rules:
        text = excerpt(rule.text, CRITERIA_CHARS)
        click.echo(f"    {t('document.rule', lines=line_range(rule.line, rule.line, t), text=text)}")


def _print_json(value: object) -> None:
    click.echo(encode_json(value).decode(), nl=False)
