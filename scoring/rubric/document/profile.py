"""Front matter of a full rubric document -> a `Rubric` that still lacks its tables.

Decides whether the declarations make sense together: names, globs, columns, tracks, words, ranges.
"""

from __future__ import annotations

import re
import unicodedata
from typing import NamedTuple

from scoring.problems import Problem
from scoring.rubric.document.declared import Declared
from scoring.rubric.document.front_matter import Path, nearest_line, refusal, show_path
from scoring.rubric.document.schema import ClassSpec, FrontMatter, MetricsSpec
from scoring.rubric.fields import DETAIL_FIELDS, FIELDS, normalise_header
from scoring.rubric.model import RUBRICS, TOTAL, Bands, Column, DateOrder, LatencyClass, Rubric, Status, Vocabulary

_NAME = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?")
_ANSWERED = (Status.OK, Status.PARTIAL)  # what passes in a profile that compares no rounds
_HEADED = ("intent", "accuracy", "stability", "latency", RUBRICS, TOTAL)  # what has a table, or several
_UNREAD = Bands(edges=(), points=(), missing=0.0)  # in force only until the table is found, which is required


class Skeleton(NamedTuple):
    """rubric: without points and bands; not to be used when there are problems."""

    rubric: Rubric
    problems: tuple[Problem, ...]


def rubric_without_tables(front: FrontMatter, lines: dict[Path, int]) -> Skeleton:
    """Check the declarations of a document; lines: of its front matter, by path."""
    checks = _Checks(lines)
    checks.names(front)
    checks.files(front)
    checks.columns(front)
    checks.tracks(front)
    checks.ranges(front)
    checks.words(front)
    declared = Declared(front, checks.add)
    declared.check_kinds()
    metrics, words = front.metrics, front.words
    latency, classes = metrics.latency, _classes(front)
    rubric = Rubric(
        profile=front.profile,
        title=_text(front.title),
        files=_clean(front.files),
        columns=tuple(
            Column(name=spec.name, title=_text(spec.title), aliases=_clean(spec.aliases), required=spec.required)
            for spec in front.columns
        ),
        no_error_words=_clean(words.no_error),
        partial_words=_clean(words.partial),
        failure_words=_clean(words.failure),
        track_words=_clean(words.track),
        date_order=DateOrder(front.date_order),
        scale=front.scale,
        recorded_range=front.recorded_range,
        status_points=_status_metrics(metrics),
        accuracy_of=metrics.accuracy.copies if metrics.accuracy is not None else "",
        pass_statuses=checks.pass_statuses(front),
        latency_classes=tuple(
            LatencyClass(
                name=name, title=_text(spec.title), tracks=spec.tracks, bands=_UNREAD, slow_seconds=spec.slow_seconds
            )
            for name, spec in classes.items()
        ),
        default_class=latency.default if latency is not None else "",
        max_rounds=front.max_rounds,
        vocabulary=Vocabulary(
            missing=_clean(words.missing),
            either=_clean(words.either),
            seconds=_clean(words.seconds),
            points=_clean(words.points),
            at_most=_clean(words.at_most),
            above=_clean(words.above),
            at_least=_clean(words.at_least),
            below=_clean(words.below),
            headings=_headings(metrics),
            statuses=declared.statuses(),
            conditions=declared.conditions(),
        ),
        metrics=declared.metrics(),
        verdict=declared.verdict(),
        checks=declared.checks(),
        addresses=declared.addresses(),
        rubrics=declared.rubrics(),
        intent_of=metrics.intent.copies if metrics.intent is not None else "",
        agreement=declared.agreement(),
        classes=declared.classes(),
        pass_rule=declared.pass_rule(),
        weights={} if metrics.total is None else {TOTAL: 0.0},
    )
    return Skeleton(rubric, tuple(checks.problems))


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
    headings = {name: _clean(spec.headings) for name in _HEADED if (spec := getattr(metrics, name)) is not None}
    if metrics.consistency is not None:
        headings["consistency"] = (_text(metrics.consistency.title),)
    if metrics.latency is not None:
        classes = metrics.latency.classes.items()
        headings |= {f"latency.{name}": _clean(spec.headings) for name, spec in classes}
    return headings


def _heading_lists(metrics: MetricsSpec) -> list[tuple[Path, tuple[str, ...]]]:
    """Every list of headings, with its path."""
    lists: list[tuple[Path, tuple[str, ...]]] = [
        (("metrics", name, "headings"), spec.headings)
        for name in _HEADED
        if (spec := getattr(metrics, name)) is not None
    ]
    if metrics.latency is not None:
        lists += [
            (("metrics", "latency", "classes", name, "headings"), spec.headings)
            for name, spec in metrics.latency.classes.items()
        ]
    return lists


def _classes(front: FrontMatter) -> dict[str, ClassSpec]:
    return front.metrics.latency.classes if front.metrics.latency is not None else {}


def _text(text: str) -> str:
    return unicodedata.normalize("NFC", text).strip()


