"""What `scorewatch score` prints or logs: progress, a line per set, problems, JSON."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

import click
import msgspec

from cli.localised import spoken
from cli.screen import CUT, figure_details, passed_over_line, problem_entry, say, set_line, unscored_line
from reporting.document import sessions_text
from reporting.store import SUMMARY_HTML, IndexEntry, encode_json
from reporting.wording import clean, clean_trace, count, describe, describe_finding, excerpt
from scoring import Finding, Problem, Severity
from scoring.judging import JudgeFigures, JudgeState
from scoring.reading import LARGE_BYTES
from scoring.results import Sessions
from scoring.sets import is_run_file, shown
from scoring.statistics import Repeats
from texts import Texts

if TYPE_CHECKING:
    from rich.progress import Progress

    from cli.score.inputs import Work
    from reporting.runs import SetGate
    from reporting.wording import Tally

MAX_LINES = 20  # refusals that are printed per code, and files that are not scored
_NAME_CHARS = 60
_UNSCORED = {
    "name-of-no-profile",
    "columns-of-no-profile",
    "document-beside",
    "not-claimed",
    "unknown-extension",
}  # problems of files that no profile takes


class SetOutcome(msgspec.Struct, frozen=True, kw_only=True):
    """One set as it came out. entry: with its comparison where there is one. folder: None when nothing was written.

    judge: None where there is nothing for one. repeats: queries per class, None for a set of one round. sessions:
    None where no item has one. gate: None without `--gate`. replaced_engine: the earlier engine whose report was there;
    None without one.
    """

    entry: IndexEntry
    findings: tuple[Finding, ...]
    folder: Path | None
    is_fine: bool
    judge: JudgeFigures | None = None
    repeats: Mapping[Repeats, int] | None = None
    sessions: Sessions | None = None
    gate: SetGate | None = None
    replaced_engine: int | None = None

    @property
    def page(self) -> str:
        """The page that tells of it, as a path; "" when nothing was written."""
        return "" if self.folder is None else clean(shown(str(self.folder / SUMMARY_HTML)))


def _why_passed_over(path: str) -> str:
    if path.endswith("/"):
        return "line.system-folder"
    return "line.no-run" if is_run_file(path.rpartition("/")[2]) else "line.no-profile"


class ScoreLog:
    """A JSON line per set and problem, in the log of this process, which `configure_logging` has set up."""

    def __init__(self) -> None:
        import structlog  # most runs write no log

        self._log = structlog.get_logger("scorewatch.score")

    def scored(self, outcome: SetOutcome) -> None:
        """A set that came out as a report or as a problem."""
        status = outcome.entry.status
        self._log.info(
            "scored",
            set=outcome.entry.set_name,
            key=status.key,
            profile=status.profile,
            state=str(status.state),
            items=None if status.headline is None else status.headline.n,
            findings={finding.code: finding.count for finding in outcome.findings},
            is_fine=outcome.is_fine,
            replaced_engine=outcome.replaced_engine,
            folder=None if outcome.folder is None else shown(str(outcome.folder)),
        )

    def problem(self, problem: Problem, text: str) -> None:
        """A problem of no set. text: in words."""
        self._log.error("problem", code=problem.code, source=problem.source, text=text)


class Screen:
    """A line per set, and progress: bars on a terminal, else lines. quiet: only problems. verbose: with all figures.

    log: given each set and problem instead of people, as one line each; None without it.
    """

    def __init__(self, *, quiet: bool, as_json: bool, verbose: bool = False, log: ScoreLog | None = None) -> None:
        self._t = spoken()
        self._quiet = quiet or as_json or log is not None
        self._verbose = verbose
        self._as_json = as_json
        self._log = log
        self.outcomes: list[SetOutcome] = []  # in the order of the sets

    @contextmanager
    def reading(self, path: Path, size: int) -> Iterator[Callable[[int], None] | None]:
        """Progress of one file; None when it is not worth showing."""
        if self._quiet or size < LARGE_BYTES:
            yield None
        elif _is_terminal(sys.stderr):
            with _bar() as bar:
                task = bar.add_task(excerpt(shown(path.name), _NAME_CHARS), total=size)
                yield lambda total: bar.update(task, completed=total)
        else:
            yield _Quarters(shown(path.name), size, self._t)

    @contextmanager
    def judging(self, set_name: str, total: int) -> Iterator[Callable[[], None]]:
        """Progress of the judge of one set, one item a call."""
        name = excerpt(shown(set_name), _NAME_CHARS)
        if self._quiet:
            yield lambda: None
        elif _is_terminal(sys.stderr):
            with _item_bar() as bar:
                task = bar.add_task(self._t("score.judging", name=name), total=total)
                yield lambda: bar.advance(task)
        else:
            click.echo(self._t("score.judging-items", name=name, n=count(total)), err=True)
            yield lambda: None

    def waiting_for_judging(self, set_name: str) -> None:
        """Another run asks the judge for this set; this one waits, which nobody should wonder about."""
        click.echo(self._t("score.judging-elsewhere", name=excerpt(shown(set_name), _NAME_CHARS)), err=True)

    def finished(self, outcome: SetOutcome) -> None:
        """One more set is done."""
        self.outcomes.append(outcome)
        if self._log is not None:
            self._log.scored(outcome)
        elif not self._quiet:
            say(set_line(outcome.entry, self._t))
            for line in _details(outcome, self._t) if self._verbose else ():
                say(f"  {line}")

    def reviewed(self, tallies: Sequence[Tally]) -> None:
        """Tell what became of review files, a line each; nothing beside JSON."""
        for one in () if self._quiet or self._as_json or self._log is not None else tallies:
            say(one.line(self._t))

    def failed(self, trace: str) -> None:
        """The traceback of a bug, which a report of it needs; texts in it come from files."""
        for line in clean_trace(trace):
            click.echo(line, err=True)

    def close(self, *, problems: Sequence[Problem], work: Work, index: Path | None, unkept: int = 0) -> None:
        """Print what is left to say.

        problems: those of no set. index: the index that was written. unkept: verdicts that were not stored.
        """
        if self._as_json:
            content = _as_json(self.outcomes, problems, work.unclaimed, index, self._t)
            click.echo(encode_json(content).decode(), nl=False)
        elif self._log is not None:
            for problem in problems:
                self._log.problem(problem, describe(problem, self._t.language))
        elif self._quiet:
            for line in _problem_lines(self.outcomes, problems, self._t):
                click.echo(line)
        else:
            for line in (*self._unscored_lines(problems, work), *self._closing_lines(len(work.unclaimed), index)):
                say(line)
            if unkept:
                click.echo(self._t("score.verdicts-not-kept", n=count(unkept)))

    def _unscored_lines(self, problems: Sequence[Problem], work: Work) -> Iterator[str]:
        """What is wrong with what is no set, and files that are not scored."""
        t = self._t
        for problem in problems:
            if problem.code in _UNSCORED:
                yield from self._unscored(problem)
            else:
                yield describe(problem, t.language)
        misnamed = {problem.source: problem for problem in work.misnamed}
        for path in work.unclaimed[:MAX_LINES]:
            if path in misnamed:
                yield from self._unscored(misnamed[path])
            else:
                yield passed_over_line(path, t(_why_passed_over(path)), t)

    def _unscored(self, problem: Problem) -> Iterator[str]:
        """A line for a file that no profile takes, and all of it where the line is cut."""
        line = unscored_line(problem, self._t)
        yield line
        if self._verbose or line.endswith(CUT):
            yield f"  {describe(problem, self._t.language)}"

    def _closing_lines(self, unclaimed: int, index: Path | None) -> Iterator[str]:
        """What was left out above, and where the reports are."""
        t, outcomes = self._t, self.outcomes
        if unclaimed > MAX_LINES:
            yield t("score.unclaimed-more", n=count(unclaimed - MAX_LINES))
        for engine in sorted({one.replaced_engine for one in outcomes if one.replaced_engine is not None}):
            yield t("score.replaced-engine", engine=str(engine))
        judges = [outcome.judge for outcome in outcomes if outcome.judge is not None]
        pending, gave_up = sum(judge.pending for judge in judges), sum(judge.gave_up for judge in judges)
        if pending or gave_up:
            yield t("score.judge-left", pending=count(pending), gave_up=count(gave_up))
        if not self._verbose and any(outcome.entry.status.errors for outcome in outcomes):
            yield t("line.hint")
        if len(outcomes) == 1 and outcomes[0].page:
            yield t("score.page", path=outcomes[0].page)
        if index is not None:
            from reporting.index import INDEX_HTML

            yield t("score.index", path=clean(shown(str(index.with_name(INDEX_HTML)))))


class _Quarters:
    """Says when a quarter of a file is read, for logs."""

    def __init__(self, name: str, size: int, t: Texts) -> None:
        self._name, self._size, self._said, self._t = clean(name), size, 0, t

    def __call__(self, total: int, /) -> None:
        quarter = min(4 * total // self._size, 4)
        if quarter > self._said:
            self._said = quarter
            click.echo(self._t("score.reading", name=self._name, percent=str(25 * quarter)), err=True)


def _is_terminal(stream: TextIO) -> bool:
    return stream.isatty()


def _bar() -> Progress:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}", markup=False), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    return Progress(*columns, console=Console(stderr=True), transient=True)


def _item_bar() -> Progress:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    return Progress(*columns, console=Console(stderr=True), transient=True)


def _details(outcome: SetOutcome, t: Texts) -> Iterator[str]:
    """All that a line leaves out."""
    yield from figure_details(outcome.entry, t)
    if outcome.sessions is not None:
        yield sessions_text(outcome.sessions, t)
    if outcome.repeats is not None:
        yield t("score.repeats", **{kind.value: count(outcome.repeats[kind]) for kind in Repeats})
    if outcome.judge is not None and outcome.judge.pending:
        yield t("score.judge-pending", n=count(outcome.judge.pending))
    if outcome.judge is not None and outcome.judge.gave_up:
        yield t("score.judge-gave-up", n=count(outcome.judge.gave_up))
    yield from _finding_lines(outcome, t, with_notes=True)
    if outcome.page:
        yield t("score.page", path=outcome.page)


def _problem_lines(outcomes: Sequence[SetOutcome], problems: Sequence[Problem], t: Texts) -> Iterator[str]:
    """All that is wrong, in full."""
    for outcome in outcomes:
        for line in _finding_lines(outcome, t, with_notes=False):
            yield f"{clean(outcome.entry.set_name)}: {line}"
    yield from (describe(problem, t.language) for problem in problems)


def _finding_lines(outcome: SetOutcome, t: Texts, *, with_notes: bool) -> Iterator[str]:
    """A line for each finding; for refusals one for each file, because every file has its own reason."""
    for finding in outcome.findings:
        if finding.severity is Severity.REFUSED:
            yield from (describe(place, t.language) for place in finding.places[:MAX_LINES])
            if finding.count > MAX_LINES:
                yield t("quality.more", n=count(finding.count - MAX_LINES))
        elif with_notes or finding.severity is not Severity.NOTE:
            yield describe_finding(finding, t.language)


def _as_json(
    outcomes: Sequence[SetOutcome], problems: Sequence[Problem], unclaimed: Sequence[str], index: Path | None, t: Texts
) -> dict[str, object]:
    from reporting.data import finding_entry

    return {
        "sets": [
            {
                "set": outcome.entry.set_name,
                "profile": status.profile,
                "state": status.state,
                "key": status.key,
                "headline": status.headline,
                "judge": None if status.judge is JudgeState.NONE else status.judge,
                "findings": [finding_entry(finding, t.language) for finding in outcome.findings],
                "inputs": status.inputs,
                "folder": None if outcome.folder is None else shown(str(outcome.folder)),
                **({} if outcome.replaced_engine is None else {"replaced_engine": outcome.replaced_engine}),
                "compared": outcome.entry.compared,
                **({} if outcome.sessions is None else {"sessions": outcome.sessions.all}),
                **({} if outcome.gate is None else {"gate": outcome.gate.result}),
            }
            for outcome in outcomes
            for status in [outcome.entry.status]
        ],
        "problems": [problem_entry(problem, t) for problem in problems],
        "unclaimed": list(unclaimed),
        "index": None if index is None else shown(str(index)),
    }
