"""Front matter of a full rubric document -> a `Rubric` that still lacks its tables.

Decides whether the declarations fit together: names, globs, columns, tracks, points and ranges. What tables say
(levels, bands, points, weights) is filled in by `scoring.rubric.document.read`.
"""

import re
from collections.abc import Iterator

from msgspec.structs import replace

from scoring.json_values import parse_path
from scoring.problems import Problem
from scoring.rubric.check_grammar import faults_of
from scoring.rubric.document.found import NONE, filled_in
from scoring.rubric.document.front_matter import Path, nearest_line, problems_of
from scoring.rubric.document.records import faults_of_records, record_rule
from scoring.rubric.document.schema import Accuracy, AllWords, Consistency, FrontMatter, Intent, Latency, Metrics
from scoring.rubric.fields import DETAIL_FIELDS, FIELDS, SESSION_FIELDS, Measure, TrackId, is_number, normalise_header
from scoring.rubric.model import MOST_SLICES, RUBRICS, TOTAL, Rubric
from scoring.rubric.points import SHARE, Status
from scoring.rubric.rules import AddressRule, MetricInfo, PassRule, SessionPass, VerdictRule
from scoring.rubric.score_maps import MAX_SCORES
from scoring.rubric.scores import BY_WEIGHT, is_limit, measure_of_match, pass_rule_of
from scoring.rubric.written import Fault

_NAME = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?")
_FIELDS = (*FIELDS, *DETAIL_FIELDS, *SESSION_FIELDS)
_HEADED = ("intent", "accuracy", "stability", "latency", RUBRICS, TOTAL)  # what has a table, or several
_CLASSES: Path = ("metrics", "latency", "classes")
_CONSISTENCY: Path = ("metrics", "consistency")


def is_profile_name(text: str) -> bool:
    """Can a profile or a latency class be called so?"""
    return _NAME.fullmatch(text) is not None


def rubric_without_tables(front: FrontMatter, lines: dict[Path, int]) -> tuple[Rubric, tuple[Problem, ...]]:
    """Check how the declarations of a document fit together; lines: of its front matter, by path.

    The rubric is without points and bands, and not to be used when there are problems.
    """
    front = filled_in(front)
    metrics, words, tracks = front.metrics, front.words or AllWords(), _Tracks(front)
    intent, accuracy = metrics.intent or Intent(), metrics.accuracy or Accuracy()
    latency, consistency = metrics.latency or Latency(), metrics.consistency or Consistency()
    rubric = Rubric(
        profile=front.profile,
        title=front.title,
        files=front.files,
        columns=front.columns,
        no_error_words=words.no_error,
        partial_words=words.partial,
        error_words=words.error,
        no_answer_words=words.no_answer,
        failure_words=words.failure,
        track_words=words.track,
        date_order=front.date_order,
        scale=front.scale.highest,
        floor=front.scale.lowest,
        recorded_range=front.recorded_range or front.scale,
        status_points=_status_metrics(metrics),
        accuracy_of=accuracy.copies,
        pass_statuses=consistency.pass_statuses,
        latency_classes=tuple(
            replace(entry, name=name, tracks=tuple(map(tracks.meant, entry.tracks)))
            for name, entry in latency.classes.items()
        ),
        default_class=latency.default,
        max_rounds=front.max_rounds,
        judged_scores=tuple(filter(None, (score.criterion() for score in front.scores))),
        vocabulary=replace(words, headings=_headings(front), conditions=_conditions(metrics)),
        metrics=_metrics(metrics),
        verdict=intent.verdict,
        checks=accuracy.checks,
        addresses=_addresses(accuracy),
        payload_paths=front.payload,
        rubrics=_levels(metrics),
        intent_of=intent.copies,
        agreement=consistency.agreement,
        classes=latency.by_payload,
        pass_rule=consistency.pass_points,
        pass_points=front.pass_points or _pass_by_scores(front),
        records=record_rule(front),
        weights=_weights(front),
        measures=(*front.measures, *_scores(front)),
        causes=front.causes,
        slices=front.slices,
        agents=front.agents,
        set_pattern="" if front.sets is None else front.sets.pattern,
        sessions=_session_rule(front),
        tracks=tuple(replace(track, number=tracks.meant(track.number)) for track in front.tracks),
    )
    return rubric, problems_of(_faults(front, lines), lines)


def _weights(front: FrontMatter) -> dict[str, float]:
    """Those of scores; of metrics they are in a table that is still to be read."""
    if front.metrics.total is not None:
        return {TOTAL: 0.0}
    return {score.measure().key: score.weight for score in front.scores if score.weight}


