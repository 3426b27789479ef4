"""Rules of a profile from its front matter: verdict, checks, addresses, labels, signatures, classes.

Decides whether these declarations make sense by themselves. What tables say (levels, bands, points, weights) is
filled in by `scoring.rubric.document.read`.
"""

from __future__ import annotations

import unicodedata
from typing import Protocol

import msgspec
import re2

from scoring.json_values import parse_path
from scoring.rubric.document.found import NONE
from scoring.rubric.document.front_matter import Path
from scoring.rubric.document.schema import AddressesSpec, CallsSpec, FrontMatter, PatternSpec
from scoring.rubric.fields import Better, Measure
from scoring.rubric.model import RUBRICS, TOTAL
from scoring.rubric.patterns import pattern_groups
from scoring.rubric.points import SHARE, Bands, Scale
from scoring.rubric.rules import (
    PAYLOAD_KEYS,
    AddressRule,
    AgreementRule,
    CallRule,
    CheckRule,
    ClassRule,
    LabelRule,
    LabelWords,
    MetricInfo,
    Operator,
    PassRule,
    Paths,
    PayloadRule,
    SignatureRule,
    Source,
    TextPattern,
    VerdictRule,
)

UNREAD = Bands(edges=(), points=(), missing=0.0)  # in force only until the table is found, which is required
_KEY = "{key}"
_MOST_DECIMALS = 12
_INTENT: Path = ("metrics", "intent")
_ACCURACY: Path = ("metrics", "accuracy")
_CONSISTENCY: Path = ("metrics", "consistency")
_LATENCY: Path = ("metrics", "latency")


class Add(Protocol):
    """Adds a problem at a path of the front matter."""

    def __call__(self, code: str, path: Path, found: str = "", **values: str) -> None:
        """found: the value to blame."""


