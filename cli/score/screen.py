"""What `scorewatch score` prints: progress, one line or table row per set, problems, JSON."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

import click

from cli.localised.language import spoken
from reporting.store.json import encode_json
from reporting.store.status import Headline, State
from reporting.view.headline import headline_pieces, leading_metrics, pass_cell, sessions_text
from reporting.wording.catalogue import Texts
from reporting.wording.display import NONE, clean, clean_trace, count, excerpt
from reporting.wording.findings import briefs, counted, describe_finding
from reporting.wording.intervals import sure_percent, sure_score
from reporting.wording.names import ORDER, metric_word, shown_names
from reporting.wording.problems import describe
from scoring.findings import Finding
from scoring.judging.figures import JudgeFigures
from scoring.problems import Problem, Severity
from scoring.results.sessions.outcomes import Sessions
from scoring.sets.names import shown
from scoring.statistics.repeats import Repeats

if TYPE_CHECKING:
    from rich.progress import Progress

    from reporting.gate.evaluate_set import SetGate

MAX_LINES = 20  # refusals that are printed per code, and files that are not scored
LARGE_BYTES = 20_000_000  # from here on reading shows its progress
_NAME_CHARS = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class SetOutcome:
    """One set as it came out. headline: None when state is "problem". folder: None when nothing was written.

    judge: None where there is nothing for one. repeats: queries per class, None for a set of one round. sessions:
    None where no item has one. gate: None
    without `--gate`.
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


class Screen:
    """A terminal gets a table and progress bars, everything else plain lines. quiet: only errors."""

    def __init__(self, *, quiet: bool, as_json: bool) -> None:
        self._t = spoken()
        self._quiet = quiet or as_json
        self._as_json = as_json
        self._is_terminal = _is_terminal(sys.stdout)
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
        if not self._quiet and not self._is_terminal:
            click.echo(_line(outcome, self._t))

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
        if not self._quiet and self._is_terminal and self._outcomes:
            _print_table(self._outcomes, self._t)
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
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}", markup=False), BarColumn(), DownloadColumn(), TimeRemainingColumn())
    return Progress(*columns, console=Console(stderr=True), transient=True)


def _item_bar() -> Progress:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    return Progress(*columns, console=Console(stderr=True), transient=True)


def _name(outcome: SetOutcome) -> str:
    return clean(outcome.name)


def _line(outcome: SetOutcome, t: Texts) -> str:
    pieces = [f"{_name(outcome)}: {t(f'state.{outcome.state}')}"]
    if outcome.headline is not None:
        headline = outcome.headline
        pieces += [t("score.items", n=count(headline.n)), *headline_pieces(headline, t)]
        pieces += [
            f"{metric_word(name, t)} {sure_score(headline.metrics[name], headline.intervals[name])}"
            for name in _further(headline.metrics)
        ]
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


def _further(metrics: Collection[str]) -> list[str]:
    """The usual metrics, without those that lead."""
    return [name for name in shown_names(metrics) if name not in leading_metrics(metrics)]


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
        from reporting.index.write import INDEX_HTML

        yield t("score.index", path=clean(shown(str(index.with_name(INDEX_HTML)))))


def _print_table(outcomes: Sequence[SetOutcome], t: Texts) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table()
    table.add_column(t("set"), overflow="fold")
    table.add_column(t("index-js.state"))
    found = {name for outcome in outcomes if outcome.headline is not None for name in outcome.headline.metrics}
    names = [*leading_metrics(found), *_further(found)] or list(ORDER)
    metrics = [metric_word(name, t) for name in names]
    has_passes = any(outcome.headline is not None and outcome.headline.passed is not None for outcome in outcomes)
    rates = [*([t("headline.pass-rate")] if has_passes else []), t("headline.answered-rate")]
    further: dict[str, Callable[[SetOutcome], str]] = {}
    if any(outcome.repeats is not None for outcome in outcomes):
        further[t("score.repeats-title")] = _repeats_cell
    if any(outcome.sessions is not None for outcome in outcomes):
        further[t("sessions.title")] = _sessions_cell
    for title in (t("changes.items"), *rates, *metrics, *further, t("report.look-at")):
        table.add_column(title, justify="right")
    for outcome in outcomes:
        headline = outcome.headline
        if headline is None:
            figures = [NONE] * (1 + len(rates) + len(names))
        else:
            values = [
                _in_two_lines(sure_score(headline.metrics.get(name), headline.intervals.get(name))) for name in names
            ]
            passed = [_in_two_lines(pass_cell(headline))] if has_passes else []
            answered = _in_two_lines(sure_percent(headline.answered, headline.n, headline.answered_interval))
            figures = [count(headline.n), *passed, answered, *values]
        figures += [cell(outcome) for cell in further.values()]
        cells = [_name(outcome), t(f"state.{outcome.state}"), *figures, counted(outcome.findings, t)]
        table.add_row(*map(Text, cells))
    Console().print(table)


def _repeats_cell(outcome: SetOutcome) -> str:
    return NONE if outcome.repeats is None else " · ".join(_repeat_counts(outcome.repeats).values())


def _sessions_cell(outcome: SetOutcome) -> str:
    if outcome.sessions is None:
        return NONE
    share = outcome.sessions.all
    return _in_two_lines(sure_percent(share.passed, share.n, share.interval))


def _in_two_lines(figure: str) -> str:
    """The interval below the figure, so that a column is no wider than its title."""
    return figure.replace(" (", "\n", 1).removesuffix(")")


def _as_json(
    outcomes: Sequence[SetOutcome], problems: Sequence[Problem], unclaimed: Sequence[str], index: Path | None, t: Texts
) -> dict[str, object]:
    from reporting.data.report_json import finding_entry

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
