"""`scorewatch prompt PROFILE`: the evaluation prompt of a profile, with the rows of a file under it when asked for."""

from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO

import click

from cli.kept_files import Kept
from cli.localised import Command, PathType, language_option, option, spoken
from config import load_rubrics, profile_named
from reporting import evaluation_prompt, prompt_pieces
from reporting.wording import clean, system_reason
from scoring import InputError, is_blank, refused, system_error
from scoring.reading import in_its_encoding, open_named, open_table, refuse_unusable_header
from scoring.rubric import Rubric
from scoring.sets import shown

MAX_CHARS = 30_000  # what a message to a chat usually holds


@click.command(cls=Command, help="help.prompt")
@click.argument("profile", metavar="PROFILE")
@option("--items", "file", type=PathType(), metavar="FILE", help="option.items")
@option("--max-chars", type=click.IntRange(min=1), default=MAX_CHARS, metavar="N", help="option.max-chars")
@option("--out", type=PathType("folder"), metavar="DIR", help="option.prompt-out")
@option("--rubrics", "folder", type=PathType(), metavar="DIR", help="option.rubrics")
@language_option
def command(profile: str, file: Path | None, max_chars: int, out: Path | None, folder: Path | None) -> int:
    """Print the prompt or write its pieces; what can't be read is a problem and exit code 1."""
    from cli.localised import load

    settings = load(rubrics=folder)
    rubric = profile_named(profile, load_rubrics(settings.rubrics, language=settings.language))
    t = spoken()
    if file is None:
        pieces = [evaluation_prompt(rubric, t)]
    else:
        pieces = prompt_pieces(rubric, read_rows(file, rubric), t, max_chars=max_chars)
    if out is None:
        click.echo("\n".join(pieces), nl=False)
    else:
        kept = Kept(inputs=filter(None, (file,)), documents=(settings.rubrics,), reports=(settings.out,))
        _write(pieces, out, rubric.profile, kept)
    too_long = [number for number, piece in enumerate(pieces, start=1) if len(piece) > max_chars]
    if file is not None and too_long:
        numbers = ", ".join(map(str, too_long))
        click.echo(t("prompt.too-long", numbers=numbers, limit=str(max_chars)), err=True)
    return 0


def _write(pieces: Sequence[str], out: Path, profile: str, kept: Kept) -> None:
    """One file a piece, numbered so that they sort. Raises InputError when the folder cannot be written to."""
    t = spoken()
    width = len(str(len(pieces)))
    paths = [out / f"{profile}-{number:0{width}}-of-{len(pieces)}.md" for number in range(1, len(pieces) + 1)]
    kept.refuse(*paths)
    try:
        out.mkdir(parents=True, exist_ok=True)
        for path, piece in zip(paths, pieces, strict=True):
            path.write_text(piece, encoding="utf-8")
            click.echo(t("prompt.written", path=clean(str(path)), chars=str(len(piece))))
    except OSError as error:
        raise InputError((refused("file-not-written", source=shown(str(out)), reason=system_reason(error)),)) from error


def read_rows(file: Path, rubric: Rubric) -> list[dict[str, str]]:
    """The filled cells of every row by the title of its column; blank rows are left out.

    Raises InputError when the file is refused or can't be read.
    """
    try:
        with open_named(file) as stream:
            return in_its_encoding(lambda encoding: _rows(stream, file.name, rubric, encoding))
    except OSError as error:
        raise InputError((system_error("unreadable", error, shown(str(file))),)) from error
    except InputError as error:
        raise InputError(tuple(problem.at(shown(str(file))) for problem in error.problems)) from error


def _rows(stream: BinaryIO, name: str, rubric: Rubric, encoding: str) -> list[dict[str, str]]:
    table = open_table(stream, name, rubric.columns, records=rubric.records, encoding=encoding)
    refuse_unusable_header(table)
    titles = {column.name: column.title for column in rubric.columns}
    named = [*((at, titles[field]) for field, at in table.columns.at.items()), *table.columns.extra]
    named.sort()
    rows = (
        {title: row[at] for at, title in named if at < len(row) and not is_blank(row[at])}
        for row in table.rows()
        if len(row) == table.columns.width or not table.row_unit  # else it stands for what is no record
    )
    return list(filter(None, rows))
