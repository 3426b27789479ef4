"""`scorewatch score`: files and folders to figures and reports, without a queue.

Writes through the same functions as the service's workers, so both give the same bytes. Exit code 0 when everything
was fine, 1 when some input had problems, 2 for usage and settings; with `--gate` also 3 and 4, see `cli.gate`.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from cli.commands.options import JSON, chosen_log, log_option, verbose_option
from cli.kept_files import Kept, refuse_own_inputs
from cli.localised import Command, PathType, language_option, option, refusing_to_start, spoken
from cli.process_exit import EXIT_PROBLEMS, collect_rarely, is_own_process
from cli.score import (
    Rubrics,
    Runner,
    ScoreSettings,
    Screen,
    Work,
    keep_lines,
    lines_for,
    load_score_settings,
    plan_work,
)
from cli.screen import say
from config import SettingsError
from reporting.store import sweep_temporary
from scoring import Problem, system_error
from scoring.sets import shown
from texts import texts
from workers.processes import limit_memory

if TYPE_CHECKING:
    from cli.score import ScoreJudge, ScoreLog

_INPUT = PathType()


@click.command(cls=Command, help="help.score")
@click.argument("paths", nargs=-1, required=True, type=_INPUT, metavar="FILE|FOLDER…")
@option("--out", type=PathType("folder"), metavar="DIR", help="option.score-out")
@option("--set", "set_name", metavar="NAME", help="option.score-set")
@option("--rubric", "document", type=_INPUT, metavar="FILE|PROFILE", help="option.score-rubric")
@option("--gate", "is_gated", is_flag=True, help="option.score-gate")
@option("--gate-file", type=_INPUT, metavar="FILE", help="option.gate-file")
@option("--baseline", metavar="RUN", help="option.gate-baseline")
@option("--junit", type=PathType("file"), metavar="FILE", help="option.gate-junit")
@option("--junit-queries", is_flag=True, help="option.gate-junit-queries")
@option("--summary", type=PathType("file"), metavar="FILE", help="option.gate-summary")
@option("--xlsx", is_flag=True, help="option.score-xlsx")
@option("--judge-plan", "is_plan", is_flag=True, help="option.score-judge-plan")
@option("--jobs", type=click.IntRange(min=1), metavar="N", help="option.score-jobs")
@log_option
@option("--json", "as_json", is_flag=True, help="option.score-json")
@option("-q", "--quiet", is_flag=True, help="option.score-quiet")
@verbose_option
@language_option
@click.pass_context
def command(
    context: click.Context,
    *,
    paths: Sequence[Path],
    out: Path | None,
    set_name: str | None,
    document: Path | None,
    is_gated: bool,
    gate_file: Path | None,
    baseline: str | None,
    junit: Path | None,
    junit_queries: bool,
    summary: Path | None,
    xlsx: bool,
    is_plan: bool,
    jobs: int | None,
    log: str | None,
    as_json: bool,
    quiet: bool,
    verbose: bool,
) -> None:
    """Score what is named, print, write with `--out`, and exit by what was found."""
    collect_rarely()
    settings = _asked(load_score_settings(), out, xlsx=xlsx)
    if is_own_process():
        limit_memory(settings.memory_limit_megabytes)
    rubrics = Rubrics(settings.rubrics, document, language=settings.language)
    lines = lines_for(paths, out, settings, rubrics)
    gate = gate_files = None
    if is_gated:
        from cli.gate import GateFiles, ScoreGate

        gate_files = GateFiles.of(junit, summary, spoken(), with_queries=junit_queries)
        may_lack = summary is not None
        gate = ScoreGate(settings, rubrics, gate_file=gate_file, baseline=baseline, may_lack=may_lack, lines=lines)
    elif junit_queries or (gate_file, baseline, junit, summary) != (None, None, None, None):
        raise click.UsageError(spoken()("gate.not-asked"))
    gate_rules, documents = gate_file or settings.gate_file, (document, settings.rubrics)
    kept = Kept(inputs=paths, documents=documents, gate_file=gate_rules, reports=(settings.out, out))
    kept.refuse(junit, summary)
    work = plan_work(
        paths,
        rubrics,
        out=out or settings.out,
        ignore=settings.ignore,
        set_name=set_name,
        adjudicator=settings.adjudicator or "",
        watch=settings.watch,
    )
    refuse_own_inputs(out, ((planned.plan.name, planned.files) for planned in work.sets))
    if is_plan:
        _show_plan(context, settings, work, out, as_json=as_json, is_gated=is_gated)
        return
    score_log = _log_of(settings, log, as_json=as_json)
    screen = Screen(quiet=quiet, as_json=as_json, verbose=verbose, log=score_log)
    if out is not None:
        sweep_temporary(out)
    judge = _judge_of(settings, work, out, screen)
    runner = Runner(settings, out, screen, judge, gate, jobs=jobs)
    line_problems = [] if lines is None else lines.problems
    unkept_lines = keep_lines(out, lines) if out is not None else line_problems
    problems = [*work.problems, *unkept_lines, *runner.run(work)]
    replacing = [] if runner.known is None else runner.known.replacing_nothing()
    unused = [*runner.unused, *work.sheet_problems, *line_problems, *replacing]
    if not (work.sets or work.refused or work.reviews.found or problems):
        problems.append(Problem(code="nothing-to-score", source=", ".join(shown(str(path)) for path in paths)))
    index = _write_index(out, work, problems, unused, settings.language, runner=runner, rubrics=rubrics)
    unkept = 0 if judge is None else judge.unkept
    if gate_files is not None:
        from cli.gate import write_files

        problems += write_files(runner.gates, gate_files, spoken())
    screen.close(problems=[*problems, *replacing], work=work, index=index, unkept=unkept)
    has_problems = bool(problems) or not runner.is_fine
    if gate_files is not None:
        from cli.gate import exit_code

        has_rules, err = gate is not None and gate.has_rules, score_log is not None
        _say_gates(runner, as_json=as_json or not has_rules, quiet=quiet, verbose=verbose, err=err)
        context.exit(exit_code(runner.gates, has_problems=has_problems, has_rules=has_rules))
    if has_problems:
        context.exit(EXIT_PROBLEMS)


def _asked(settings: ScoreSettings, out: Path | None, *, xlsx: bool) -> ScoreSettings:
    """The settings with what the command line asks for besides. Raises click.UsageError for what needs `--out`."""
    if xlsx and out is None:
        raise click.UsageError(spoken()("score.xlsx-without-out"))
    return settings._replace(xlsx=settings.xlsx or xlsx)


def _say_gates(runner: Runner, *, as_json: bool, quiet: bool, verbose: bool, err: bool) -> None:
    """How the gates ended; nothing beside JSON."""
    from cli.gate import gate_lines

    for line in () if as_json else gate_lines(runner.gates, spoken(), quiet=quiet, verbose=verbose):
        say(line, err=err)


def _show_plan(
    context: click.Context, settings: ScoreSettings, work: Work, out: Path | None, *, as_json: bool, is_gated: bool
) -> None:
    """Show what the judge would be asked. Raises SettingsError without a judge, click.UsageError with a gate."""
    if is_gated:
        raise click.UsageError(spoken()("plan.gated"))
    if settings.judge is None:
        raise SettingsError((spoken()("service.no-judge"),))
    from cli.score import JudgePlan

    plan = JudgePlan(settings.judge, out, work.problems)
    plan.look(Runner(settings, None, Screen(quiet=True, as_json=as_json), None), work.sets)
    click.echo(plan.json() if as_json else "\n".join(plan.lines()))
    if plan.problems or work.refused:
        context.exit(EXIT_PROBLEMS)


def _log_of(settings: ScoreSettings, asked: str | None, *, as_json: bool) -> ScoreLog | None:
    """The log on standard output, None for one in a file: there only the judge has something to say.

    Raises SettingsError when its file cannot be opened, click.UsageError for two kinds of JSON on standard output.
    """
    if asked == JSON and as_json:
        raise click.UsageError(spoken()("score.log-and-json"))
    is_json = chosen_log(asked, settings.log) == JSON and not as_json
    if not is_json and settings.judge is None:
        return None
    from cli.score import ScoreLog
    from workers.monitoring import LOG_NAME, configure_logging
    from workers.processes import prepare_private

    if is_json:
        configure_logging(settings.log_level, stream=sys.stdout)
        return ScoreLog()
    with refusing_to_start("service.state-unusable"):
        prepare_private(settings.state)
        configure_logging(settings.log_level, file=settings.state / LOG_NAME)
    return None


def _judge_of(settings: ScoreSettings, work: Work, out: Path | None, screen: Screen) -> ScoreJudge | None:
    """The judge, when one is configured and some set has something for it."""
    if settings.judge is None or not any(planned.rubric.judged for planned in work.sets):
        return None
    from cli.score import ScoreJudge

    return ScoreJudge(settings.judge, out, screen)


def _write_index(
    out: Path | None,
    work: Work,
    problems: list[Problem],
    unused: Sequence[Problem],
    language: str,
    *,
    runner: Runner,
    rubrics: Rubrics,
) -> Path | None:
    """Path of the index; None without a folder of reports, and where it could not be written."""
    if out is None:
        return None
    from reporting.index import INDEX_MD, write_index
    from reporting.wording import in_short

    path = out / INDEX_MD
    t = texts(language)
    remedies = {problem.source: in_short(problem, t) for problem in work.misnamed}
    try:
        patterns = {rubric.profile: rubric.files for rubric in rubrics.in_force}
        write_index(
            out,
            unclaimed=[f"{one} – {remedies[one]}" if remedies.get(one) else one for one in work.unclaimed],
            language=language,
            patterns=patterns,
            unused=unused,
            known=runner.known,
        )
    except OSError as error:
        problems.append(system_error("not-written", error, shown(str(path))))
        return None
    return path