def _scores(front: FrontMatter) -> tuple[Measure, ...]:
    """Those that are declared, and the one from comparing answers."""
    match = () if front.match is None else (measure_of_match(front.match),)
    return (*(score.measure() for score in front.scores), *match)


def _limits(front: FrontMatter) -> list[str]:
    """What passes by each score."""
    return [*(score.passes for score in front.scores), front.match.passes if front.match is not None else ""]


def _pass_by_scores(front: FrontMatter) -> PassRule | None:
    try:
        return pass_rule_of(front.passing, _limits(front))
    except ValueError:
        return None


def _addresses(accuracy: Accuracy) -> AddressRule | None:
    """Without its points."""
    written = accuracy.addresses
    return None if written is None else AddressRule(key=written.key, field=written.field, status_points={})


def _levels(metrics: Metrics) -> VerdictRule | None:
    """The rule of the rubrics metric, without its levels."""
    written = metrics.rubrics
    if written is None:
        return None
    return VerdictRule(
        metric=RUBRICS,
        sources=written.sources,
        field=written.field,
        column="rubric_level",
        other_names={name.casefold(): number for name, number in written.names.items()},
        by_number=True,
    )


def _session_rule(front: FrontMatter) -> SessionPass | None:
    """What makes a session pass; None without a column for it."""
    has_sessions = any(column.name == "session" for column in front.columns)
    return front.sessions.get("pass", SessionPass.LAST) if has_sessions else None


def _status_metrics(metrics: Metrics) -> dict[str, dict[Status, float]]:
    """The metrics whose points go by status, which their tables say."""
    intent = metrics.intent
    points: dict[str, dict[Status, float]] = {}
    if intent is not None and intent.verdict is None and not intent.copies:
        points["intent"] = {}
    if metrics.stability is not None:
        points["stability"] = {}
    return points


def _metrics(metrics: Metrics) -> tuple[MetricInfo, ...]:
    """What the report shows, in its order."""
    titles: list[tuple[str, str]] = []
    for name in ("intent", "consistency", "accuracy", "latency", "stability", RUBRICS):
        metric = getattr(metrics, name)
        if metric is None:
            continue
        title = metric.title or next(iter(metric.headings), "")
        if name == "latency" and metric.separate:
            space = " " if title.isascii() else ""
            titles += [(f"latency.{one}", f"{title}{space}({entry.title})") for one, entry in metric.classes.items()]
        else:
            titles.append((name, title))
    return tuple(MetricInfo(name=name, title=title) for name, title in titles)


def _headings(front: FrontMatter) -> dict[str, tuple[str, ...]]:
    """Words that name the table of a metric, and of the levels of a score."""
    metrics = front.metrics
    headings = {name: metric.headings for name in _HEADED if (metric := getattr(metrics, name)) is not None}
    if metrics.consistency is not None:
        headings["consistency"] = (metrics.consistency.title, *metrics.consistency.headings)
    if metrics.latency is not None:
        headings |= {f"latency.{name}": entry.headings for name, entry in metrics.latency.classes.items()}
    headings |= {score.measure().key: score.judge.headings for score in front.scores if score.judge is not None}
    return headings


def _conditions(metrics: Metrics) -> dict[str, dict[str, tuple[str, ...]]]:
    """Phrases that name an outcome in a table, and those that head the weights."""
    conditions: dict[str, dict[str, tuple[str, ...]]] = {}
    accuracy = metrics.accuracy or Accuracy()
    if accuracy.checks is not None:
        conditions["accuracy"] = {NONE: accuracy.checks.none}
    elif accuracy.addresses is not None:
        conditions["accuracy"] = accuracy.addresses.phrases
    if metrics.total is not None:
        conditions[TOTAL] = {"weight": metrics.total.weight}
    return conditions


class _Tracks:
    """Tracks as items have them: digits are a number, and a text has one spelling, that of the list `tracks` first."""

    def __init__(self, front: FrontMatter) -> None:
        latency = front.metrics.latency or Latency()
        written = [
            *(track.number for track in front.tracks),
            *(track for entry in latency.classes.values() for track in entry.tracks),
        ]
        self._spelled: dict[str, TrackId] = {}
        for track in written:
            self._spelled.setdefault(str(track).casefold(), track)

    def meant(self, written: TrackId) -> TrackId:
        track = self._spelled[str(written).casefold()]
        return int(track) if isinstance(track, str) and is_number(track) else track


