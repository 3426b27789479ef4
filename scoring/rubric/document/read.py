"""A rubric document (Markdown) -> a `Rubric`.

A full document has front matter with `profile` and says everything. Any other document holds tables only and is
read against a base rubric, whose tables it replaces. Every problem is gathered, with file, line and cell.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import PurePath
from typing import Any, NamedTuple, NoReturn

import msgspec
from msgspec.structs import replace

from scoring.problems import MAX_LISTED_PROBLEMS, Problem, RubricError
from scoring.rubric.document.found import NONE, Found, Ignored, forms_of
from scoring.rubric.document.front_matter import (
    Path,
    convert_front_matter,
    nearest_line,
    parse_yaml,
    refusal,
    split_front_matter,
)
from scoring.rubric.document.levels import LevelDocument, level_document, refuse_levels
from scoring.rubric.document.profile import rubric_without_tables
from scoring.rubric.document.roles import Roles, find_roles
from scoring.rubric.document.rule_lines import RuleLines, lines_of, read_rules
from scoring.rubric.document.tables import (
    RawTable,
    paragraphs,
    prose_lines,
    read_tables,
    read_track_list,
    with_meanings,
)
from scoring.rubric.fields import ScoreRule
from scoring.rubric.model import (
    LATENCY_PREFIX,
    RUBRICS,
    TOTAL,
    LatencyClass,
    Rubric,
    RuleLine,
    decode_rubric,
    encode_rubric,
)
from scoring.rubric.scores import edge_of

MAX_DOCUMENT = 131_072  # characters
EDITION = "updatedDate"
_FOR_PEOPLE = ("name", "title", "description")  # names in the front matter of a published document; nothing reads them
NOTHING_UNDERSTOOD = "rubric-nothing-understood"


class Understood(msgspec.Struct, frozen=True, kw_only=True):
    """A table that is in force. role: "intent", "accuracy", "stability" or "latency.<class>".

    line, last_line: in the document, from 1. rows: (condition as written, points), in the document's order.
    """

    role: str
    line: int
    last_line: int
    rows: tuple[tuple[str, float], ...]


class Reading(msgspec.Struct, frozen=True, kw_only=True):
    """A rubric, and what of the document it came from.

    ignored: what was not read of its tables, lists and front matter. kept: roles whose tables are the base's. prose:
    first and last line of all other text, which is for people alone. rules: lines beside the tables that were read.
    """

    rubric: Rubric
    understood: tuple[Understood, ...]
    ignored: tuple[Ignored, ...]
    kept: tuple[str, ...]
    prose: tuple[tuple[int, int], ...] = ()
    rules: tuple[RuleLine, ...] = ()


def parse_rubric(text: str, *, source: str, base: Rubric | None = None) -> Rubric:
    """The rubric of a document; see `read_rubric`."""
    return read_rubric(text, source=source, base=base).rubric


def read_rubric(text: str, *, source: str, base: Rubric | None = None) -> Reading:
    """Read a document; `base` is needed when it holds tables only, and not looked at otherwise.

    source: its name in messages. Raises RubricError with every problem found (at most 100).
    """
    return _read(_split(text, source), source, base)


def read_any(text: str, *, source: str, bases: Sequence[Rubric]) -> Reading | LevelDocument:
    """Read a document against the base of which it says most, else as a rubric of levels; a full one needs no base.

    Raises RubricError; of a table that is meant as levels, with what is missing in it.
    """
    document = _split(text, source)
    roles = [find_roles(document.tables, base) for base in bases]
    fits = [(len({table.role for table in found}), -len(problems)) for found, _, problems in roles]
    best = max(range(len(bases)), key=lambda at: (fits[at], -at), default=None)
    base = bases[best] if best is not None else None
    try:
        return _read(document, source, base)
    except RubricError as error:
        if not is_not_understood(error):
            raise
        levels = level_document(document.tables, source=source)
        if levels is None:
            refuse_levels(document.tables, source=source)
            raise
        unread = _declared(document.front, base, source).unread
        dropped = tuple((entry.line, entry.last_line, entry.label) for entry in unread)
        return replace(levels, ignored=(*dropped, *levels.ignored))


def says_levels_alone(reading: Reading | LevelDocument) -> bool:
    """Is this a rubric of levels, and nothing else?"""
    return isinstance(reading, LevelDocument) or {table.role for table in reading.understood} == {RUBRICS}


def is_not_understood(error: RubricError) -> bool:
    """Was there nothing at all to be read?"""
    return {problem.code for problem in error.problems} == {NOTHING_UNDERSTOOD}


class _Document(NamedTuple):
    """front: None without front matter. body_line: number of the first line that is not front matter."""

    front: str | None
    body_line: int
    tables: tuple[RawTable, ...]
    prose: tuple[tuple[int, int], ...]
    paragraphs: tuple[tuple[int, str], ...]

    def rules(self, rubric: Rubric, roles: Roles, *, may_change: bool) -> RuleLines:
        """What the lines beside the tables of points say. may_change: else the front matter says the rules."""
        of_tracks = (table.line for table in self.tables if read_track_list(table, rubric.track_words))
        used = {*(found.line for found in roles.found), *of_tracks}
        lines = lines_of([table for table in self.tables if table.line not in used], self.paragraphs)
        return read_rules(rubric, lines, may_change=may_change)


def _split(text: str, source: str) -> _Document:
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    if len(text) > MAX_DOCUMENT:
        _refuse([refusal("rubric-too-large", 1, limit=str(MAX_DOCUMENT))], source)
    try:
        front, body, body_line = split_front_matter(text)
    except ValueError:
        _refuse([refusal("rubric-front-matter-open", 1)], source)
    tables = read_tables(body, first_line=body_line)
    prose = prose_lines(body, first_line=body_line)
    return _Document(front, body_line, tables, prose, paragraphs(body, first_line=body_line))


def _read(document: _Document, source: str, base: Rubric | None) -> Reading:
    declared = _declared(document.front, base, source)
    problems = list(declared.problems)
    listed = [track for table in document.tables for track in read_track_list(table, declared.skeleton.track_words)]
    skeleton = replace(
        declared.skeleton,
        tracks=with_meanings(declared.skeleton.tracks if declared.is_full else (), listed) or declared.skeleton.tracks,
        edition=declared.edition,
        document=PurePath(source).name,
    )
    roles = find_roles(document.tables, skeleton)
    rules = document.rules(skeleton, roles, may_change=not declared.is_full)
    skeleton = replace(rules.rubric, unread_rules=rules.unread)
    if not declared.is_full and not problems:
        levels = _with_levels(document, source, skeleton, roles)
        if levels is not None:
            return replace(levels, ignored=(*declared.unread, *levels.ignored), prose=document.prose)
    problems += roles.problems
    if declared.is_full:
        problems += _absent(roles.found, skeleton)
    elif not problems and not roles.found:
        if skeleton.rubrics is not None:
            refuse_levels(document.tables, source=source)
        problems.append(refusal(NOTHING_UNDERSTOOD, document.body_line))
    rubric = _with_tables(skeleton, roles.found)
    problems += _copy_problems(rubric, roles.found)
    problems += _level_problems(rubric, roles.found, declared.lines)
    if problems:
        _refuse(problems, source)
    understood = tuple(
        Understood(role=found.role, line=found.line, last_line=found.last_line, rows=found.rows)
        for found in roles.found
    )
    reading = _reading(rubric, understood, (*declared.unread, *roles.unused))
    return replace(reading, prose=document.prose, rules=rules.read)


def _reading(rubric: Rubric, understood: tuple[Understood, ...], ignored: tuple[Ignored, ...]) -> Reading:
    used = {table.role for table in understood}
    return Reading(
        # As a worker gets it from the work area: maps in the same order, so that outputs are the same.
        rubric=decode_rubric(encode_rubric(rubric)),
        understood=understood,
        ignored=ignored,
        kept=tuple(role for role in forms_of(rubric) if role not in used),
    )


class _Declared(NamedTuple):
    """What a document is read against. lines: of its front matter. unread: keys that nothing reads."""

    skeleton: Rubric
    problems: tuple[Problem, ...]
    is_full: bool
    lines: dict[Path, int]
    edition: str = ""
    unread: tuple[Ignored, ...] = ()


def _declared(front: str | None, base: Rubric | None, source: str) -> _Declared:
    """The front matter's own rubric when it names a profile, else the base. Raises RubricError without either."""
    parsed = parse_yaml(front) if front is not None else None
    problems = parsed.problems if parsed is not None else ()
    if parsed is not None and isinstance(parsed.value, dict) and "profile" in parsed.value:
        edition = str(parsed.value.pop(EDITION, ""))
        said, found = convert_front_matter(parsed)
        problems += found
        if said is None:
            _refuse(problems, source)
        rubric, found = rubric_without_tables(said, parsed.lines)
        return _Declared(rubric, problems + found, True, parsed.lines, edition)
    if base is None:
        _refuse([*problems, refusal("rubric-no-profile", 1)], source)
    if parsed is None or not isinstance(parsed.value, dict):
        return _Declared(base, problems, False, {})
    lines = {key: nearest_line(parsed.lines, (key,)) for key in parsed.value}
    known = ", ".join((EDITION, *_FOR_PEOPLE))
    problems += tuple(
        refusal("rubric-key-unknown", line, found=key, path=key, known=known)
        for key, line in lines.items()
        if key not in (EDITION, *_FOR_PEOPLE)
    )
    unread = tuple(
        Ignored(line=line, last_line=line, label=key, reason="front-matter")
        for key, line in lines.items()
        if key in _FOR_PEOPLE
    )
    return _Declared(base, problems, False, parsed.lines, str(parsed.value.get(EDITION, "")), unread)