def _clean(words: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(_text(word) for word in words)


class _Checks:
    """One method per group of declarations; each adds what it finds."""

    def __init__(self, lines: dict[Path, int]) -> None:
        self._lines = lines
        self.problems: list[Problem] = []

    def names(self, front: FrontMatter) -> None:
        latency = front.metrics.latency
        for path, name in (
            (("profile",), front.profile),
            *((("metrics", "latency", "classes", name), name) for name in _classes(front)),
        ):
            if not _NAME.fullmatch(name):
                self.add("rubric-name", path, found=name)
        if latency is not None and latency.default not in latency.classes:
            known = ", ".join(latency.classes)
            self.add("rubric-class-unknown", ("metrics", "latency", "default"), latency.default, known=known)

    def files(self, front: FrontMatter) -> None:
        if not front.files:
            self.add("rubric-list-empty", ("files",))
        for index, pattern in enumerate(front.files):
            if "/" in pattern or "\\" in pattern:
                self.add("rubric-glob-separator", ("files", index), found=pattern)

    def columns(self, front: FrontMatter) -> None:
        if not any(column.required for column in front.columns):
            self.add("rubric-no-required-columns", ("columns",))
        fields: dict[str, int] = {}
        spellings: dict[str, tuple[int, str]] = {}
        for index, column in enumerate(front.columns):
            if column.name not in {*FIELDS, *DETAIL_FIELDS}:
                known = ", ".join((*FIELDS, *DETAIL_FIELDS))
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
                    other = front.columns[owner].title
                    self.add("rubric-alias-collision", path, found=spelling, other=other, same=first_spelling)

    def tracks(self, front: FrontMatter) -> None:
        owners: dict[int, str] = {}
        for name, spec in _classes(front).items():
            for index, track in enumerate(spec.tracks):
                path = ("metrics", "latency", "classes", name, "tracks", index)
                if track < 0:
                    self.add("rubric-value-too-small", path, found=str(track), low="0")
                elif track in owners:
                    self.add("rubric-track-twice", path, found=str(track), other=owners[track])
                owners.setdefault(track, name)

    def ranges(self, front: FrontMatter) -> None:
        low, high = front.recorded_range
        if front.scale <= 0:
            self.add("rubric-scale", ("scale",), found=f"{front.scale:g}")
        if not low < high:
            self.add("rubric-range-reversed", ("recorded_range",), found=f"[{low:g}, {high:g}]")
        elif low < 0 or high > front.scale:
            shown = f"[{low:g}, {high:g}]"
            self.add("rubric-recorded-range", ("recorded_range",), found=shown, scale=f"{front.scale:g}")
        if front.max_rounds < 2:
            self.add("rubric-value-too-small", ("max_rounds",), found=str(front.max_rounds), low="2")
        for name, spec in _classes(front).items():
            if spec.slow_seconds is not None and spec.slow_seconds < 0:
                path = ("metrics", "latency", "classes", name, "slow_seconds")
                self.add("rubric-value-too-small", path, found=f"{spec.slow_seconds:g}", low="0")

    def words(self, front: FrontMatter) -> None:
        """An empty word is in every text, so one would make every answer partial."""
        metrics = front.metrics
        lists: list[tuple[Path, tuple[str, ...]]] = [
            (("words", name), getattr(front.words, name))
            for name in front.words.__struct_fields__
            if name != "statuses"
        ]
        lists += [
            (("files",), front.files),
            *((("columns", at, "aliases"), column.aliases) for at, column in enumerate(front.columns)),
        ]
        headings = _heading_lists(metrics)
        texts: list[tuple[Path, str]] = [
            (("title",), front.title),
            *([(("metrics", "consistency", "title"), metrics.consistency.title)] if metrics.consistency else []),
            *((("columns", at, "title"), column.title) for at, column in enumerate(front.columns)),
            *((("metrics", "latency", "classes", name, "title"), spec.title) for name, spec in _classes(front).items()),
            *(((*path, at), word) for path, words in lists + headings for at, word in enumerate(words)),
        ]
        for path, word in texts:
            if not _text(word):
                self.add("rubric-word-empty", path)
        needed: list[tuple[Path, tuple[str, ...]]] = [(("words", "track"), front.words.track)]
        for path, words in [*(needed if metrics.latency is not None else []), *headings]:
            if not words:
                self.add("rubric-list-empty", path)

    def pass_statuses(self, front: FrontMatter) -> tuple[Status, ...]:
        path: Path = ("metrics", "consistency", "pass_statuses")
        known = {status.value: status for status in Status}
        if front.metrics.consistency is None:
            return _ANSWERED
        passing = front.metrics.consistency.pass_statuses
        if not passing:
            self.add("rubric-list-empty", path)
        for index, word in enumerate(passing):
            if word not in known:
                self.add("rubric-status-unknown", (*path, index), found=word, known=", ".join(known))
        return tuple(known[word] for word in passing if word in known)

    def add(self, code: str, path: Path, found: str = "", **values: str) -> None:
        """Add a problem at the line of `path`."""
        line = nearest_line(self._lines, path)
        self.problems.append(refusal(code, line, found=found, path=show_path(path), **values))
