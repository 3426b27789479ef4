"""Rules of a profile from its front matter: verdict, checks, addresses, labels, signatures, classes.

Decides whether these declarations make sense by themselves. What stands in tables (levels, bands, points, weights)
is filled in by `scoring.rubric.document.read`.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from typing import Protocol

import re2

from scoring.json_path import parse_path
from scoring.rubric.document.found import NONE
from scoring.rubric.document.front_matter import Path
from scoring.rubric.document.schema import AddressesSpec, ChecksSpec, FrontMatter, LabelSpec, PatternSpec, SignatureSpec
from scoring.rubric.model import RUBRICS, TOTAL
from scoring.rubric.patterns import pattern_groups
from scoring.rubric.points import Bands, Status
from scoring.rubric.rules import (
    AddressRule,
    AgreementRule,
    CheckRule,
    ClassRule,
    LabelRule,
    LabelWords,
    MetricInfo,
    Operator,
    PassRule,
    SignatureRule,
    Source,
    TextPattern,
    VerdictRule,
)

_UNREAD = Bands(edges=(), points=(), missing=0.0)  # in force only until the table is found, which is required
_STATUSES = {status.value: status for status in Status}
_KEY = "{key}"
_INTENT: Path = ("metrics", "intent")
_ACCURACY: Path = ("metrics", "accuracy")
_CONSISTENCY: Path = ("metrics", "consistency")
_LATENCY: Path = ("metrics", "latency")


class Add(Protocol):
    """Adds a problem at a path of the front matter."""

    def __call__(self, code: str, path: Path, found: str = "", **values: str) -> None:
        """found: the value to blame."""


class Declared:
    """Rules of one front matter; `add` is told what is wrong."""

    def __init__(self, front: FrontMatter, add: Add) -> None:
        self._front = front
        self._add = add

    def check_kinds(self) -> None:
        """There is a metric, each has one origin, and none has itself or one that is not there."""
        metrics = self._front.metrics
        intent, accuracy, consistency = metrics.intent, metrics.accuracy, metrics.consistency
        if not self.metrics():
            self._add("rubric-no-metrics", ("metrics",))
        if intent is not None and intent.verdict is not None and intent.copies:
            self._add("rubric-kinds", _INTENT, choices="verdict, copies")
        if accuracy is not None:
            kinds = [accuracy.copies or None, accuracy.checks, accuracy.addresses]
            if sum(kind is not None for kind in kinds) != 1:
                self._add("rubric-kinds", _ACCURACY, choices="copies, checks, addresses")
        if intent is not None and accuracy is not None:
            if intent.copies == "accuracy" and accuracy.copies == "intent":
                self._add("rubric-copies-itself", (*_INTENT, "copies"), found=intent.copies)
            if intent.verdict is not None and accuracy.copies == "intent":
                # An item that nobody judged would have no accuracy either.
                self._add("rubric-copies-verdict", (*_ACCURACY, "copies"), found=accuracy.copies)
        if consistency is not None and consistency.agreement is not None and consistency.pass_points is not None:
            self._add("rubric-kinds", _CONSISTENCY, choices="agreement, pass_points")
        self._check_references()

    def _check_references(self) -> None:
        """A metric that another one goes by has to be declared, and rounds to compare need their columns."""
        metrics = self._front.metrics
        named: list[tuple[Path, str]] = []
        if metrics.intent is not None:
            named.append(((*_INTENT, "copies"), metrics.intent.copies))
        if metrics.accuracy is not None:
            named.append(((*_ACCURACY, "copies"), metrics.accuracy.copies))
        if metrics.consistency is not None and metrics.consistency.pass_points is not None:
            named.append(((*_CONSISTENCY, "pass_points", "metric"), metrics.consistency.pass_points.metric))
        for path, name in named:
            if name and getattr(metrics, name) is None:
                self._add("rubric-metric-absent", path, found=name)
        required = {column.name for column in self._front.columns if column.required}
        if metrics.consistency is not None and required and not {"query_id", "round"} <= required:
            self._add("rubric-consistency-columns", _CONSISTENCY)

    def verdict(self) -> VerdictRule | None:
        """Without its levels."""
        intent = self._front.metrics.intent
        spec = intent.verdict if intent is not None else None
        if spec is None:
            return None
        path = (*_INTENT, "verdict")
        self._texts([((*path, "field"), spec.field)])
        return VerdictRule(
            sources=tuple(map(Source, spec.sources)),
            field=_text(spec.field),
            status_levels=self._by_status(spec.statuses, (*path, "statuses")),
        )

    def rubrics(self) -> VerdictRule | None:
        """The rule of the rubrics metric, without its levels."""
        spec = self._front.metrics.rubrics
        if spec is None:
            return None
        path: Path = ("metrics", RUBRICS)
        self._texts([((*path, "field"), spec.field)])
        if not spec.sources:
            self._add("rubric-list-empty", (*path, "sources"))
        return VerdictRule(
            metric=RUBRICS,
            sources=tuple(map(Source, spec.sources)),
            field=_text(spec.field),
            column="rubric_level",
            status_levels={},
            by_number=True,
        )

    def checks(self) -> CheckRule | None:
        """Without its bands."""
        accuracy = self._front.metrics.accuracy
        spec = accuracy.checks if accuracy is not None else None
        if spec is None:
            return None
        path = (*_ACCURACY, "checks")
        self._texts(((*path, name), getattr(spec, name)) for name in ("field", "marker", "contains_suffix"))
        self._texts(((*path, "ignored", at), word) for at, word in enumerate(spec.ignored))
        self._texts(((*path, "none", at), word) for at, word in enumerate(spec.none))
        for name in ("sources", "lookup", "none"):
            if not getattr(spec, name):
                self._add("rubric-list-empty", (*path, name))
        for at, template in enumerate(spec.lookup):
            if template.count(_KEY) != 1 or parse_path(template.replace(_KEY, "key")) is None:
                self._add("rubric-path", (*path, "lookup", at), found=template)
        if "text" in spec.sources and not spec.patterns:
            self._add("rubric-list-empty", (*path, "patterns"))
        return CheckRule(
            sources=tuple(map(Source, spec.sources)),
            field=_text(spec.field),
            marker=_text(spec.marker),
            contains_suffix=_text(spec.contains_suffix),
            lookup=_clean(spec.lookup),
            ignored=_clean(spec.ignored),
            patterns=self._patterns(spec, path),
            status_points={},
            bands=_UNREAD,
        )

    def addresses(self) -> AddressRule | None:
        """Without its points."""
        accuracy = self._front.metrics.accuracy
        spec = accuracy.addresses if accuracy is not None else None
        if spec is None:
            return None
        path = (*_ACCURACY, "addresses")
        self._texts([((*path, "key"), spec.key), ((*path, "field"), spec.field)])
        for name, phrases in _address_phrases(spec).items():
            if not phrases:
                self._add("rubric-list-empty", (*path, name.replace("-", "_")))
            self._texts(((*path, name.replace("-", "_"), at), phrase) for at, phrase in enumerate(phrases))
        return AddressRule(key=_text(spec.key), field=_text(spec.field), status_points={})

    def agreement(self) -> AgreementRule | None:
        """Consistency by label and signature."""
        consistency = self._front.metrics.consistency
        spec = consistency.agreement if consistency is not None else None
        if spec is None:
            return None
        path = (*_CONSISTENCY, "agreement")
        if not 0 <= spec.single <= self._front.scale:
            scale = f"{self._front.scale:g}"
            self._add("rubric-points-range", (*path, "single"), found=f"{spec.single:g}", scale=scale)
        return AgreementRule(
            label=self._label(spec.label, (*path, "label")),
            signature=self._signature(spec.signature, (*path, "signature")),
            single=spec.single,
        )

    def classes(self) -> ClassRule | None:
        """The latency class by payload."""
        latency = self._front.metrics.latency
        spec = latency.by_payload if latency is not None else None
        if latency is None or spec is None:
            return None
        path = (*_LATENCY, "by_payload")
        self._texts([((*path, "field"), spec.field)])
        if spec.several_class not in latency.classes:
            known = ", ".join(latency.classes)
            self._add("rubric-class-unknown", (*path, "several_class"), found=spec.several_class, known=known)
        if spec.several_count < 1:
            self._add("rubric-value-too-small", (*path, "several_count"), found=str(spec.several_count), low="1")
        return ClassRule(
            sources=tuple(map(Source, spec.sources)),
            field=_text(spec.field),
            several=_clean(spec.several),
            several_count=spec.several_count,
            several_class=spec.several_class,
        )

    def pass_rule(self) -> PassRule | None:
        """What passes when two rounds are compared."""
        consistency = self._front.metrics.consistency
        spec = consistency.pass_points if consistency is not None else None
        if spec is None:
            return None
        if not 0 <= spec.points <= self._front.scale:
            scale = f"{self._front.scale:g}"
            path = (*_CONSISTENCY, "pass_points", "points")
            self._add("rubric-points-range", path, found=f"{spec.points:g}", scale=scale)
        return PassRule(metric=spec.metric, points=spec.points)

    def metrics(self) -> tuple[MetricInfo, ...]:
        """What the report shows, in its order."""
        metrics = self._front.metrics
        named: list[tuple[str, str]] = []
        if metrics.intent is not None:
            named.append(("intent", metrics.intent.title or _first(metrics.intent.headings)))
        if metrics.consistency is not None:
            named.append(("consistency", metrics.consistency.title))
        if metrics.accuracy is not None:
            named.append(("accuracy", metrics.accuracy.title or _first(metrics.accuracy.headings)))
        if (latency := metrics.latency) is not None:
            title = latency.title or _first(latency.headings)
            if latency.separate:
                named += [(f"latency.{name}", f"{title}({spec.title})") for name, spec in latency.classes.items()]
            else:
                named.append(("latency", title))
        if metrics.stability is not None:
            named.append(("stability", metrics.stability.title or _first(metrics.stability.headings)))
        if metrics.rubrics is not None:
            named.append((RUBRICS, metrics.rubrics.title or _first(metrics.rubrics.headings)))
        return tuple(MetricInfo(name=name, title=_text(title)) for name, title in named)

    def statuses(self) -> dict[str, tuple[Status, ...]]:
        """Phrases that mean statuses."""
        path: Path = ("words", "statuses")
        phrases = {}
        for phrase, names in self._front.words.statuses.items():
            self._texts([((*path, phrase), phrase)])
            for at, name in enumerate(names):
                if name not in _STATUSES:
                    self._add("rubric-status-unknown", (*path, phrase, at), found=name, known=", ".join(_STATUSES))
            if not names:
                self._add("rubric-list-empty", (*path, phrase))
            phrases[_text(phrase)] = tuple(_STATUSES[name] for name in names if name in _STATUSES)
        return phrases

    def conditions(self) -> dict[str, dict[str, tuple[str, ...]]]:
        """Phrases that name an outcome in a table, and those that head the weights."""
        conditions: dict[str, dict[str, tuple[str, ...]]] = {}
        accuracy, total = self._front.metrics.accuracy, self._front.metrics.total
        if accuracy is not None and accuracy.checks is not None:
            conditions["accuracy"] = {NONE: _clean(accuracy.checks.none)}
        elif accuracy is not None and accuracy.addresses is not None:
            phrases = _address_phrases(accuracy.addresses)
            conditions["accuracy"] = {name: _clean(words) for name, words in phrases.items()}
        if total is not None:
            self._texts((("metrics", TOTAL, "weight", at), word) for at, word in enumerate(total.weight))
            if not total.weight:
                self._add("rubric-list-empty", ("metrics", TOTAL, "weight"))
            conditions[TOTAL] = {"weight": _clean(total.weight)}
        return conditions

    def _patterns(self, spec: ChecksSpec, path: Path) -> tuple[TextPattern, ...]:
        patterns = []
        for at, pattern in enumerate(spec.patterns):
            if self._is_pattern(pattern, (*path, "patterns", at)):
                patterns.append(
                    TextPattern(
                        pattern=unicodedata.normalize("NFC", pattern.pattern),
                        operator=Operator(pattern.op),
                        key=_text(pattern.key),
                        value=_text(pattern.value),
                    )
                )
        return tuple(patterns)

    def _is_pattern(self, pattern: PatternSpec, path: Path) -> bool:
        try:
            groups = pattern_groups(pattern.pattern)
        except re2.error as error:
            reason = error.args[0] if error.args else ""
            shown = reason.decode(errors="replace") if isinstance(reason, bytes) else str(reason)
            self._add("rubric-pattern", (*path, "pattern"), found=pattern.pattern, reason=shown)
            return False
        wanted = ["key"] if pattern.op == "exists" else ["key", "value"]
        absent = [name for name in wanted if name not in groups and not getattr(pattern, name)]
        if absent:
            self._add("rubric-pattern-groups", (*path, "pattern"), found=pattern.pattern, groups=", ".join(absent))
        return not absent

    def _label(self, spec: LabelSpec, path: Path) -> LabelRule:
        for group, entries in (("first", spec.first), ("most", spec.most)):
            for label, words in entries.items():
                if not words:
                    self._add("rubric-list-empty", (*path, group, label))
                self._texts([((*path, group, label), label)])
                self._texts(((*path, group, label, at), word) for at, word in enumerate(words))
        for label in spec.first:
            if label in spec.most:
                self._add("rubric-label-twice", (*path, "most", label), found=label)
        self._texts([((*path, "otherwise"), spec.otherwise), ((*path, "field"), spec.field)])
        return LabelRule(
            sources=tuple(map(Source, spec.sources)),
            field=_text(spec.field),
            status_labels=self._by_status(spec.statuses, (*path, "statuses")),
            first=_label_words(spec.first),
            most=_label_words(spec.most),
            otherwise=_text(spec.otherwise),
        )

    def _signature(self, spec: SignatureSpec, path: Path) -> SignatureRule:
        for name, keys in (("keys", spec.keys), ("beside", spec.beside)):
            for at, key in enumerate(keys):
                if parse_path(key) is None:
                    self._add("rubric-path", (*path, name, at), found=key)
        if not spec.keys:
            self._add("rubric-list-empty", (*path, "keys"))
        self._texts([((*path, "empty"), spec.empty), ((*path, "invalid"), spec.invalid)])
        return SignatureRule(
            keys=_clean(spec.keys), beside=_clean(spec.beside), empty=_text(spec.empty), invalid=_text(spec.invalid)
        )

    def _by_status(self, named: dict[str, str], path: Path) -> dict[Status, str]:
        for name, text in named.items():
            if name not in _STATUSES:
                self._add("rubric-status-unknown", (*path, name), found=name, known=", ".join(_STATUSES))
            self._texts([((*path, name), text)])
        return {_STATUSES[name]: _text(text) for name, text in named.items() if name in _STATUSES}

    def _texts(self, texts: Iterable[tuple[Path, str]]) -> None:
        for path, text in texts:
            if not _text(text):
                self._add("rubric-word-empty", path)


def _address_phrases(spec: AddressesSpec) -> dict[str, tuple[str, ...]]:
    return {"same-key": spec.same_key, "same-path": spec.same_path, "neither": spec.neither, "missing": spec.missing}


def _label_words(entries: dict[str, tuple[str, ...]]) -> tuple[LabelWords, ...]:
    return tuple(LabelWords(label=_text(label), words=_clean(words)) for label, words in entries.items())


def _first(words: tuple[str, ...]) -> str:
    return words[0] if words else ""


def _text(text: str) -> str:
    return unicodedata.normalize("NFC", text).strip()


def _clean(words: Iterable[str]) -> tuple[str, ...]:
    return tuple(map(_text, words))