def _faults(front: FrontMatter, lines: dict[Path, int]) -> Iterator[Fault]:
    """What does not fit together, group by group."""
    yield from _faults_of_names(front)
    for index, pattern in enumerate(front.files):
        if "/" in pattern or "\\" in pattern:
            yield Fault("rubric-glob-separator", ("files", index), pattern)
    yield from _faults_of_columns(front, lines)
    yield from _faults_of_sessions(front)
    yield from _faults_of_tracks(front)
    yield from _faults_of_ranges(front)
    yield from _faults_of_points(front)
    yield from _faults_of_references(front)
    yield from _faults_of_scores(front)
    yield from faults_of_records(front)
    if len(front.slices) > MOST_SLICES:
        yield Fault("rubric-slices-many", ("slices",), str(len(front.slices)), {"limit": str(MOST_SLICES)})


def _faults_of_names(front: FrontMatter) -> Iterator[Fault]:
    latency = front.metrics.latency
    classes = latency.classes if latency is not None else {}
    known = {"known": ", ".join(classes)}
    places: list[tuple[Path, str]] = [(("profile",), front.profile)]
    places += (((*_CLASSES, name), name) for name in classes)
    places += ((("measures", at, "name"), measure.name) for at, measure in enumerate(front.measures))
    for path, name in places:
        if not is_profile_name(name):
            yield Fault("rubric-name", path, name)
    if latency is None:
        return
    if latency.default not in classes:
        yield Fault("rubric-class-unknown", ("metrics", "latency", "default"), latency.default, known)
    if latency.by_payload is not None and latency.by_payload.several_class not in classes:
        several = latency.by_payload.several_class
        yield Fault("rubric-class-unknown", ("metrics", "latency", "by_payload", "several_class"), several, known)


def _faults_of_columns(front: FrontMatter, lines: dict[Path, int]) -> Iterator[Fault]:
    if not any(column.required for column in front.columns):
        yield Fault("rubric-no-required-columns", ("columns",))
    fields: dict[str, int] = {}
    spellings: dict[str, tuple[int, str]] = {}
    for index, column in enumerate(front.columns):
        place: Path = ("columns", index)
        if column.name not in _FIELDS:
            yield Fault("rubric-field-unknown", (*place, "name"), column.name, {"known": ", ".join(_FIELDS)})
        elif column.name in fields:
            first = nearest_line(lines, ("columns", fields[column.name], "name"))
            yield Fault("rubric-field-twice", (*place, "name"), column.name, {"first": str(first)})
        fields.setdefault(column.name, index)
        places: list[tuple[Path, str]] = [((*place, "title"), column.title)]
        places += (((*place, "aliases", at), alias) for at, alias in enumerate(column.aliases))
        for path, spelling in places:
            owner, first_spelling = spellings.setdefault(normalise_header(spelling), (index, spelling))
            if owner != index:
                others = {"other": front.columns[owner].title, "same": first_spelling}
                yield Fault("rubric-alias-collision", path, spelling, others)


def _faults_of_sessions(front: FrontMatter) -> Iterator[Fault]:
    """Turns belong to sessions, and a rule for sessions needs them."""
    named = {column.name: index for index, column in enumerate(front.columns)}
    if "session" in named:
        return
    if "turn" in named:
        yield Fault("rubric-session-column", ("columns", named["turn"], "name"), "turn")
    if front.sessions:
        yield Fault("rubric-session-column", ("sessions",), "sessions")


def _faults_of_tracks(front: FrontMatter) -> Iterator[Fault]:
    """A track belongs to one class, and is listed once."""
    latency, tracks = front.metrics.latency or Latency(), _Tracks(front)
    places: list[tuple[str, Path, TrackId]] = [
        (name, (*_CLASSES, name, "tracks", index), track)
        for name, entry in latency.classes.items()
        for index, track in enumerate(entry.tracks)
    ]
    listed = [("tracks", ("tracks", index, "track"), track.number) for index, track in enumerate(front.tracks)]
    for group in (places, listed):
        owners: dict[TrackId, str] = {}
        for owner, path, written in group:
            track = tracks.meant(written)
            if isinstance(track, int) and track < 0:
                yield Fault("rubric-value-too-small", path, str(track), {"low": "0"})
            if track in owners:
                yield Fault("rubric-track-twice", path, str(track), {"other": owners[track]})
            owners.setdefault(track, owner)


def _faults_of_ranges(front: FrontMatter) -> Iterator[Fault]:
    lowest, highest = front.scale
    low, high = front.recorded_range or front.scale
    shown = f"[{low:g}, {high:g}]"
    if not 0 <= lowest < highest:
        found = f"{highest:g}" if not lowest else f"{lowest:g}~{highest:g}"
        yield Fault("rubric-scale", ("scale",), found)
    elif not low < high:
        yield Fault("rubric-range-reversed", ("recorded_range",), shown)
    elif low < lowest or high > highest:
        values = {"lowest": f"{lowest:g}", "scale": f"{highest:g}"}
        yield Fault("rubric-recorded-range", ("recorded_range",), shown, values)
    if front.max_rounds < 2 and 0 <= lowest < highest:
        yield Fault("rubric-value-too-small", ("max_rounds",), str(front.max_rounds), {"low": "2"})


