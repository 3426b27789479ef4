"""`scorewatch rubric list|check|show`: which rubric documents are in force, and how a document is read.

Exit code 0 when every document is fine, 1 otherwise. What a document says is decided by
`scoring.rubric_document`; texts of documents are cleaned before they reach the terminal.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from config.rubric_store import load_rubrics, profile_named, read_document
from reporting.display import clean, excerpt
from reporting.json_text import encode_json
from scoring.bands import show_number
from scoring.problems import Problem, RubricError
from scoring.rubric import Bands, Rubric, Status

if TYPE_CHECKING:
    from scoring.rubric_document import Reading

EXIT_PROBLEMS = 1
DIGEST_CHARS = 12
LABEL_CHARS = 40

ROLES = {"intent": "의도 충족", "accuracy": "정확성", "stability": "안정성"}
REASONS = {
    "not-points": "상태나 구간과 점수로 된 표가 아님",
    "other-bands": "응답 시간이 아닌 값의 구간",
}

_rubrics_option = click.option(
    "--rubrics",
    "folder",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="루브릭 문서를 더 읽을 폴더(설정 rubrics).",
)
_json_option = click.option("--json", "as_json", is_flag=True, help="JSON으로 보여 줍니다.")


@click.group(help="루브릭 문서를 나열하고, 검사하고, 보여 줍니다.")
def command() -> None:
    """Group of the sub-commands."""


@command.command("list", help="채점에 쓰이는 루브릭을 나열합니다.")
@_rubrics_option
@_json_option
def list_rubrics(folder: Path | None, as_json: bool) -> None:
    """One line for each rubric in force."""
    rubrics = _in_force(folder)
    if as_json:
        _print_json([_summary(rubric) for rubric in rubrics])
        return
    for rubric in rubrics:
        files = ", ".join(map(clean, rubric.files))
        click.echo(f"{rubric.profile}  {clean(rubric.title)}  [{files}]  {rubric.digest[:DIGEST_CHARS]}")


@command.command("check", help="문서를 읽어 보고, 무엇을 어떻게 읽었는지 보여 줍니다. 문제가 있으면 1로 끝납니다.")
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="FILE…")
@click.option("--profile", metavar="NAME", help="표만 있는 문서의 바탕이 될 프로필. 없으면 표가 맞는 프로필.")
@_rubrics_option
@_json_option
@click.pass_context
def check(
    context: click.Context, files: Sequence[Path], profile: str | None, folder: Path | None, as_json: bool
) -> None:
    """Read each document on its own; one wrong document hides none of the others."""
    rubrics = _in_force(folder)
    bases = (profile_named(profile, rubrics),) if profile is not None else rubrics
    entries: list[dict[str, object]] = []
    is_fine = True
    for path in files:
        try:
            reading = _read(path, bases)
        except RubricError as error:
            is_fine = False
            entries.append({"file": clean(str(path)), "ok": False, "problems": _problem_entries(error.problems)})
            if not as_json:
                _print_problems(path, error.problems)
            continue
        entries.append({"file": clean(str(path)), "ok": True, "problems": [], **_reading_entry(reading)})
        if not as_json:
            _print_reading(path, reading)
    if as_json:
        _print_json({"files": entries})
    if not is_fine:
        context.exit(EXIT_PROBLEMS)


@command.command("show", help="문서나 프로필의 값을 모두 보여 줍니다.")
@click.argument("name", metavar="FILE|PROFILE")
@click.option("--profile", metavar="NAME", help="표만 있는 문서의 바탕이 될 프로필. 없으면 표가 맞는 프로필.")
@_rubrics_option
@_json_option
def show(name: str, profile: str | None, folder: Path | None, as_json: bool) -> None:
    """Values as they are used for scoring. A profile's name wins over a file of that name."""
    rubrics = _in_force(folder)
    named = [rubric for rubric in rubrics if rubric.profile == name]
    if named:
        rubric = named[0]
    elif Path(name).suffix or Path(name).exists():
        rubric = _read(Path(name), (profile_named(profile, rubrics),) if profile is not None else rubrics).rubric
    else:
        rubric = profile_named(name, rubrics)
    if as_json:
        _print_json({"digest": rubric.digest, "rubric": rubric})
    else:
        for line in _value_lines(rubric):
            click.echo(line)


def _in_force(folder: Path | None) -> tuple[Rubric, ...]:
    from config.settings import load_settings

    return load_rubrics(load_settings(rubrics=folder).rubrics)


def _read(path: Path, bases: Sequence[Rubric]) -> Reading:
    """Read a document against the base of which it replaces the most tables.

    Raises RubricError: that of the first base when no base fits.
    """
    from scoring.rubric_document import read_rubric

    text = read_document(path)
    readings = []
    first_error: RubricError | None = None
    for base in bases:
        try:
            readings.append(read_rubric(text, source=str(path), base=base))
        except RubricError as error:
            first_error = first_error or error
    if readings:
        return max(readings, key=lambda reading: len(reading.understood))
    assert first_error is not None
    raise first_error


def _summary(rubric: Rubric) -> dict[str, object]:
    return {
        "profile": rubric.profile,
        "title": rubric.title,
        "files": rubric.files,
        "digest": rubric.digest,
    }


