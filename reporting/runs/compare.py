"""Compares the report in a folder with its baseline, and writes what was found beside it; makes those that are missing.

A comparison may be made repeatedly, on any machine, in any order: what it names is what it read, so that a look at the
folders finds one that is outdated (`reporting.runs.baselines`).
"""

import hashlib
import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import msgspec

from reporting.comparison import (
    NO_SHARED,
    UNREADABLE,
    Absence,
    absence_key,
    absence_page,
    absence_text,
    build_comparison,
    comparison_key,
    comparison_page,
    notes_of,
    sentence,
    told_difference,
    told_figure,
    unmade_page,
    without_chance,
)
from reporting.document import Page, html_page, markdown_page
from reporting.runs.baselines import BaselineAsk, Baselines
from reporting.runs.read import UnreadableRunError, read_run, with_known
from reporting.store import (
    BASELINE,
    BASELINE_JSON,
    CHANGES_HTML,
    COMPARE_HTML,
    COMPARE_JSON,
    COMPARE_MD,
    LOCK_TIMEOUT_SECONDS,
    REPORT_HTML,
    STATUS,
    BaselineFile,
    Destination,
    FileMark,
    KnownSets,
    State,
    digest_of_sides,
    encode_json,
    exclusive,
    lock_path,
    run_info_in,
    set_folder,
    staging,
    transient,
)
from scoring import InputError, Problem, TransientError, refused, system_error
from scoring.comparison import (
    Baseline,
    Comparison,
    Difference,
    NoSharedQueryError,
    Origin,
    Run,
    WhyKind,
    compare_runs,
    worse_again,
)
from scoring.items import ENGINE_VERSION
from scoring.sets import shown
from texts import Texts, texts

NAMES = (COMPARE_HTML, COMPARE_MD, COMPARE_JSON)
_MARKS = (BASELINE_JSON, COMPARE_JSON)
_NO_PAGES = ("", "")


def _always() -> bool:
    return True


def comparison_files(
    comparison: Comparison,
    *,
    language: str,
    pages: tuple[str, str] = _NO_PAGES,
    origin: Origin | None = None,
    has_changes: bool = False,
) -> dict[str, bytes]:
    """The files by name, compare.json last. pages: relative addresses of the two reports, "" without one.

    origin: of the baseline; None for two runs that a person named. has_changes: is there a page about an earlier
    version of the later report?
    """
    t = texts(language)
    before, after = comparison.before.id, comparison.after.id
    key = comparison_key(
        before,
        after,
        margin=comparison.margin,
        pages=pages,
        language=language,
        origin=origin,
        has_changes=has_changes,
        told=digest_of_sides(comparison.before.info, comparison.after.info),
        known=comparison.known_digest,
    )
    page = comparison_page(
        comparison, key=key, engine=ENGINE_VERSION, pages=pages, origin=origin, has_changes=has_changes, t=t
    )
    files = _drawn(page, t)
    report = build_comparison(comparison, key=key, pages=pages, files=_marks(files), origin=origin, t=t)
    return {**files, COMPARE_JSON: encode_json(report)}


def absence_files(
    set_name: str,
    run: str,
    baseline: Baseline,
    reason: str,
    *,
    language: str,
    told: str = "",
    has_changes: bool = False,
) -> dict[str, bytes]:
    """The files of a report without a comparison. run: its key. reason: slug of its text. The rest as of the page."""
    t = texts(language)
    why = absence_text(baseline, reason, t)
    key = absence_key(set_name, run, baseline, reason, language=language, has_changes=has_changes)
    files = _drawn(absence_page(set_name, why, key=key, told=told, has_changes=has_changes, t=t), t)
    absence = Absence(
        key=key,
        language=language,
        engine_version=ENGINE_VERSION,
        set=shown(set_name),
        run=run,
        origin=baseline.origin,
        baseline=shown(baseline.name),
        reason=reason,
        sentence=why,
        files=_marks(files),
    )
    return {**files, COMPARE_JSON: encode_json(absence)}


def _drawn(page: Page, t: Texts) -> dict[str, bytes]:
    return {COMPARE_HTML: bytes(html_page(page, t)), COMPARE_MD: markdown_page(page).encode(errors="replace")}


def publish_comparison(
    comparison: Comparison,
    folder: Path,
    destination: Destination,
    *,
    reports: tuple[Path | None, Path | None] = (None, None),
) -> dict[str, bytes]:
    """Write a comparison into a folder and return its files by name.

    destination: on the same file system, as its work area is used: the folder of reports, or `folder` itself. reports:
    folders of the two reports, None without one. Of several writers at once one is last, and all files are its own.
    Raises TransientError when the file system refuses or another writer holds the folder for too long.
    """
    pages = page_of(reports[0], folder), page_of(reports[1], folder)
    files = comparison_files(comparison, language=destination.language, pages=pages)
    with transient(folder):
        folder.mkdir(parents=True, exist_ok=True)
    place_files(files, folder, destination)
    return files


