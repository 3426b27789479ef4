"""`scorewatch prompt PROFILE`: the evaluation prompt of a profile, with the rows of a file under it when asked for."""

from __future__ import annotations

import re
from pathlib import Path

import click

from cli.localised.command import Command, language_option, option
from cli.localised.language import spoken
from config.rubrics_in_force import load_rubrics, profile_named
from reporting.prompt import evaluation_prompt
from reporting.store.json import encode_json
from scoring.problems import InputError, Problem, Severity
from scoring.reading.open_table import NotThisEncodingError, open_table, refuse_unusable_header
from scoring.rubric.model import Rubric
from scoring.sets.names import shown
from scoring.text import is_blank


@click.command(cls=Command, help="help.prompt")
@click.argument("profile", metavar="PROFILE")
@option("--items", "file", type=click.Path(path_type=Path, readable=False), metavar="FILE", help="option.items")
@option("--rubrics", "folder", type=click.Path(path_type=Path), metavar="DIR", help="option.rubrics")
@language_option
def command(profile: str, file: Path | None, folder: Path | None) -> None:
    """Print the prompt; what can't be read is a problem and exit code 1."""
    from cli.localised.loading import load

    settings = load(rubrics=folder)
    rubric = profile_named(profile, load_rubrics(settings.rubrics))
    rows = read_rows(file, rubric) if file is not None else None
    t = spoken()
    click.echo(evaluation_prompt(rubric, t), nl=False)
    if rows is not None:
        text = encode_json(rows).decode()
        # A fence that nothing in the rows can close.
        fence = "`" * max([3, *(len(run) + 1 for run in re.findall("`+", text))])
        click.echo(f"\n{t('prompt.rows')}\n{fence}json\n{text}{fence}")


def read_rows(file: Path, rubric: Rubric) -> list[dict[str, str]]:
    """The filled cells of every row by the title of its column; blank rows are left out.

    Raises InputError when the file is refused or can't be read.
    """
    encoding = ""
    while True:
        try:
            with file.open("rb") as stream:
                table = open_table(stream, file.name, rubric.columns, encoding=encoding)
                refuse_unusable_header(table)
                titles = {column.name: column.title for column in rubric.columns}
                named = [(titles[name], at) for name, at in table.columns.at.items()]
                named += [(title, at) for at, title in table.columns.extra]
                named.sort(key=lambda pair: pair[1])
                rows = [
                    {title: row[at] for title, at in named if at < len(row) and not is_blank(row[at])}
                    for row in table.rows()
                ]
        except NotThisEncodingError as error:
            encoding = error.next_encoding
        except OSError as error:
            values = {"reason": error.strerror or type(error).__name__}
            problem = Problem(code="unreadable", severity=Severity.REFUSED, source=shown(str(file)), values=values)
            raise InputError((problem,)) from error
        except InputError as error:
            raise InputError(tuple(problem.at(shown(str(file))) for problem in error.problems)) from error
        else:
            return [row for row in rows if row]