class Declared:
    """Rules of one front matter; `add` is given what is wrong."""

    def __init__(self, front: FrontMatter, add: Add) -> None:
        self._front = front
        self._metrics = front.metrics
        self._add = add

    def check_kinds(self) -> None:
        """There is a metric, each has one origin, and none has itself or one that is not there."""
        intent, accuracy, consistency = self._metrics.intent, self._metrics.accuracy, self._metrics.consistency
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
                # An item that was not judged would have no accuracy either.
                self._add("rubric-copies-verdict", (*_ACCURACY, "copies"), found=accuracy.copies)
        if consistency is not None and consistency.agreement is not None and consistency.pass_points is not None:
            self._add("rubric-kinds", _CONSISTENCY, choices="agreement, pass_points")
        self._check_references()

    def _check_references(self) -> None:
        """A metric that another one goes by has to be declared, and rounds to compare need their columns."""
        consistency = self._metrics.consistency
        named: list[tuple[Path, str]] = []
        if self._metrics.intent is not None:
            named.append(((*_INTENT, "copies"), self._metrics.intent.copies))
        if self._metrics.accuracy is not None:
            named.append(((*_ACCURACY, "copies"), self._metrics.accuracy.copies))
        if consistency is not None and consistency.pass_points is not None:
            named.append(((*_CONSISTENCY, "pass_points", "metric"), consistency.pass_points.metric))
        if self._front.pass_points is not None:
            named.append((("pass_points", "metric"), self._front.pass_points.metric))
        for path, name in named:
            if name and getattr(self._metrics, name) is None:
                self._add("rubric-metric-absent", path, found=name)
        required = {column.name for column in self._front.columns if column.required}
        if consistency is not None and required and not {"query_id", "round"} <= required:
            self._add("rubric-consistency-columns", _CONSISTENCY)

    def verdict(self) -> VerdictRule | None:
        """Without its levels."""
        spec = self._metrics.intent.verdict if self._metrics.intent is not None else None
        if spec is None:
            return None
        return VerdictRule(
            sources=tuple(map(Source, spec.sources)),
            field=self._paths(spec.field, (*_INTENT, "verdict", "field")),
            status_levels=dict(spec.statuses),
        )

    def rubrics(self) -> VerdictRule | None:
        """The rule of the rubrics metric, without its levels."""
        spec = self._metrics.rubrics
        if spec is None:
            return None
        return VerdictRule(
            metric=RUBRICS,
            sources=tuple(map(Source, spec.sources)),
            field=self._paths(spec.field, ("metrics", RUBRICS, "field")),
            column="rubric_level",
            status_levels={},
            other_names={name.casefold(): number for name, number in spec.names.items()},
            by_number=True,
        )

    def checks(self) -> CheckRule | None:
        """Without its bands."""
        spec = self._metrics.accuracy.checks if self._metrics.accuracy is not None else None
        if spec is None:
            return None
        path = (*_ACCURACY, "checks")
        for at, template in enumerate(spec.lookup):
            if template.count(_KEY) != 1 or parse_path(template.replace(_KEY, "key")) is None:
                self._add("rubric-path", (*path, "lookup", at), found=template)
        if "text" in spec.sources and not spec.patterns:
            self._add("rubric-list-empty", (*path, "patterns"))
        patterns = [(pattern, (*path, "patterns", at)) for at, pattern in enumerate(spec.patterns)]
        return CheckRule(
            sources=tuple(map(Source, spec.sources)),
            field=self._paths(spec.field, (*path, "field")),
            marker=spec.marker,
            contains_suffix=spec.contains_suffix,
            lookup=spec.lookup,
            ignored=spec.ignored,
            patterns=tuple(_pattern(pattern) for pattern, at in patterns if self._is_pattern(pattern, at)),
            calls=self._calls(spec.calls, (*path, "calls")),
            status_points={},
            bands=UNREAD,
        )

    def _calls(self, spec: CallsSpec | None, path: Path) -> CallRule | None:
        if spec is None:
            return None
        written: list[tuple[Path, str]] = [((*path, "paths", at), one) for at, one in enumerate(spec.paths)]
        for place, text in (*written, ((*path, "name"), spec.name), ((*path, "arguments"), spec.arguments)):
            if parse_path(text) is None:
                self._add("rubric-path", place, found=text)
        return CallRule(paths=spec.paths, name=spec.name, arguments=spec.arguments)

    def addresses(self) -> AddressRule | None:
        """Without its points."""
        spec = self._metrics.accuracy.addresses if self._metrics.accuracy is not None else None
        return None if spec is None else AddressRule(key=spec.key, field=spec.field, status_points={})

    def agreement(self) -> AgreementRule | None:
        """Consistency by label and signature."""
        spec = self._metrics.consistency.agreement if self._metrics.consistency is not None else None
        if spec is None:
            return None
        path = (*_CONSISTENCY, "agreement")
        self._check_points(spec.single, (*path, "single"))
        for label in spec.label.first:
            if label in spec.label.most:
                self._add("rubric-label-twice", (*path, "label", "most", label), found=label)
        for name, keys in (("keys", spec.signature.keys), ("beside", spec.signature.beside)):
            for at, key in enumerate(keys):
                if parse_path(key) is None:
                    self._add("rubric-path", (*path, "signature", name, at), found=key)
        return AgreementRule(
            label=LabelRule(
                sources=tuple(map(Source, spec.label.sources)),
                field=self._paths(spec.label.field, (*path, "label", "field")),
                status_labels=dict(spec.label.statuses),
                first=_label_words(spec.label.first),
                most=_label_words(spec.label.most),
                otherwise=spec.label.otherwise,
            ),
            signature=msgspec.convert(spec.signature, SignatureRule, from_attributes=True),
            single=spec.single,
        )

    def classes(self) -> ClassRule | None:
        """The latency class by payload."""
        latency = self._metrics.latency
        spec = latency.by_payload if latency is not None else None
        if latency is None or spec is None:
            return None
        path = (*_LATENCY, "by_payload")
        if spec.several_class not in latency.classes:
            known = ", ".join(latency.classes)
            self._add("rubric-class-unknown", (*path, "several_class"), found=spec.several_class, known=known)
        if spec.several_count < 1:
            self._add("rubric-value-too-small", (*path, "several_count"), found=str(spec.several_count), low="1")
        self._paths(spec.several, (*path, "several"))
        return ClassRule(
            sources=tuple(map(Source, spec.sources)),
            field=self._paths(spec.field, (*path, "field")),
            several=spec.several,
            several_count=spec.several_count,
            several_class=spec.several_class,
        )

    def payload(self) -> PayloadRule | None:
        """Where the values of an answer are in its payload."""
        spec = self._front.payload
        if spec is None:
            return None
        for key in PAYLOAD_KEYS:
            self._paths(getattr(spec, key) or (), ("payload", key))
        return msgspec.convert(spec, PayloadRule, from_attributes=True)

    def pass_rule(self) -> PassRule | None:
        """What passes when two rounds are compared."""
        spec = self._metrics.consistency.pass_points if self._metrics.consistency is not None else None
        if spec is None:
            return None
        self._check_points(spec.points, (*_CONSISTENCY, "pass_points", "points"))
        return PassRule(metric=spec.metric, points=spec.points)

    def pass_points(self) -> PassRule | None:
        """What an item passes by."""
        spec = self._front.pass_points
        if spec is None:
            return None
        self._check_points(spec.points, ("pass_points", "points"), scale=SHARE if spec.metric == RUBRICS else None)
        return PassRule(metric=spec.metric, points=spec.points)

    def measures(self) -> tuple[Measure, ...]:
        """Further numbers of the items."""
        has_payload = any(column.name == "raw_json" for column in self._front.columns)
        seen: set[str] = set()
        for at, spec in enumerate(self._front.measures):
            path: Path = ("measures", at)
            if spec.name in seen:
                self._add("rubric-measure-twice", (*path, "name"), found=spec.name)
            seen.add(spec.name)
            if bool(spec.column) is bool(spec.payload):
                self._add("rubric-kinds", path, choices="column, payload")
            elif spec.payload and not has_payload:
                self._add("rubric-measure-no-payload", (*path, "payload"), found=spec.name)
            for number, text in enumerate(spec.payload):
                if parse_path(text) is None:
                    self._add("rubric-path", (*path, "payload", number), found=text)
            if spec.decimals is not None and not 0 <= spec.decimals <= _MOST_DECIMALS:
                self._add(
                    "rubric-measure-decimals",
                    (*path, "decimals"),
                    found=str(spec.decimals),
                    limit=str(_MOST_DECIMALS),
                )
        return tuple(
            Measure(
                name=spec.name,
                title=spec.title,
                unit=spec.unit,
                column=spec.column,
                paths=spec.payload,
                decimals=spec.decimals,
                better=Better(spec.better),
            )
            for spec in self._front.measures
        )

    def metrics(self) -> tuple[MetricInfo, ...]:
        """What the report shows, in its order."""
        titles: list[tuple[str, str]] = []
        for name in ("intent", "consistency", "accuracy", "latency", "stability", RUBRICS):
            spec = getattr(self._metrics, name)
            if spec is None:
                continue
            title = spec.title or next(iter(getattr(spec, "headings", ())), "")
            if name == "latency" and spec.separate:
                space = " " if title.isascii() else ""
                titles += [(f"latency.{one}", f"{title}{space}({entry.title})") for one, entry in spec.classes.items()]
            else:
                titles.append((name, title))
        return tuple(MetricInfo(name=name, title=title) for name, title in titles)

    def conditions(self) -> dict[str, dict[str, tuple[str, ...]]]:
        """Phrases that name an outcome in a table, and those that head the weights."""
        conditions: dict[str, dict[str, tuple[str, ...]]] = {}
        accuracy, total = self._metrics.accuracy, self._metrics.total
        if accuracy is not None and accuracy.checks is not None:
            conditions["accuracy"] = {NONE: accuracy.checks.none}
        elif accuracy is not None and accuracy.addresses is not None:
            conditions["accuracy"] = _address_phrases(accuracy.addresses)
        if total is not None:
            conditions[TOTAL] = {"weight": total.weight}
        return conditions

    def _paths(self, paths: tuple[str, ...], path: Path) -> Paths:
        """The paths of a declaration as a rule has them."""
        for at, text in enumerate(paths):
            if parse_path(text) is None:
                self._add("rubric-path", (*path, at), found=text)
        return paths[0] if len(paths) == 1 else paths

    def _check_points(self, points: float, path: Path, *, scale: Scale | None = None) -> None:
        """scale: None for that of the document."""
        lowest, highest = scale or (self._front.scale.lowest, self._front.scale.highest)
        if not lowest <= points <= highest:
            self._add("rubric-points-range", path, found=f"{points:g}", lowest=f"{lowest:g}", scale=f"{highest:g}")

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


def _pattern(spec: PatternSpec) -> TextPattern:
    pattern = unicodedata.normalize("NFC", spec.pattern)
    return TextPattern(pattern=pattern, operator=Operator(spec.op), key=spec.key, value=spec.value)


def _address_phrases(spec: AddressesSpec) -> dict[str, tuple[str, ...]]:
    return {"same-key": spec.same_key, "same-path": spec.same_path, "neither": spec.neither, "missing": spec.missing}


def _label_words(entries: dict[str, tuple[str, ...]]) -> tuple[LabelWords, ...]:
    return tuple(LabelWords(label=label, words=words) for label, words in entries.items())