def _reading_entry(reading: Reading) -> dict[str, object]:
    return {
        "profile": reading.rubric.profile,
        "digest": reading.rubric.digest,
        "understood": reading.understood,
        "ignored": reading.ignored,
        "kept": reading.kept,
    }


def _problem_entries(problems: Iterable[Problem]) -> list[dict[str, object]]:
    from reporting.problem_text import describe

    return [
        {
            "code": problem.code,
            "source": clean(problem.source),
            "line": problem.line,
            "found": problem.found,
            "values": problem.values,
            "text": describe(problem),
        }
        for problem in problems
    ]


def _print_problems(path: Path, problems: Sequence[Problem]) -> None:
    from reporting.problem_text import describe

    click.echo(f"{clean(str(path))}: 문제 {len(problems)}건")
    for problem in problems:
        click.echo(f"  {describe(problem)}")


def _print_reading(path: Path, reading: Reading) -> None:
    rubric = reading.rubric
    click.echo(f"{clean(str(path))}: 이상 없음. {clean(rubric.title)}({rubric.profile}) {rubric.digest[:DIGEST_CHARS]}")
    click.echo("  읽은 표")
    for table in reading.understood:
        rows = " · ".join(f"{excerpt(cell, LABEL_CHARS)} → {show_number(points)}" for cell, points in table.rows)
        click.echo(f"    {_lines(table.line, table.last_line)} {_role(rubric, table.role)}: {rows}")
    if reading.ignored:
        click.echo("  쓰지 않은 표")
    for unused in reading.ignored:
        label = excerpt(unused.label, LABEL_CHARS)
        click.echo(f"    {_lines(unused.line, unused.last_line)} '{label}': {REASONS[unused.reason]}")
    if reading.kept:
        click.echo(f"  이 문서에 없어 {rubric.profile} 값을 그대로 쓰는 표")
    for role in reading.kept:
        click.echo(f"    {_role(rubric, role)}")


def _lines(first: int, last: int) -> str:
    return f"{first}번째 줄" if first == last else f"{first}~{last}번째 줄"


def _role(rubric: Rubric, role: str) -> str:
    titles = {f"latency.{one.name}": f"응답 속도({clean(one.title)})" for one in rubric.latency_classes}
    return {**ROLES, **titles}[role]


def _value_lines(rubric: Rubric) -> Iterable[str]:
    low, high = rubric.recorded_range
    yield f"{clean(rubric.title)} ({rubric.profile})"
    yield f"  요약값(digest): {rubric.digest}"
    yield f"  파일: {_joined(rubric.files)}"
    yield f"  만점: {show_number(rubric.scale)} · LLM 점수 범위: {show_number(low)}~{show_number(high)}"
    yield f"  회차 한도: {rubric.max_rounds} · 날짜로 바뀐 방/반복: {rubric.date_order}"
    yield "  열"
    for column in rubric.columns:
        aliases = f" = {_joined(column.aliases)}" if column.aliases else ""
        yield f"    {clean(column.title)}{aliases} ({column.name}{', 필수' if column.required else ''})"
    yield "  점수"
    for metric, points in rubric.status_points.items():
        shown = " · ".join(f"{status} {show_number(points[status])}" for status in Status)
        yield f"    {ROLES[metric]}: {shown}"
    yield f"    {ROLES['accuracy']}: {ROLES[rubric.accuracy_of]}과 같음"
    yield f"    일관성에서 통과로 보는 상태: {_joined(rubric.pass_statuses)}"
    for latency_class in rubric.latency_classes:
        tracks = ", ".join(f"Track {track}" for track in latency_class.tracks)
        others = " 및 그 밖의 트랙" if latency_class.name == rubric.default_class else ""
        yield f"  응답 속도({clean(latency_class.title)}): {tracks}{others}"
        yield f"    {_band_text(latency_class.bands)}"
        if latency_class.slow_seconds is not None:
            yield f"    느린 문항: {show_number(latency_class.slow_seconds)}초 이상"
    yield "  말"
    yield f"    partial: {_joined(rubric.partial_words)}"
    yield f"    오류 아님: {_joined(rubric.no_error_words)}"
    yield f"    실패를 인정하는 말: {_joined(rubric.failure_words)}"


def _joined(words: Iterable[str]) -> str:
    return ", ".join(map(clean, words))


def _band_text(bands: Bands) -> str:
    """`<= 5초: 5 · … · > 20초: 0 · 누락: 0`."""
    upper = bands.upper or (False,) * len(bands.edges)
    texts = []
    for at, points in enumerate(bands.points):
        low = f"{'>=' if upper[at - 1] else '>'} {show_number(bands.edges[at - 1])}" if at else ""
        high = f"{'<' if upper[at] else '<='} {show_number(bands.edges[at])}" if at < len(bands.edges) else ""
        condition = ", ".join(part for part in (low, high) if part)
        texts.append(f"{condition}초: {show_number(points)}")
    return " · ".join([*texts, f"누락: {show_number(bands.missing)}"])


def _print_json(value: object) -> None:
    click.echo(encode_json(value).decode(), nl=False)