def announce_comparison(set_name: str, destination: Destination) -> None:
    """Write `compare.html` beside a report that has none. `compare_with_baseline` replaces it.

    Raises TransientError when the file system refuses.
    """
    folder = destination.out / set_name
    page = folder / COMPARE_HTML
    if page.exists():
        return
    t = texts(destination.language)
    files = {COMPARE_HTML: bytes(html_page(unmade_page(set_name, t), t))}
    place_files(files, folder, destination, is_wanted=lambda: not page.exists())


def place_files(
    files: Mapping[str, bytes],
    folder: Path,
    destination: Destination,
    *,
    marks: Sequence[str] = _MARKS,
    is_wanted: Callable[[], bool] = _always,
) -> bool:
    """Put pages beside a report into a folder that exists, in their order, the last one as the commit mark.

    marks: names of the commit marks, those of a comparison if not given, which go first. is_wanted: asked once nobody
    else writes; False leaves everything as it is. Returns whether it was written. Raises TransientError as
    `publish_comparison`.
    """
    with transient(folder):
        lock = lock_path(destination.out, f"{marks[-1]} {os.path.realpath(folder)}")
        with (
            exclusive(lock, timeout_seconds=LOCK_TIMEOUT_SECONDS),
            staging(destination.out, strict=destination.strict) as staged,
        ):
            if not is_wanted():
                return False
            for name, data in files.items():
                staged.write(name, [data])
            for name in marks:
                (folder / name).unlink(missing_ok=True)
            for name in files:
                staged.place(name, folder)
    return True


def page_of(report: Path | None, folder: Path) -> str:
    """Address of the page of a report relative to a folder, "" without a report or a way to it."""
    if report is None:
        return ""
    with suppress(ValueError):  # another drive of Windows
        way = os.path.relpath(os.path.realpath(report), os.path.realpath(folder))
        return (Path(way) / REPORT_HTML).as_posix()
    return ""


def _marks(files: Mapping[str, bytes]) -> dict[str, FileMark]:
    return {name: FileMark(len(page), hashlib.sha256(page).hexdigest()) for name, page in files.items()}


class _Found(NamedTuple):
    """The files of a comparison, and what is noted of it."""

    files: dict[str, bytes]
    mark: BaselineFile


def compare_with_baseline(ask: BaselineAsk, destination: Destination) -> BaselineFile | None:
    """Make a comparison and write it, unless it is there already. None when there is no report, or none to be read.

    Raises InputError for a name that leads out of the destination, TransientError when the file system refuses.
    """
    out, language = destination.out, destination.language
    folder = set_folder(out, ask.set_name)
    known = BASELINE.read(folder)
    if ask.baseline is not None and ask.baseline.exists:
        before = run_info_in(set_folder(out, ask.baseline.name)).info
        ask = ask._replace(told=digest_of_sides(before, run_info_in(folder).info))
    if ask.baseline is None or ask.is_met(known, language):
        return known
    run = None
    if ask.baseline.exists:
        try:
            run = read_run(folder)
        except UnreadableRunError:
            return None
        found = _compare(out, folder, run, ask.baseline, language)
    else:  # no row is read for it: a run of 100,000 rows takes seconds
        status = STATUS.read(folder)
        told = "" if status is None else status.shown_banner
        found = _absent(folder, (ask.set_name, ask.key), ask.baseline, ask.baseline.origin, language, told=told)

    def is_wanted() -> bool:
        status = STATUS.read(folder)  # a folder that was removed must not appear again
        return status is not None and status.state is State.REPORT

    mark = msgspec.structs.replace(
        found.mark,
        said=ask.told or msgspec.UNSET,
        history=ask.history or msgspec.UNSET,
        again=_worse_again(out, ask, run) or msgspec.UNSET,
    )
    files = {**found.files, BASELINE_JSON: encode_json(mark)}
    return mark if place_files(files, folder, destination, is_wanted=is_wanted) else None


def _compare(out: Path, folder: Path, run: Run, baseline: Baseline, language: str) -> _Found:
    before_folder = set_folder(out, baseline.name)
    try:
        before = read_run(before_folder)
        comparison = compare_runs(before, with_known(run, folder))
    except UnreadableRunError:
        return _absent(folder, run.id[:2], baseline, UNREADABLE, language, told=run.banner)
    except NoSharedQueryError:
        return _absent(folder, run.id[:2], baseline, NO_SHARED, language, told=run.banner)
    pages = page_of(before_folder, folder), page_of(folder, folder)
    files = comparison_files(
        comparison, language=language, pages=pages, origin=baseline.origin, has_changes=_has_changes(folder)
    )
    return _Found(files, _mark(comparison, baseline, language))


