"""`scorewatch bless SET`: pins a run as the baseline of its profile; `--show` lists the pins, `--clear` removes one.

Comparisons that this outdates are made at once.
"""

from pathlib import Path

import click

from cli.comparison import folder_of_report, unreadable
from cli.gate import decide_gates_again
from cli.localised import Command, language_option, option, refusing_to_start, spoken
from cli.process_exit import EXIT_PROBLEMS, collect_rarely
from cli.score import Rubrics, ScoreSettings, load_score_settings
from cli.set_names import missing_report
from reporting.index import write_index
from reporting.runs import compare_missing
from reporting.store import (
    STATUS,
    KnownSets,
    State,
    StatusFile,
    damaged_pins,
    pin_path,
    read_pins,
    remove_pin,
    status_of_set,
    write_pin,
)
from reporting.summary import summarise_missing
from reporting.wording import clean, count, describe
from scoring import InputError
from scoring.sets import shown


@click.command(cls=Command, help="help.bless")
@click.argument("name", metavar="SET", required=False)
@option("--show", is_flag=True, help="option.bless-show")
@option("--clear", is_flag=True, help="option.bless-clear")
@language_option
def command(*, name: str | None, show: bool, clear: bool) -> int:
    """Pin, list or unpin."""
    settings = load_score_settings()
    t = spoken()
    if show and (clear or name is not None):
        raise click.UsageError(t("bless.show-alone"))
    if show:
        return _show(settings.out)
    if clear:
        profile = _pinned_profile(name, settings)
        with refusing_to_start("service.not-writable"):
            remove_pin(settings.out, profile)
        click.echo(t("bless.cleared", profile=clean(profile)))
    else:
        if name is None:
            raise missing_report("bless SET", settings.out)
        status = _report(name, settings)
        with refusing_to_start("service.not-writable"):
            write_pin(settings.out, status.profile, status.set)
        click.echo(t("bless.pinned", name=clean(shown(status.set)), profile=clean(status.profile)))
    return _compare(settings)


def _show(out: Path) -> int:
    """A line per pin; also when the report of a pinned run is gone."""
    t = spoken()
    pins = read_pins(out)
    for profile, name in sorted(pins.items()):
        key = "bless.pin" if _is_report(out, name, profile) else "bless.pin-gone"
        click.echo(t(key, profile=clean(profile), name=clean(shown(name))))
    damaged = damaged_pins(out)
    for profile in damaged:
        click.echo(t("bless.pin-damaged", profile=clean(profile), file=clean(pin_path(out, profile).name)))
    if not pins and not damaged:
        click.echo(t("bless.none"))
    return EXIT_PROBLEMS if damaged else 0


def _is_report(out: Path, name: str, profile: str) -> bool:
    try:
        status = status_of_set(out, name)
    except InputError:
        return False
    return status is not None and status.state is State.REPORT and status.profile == profile


def _report(name: str, settings: ScoreSettings) -> StatusFile:
    """The status of the set that is named. Raises click.UsageError for one without a report."""
    folder = folder_of_report(name, settings)
    status = STATUS.read(folder)
    if status is None:
        raise unreadable(name, folder)
    if status.state is not State.REPORT:
        raise click.UsageError(spoken()("compare.refused", name=clean(name)))
    if not _is_report(settings.out, status.set, status.profile):
        raise click.UsageError(spoken()("bless.outside", name=clean(name)))
    return status


def _pinned_profile(name: str | None, settings: ScoreSettings) -> str:
    """The profile whose pin is meant: the only one, or that of a profile or set that is named."""
    t = spoken()
    pins = {**dict.fromkeys(damaged_pins(settings.out), ""), **read_pins(settings.out)}
    if not pins:
        raise click.UsageError(t("bless.none"))
    if name is None:
        if len(pins) > 1:
            raise click.UsageError(t("bless.which", profiles=", ".join(map(clean, sorted(pins)))))
        return next(iter(pins))
    for profile, pinned in pins.items():
        if name in {profile, pinned}:
            return profile
    raise click.UsageError(t("bless.not-pinned", name=clean(name)))


def _compare(settings: ScoreSettings) -> int:
    """Make the outdated comparisons, gates and front pages, and write the index."""
    collect_rarely()
    t = spoken()
    known = KnownSets(settings.out)
    made, problems = compare_missing(settings.destination(), known)
    click.echo(t("bless.compared", n=count(made)))
    language = settings.language
    problems += decide_gates_again(
        known, settings.gate_file, lambda: Rubrics(settings.rubrics, None, language=language), language=language
    )
    problems += summarise_missing(settings.destination(), known)
    with refusing_to_start("service.not-writable"):
        write_index(settings.out, language=language, known=known)
    for problem in problems:
        click.echo(describe(problem, t.language), err=True)
    return EXIT_PROBLEMS if problems else 0
