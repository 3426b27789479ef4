"""What the runs of a comparison are: name, times, rounds, and by what they were scored."""

from collections.abc import Callable, Sequence

from reporting.document import Table, table
from reporting.wording import NONE, RUN_ID, count, excerpt, executed_text, run_info_cells, some_names
from scoring.comparison import Run
from texts import Texts

NAME_CHARS = 120
DIGEST_DIGITS = 8


def run_name(run: Run, t: Texts) -> str:
    """A run by name, with its one round where one was chosen."""
    name = excerpt(run.name, NAME_CHARS)
    return t("compare.run", name=name, round=excerpt(run.selection, NAME_CHARS)) if run.selection else name


def profile_text(run: Run) -> str:
    """Its profile."""
    return excerpt(run.profile, NAME_CHARS)


def rubric_text(run: Run) -> str:
    """`resume-agent.md 2026-02-01 (1a2b3c4d)`."""
    named = " ".join(filter(None, (run.basis.document, run.basis.edition)))
    digest = run.rubric_digest[:DIGEST_DIGITS]
    return f"{excerpt(named, NAME_CHARS)} ({digest})" if named else digest


def judge_text(run: Run, t: Texts) -> str:
    """Who judged, with how many votes and which prompt."""
    judge = run.judge
    if not judge.model:
        return t("compare.no-judge")
    model, prompt = excerpt(judge.model, NAME_CHARS), excerpt(judge.prompt, NAME_CHARS)
    return t("compare.judge", model=model, votes=count(judge.votes), prompt=prompt)


def _executed(run: Run, t: Texts) -> str:
    """First and last time as they are written; of one round the first of its own."""
    times = "" if run.selection else executed_text(run.times, t)
    return times or run.executed.replace("T", " ") or NONE


def runs_table(runs: Sequence[Run], titles: Sequence[str], t: Texts) -> Table:
    """What each run is, a column a run. titles: of the columns."""

    def row(title: str, cell: Callable[[Run], str]) -> list[str]:
        return [t(title), *map(cell, runs)]

    any_models = any(run.recorded_models for run in runs)
    rows = [
        row("compare.name", lambda run: run_name(run, t)),
        row("compare.executed", lambda run: _executed(run, t)),
        *([[RUN_ID, *named]] if any(named := [some_names(run.run_ids, t) for run in runs]) else []),
        row("compare.rounds", lambda run: excerpt(run.selection, NAME_CHARS) or some_names(run.rounds, t)),
        row("compare.queries", lambda run: count(len(run.queries))),
        row("compare.items", lambda run: count(run.items)),
        row("compare.rubric", rubric_text),
        row("compare.engine", lambda run: str(run.engine_version)),
        *([row("compare.models", lambda run: some_names(run.recorded_models, t) or NONE)] if any_models else []),
        row("compare.judged-by", lambda run: judge_text(run, t)),
        *_said_rows(runs, t),
    ]
    return table(["", *titles], rows)


def _said_rows(runs: Sequence[Run], t: Texts) -> list[list[str]]:
    """What people say of the runs: a row for each thing that is said of any."""
    said = [dict(run_info_cells(run.info, t)) for run in runs]
    titles = dict.fromkeys(title for cells in said for title in cells)
    return [[title[:1].upper() + title[1:], *(cells.get(title, NONE) for cells in said)] for title in titles]
