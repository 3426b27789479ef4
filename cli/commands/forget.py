"""`scorewatch forget SET…`: removes the reports of sets whose files are gone from the watched folder."""

import contextlib
import sys
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

import click

from cli.commands.options import same_name, system_errors
from cli.gate import decide_gates_again
from cli.localised import Command, language_option, load, option, refusing_to_start, spoken
from cli.process_exit import EXIT_PROBLEMS, collect_rarely
from cli.score import Rubrics, Work, plan_work
from cli.screen import cut
from cli.service import NUDGE_NAME
from cli.set_names import NAME_CELLS, missing_set, unknown_set
from config import Settings
from reporting.index import write_index
from reporting.runs import compare_missing
from reporting.store import Destination, KnownSets, forget_set, read_pins, read_sources
from reporting.summary import summarise_missing
from reporting.wording import clean, describe
from scoring import Problem
from scoring.sets import flat_set_name, shown


@dataclass(frozen=True, slots=True, kw_only=True)
class _Watched:
    """What is in the watched folder. is_known: was all of it read?"""

    work: Work | None
    is_known: bool

    def names(self) -> set[str]:
        """The sets whose files are there, also where no rubric scores them any more."""
        if self.work is None:
            return set()
        flat = {flat_set_name(path) for path in self.work.unclaimed if "/" not in path}
        return flat | {one.plan.name for one in self.work.sets} | {one.id.name for one in self.work.refused}


@click.command(cls=Command, help="help.forget")
@click.argument("names", nargs=-1, metavar="SET…")
@option("--yes", is_flag=True, help="option.forget-yes")
@option("--force", is_flag=True, help="option.forget-force")
@language_option
def command(names: tuple[str, ...], *, yes: bool, force: bool) -> int:
    """Remove, after a question, and bring comparisons and the index up to date."""
    settings = load()
    t = spoken()
    collect_rarely()
    known = _look(settings)
    if not names:
        gone = read_sources(settings.out)
        raise missing_set("forget SET…", [name for name in sorted(known.entries) if name in gone])
    chosen = list(dict.fromkeys(_known(known, name) for name in names))
    pinned = set(read_pins(settings.out).values()).intersection(chosen)
    if pinned:
        raise click.UsageError(t("forget.pinned", names=_listed(sorted(pinned))))
    rubrics = Rubrics(settings.rubrics, None, language=settings.language)
    watched = _watched(settings, rubrics)
    if not force:
        _refuse_present(chosen, watched, settings)
    if not yes:
        if not sys.stdin.isatty():
            raise click.UsageError(t("forget.needs-yes"))
        click.confirm(t("forget.question", names=_listed(chosen)), abort=True)
    for name in chosen:
        _forget(name, settings)
    known.look_at(chosen)
    problems = _bring_up_to_date(known, watched, rubrics, settings)
    with contextlib.suppress(OSError):  # a watcher of another machine notices with its next scan
        (settings.state / NUDGE_NAME).touch()
    return EXIT_PROBLEMS if problems else 0


def _look(settings: Settings) -> KnownSets:
    known = KnownSets(settings.out)
    with refusing_to_start("service.not-readable"):
        known.look()
    return known


def _known(known: KnownSets, name: str) -> str:
    """The set that is meant. Raises click.UsageError when there is none."""
    found = same_name(known.entries, unicodedata.normalize("NFC", name))
    if found is None:
        raise unknown_set(spoken()("forget.unknown", name=cut(shown(name), NAME_CELLS)), name, known.entries)
    return found


def _watched(settings: Settings, rubrics: Rubrics) -> _Watched:
    """Look at the watched folder as the watcher does."""
    if not settings.watch.is_dir():
        return _Watched(work=None, is_known=False)
    work = plan_work([settings.watch], rubrics, out=settings.out, ignore=settings.ignore, set_name=None)
    return _Watched(work=work, is_known=not work.problems)


def _refuse_present(chosen: Sequence[str], watched: _Watched, settings: Settings) -> None:
    """Raises click.UsageError where the files of a set are there, or that is not known."""
    t, folder = spoken(), clean(str(settings.watch))
    present = watched.names().intersection(chosen)
    if present:
        raise click.UsageError(t("forget.has-files", folder=folder, names=_listed(sorted(present))))
    if not watched.is_known:
        raise click.UsageError(t("forget.cannot-tell", folder=folder))


def _forget(name: str, settings: Settings) -> None:
    """Remove one set. Raises SettingsError when the folder of reports cannot be written to."""
    t = spoken()
    with refusing_to_start("service.not-writable"), system_errors():
        left = forget_set(settings.out, name)
    click.echo(t("forget.done", name=clean(shown(name))))
    if left:
        click.echo(t("forget.left", name=clean(shown(name)), files=_listed(left)))


def _bring_up_to_date(known: KnownSets, watched: _Watched, rubrics: Rubrics, settings: Settings) -> Sequence[Problem]:
    """Make comparisons that named the sets again, and write the index; what could not be written is said."""
    t = spoken()
    public_url = settings.public_url or ""
    destination = Destination(
        out=settings.out, language=settings.language, strict=settings.strict_fsync, public_url=public_url
    )
    _, problems = compare_missing(destination, known)
    problems += decide_gates_again(known, settings.gate_file, lambda: rubrics, language=settings.language)
    problems += summarise_missing(destination, known)
    patterns = {rubric.profile: rubric.files for rubric in rubrics.in_force}
    unclaimed = () if watched.work is None else watched.work.unclaimed
    with refusing_to_start("service.not-writable"):
        write_index(settings.out, unclaimed=unclaimed, language=settings.language, known=known, patterns=patterns)
    for problem in problems:
        click.echo(describe(problem, t.language), err=True)
    return problems


def _listed(names: Sequence[str]) -> str:
    return ", ".join(clean(shown(name)) for name in names)
