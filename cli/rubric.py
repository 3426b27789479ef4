"""What `scorewatch rubric show` prints: the values of a rubric as lines of text and, with `--html`, as one page."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from reporting.document import Block, Heading, Items, Page, Paragraph, Table, head, html_page, table
from reporting.document.report import pass_kind, session_rule, source_text
from reporting.wording import NONE, clean, excerpt, measure_title, metric_title, metric_word, pass_limit, score
from scoring import BLANK_WORDS
from scoring.rubric import (
    LATENCY_PREFIX,
    PAYLOAD_KEYS,
    TOTAL,
    Bands,
    LatencyClass,
    Measure,
    Rubric,
    Status,
    Track,
    is_by_scores,
)
from scoring.rubric.document import show_number
from texts import Texts

if TYPE_CHECKING:
    from scoring.rubric import VerdictRule
    from scoring.rubric.document import LevelDocument, Reading

CELL_CHARS = 200
NAME_CHARS = 120
CRITERIA_CHARS = 2_000


def role_title(rubric: Rubric, role: str, t: Texts) -> str:
    """Name of the table of a role."""
    for latency_class in rubric.latency_classes:
        if role == f"{LATENCY_PREFIX}{latency_class.name}":
            return _class_title(latency_class, t)
    return metric_word(TOTAL, t) if role == TOTAL else metric_title(rubric, role, t)


def line_range(first: int, last: int, t: Texts) -> str:
    """`62~69번째 줄`."""
    return t("rubric.line", n=str(first)) if first == last else t("rubric.lines", first=str(first), last=str(last))


def agents_lines(rubric: Rubric, t: Texts) -> list[str]:
    """Which column names the agents of a file that has answers of several; none where no field does."""
    titles = [column.title for column in rubric.columns if column.name == rubric.agents]
    return [t("values.agents", field=rubric.agents, column=clean(title)) for title in titles]


class ValueGroup(NamedTuple):
    """Values under a heading, a line each; those that belong to the line above start with two blanks."""

    heading: str
    lines: tuple[str, ...]


def value_lines(rubric: Rubric, t: Texts) -> Iterator[str]:
    """Every value that scores, a line each."""
    yield value_title(rubric)
    for group in value_groups(rubric, t):
        if group.heading:
            yield f"  {group.heading}"
        indent = "    " if group.heading else "  "
        yield from (indent + line for line in group.lines)


def value_title(rubric: Rubric) -> str:
    """`이력서 에이전트 (resume-agent)`."""
    return f"{clean(rubric.title)} ({rubric.profile})"


def value_groups(rubric: Rubric, t: Texts) -> Iterator[ValueGroup]:
    """Every value that scores; what concerns the document as a whole comes first and has no heading."""
    yield ValueGroup("", tuple(_document_lines(rubric, t)))
    yield ValueGroup(t("values.columns"), tuple(_column_lines(rubric, t)))
    points = [
        f"{role_title(rubric, metric, t)}: {_status_text(given)}" for metric, given in rubric.status_points.items()
    ]
    passing = t("values.passing", statuses=_joined(rubric.pass_statuses))
    yield ValueGroup(t("values.points"), (*points, *_rule_lines(rubric, t), passing))
    for latency_class in rubric.latency_classes:
        tracks = ", ".join(f"Track {track}" for track in latency_class.tracks) or t("values.any-track")
        has_others = latency_class.name == rubric.default_class and latency_class.tracks
        lines = [_band_text(latency_class.bands, t("values.unit"), t("values.missing"))]
        if latency_class.slow_seconds is not None:
            lines.append(t("values.slow", seconds=show_number(latency_class.slow_seconds)))
        heading = f"{_class_title(latency_class, t)}: {tracks}{t('values.other-tracks') if has_others else ''}"
        yield ValueGroup(heading, tuple(lines))
    if rubric.measures:
        yield ValueGroup(t("values.measures"), tuple(_measure_line(measure, t) for measure in rubric.measures))
    if rubric.tracks:
        yield ValueGroup(t("values.tracks"), tuple(_track_line(track, t) for track in rubric.tracks))
    lists = (
        ("blank", BLANK_WORDS),
        ("partial", rubric.partial_words),
        ("no-error", rubric.no_error_words),
        ("error", rubric.error_words),
        ("no-answer", rubric.no_answer_words),
        ("failure", rubric.failure_words),
        ("causes", rubric.causes),
        ("slices", rubric.slices),
    )
    yield ValueGroup(
        t("values.words"), tuple(t(f"values.{name}", words=_joined(words)) for name, words in lists if words)
    )


def _document_lines(rubric: Rubric, t: Texts) -> Iterator[str]:
    low, high = rubric.recorded_range
    yield t("values.digest", digest=rubric.digest)
    if rubric.document or rubric.edition:
        yield t("values.edition", document=clean(rubric.document) or NONE, edition=clean(rubric.edition) or NONE)
    yield t("values.files", files=_joined(rubric.files))
    if rubric.has_metric("intent") or rubric.has_metric("stability"):
        lowest, highest, low_text, high_text = map(show_number, (*rubric.points, low, high))
        yield t("values.scale", lowest=lowest, scale=highest, low=low_text, high=high_text)
    if (rule := rubric.payload_paths) is not None:
        places = {key: _joined(rule.paths(key)) for key in PAYLOAD_KEYS}
        fields = "; ".join(t(f"payload.{key}", paths=paths or NONE) for key, paths in places.items())
        yield t("values.payload", fields=fields)
    if rubric.records is not None:
        paths, where = _joined(rubric.records.paths), clean(rubric.records.asked)
        yield t("values.records", paths=paths or NONE, where=where or NONE)
        if rubric.records.key:
            yield t("values.records-key", key=clean(rubric.records.key))
        if rubric.records.join:
            yield t("values.records-join", file=clean(rubric.records.join.file), on=clean(rubric.records.join.on))
    if rubric.sessions is not None:
        yield t("values.sessions", rule=session_rule(rubric.sessions, pass_kind(rubric), t))
    yield from agents_lines(rubric, t)
    yield t("values.rounds", limit=str(rubric.max_rounds), order=rubric.date_order)


def _track_line(track: Track, t: Texts) -> str:
    count = "" if track.items is None else f" ({t('values.track-items', n=str(track.items))})"
    return f"Track {track.number}: {clean(track.meaning) or NONE}{count}"


def _measure_line(measure: Measure, t: Texts) -> str:
    return t(
        "values.measure",
        title=measure_title(measure.title, measure.unit, t),
        name=measure.key,
        source=source_text(measure, t),
        better=t(f"values.better.{measure.better}"),
    )


def _column_lines(rubric: Rubric, t: Texts) -> Iterator[str]:
    for column in rubric.columns:
        aliases = f" = {_joined(column.aliases)}" if column.aliases else ""
        paths = f" ← {_joined(column.paths)}" if column.paths else ""
        yield f"{clean(column.title)}{aliases}{paths} ({column.name}{t('values.required') if column.required else ''})"


def _rule_lines(rubric: Rubric, t: Texts) -> Iterator[str]:
    """Verdict, checks, addresses, agreement, weights: whatever the profile declares."""
    if rubric.verdict is not None:
        levels = " · ".join(f"{clean(level.name)} {show_number(level.points)}" for level in rubric.verdict.levels)
        given = t("values.sources", levels=levels, sources=" > ".join(rubric.verdict.sources))
        yield f"{role_title(rubric, 'intent', t)}: {given}"
    if rubric.intent_of:
        yield _same(rubric, "intent", rubric.intent_of, t)
    if rubric.rubrics is not None:
        levels = " · ".join(f"{show_number(level.points)} {clean(level.name)}" for level in rubric.rubrics.levels)
        given = t("values.sources", levels=levels, sources=" > ".join(rubric.rubrics.sources))
        yield f"{role_title(rubric, 'rubrics', t)}: {given}"
    yield from _accuracy_lines(rubric, t)
    if rubric.agreement is not None:
        label, signature = rubric.agreement.label, rubric.agreement.signature
        for entry in (*label.first, *label.most):
            yield t("values.label", label=clean(entry.label), words=_joined(entry.words))
        yield t("values.signature", keys=_joined((*signature.keys, *signature.beside)))
    yield from _pass_lines(rubric, t)
    if rubric.weights:
        weights = " · ".join(
            f"{_weight_title(rubric, metric, t)} {show_number(weight)}" for metric, weight in rubric.weights.items()
        )
        yield f"{metric_word(TOTAL, t)}: {weights}"


def _pass_lines(rubric: Rubric, t: Texts) -> Iterator[str]:
    rule = rubric.pass_points
    if rule is not None and is_by_scores(rule):
        yield t("values.pass-scores", limit=pass_limit(rubric, t))
    elif rule is not None:
        metric = role_title(rubric, rule.metric, t)
        yield t("values.pass-points", metric=metric, points=show_number(rule.points))
    if rubric.pass_rule is not None:
        metric = role_title(rubric, rubric.pass_rule.metric, t)
        yield t("values.pass-rule", metric=metric, points=show_number(rubric.pass_rule.points))


def _accuracy_lines(rubric: Rubric, t: Texts) -> Iterator[str]:
    accuracy = role_title(rubric, "accuracy", t)
    if rubric.checks is not None:
        bands = _band_text(rubric.checks.bands, "", t("values.no-checks"))
        yield f"{accuracy}(ratio): {bands} · {_status_text(rubric.checks.status_points)}"
        yield f"  {t('values.check-sources', sources=' > '.join(rubric.checks.sources))}"
        yield f"  {t('values.lookup', paths=_joined(rubric.checks.lookup))}"
        if (calls := rubric.checks.calls) is not None:
            places = {"name": clean(calls.name), "arguments": clean(calls.arguments)}
            yield f"  {t('values.calls', paths=_joined(calls.paths), **places)}"
        for pattern in rubric.checks.patterns:
            yield f"  {pattern.operator} {clean(pattern.pattern)}"
    elif rubric.addresses is not None:
        rule = rubric.addresses
        points = " · ".join(
            f"{name} {show_number(given)}"
            for name, given in (
                (t("values.same-key"), rule.same_key),
                (t("values.same-path"), rule.same_path),
                (t("values.neither"), rule.neither),
                (t("values.no-address"), rule.missing),
            )
        )
        yield f"{accuracy}({clean(rule.key)} ↔ {clean(rule.field)}): {points} · {_status_text(rule.status_points)}"
    elif rubric.accuracy_of:
        yield _same(rubric, "accuracy", rubric.accuracy_of, t)


def _weight_title(rubric: Rubric, metric: str, t: Texts) -> str:
    return metric_word(metric, t) if metric == "latency" else role_title(rubric, metric, t)


def _class_title(latency_class: LatencyClass, t: Texts) -> str:
    return t("metric.of-class", metric=metric_word("latency", t), class_name=clean(latency_class.title))


def _same(rubric: Rubric, metric: str, other: str, t: Texts) -> str:
    return t("values.same-as", metric=role_title(rubric, metric, t), other=role_title(rubric, other, t))


def _status_text(points: Mapping[Status, float]) -> str:
    return " · ".join(f"{status} {show_number(points[status])}" for status in Status if status in points)


def _joined(words: Iterable[str]) -> str:
    return ", ".join(map(clean, words))


def _band_text(bands: Bands, unit: str, missing: str) -> str:
    """`<= 5초: 5 · … · > 20초: 0 · 누락: 0`."""
    upper = bands.upper or (False,) * len(bands.edges)
    texts = []
    for at, points in enumerate(bands.points):
        low = f"{'>=' if upper[at - 1] else '>'} {show_number(bands.edges[at - 1])}" if at else ""
        high = f"{'<' if upper[at] else '<='} {show_number(bands.edges[at])}" if at < len(bands.edges) else ""
        condition = ", ".join(part for part in (low, high) if part)
        texts.append(f"{condition}{unit}: {show_number(points)}")
    return " · ".join([*texts, f"{missing}: {show_number(bands.missing)}"])


def rubric_page(rubric: Rubric, reading: Reading | None, *, source: str, t: Texts) -> str:
    """The page of a profile. reading: what of a document gave it, None for one in force."""
    blocks = [] if reading is None else _understood(rubric, reading, t)
    for rule in (rubric.verdict, rubric.rubrics):
        if rule is not None:
            blocks += _tabled(role_title(rubric, rule.metric, t), _levels(rule, t), t)
    for group in value_groups(rubric, t):
        blocks += _listed(group.heading or t("rubric.values"), [line.strip() for line in group.lines])
    title = f"{excerpt(rubric.title, NAME_CHARS)} ({rubric.profile})"
    return _page(title, source, blocks, t)


def levels_page(document: LevelDocument, *, source: str, t: Texts) -> str:
    """The page of a rubric of levels."""
    rows = [
        [
            show_number(level.points),
            excerpt(level.name, NAME_CHARS),
            score(float(document.score(level.points))),
            excerpt(level.criteria, CRITERIA_CHARS),
        ]
        for level in document.levels
    ]
    titles = [f">{t('rubrics.level')}", t("rubrics.name"), f">{t('rubric.share')}", t("rubrics.criteria")]
    unused = [[line_range(first, last, t), excerpt(label, NAME_CHARS)] for first, last, label in document.ignored]
    heading = f"{t('rubric.levels')} ({line_range(document.line, document.last_line, t)})"
    blocks = _tabled(heading, table(titles, rows), t)
    blocks += _tabled(t("rubric.unused"), table([t("rubric.place"), t("rubric.table")], unused), t)
    return _page(t("rubric.levels"), source, blocks, t)


def _page(title: str, source: str, blocks: Sequence[Block], t: Texts) -> str:
    """source: of the document."""
    top = head(title, excerpt(source, NAME_CHARS))
    return str(html_page(Page(title, top, [Paragraph(t("rubric.told"), "lead"), *blocks]), t))


def _understood(rubric: Rubric, reading: Reading, t: Texts) -> list[Block]:
    """The tables that gave values, those that did not, and what is kept of the profile in force."""
    blocks = []
    for found in reading.understood:
        rows = [[excerpt(cell, CELL_CHARS), show_number(points)] for cell, points in found.rows]
        heading = f"{role_title(rubric, found.role, t)} ({line_range(found.line, found.last_line, t)})"
        titles = ("table.metric", "table.weight") if found.role == TOTAL else ("checks.condition", "table.points")
        blocks += _tabled(heading, table([t(titles[0]), f">{t(titles[1])}"], rows), t)
    unused = [
        [line_range(one.line, one.last_line, t), excerpt(one.label, NAME_CHARS), t(f"document.reason.{one.reason}")]
        for one in reading.ignored
    ]
    places = [t("rubric.place"), t("rubric.table"), t("table.cause")]
    blocks += _tabled(t("rubric.unused"), table(places, unused), t)
    kept = [role_title(rubric, role, t) for role in reading.kept]
    return [*blocks, *(_listed(t("rubric.kept", profile=rubric.profile), kept) if kept else [])]


def _tabled(heading: str, rows: Table, t: Texts) -> list[Block]:
    return [Heading(2, heading), rows.named(heading) if rows.rows else Paragraph(t("none"))]


def _listed(heading: str, lines: Sequence[str]) -> list[Block]:
    return [Heading(2, heading), *([Items(lines)] if lines else [])]


def _levels(rule: VerdictRule, t: Texts) -> Table:
    """The levels of a metric, with the criteria that a judge is given."""
    rows = [
        [
            *([show_number(level.points)] if rule.by_number else []),
            excerpt(level.name, NAME_CHARS),
            score(rule.points(level)),
            excerpt(level.criteria, CRITERIA_CHARS),
        ]
        for level in rule.levels
    ]
    number = [f">{t('rubrics.level')}"] if rule.by_number else []
    points = t("rubric.share") if rule.by_number else t("table.points")
    return table([*number, t("rubrics.name"), f">{points}", t("rubrics.criteria")], rows)
