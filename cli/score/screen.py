"""What `scorewatch score` prints or logs: progress, one line per set, problems, JSON."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

import click
import msgspec

from cli.localised import spoken
from reporting.document import sessions_text, set_pieces
from reporting.store import Headline, State, encode_json
from reporting.wording import briefs, clean, clean_trace, count, describe, describe_finding, excerpt
from scoring import Finding, Problem, Severity
from scoring.judging import JudgeFigures
from scoring.reading import LARGE_BYTES
from scoring.results import Sessions
from scoring.sets import shown
from scoring.statistics import Repeats
from texts import Texts

if TYPE_CHECKING:
    from rich.progress import Progress

    from reporting.runs import SetGate

MAX_LINES = 20  # refusals that are printed per code, and files that are not scored
_NAME_CHARS = 60


class SetOutcome(msgspec.Struct, frozen=True, kw_only=True):
    """One set as it came out. headline: None when state is "problem". folder: None when nothing was written.

    judge: None where there is nothing for one. repeats: queries per class, None for a set of one round. sessions:
    None where no item has one. gate: None
    without `--gate`. replaced_engine: the earlier engine whose report was there; None without one.
    """

    name: str
    profile: str
    state: State
    key: str
    headline: Headline | None
    findings: tuple[Finding, ...]
    inputs: dict[str, str]
    folder: Path | None
    is_fine: bool
    judge: JudgeFigures | None = None
    repeats: Mapping[Repeats, int] | None = None
    sessions: Sessions | None = None
    gate: SetGate | None = None
    replaced_engine: int | None = None


class ScoreLog:
    """A JSON line per set and problem, in the log of this process, which `configure_logging` has set up."""

    def __init__(self) -> None:
        import structlog  # most runs write no log

        self._log = structlog.get_logger("scorewatch.score")

    def scored(self, outcome: SetOutcome) -> None:
        """A set that came out as a report or as a problem."""
        self._log.info(
            "scored",
            set=outcome.name,
            key=outcome.key,
            profile=outcome.profile,
            state=str(outcome.state),
            items=None if outcome.headline is None else outcome.headline.n,
            findings={finding.code: finding.count for finding in outcome.findings},
            is_fine=outcome.is_fine,
            replaced_engine=outcome.replaced_engine,
            folder=None if outcome.folder is None else shown(str(outcome.folder)),
        )

    def problem(self, problem: Problem, text: str) -> None:
        """A problem of no set. text: in words."""
        self._log.error("problem", code=problem.code, source=problem.source, text=text)


class Screen:
    """A line per set, and progress: bars on a terminal, else lines. quiet: only errors.

    log: given each set and problem instead of people, as one line each; None without it.
    """

    def __init__(self, *, quiet: bool, as_json: bool, log: ScoreLog | None = None) -> None:
        self._t = spoken()
        self._quiet = quiet or as_json or log is not None
        self._as_json = as_json
        self._log = log
        self._outcomes: list[SetOutcome] = []

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
        self._outcomes.append(outcome)
        if self._log is not None:
            self._log.scored(outcome)
        elif not self._quiet:
            click.echo(_line(outcome, self._t))
            if outcome.replaced_engine is not None:
                replaced = self._t("score.replaced-engine", engine=str(outcome.replaced_engine))
                click.echo(f"{_name(outcome)}: {replaced}")

    def failed(self, trace: str) -> None:
        """The traceback of a bug, which a report of it needs; texts in it come from files."""
        for line in clean_trace(trace):
            click.echo(line, err=True)

    def close(
        self, *, problems: Sequence[Problem], unclaimed: Sequence[str], index: Path | None, unkept: int = 0
    ) -> None:
        """Print what is left to say.

        problems: those of no set. index: the index that was written. unkept: verdicts that were not stored.
        """
        if self._as_json:
            content = _as_json(self._outcomes, problems, unclaimed, index, self._t)
            click.echo(encode_json(content).decode(), nl=False)
            return
        if self._log is not None:
            for problem in problems:
                self._log.problem(problem, describe(problem, self._t.language))
            return
        for line in _problem_lines(self._outcomes, problems, self._t, with_notes=not self._quiet):
            click.echo(line)
        if not self._quiet:
            for line in _closing_lines(unclaimed, index, self._t):
                click.echo(line)
            if unkept:
                click.echo(self._t("score.verdicts-not-kept", n=count(unkept)))


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


def _name(outcome: SetOutcome) -> str:
    return clean(outcome.name)


def _line(outcome: SetOutcome, t: Texts) -> str:
    pieces = set_pieces(outcome.name, outcome.state, outcome.headline, t)
    if outcome.sessions is not None:
        pieces.append(sessions_text(outcome.sessions, t))
    if outcome.repeats is not None:
        pieces.append(t("score.repeats", **_repeat_counts(outcome.repeats)))
    if outcome.judge is not None and outcome.judge.pending:
        pieces.append(t("score.judge-pending", n=count(outcome.judge.pending)))
    if outcome.judge is not None and outcome.judge.gave_up:
        pieces.append(t("score.judge-gave-up", n=count(outcome.judge.gave_up)))
    line = f"{', '.join(pieces)}. {t('report.look-at')}: {briefs(outcome.findings, t)}"
    return line if outcome.folder is None else f"{line} → {clean(shown(str(outcome.folder)))}"


def _repeat_counts(repeats: Mapping[Repeats, int]) -> dict[str, str]:
    return {kind.value: count(repeats[kind]) for kind in Repeats}


def _problem_lines(
    outcomes: Sequence[SetOutcome], problems: Sequence[Problem], t: Texts, *, with_notes: bool
) -> Iterator[str]:
    for outcome in outcomes:
        for finding in outcome.findings:
            if finding.severity is Severity.NOTE and not with_notes:
                continue
            yield from (f"{_name(outcome)}: {line}" for line in _finding_lines(finding, t))
    for problem in problems:
        yield describe(problem, t.language)


def _finding_lines(finding: Finding, t: Texts) -> Iterator[str]:
    """One line; for refusals one each, because every file has its own reason."""
    if finding.severity is not Severity.REFUSED:
        yield describe_finding(finding, t.language)
        return
    yield from (describe(place, t.language) for place in finding.places[:MAX_LINES])
    if finding.count > MAX_LINES:
        yield t("quality.more", n=count(finding.count - MAX_LINES))


def _closing_lines(unclaimed: Sequence[str], index: Path | None, t: Texts) -> Iterator[str]:
    for path in unclaimed[:MAX_LINES]:
        yield t("score.unread-folder" if path.endswith("/") else "score.unclaimed", path=clean(path))
    if len(unclaimed) > MAX_LINES:
        yield t("score.unclaimed-more", n=count(len(unclaimed) - MAX_LINES))
    if index is not None:
        from reporting.index import INDEX_HTML

        yield t("score.index", path=clean(shown(str(index.with_name(INDEX_HTML)))))


def _as_json(
    outcomes: Sequence[SetOutcome], problems: Sequence[Problem], unclaimed: Sequence[str], index: Path | None, t: Texts
) -> dict[str, object]:
    from reporting.data import finding_entry

    return {
        "sets": [
            {
                "set": outcome.name,
                "profile": outcome.profile,
                "state": outcome.state,
                "key": outcome.key,
                "headline": outcome.headline,
                "judge": None if outcome.judge is None else outcome.judge.state,
                "findings": [finding_entry(finding, t.language) for finding in outcome.findings],
                "inputs": outcome.inputs,
                "folder": None if outcome.folder is None else shown(str(outcome.folder)),
                **({} if outcome.replaced_engine is None else {"replaced_engine": outcome.replaced_engine}),
                **({} if outcome.sessions is None else {"sessions": outcome.sessions.all}),
                **({} if outcome.gate is None else {"gate": outcome.gate.result}),
            }
            for outcome in outcomes
        ],
        "problems": [_problem(problem, t) for problem in problems],
        "unclaimed": list(unclaimed),
        "index": None if index is None else shown(str(index)),
    }


def _problem(problem: Problem, t: Texts) -> dict[str, object]:
    return {
        "code": problem.code,
        "severity": problem.severity,
        "source": problem.source,
        "row": problem.row,
        "column": problem.column,
        "text": describe(problem, t.language),
    }