def _faults_of_points(front: FrontMatter) -> Iterator[Fault]:
    """Points are inside the scale of their metric."""
    consistency, item = front.metrics.consistency or Consistency(), front.pass_points
    places: list[tuple[Path, float]] = []
    if consistency.agreement is not None:
        places.append(((*_CONSISTENCY, "agreement", "single"), consistency.agreement.single))
    if consistency.pass_points is not None:
        places.append(((*_CONSISTENCY, "pass_points", "points"), consistency.pass_points.points))
    if item is not None:
        places.append((("pass_points", "points"), item.points))
    for path, points in places:
        is_share = item is not None and item.metric == RUBRICS and path[0] == "pass_points"
        lowest, highest = SHARE if is_share else front.scale
        if not lowest <= points <= highest:
            values = {"lowest": f"{lowest:g}", "scale": f"{highest:g}"}
            yield Fault("rubric-points-range", path, f"{points:g}", values)


def _faults_of_references(front: FrontMatter) -> Iterator[Fault]:
    """What is named has to be declared or known, and rounds to compare need their columns."""
    if front.metrics.accuracy is not None and front.metrics.accuracy.checks is not None:
        yield from faults_of(front.metrics.accuracy.checks.every, ("metrics", "accuracy", "checks", "all"))
    if front.pass_points is not None and getattr(front.metrics, front.pass_points.metric) is None:
        yield Fault("rubric-metric-absent", ("pass_points", "metric"), front.pass_points.metric)
    required = {column.name for column in front.columns if column.required}
    if front.metrics.consistency is not None and required and not {"query_id", "round"} <= required:
        yield Fault("rubric-consistency-columns", _CONSISTENCY)
    has_payload = any(column.name == "raw_json" for column in front.columns)
    names = [measure.name for measure in front.measures]
    for at, measure in enumerate(front.measures):
        if measure.name in names[:at]:
            yield Fault("rubric-measure-twice", ("measures", at, "name"), measure.name)
        if measure.paths and not measure.column and not has_payload:
            yield Fault("rubric-measure-no-payload", ("measures", at, "payload"), measure.name)


def _faults_of_scores(front: FrontMatter) -> Iterator[Fault]:
    """Scores have names of their own and a payload to be in, and say together what passes."""
    if len(front.scores) > MAX_SCORES:
        yield Fault("rubric-scores-many", ("scores",), str(len(front.scores)), {"limit": str(MAX_SCORES)})
    has_payload = any(column.name == "raw_json" for column in front.columns)
    names = [score.name for score in front.scores]
    for at, score in enumerate(front.scores):
        if score.name in names[:at]:
            yield Fault("rubric-measure-twice", ("scores", at, "name"), score.name)
        if score.payload and not has_payload:
            yield Fault("rubric-measure-no-payload", ("scores", at, "payload"), score.name)
    yield from _faults_of_match(front, has_payload=has_payload)
    try:
        rule = pass_rule_of(front.passing, _limits(front))
    except ValueError:
        yield Fault("rubric-value-type", ("pass",), front.passing, {"expected": "all | any | weighted >= x"})
        return
    if front.metrics.total is not None and any(score.weight for score in front.scores):
        yield Fault("rubric-kinds", ("metrics", "total"), values={"choices": "metrics.total, scores[].weight"})
    if rule is not None and front.pass_points is not None:
        yield Fault("rubric-kinds", ("pass_points",), values={"choices": "pass_points, scores[].pass"})
    if rule is not None and rule.metric == BY_WEIGHT and not any(score.weight for score in front.scores):
        yield Fault("rubric-scores-weight", ("pass",), front.passing)


def _faults_of_match(front: FrontMatter, *, has_payload: bool) -> Iterator[Fault]:
    """What is compared is somewhere, and what passes can be read."""
    match = front.match
    if match is None:
        return
    if not match.expected and not any(column.name == "expected" for column in front.columns):
        yield Fault("rubric-match-expected", ("match",))
    for key, path in (("answer", match.answer), ("with", match.expected)):
        if path and parse_path(path) is None:
            yield Fault("rubric-path", ("match", key), path)
        if path and not has_payload:
            yield Fault("rubric-measure-no-payload", ("match", key), path)
    if match.passes and not is_limit(match.passes):
        yield Fault("rubric-score-pass", ("match", "pass"), match.passes)