def _with_levels(document: _Document, source: str, base: Rubric, roles: Roles) -> Reading | None:
    """The base with the levels of a document of levels alone; None when the document is none.

    A base with other metrics takes it so only when its tables say nothing else.
    """
    if base.rubrics is None or (roles.found and len(base.metrics) > 1):
        return None
    found = level_document(document.tables, source=source)
    if found is None:
        return None
    rubric = replace(base, rubrics=replace(base.rubrics, levels=found.levels, other_names={}))
    rows = tuple((level.name, level.points) for level in found.levels)
    ignored = tuple(
        Ignored(line=line, last_line=last_line, label=label, reason="not-points")
        for line, last_line, label in found.ignored
    )
    return _reading(rubric, (Understood(role=RUBRICS, line=found.line, last_line=found.last_line, rows=rows),), ignored)


def _absent(found: Iterable[Found], rubric: Rubric) -> list[Problem]:
    present = {table.role: table for table in found}
    problems = [
        refusal("rubric-table-missing", 1, role=role, words=", ".join(rubric.vocabulary.headings.get(role, ())))
        for role in forms_of(rubric)
        if role not in present
    ]
    problems += [
        refusal("rubric-band-no-missing", table.line, role=role)
        for role, table in present.items()
        if table.bands is not None and table.missing is None
    ]
    return problems