def _worse_again(out: Path, ask: BaselineAsk, run: Run | None) -> dict[str, str]:
    """The metrics that are worse again; none where a run cannot be read. run: that is asked for."""
    if run is None or not ask.earlier:
        return {}
    try:
        previous, *before = [read_run(set_folder(out, name)) for name, _ in ask.earlier]
    except UnreadableRunError:
        return {}
    return worse_again(run, previous, before)


def _shifts(comparison: Comparison) -> dict[str, tuple[float, float, float]]:
    """By metric the difference to the baseline, as it is told, with the ends of its interval, where there are some."""
    return {
        change.metric: (difference, *change.interval)
        for change in comparison.groups[0].changes
        if (difference := told_difference(change)) is not None and change.interval is not None
    }


def _damaged(comparison: Comparison) -> tuple[str, ...]:
    changes = comparison.groups[0].changes
    return tuple([one.metric for one in changes if one.why is not None and one.why.kind is WhyKind.DAMAGED])


def _differences(comparison: Comparison) -> tuple[Difference, ...]:
    """In what the runs differ: models that the files name count as a judge, of which their statuses say nothing."""
    reasons = {change.why.kind for change in comparison.groups[0].changes if change.why is not None}
    found = {*comparison.differences, *([Difference.JUDGE] if WhyKind.MODEL in reasons else [])}
    return tuple([kind for kind in Difference if kind in found])


def _has_changes(folder: Path) -> bool:
    return (folder / CHANGES_HTML).is_file()


def _mark(comparison: Comparison, baseline: Baseline, language: str) -> BaselineFile:
    t = texts(language)
    return msgspec.structs.replace(
        _noted(comparison.after.name, comparison.after.key, baseline, sentence(comparison, t), language),
        baseline_key=comparison.before.key,
        headline=comparison.headline.metric,
        verdicts={one.metric: one.verdict for one in without_chance(comparison).groups[0].changes},
        copies={change.metric: change.copy_of for change in comparison.groups[0].changes if change.copy_of},
        told=told_figure(comparison, t),
        now_fails=len(comparison.lists.now_fails),
        known_fails=len(comparison.known_fails or ()) or msgspec.UNSET,
        known=comparison.known_digest or msgspec.UNSET,
        shifts=_shifts(comparison) if baseline.origin is Origin.PINNED else msgspec.UNSET,
        damaged=_damaged(comparison) or msgspec.UNSET,
        differences=_differences(comparison),
        notes=tuple(note.text for note in notes_of(comparison, t)),
    )


def _absent(folder: Path, run: tuple[str, str], baseline: Baseline, reason: str, language: str, *, told: str) -> _Found:
    """run: name and key. told: what stands above everything on the pages of the set."""
    set_name, key = run
    why = absence_text(baseline, reason, texts(language))
    has_changes = _has_changes(folder)
    files = absence_files(set_name, key, baseline, reason, language=language, told=told, has_changes=has_changes)
    return _Found(files, _noted(set_name, key, baseline, why, language))


def _noted(set_name: str, key: str, baseline: Baseline, told: str, language: str) -> BaselineFile:
    """What is noted of every comparison, and of none."""
    return BaselineFile(
        set=set_name,
        key=key,
        origin=baseline.origin,
        baseline=baseline.name,
        baseline_key=baseline.key,
        language=language,
        engine_version=ENGINE_VERSION,
        sentence=told,
    )


def compare_missing(destination: Destination, known: KnownSets | None = None) -> tuple[int, list[Problem]]:
    """Make every comparison that is missing or outdated. Gives their number, and what could not be written.

    known: the sets, which are looked at unless they are known already, and brought up to date.
    """
    made = 0
    problems: list[Problem] = []
    try:
        known = known or KnownSets(destination.out)
        if not known.looks:
            known.look()
        language, public_url, xlsx = destination.language, destination.public_url, destination.xlsx
        missing = Baselines(known, language=language, public_url=public_url, xlsx=xlsx).missing()
        found = {ask.set_name: known.entries[ask.set_name].unpack().compared for ask in missing}
        asks = [ask for ask in missing if not ask.is_met(found[ask.set_name], destination.language)]
    except OSError as error:
        return 0, [system_error("not-written", error, shown(str(destination.out)))]
    for ask in asks:
        try:
            made += compare_with_baseline(ask, destination) is not None
        except InputError as error:
            problems += error.problems
        except TransientError as error:
            source = shown(f"{ask.set_name}/{COMPARE_HTML}")
            problems.append(refused("not-written", source=source, reason=str(error)))
    known.look_at([ask.set_name for ask in asks])
    return made, problems
