"""Front matter of a full rubric document -> a `Rubric` that still lacks its tables.

Decides whether the declarations fit together: names, globs, columns, tracks, ranges.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import NamedTuple

import msgspec

from scoring.json_values import parse_path
from scoring.problems import Problem
from scoring.rubric.document.declared import UNREAD, Declared
from scoring.rubric.document.found import filled_in
from scoring.rubric.document.front_matter import Path, nearest_line, refusal, show_path
from scoring.rubric.document.schema import ClassSpec, FrontMatter, MetricsSpec, WordsSpec
from scoring.rubric.fields import DETAIL_FIELDS, FIELDS, SESSION_FIELDS, Track, TrackId, is_number, normalise_header
from scoring.rubric.model import (
    RUBRICS,
    TOTAL,
    WHOLE_RECORD,
    Column,
    DateOrder,
    LatencyClass,
    RecordRule,
    Rubric,
    Vocabulary,
)
from scoring.rubric.points import Status
from scoring.rubric.rules import SessionPass
from scoring.text import BLANK_WORDS

_NAME = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?")
_FIELDS = (*FIELDS, *DETAIL_FIELDS, *SESSION_FIELDS)
_ANSWERED = (Status.OK, Status.PARTIAL)  # what passes in a profile that compares no rounds
_HEADED = ("intent", "accuracy", "stability", "latency", RUBRICS, TOTAL)  # what has a table, or several


class Skeleton(NamedTuple):
    """rubric: without points and bands; not to be used when there are problems."""

    rubric: Rubric
    problems: tuple[Problem, ...]


def is_profile_name(text: str) -> bool:
    """Can a profile or a latency class be called so?"""
    return _NAME.fullmatch(text) is not None


def rubric_without_tables(front: FrontMatter, lines: dict[Path, int]) -> Skeleton:
    """Check the declarations of a document; lines: of its front matter, by path."""
    front = filled_in(front)
    checks = _Checks(front, lines)
    checks.names()
    checks.files()
    checks.columns()
    checks.sessions()
    checks.tracks()
    checks.ranges()
    checks.words()
    checks.records()
    declared = Declared(front, checks.add)
    declared.check_kinds()
    metrics, words, tracks = front.metrics, front.words or WordsSpec(), _Tracks(front)
    latency, consistency = metrics.latency, metrics.consistency
    vocabulary = msgspec.convert(words, Vocabulary, from_attributes=True)
    rubric = Rubric(
        profile=front.profile,
        title=front.title,
        files=front.files,
        columns=tuple(msgspec.convert(spec, Column, from_attributes=True) for spec in front.columns),
        no_error_words=words.no_error,
        partial_words=words.partial,
        failure_words=words.failure,
        track_words=words.track,
        date_order=DateOrder(front.date_order),
        scale=front.scale.highest,
        floor=front.scale.lowest,
        recorded_range=front.recorded_range or (front.scale.lowest, front.scale.highest),
        status_points=_status_metrics(metrics),
        accuracy_of=metrics.accuracy.copies if metrics.accuracy is not None else "",
        pass_statuses=consistency.pass_statuses if consistency is not None else _ANSWERED,
        latency_classes=tuple(
            LatencyClass(
                name=name,
                title=spec.title,
                tracks=tuple(map(tracks.meant, spec.tracks)),
                bands=UNREAD,
                slow_seconds=spec.slow_seconds,
            )
            for name, spec in _classes(front).items()
        ),
        default_class=latency.default if latency is not None else "",
        max_rounds=front.max_rounds,
        vocabulary=replace(vocabulary, headings=_headings(metrics), conditions=declared.conditions()),
        metrics=declared.metrics(),
        verdict=declared.verdict(),
        checks=declared.checks(),
        addresses=declared.addresses(),
        payload_paths=declared.payload(),
        rubrics=declared.rubrics(),
        intent_of=metrics.intent.copies if metrics.intent is not None else "",
        agreement=declared.agreement(),
        classes=declared.classes(),
        pass_rule=declared.pass_rule(),
        pass_points=declared.pass_points(),
        records=RecordRule(paths=front.records, where=front.where or {}) if front.records or front.where else None,
        weights={} if metrics.total is None else {TOTAL: 0.0},
        measures=declared.measures(),
        sessions=_session_rule(front),
        tracks=tuple(
            Track(number=tracks.meant(spec.track), meaning=spec.meaning, items=spec.items) for spec in front.tracks
        ),
    )
    return Skeleton(rubric, tuple(checks.problems))


def _session_rule(front: FrontMatter) -> SessionPass | None:
    """What makes a session pass; None without a column for it."""
    has_sessions = any(column.name == "session" for column in front.columns)
    return SessionPass(front.sessions.get("pass", SessionPass.LAST)) if has_sessions else None


def _status_metrics(metrics: MetricsSpec) -> dict[str, dict[Status, float]]:
    """The metrics whose points go by status, which their tables say."""
    intent = metrics.intent
    points: dict[str, dict[Status, float]] = {}
    if intent is not None and intent.verdict is None and not intent.copies:
        points["intent"] = {}
    if metrics.stability is not None:
        points["stability"] = {}
    return points


def _headings(metrics: MetricsSpec) -> dict[str, tuple[str, ...]]:
    """Words that name the table of a metric."""
    headings = {name: spec.headings for name in _HEADED if (spec := getattr(metrics, name)) is not None}
    if metrics.consistency is not None:
        headings["consistency"] = (metrics.consistency.title, *metrics.consistency.headings)
    if metrics.latency is not None:
        headings |= {f"latency.{name}": spec.headings for name, spec in metrics.latency.classes.items()}
    return headings


def _classes(front: FrontMatter) -> dict[str, ClassSpec]:
    return front.metrics.latency.classes if front.metrics.latency is not None else {}


class _Tracks:
    """Tracks as items have them: digits are a number, and a text has one spelling, that of the list `tracks` first."""

    def __init__(self, front: FrontMatter) -> None:
        written = [
            *(spec.track for spec in front.tracks),
            *(one for of in _classes(front).values() for one in of.tracks),
        ]
        self._spelled: dict[str, TrackId] = {}
        for track in written:
            self._spelled.setdefault(str(track).casefold(), track)

    def meant(self, written: TrackId) -> TrackId:
        track = self._spelled[str(written).casefold()]
        return int(track) if isinstance(track, str) and is_number(track) else track


class _Checks:
    """One method per group of declarations; each adds what it finds."""

    def __init__(self, front: FrontMatter, lines: dict[Path, int]) -> None:
        self._front = front
        self._lines = lines
        self._tracks = _Tracks(front)
        self.problems: list[Problem] = []

    def names(self) -> None:
        latency = self._front.metrics.latency
        for path, name in (
            (("profile",), self._front.profile),
            *((("metrics", "latency", "classes", name), name) for name in _classes(self._front)),
            *((("measures", at, "name"), spec.name) for at, spec in enumerate(self._front.measures)),
        ):
            if not is_profile_name(name):
                self.add("rubric-name", path, found=name)
        if latency is not None and latency.default not in latency.classes:
            known = ", ".join(latency.classes)
            self.add("rubric-class-unknown", ("metrics", "latency", "default"), latency.default, known=known)

    def files(self) -> None:
        for index, pattern in enumerate(self._front.files):
            if "/" in pattern or "\\" in pattern:
                self.add("rubric-glob-separator", ("files", index), found=pattern)

    def columns(self) -> None:
        if not any(column.required for column in self._front.columns):
            self.add("rubric-no-required-columns", ("columns",))
        fields: dict[str, int] = {}
        spellings: dict[str, tuple[int, str]] = {}
        for index, column in enumerate(self._front.columns):
            if column.name not in _FIELDS:
                known = ", ".join(_FIELDS)
                self.add("rubric-field-unknown", ("columns", index, "name"), found=column.name, known=known)
            elif column.name in fields:
                first = nearest_line(self._lines, ("columns", fields[column.name], "name"))
                self.add("rubric-field-twice", ("columns", index, "name"), found=column.name, first=str(first))
            fields.setdefault(column.name, index)
            places: tuple[tuple[Path, str], ...] = (
                (("columns", index, "title"), column.title),
                *((("columns", index, "aliases", at), alias) for at, alias in enumerate(column.aliases)),
            )
            for path, spelling in places:
                owner, first_spelling = spellings.setdefault(normalise_header(spelling), (index, spelling))
                if owner != index:
                    other = self._front.columns[owner].title
                    self.add("rubric-alias-collision", path, found=spelling, other=other, same=first_spelling)

    def sessions(self) -> None:
        """Turns belong to sessions, and a rule for sessions needs them."""
        named = {column.name: index for index, column in enumerate(self._front.columns)}
        if "session" in named:
            return
        if "turn" in named:
            self.add("rubric-session-column", ("columns", named["turn"], "name"), found="turn")
        if self._front.sessions:
            self.add("rubric-session-column", ("sessions",), found="sessions")

    def tracks(self) -> None:
        owners: dict[TrackId, str] = {}
        for name, spec in _classes(self._front).items():
            for index, written in enumerate(spec.tracks):
                path = ("metrics", "latency", "classes", name, "tracks", index)
                track = self._track(written, path)
                if track in owners:
                    self.add("rubric-track-twice", path, found=str(track), other=owners[track])
                owners.setdefault(track, name)
        seen: set[TrackId] = set()
        for index, declared in enumerate(self._front.tracks):
            place: Path = ("tracks", index, "track")
            track = self._track(declared.track, place)
            if track in seen:
                self.add("rubric-track-twice", place, found=str(track), other="tracks")
            seen.add(track)
            if declared.items is not None and declared.items < 0:
                self.add("rubric-value-too-small", ("tracks", index, "items"), found=str(declared.items), low="0")

    def _track(self, written: TrackId, path: Path) -> TrackId:
        track = self._tracks.meant(written)
        if isinstance(track, int) and track < 0:
            self.add("rubric-value-too-small", path, found=str(track), low="0")
        return track

    def ranges(self) -> None:
        lowest, highest = self._front.scale.lowest, self._front.scale.highest
        low, high = self._front.recorded_range or (lowest, highest)
        if not 0 <= lowest < highest:
            found = f"{highest:g}" if not lowest else f"{lowest:g}~{highest:g}"
            self.add("rubric-scale", ("scale",), found=found)
            return
        if not low < high:
            self.add("rubric-range-reversed", ("recorded_range",), found=f"[{low:g}, {high:g}]")
        elif low < lowest or high > highest:
            shown = f"[{low:g}, {high:g}]"
            self.add(
                "rubric-recorded-range", ("recorded_range",), found=shown, lowest=f"{lowest:g}", scale=f"{highest:g}"
            )
        if self._front.max_rounds < 2:
            self.add("rubric-value-too-small", ("max_rounds",), found=str(self._front.max_rounds), low="2")
        for name, spec in _classes(self._front).items():
            if spec.slow_seconds is not None and spec.slow_seconds < 0:
                path = ("metrics", "latency", "classes", name, "slow_seconds")
                self.add("rubric-value-too-small", path, found=f"{spec.slow_seconds:g}", low="0")

    def words(self) -> None:
        found = [word.casefold() for word in (self._front.words or WordsSpec()).blank]
        if sorted(found) != sorted(BLANK_WORDS):
            self.add("rubric-blank-words", ("words", "blank"), found=", ".join(found), known=", ".join(BLANK_WORDS))

    def records(self) -> None:
        """The paths into JSON files."""
        places: list[tuple[Path, str]] = [(("records", index), text) for index, text in enumerate(self._front.records)]
        places += ((("where", text), text) for text in self._front.where or {})
        for at, column in enumerate(self._front.columns):
            places += ((("columns", at, "paths", index), text) for index, text in enumerate(column.paths))
        for path, text in places:
            if text != WHOLE_RECORD and parse_path(text) is None:
                self.add("rubric-path", path, found=text)

    def add(self, code: str, path: Path, found: str = "", **values: str) -> None:
        """Add a problem at the line of `path`."""
        line = nearest_line(self._lines, path)
        self.problems.append(refusal(code, line, found=found, path=show_path(path), **values))