def _level_problems(rubric: Rubric, found: Iterable[Found], lines: dict[Path, int]) -> list[Problem]:
    """A level that a status means has to be in its table, and one that has another name too."""
    problems = []
    if rubric.verdict is not None and rubric.verdict.levels:
        at = next((table.line for table in found if table.levels), None)
        known = ", ".join(level.name for level in rubric.verdict.levels)
        for status, name in rubric.verdict.status_levels.items():
            if rubric.verdict.level(name) is None:
                line = at or nearest_line(lines, ("metrics", "intent", "verdict", "statuses", status.value))
                problems.append(refusal("rubric-level-unknown", line, found=name, known=known))
    problems += _limit_problems(rubric, nearest_line(lines, ("scores",)))
    if rubric.rubrics is not None and rubric.rubrics.levels:
        numbers = [level.points for level in rubric.rubrics.levels]
        known = ", ".join(rubric.rubrics.choices)
        for name, number in rubric.rubrics.other_names.items():
            if number not in numbers:
                line = nearest_line(lines, ("metrics", RUBRICS, "names", name))
                problems.append(refusal("rubric-level-unknown", line, found=f"{number:g}", known=known))
    return problems


def _limit_problems(rubric: Rubric, line: int) -> Iterator[Problem]:
    """What passes by a score that a judge gives is one of its numbers. line: of the scores."""
    known = {rule.metric for rule in rubric.judged_scores if rule.levels}
    for measure in rubric.measures:
        rule = measure.score
        edge = edge_of(rule.passes) if isinstance(rule, ScoreRule) and measure.name in known else None
        if isinstance(rule, ScoreRule) and edge is not None and not rule.lowest <= edge <= rule.highest:
            values = {"lowest": f"{rule.lowest:g}", "scale": f"{rule.highest:g}"}
            yield refusal("rubric-points-range", line, found=rule.passes, **values)


