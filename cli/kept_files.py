"""What a command may not replace by what it writes: inputs, rubric documents, settings, and files of a report."""

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import click

from cli.localised import spoken
from cli.score import SETTING_FILES
from config import CONFIG_NAME, DOCUMENT_SUFFIX
from reporting.store import is_of_reports, is_of_set
from scoring.sets import is_accepted, shown


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """What is to stay as it is.

    inputs: files and folders that the command reads. documents: rubric documents, and folders of them. gate_file: of
    the rules. reports: folders of them; none where they are what the command is to write.
    """

    inputs: Iterable[Path] = ()
    documents: Iterable[Path | None] = ()
    gate_file: Path | None = None
    reports: Iterable[Path | None] = ()

    def refuse(self, *targets: Path | None) -> None:
        """Raise click.UsageError when one of the files to be written is something to be kept."""
        for target in filter(None, targets):
            kind = self._kind(target)
            if kind is not None:
                t = spoken()
                raise click.UsageError(t("usage.replaces", path=shown(str(target)), what=t(f"usage.replaces-{kind}")))

    def _kind(self, target: Path) -> str | None:
        settings = (*SETTING_FILES, os.environ.get(CONFIG_NAME), self.gate_file)
        if any(_is_same(target, Path(file)) for file in settings if file):
            return "settings"
        if any(_is_document(target, place) for place in self.documents if place is not None):
            return "document"
        if any(_is_input(target, place) for place in self.inputs):
            return "input"
        folders = filter(None, self.reports)
        return "report" if any(is_of_reports(target, folder) for folder in folders) else None


def refuse_own_inputs(out: Path | None, sets: Iterable[tuple[str, Iterable[Path]]]) -> None:
    """Raise click.UsageError when an input is a file that a report in the folder of reports would replace.

    sets: name and input files of each. out: None writes none.
    """
    if out is None:
        return
    planned = [(out / name, tuple(files)) for name, files in sets]
    for folder, _ in planned:
        for file in (file for _, files in planned for file in files):
            if is_of_set(file, folder):
                t = spoken()
                raise click.UsageError(t("usage.replaces", path=shown(str(file)), what=t("usage.replaces-input")))


def _is_same(one: Path, other: Path) -> bool:
    """Do both name one file, whether it exists or not?"""
    try:
        return one.samefile(other)
    except OSError:
        return one.resolve() == other.resolve()


def _is_document(target: Path, place: Path) -> bool:
    """Is it the document, or would it be one of the folder of documents?"""
    if place.is_dir():
        return target.suffix.lower() == DOCUMENT_SUFFIX and _is_same(target.parent, place)
    return _is_same(target, place)


def _is_input(target: Path, place: Path) -> bool:
    """Is it the input, or a file in a folder of inputs that is read?"""
    if not place.is_dir():
        return _is_same(target, place)
    is_inside = target.resolve().is_relative_to(place.resolve())
    return is_inside and target.exists() and is_accepted(target.name)
