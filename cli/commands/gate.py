"""`scorewatch gate`: do reports that exist keep the rules? Nothing is scored; missing comparisons are made first.

Exit code 0 when every rule passed, 1 when an input had problems, 2 for usage and rules that cannot be read, 3 when a
rule failed, 4 when one cannot be decided; of several the worst of 3, 4, 1 in that order.
"""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import click

from cli.commands.options import verbose_option
from cli.comparison import folder_of_report, load_sides, unreadable
from cli.gate import GateFiles, exit_code, gate_lines, load_rules, write_files
from cli.kept_files import Kept
from cli.localised import Command, PathType, language_option, option, spoken
from cli.score import Rubrics, ScoreSettings, keep_lines, lines_for, load_score_settings
from cli.screen import say
from cli.set_names import known_sets, missing_set
from reporting.gate import outlook_lines
from reporting.runs import SetGate, UnreadableRunError, compare_missing, evaluate_folder, needs_baseline, read_rounds
from reporting.store import STATUS, KnownSets, State, StatusFile, encode_json
from reporting.summary import summarise_missing
from reporting.wording import clean, describe
from scoring.comparison import Run
from scoring.gate import GateRules, worst_state
from texts import Texts


@click.command(cls=Command, help="help.gate")
@click.argument("names", nargs=-1, metavar="SET…")
@option("--check", is_flag=True, help="option.gate-check")
@option("--baseline", metavar="RUN", help="option.gate-baseline")
@option("--gate-file", type=PathType(), metavar="FILE", help="option.gate-file")
@option("--junit", type=PathType("file"), metavar="FILE", help="option.gate-junit")
@option("--junit-queries", is_flag=True, help="option.gate-junit-queries")
@option("--summary", type=PathType("file"), metavar="FILE", help="option.gate-summary")
@option("--json", "as_json", is_flag=True, help="option.gate-json")
@verbose_option
@language_option
def command(
    *,
    names: Sequence[str],
    check: bool,
    baseline: str | None,
    gate_file: Path | None,
    junit: Path | None,
    junit_queries: bool,
    summary: Path | None,
    as_json: bool,
    verbose: bool,
) -> int:
    """Evaluate the rules for every set that is named, or only read them."""
    settings = load_score_settings()
    rubrics = Rubrics(settings.rubrics, None, language=settings.language)
    rules = load_rules(settings, rubrics, gate_file, may_lack=summary is not None)
    t = spoken()
    files = GateFiles.of(junit, summary, t, with_queries=junit_queries)
    if check:
        for line in _checked(names, settings, rubrics, rules):
            click.echo(line)
        return 0
    if not names:
        raise missing_set("gate SET…", [entry.set_name for entry in known_sets(settings.out)])
    folders = [folder_of_report(name, settings) for name in names]
    inputs = () if baseline is None else (Path(baseline),)
    gate_rules = gate_file or settings.gate_file
    Kept(inputs=inputs, documents=(settings.rubrics,), gate_file=gate_rules, reports=(settings.out,)).refuse(
        junit, summary
    )
    if settings.watch.is_dir():
        for problem in keep_lines(settings.out, lines_for((), settings.out, settings, rubrics)):
            click.echo(describe(problem, t.language), err=True)
    statuses = [_status(name, folder) for name, folder in zip(names, folders, strict=True)]
    if baseline is None:
        each = zip(folders, statuses, strict=True)
        needed = [folder for folder, one in each if summary is not None or needs_baseline(one, rules)]
        _compare_missing(needed, settings, t)
    gates = []
    for name, folder, status in zip(names, folders, statuses, strict=True):
        before = after = None
        if baseline is not None and status.state is State.REPORT:
            before, after = (side.run for side in load_sides([baseline, name], settings, rubrics, is_named=False))
        gates.append(_evaluate(name, folder, status, rules, before=before, after=after))
    problems = write_files(gates, files, t)
    for problem in problems:
        click.echo(describe(problem, t.language), err=True)
    _show(gates, rules, t, as_json=as_json, verbose=verbose)
    has_problems = bool(problems) or any(one.state is State.PROBLEM or one.errors for one in statuses)
    return exit_code(gates, has_problems=has_problems, has_rules=bool(rules))


def _show(gates: Sequence[SetGate], rules: GateRules, t: Texts, *, as_json: bool, verbose: bool) -> None:
    if as_json:
        click.echo(_as_json(gates), nl=False)
    for line in gate_lines(gates, t, verbose=verbose) if rules and not as_json else ():
        say(line)


def _checked(names: Iterable[str], settings: ScoreSettings, rubrics: Rubrics, rules: GateRules) -> Iterator[str]:
    """How many rules each profile has, and what they can decide for the sets that are named."""
    t = spoken()
    for rubric in rubrics.in_force:
        found = rules.of(rubric.profile)
        n = 0 if found is None else len(found.rules)
        yield t("gate.checked", profile=clean(rubric.profile), rules=t.counted("rules", str(n)))
    for name in names:
        for told in _outlook(name, settings, rules, t):
            yield t("gate.outlook", name=clean(name), told=told)


def _outlook(name: str, settings: ScoreSettings, rules: GateRules, t: Texts) -> Iterable[str]:
    """What the rules can decide for a set, before anything is compared."""
    folder = folder_of_report(name, settings)
    status = _status(name, folder)
    of_profile = rules.of(status.profile)
    if of_profile is None:
        return [t("gate.no-rules")]
    if status.state is not State.REPORT:
        return [t("gate.reason.no-report")]
    try:
        against = evaluate_folder(folder, status, rules).against
        return list(outlook_lines(of_profile, read_rounds(folder), t, against=against)) or [t("gate.outlook.none")]
    except UnreadableRunError:
        raise unreadable(name, folder) from None


def _evaluate(
    name: str, folder: Path, status: StatusFile, rules: GateRules, *, before: Run | None, after: Run | None
) -> SetGate:
    try:
        return evaluate_folder(folder, status, rules, before, run=after)
    except UnreadableRunError:
        raise unreadable(name, folder) from None


def _compare_missing(folders: Sequence[Path], settings: ScoreSettings, t: Texts) -> None:
    """Make the comparisons and front pages that are missing or outdated, and say which cannot be written."""
    roots = {settings.out if folder.is_relative_to(settings.out) else folder.parent for folder in folders}
    for root in sorted(roots):
        destination, known = settings.destination(root), KnownSets(root)
        _, problems = compare_missing(destination, known)
        for problem in [*problems, *summarise_missing(destination, known)]:
            click.echo(describe(problem, t.language), err=True)


def _status(name: str, folder: Path) -> StatusFile:
    status = STATUS.read(folder)
    if status is None:
        raise unreadable(name, folder)
    return status


def _as_json(gates: Sequence[SetGate]) -> str:
    content = {
        "state": worst_state(gate.result.state for gate in gates),
        "sets": [
            {
                "set": gate.set_name,
                "profile": gate.profile,
                "has_rules": gate.rules is not None,
                "baseline": gate.baseline,
                "state": gate.result.state,
                "rules": gate.result.rules,
            }
            for gate in gates
        ],
    }
    return encode_json(content).decode()