def _with_tables(rubric: Rubric, found: Iterable[Found]) -> Rubric:
    by_role = {table.role: table for table in found}
    points = {role: by_role[role].points if role in by_role else kept for role, kept in rubric.status_points.items()}
    classes = tuple(_with_bands(one, by_role.get(f"{LATENCY_PREFIX}{one.name}")) for one in rubric.latency_classes)
    rubric = replace(rubric, status_points=points, latency_classes=classes)
    if rubric.verdict is not None and "intent" in by_role:
        rubric = replace(rubric, verdict=replace(rubric.verdict, levels=by_role["intent"].levels))
    if rubric.rubrics is not None and RUBRICS in by_role:
        names = {} if rubric.rubrics.levels else rubric.rubrics.other_names  # those of levels that are replaced go
        rule = replace(rubric.rubrics, levels=by_role[RUBRICS].levels, other_names=names)
        rubric = replace(rubric, rubrics=rule)
    if rubric.judged_scores:
        rubric = _with_levels_of_scores(rubric, by_role)
    if "accuracy" in by_role:
        rubric = _with_accuracy(rubric, by_role["accuracy"])
    if TOTAL in by_role:
        rubric = replace(rubric, weights=by_role[TOTAL].weights)
    return rubric


def _with_levels_of_scores(rubric: Rubric, by_role: Mapping[str, Found]) -> Rubric:
    """The scores that a judge gives, each with its levels and the scale that these make."""
    levels = {rule.metric: by_role[rule.metric].levels for rule in rubric.judged_scores if rule.metric in by_role}
    scales = {name: [level.points for level in found] for name, found in levels.items()}
    return replace(
        rubric,
        judged_scores=tuple(replace(rule, levels=levels.get(rule.metric, ())) for rule in rubric.judged_scores),
        measures=tuple(
            replace(one, score=replace(one.score, lowest=min(scales[one.name]), highest=max(scales[one.name])))
            if isinstance(one.score, ScoreRule) and one.name in scales
            else one
            for one in rubric.measures
        ),
    )


def _with_accuracy(rubric: Rubric, table: Found) -> Rubric:
    if rubric.checks is not None and table.bands is not None:
        missing = table.outcomes.get(NONE, rubric.checks.bands.missing)
        bands = replace(table.bands, missing=missing)
        return replace(rubric, checks=replace(rubric.checks, bands=bands, status_points=table.points))
    if rubric.addresses is not None:
        outcomes: dict[str, Any] = {name.replace("-", "_"): points for name, points in table.outcomes.items()}
        return replace(rubric, addresses=replace(rubric.addresses, status_points=table.points, **outcomes))
    return rubric


def _with_bands(latency_class: LatencyClass, table: Found | None) -> LatencyClass:
    """Bands of a table; where it gives no points for missing seconds, those in force so far stay."""
    if table is None or table.bands is None:
        return latency_class
    missing = latency_class.bands.missing if table.missing is None else table.missing
    return replace(latency_class, bands=replace(table.bands, missing=missing))


def _copy_problems(rubric: Rubric, found: Iterable[Found]) -> list[Problem]:
    """A table of a metric that copies another one has to say the same."""
    original = rubric.status_points.get(rubric.accuracy_of, {})
    problems: list[Problem] = []
    for table in found:
        if table.role != "accuracy":
            continue
        for status, points in table.points.items():
            if status in original and points != original[status]:
                line, cell = table.places[status]
                values = {"status": status.value, "points": f"{points:g}", "other": f"{original[status]:g}"}
                problems.append(refusal("rubric-copy-differs", line, found=cell, of=rubric.accuracy_of, **values))
    return problems


def _refuse(problems: Iterable[Problem], source: str) -> NoReturn:
    placed = sorted((problem.at(source) for problem in problems), key=lambda problem: problem.line or 0)
    raise RubricError(tuple(placed[:MAX_LISTED_PROBLEMS]))
