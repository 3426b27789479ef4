"""What a profile's own rules say of an item: verdict, checks, label, signature, latency class (spec §3).

Completes the items that `from_rows` made, only for profiles that declare such rules. Notes and counts are for data
quality.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from scoring.items.addresses import reach
from scoring.items.check_text import read_marked_checks, read_prose_checks
from scoring.items.checks import Check, read_check_list, run_checks
from scoring.items.graded_text import longer_texts
from scoring.items.labels_and_signatures import Labeller, Signer, ui_items
from scoring.items.nested_json import open_ui
from scoring.items.part import UNANSWERED, WHY_LEVEL_UNKNOWN, FailedCheck, Item, ItemDetails, unjudged_why
from scoring.items.payload import Opened, open_json, open_payload
from scoring.json_values import as_text, is_nothing
from scoring.problems import MAX_LISTED_PROBLEMS, Problem, Severity
from scoring.reading.columns import ColumnMap, column_titles
from scoring.rubric.fields import DETAIL_FIELDS, FIELDS
from scoring.rubric.model import Rubric
from scoring.rubric.rules import (
    REASON_NO_CHECKS,
    REASON_STATUS,
    AddressRule,
    AgreementRule,
    CheckRule,
    ClassRule,
    Source,
    VerdictRule,
)
from scoring.text import is_blank, normalise, showable

SOURCE_NONE = "none"  # an intent that nobody judged
SOURCE_COPY = "copy"

MAX_CHECKS = 1_000  # of one item
MAX_FAILED = 20  # failed checks that an item keeps
NAME_CHARACTERS = 200
SIGNATURE_CHARACTERS = 900

_Object = dict[str, object]


class _Chosen(NamedTuple):
    """Checks of the first source that gave any, or that gave some to ignore."""

    source: str
    checks: tuple[Check, ...]
    ignored: int


_NO_CHECKS = _Chosen("", (), 0)


class Details:
    """The rules of a rubric over the rows of one file.

    counts: data quality by code. notes: at most MAX_LISTED_PROBLEMS; note_count is their number.
    """

    def __init__(self, columns: ColumnMap, rubric: Rubric) -> None:
        self._rubric = rubric
        self._is_judged = bool(rubric.judged)
        self._at = {field: columns.at[field] for field in (*FIELDS, *DETAIL_FIELDS) if field in columns.at}
        self._titles = column_titles(columns, rubric.columns)
        agreement = rubric.agreement
        self._labeller = Labeller(agreement.label) if agreement is not None else None
        self._signer = Signer(agreement.signature) if agreement is not None else None
        self.counts: Counter[str] = Counter()
        self.notes: list[Problem] = []
        self.note_count = 0

    def complete(self, item: Item, row: Sequence[str]) -> None:
        """Score what is left to score of an item, and set its details. row: its cells."""
        cells = {field: row[at] for field, at in self._at.items()}
        raw = cells.get("raw_json", "")
        opened = None if is_blank(raw) else open_payload(raw)
        payload = self._open_ui(opened.value) if isinstance(opened, Opened) else None
        is_invalid = isinstance(opened, str)
        details = ItemDetails()
        if self._rubric.classes is not None:
            self._set_class(self._rubric.classes, item, details, cells, payload)
        if self._rubric.checks is not None:
            self._check(self._rubric.checks, item, details, cells, payload)
        elif self._rubric.addresses is not None:
            self._compare_addresses(self._rubric.addresses, item, details, cells, payload)
        self._set_intent(item, details, cells, payload)
        if self._rubric.rubrics is not None:
            self._grade(self._rubric.rubrics, item, details, cells, payload)
        if self._is_judged:
            self._keep_longer(item, details, cells, payload)
        if self._rubric.agreement is not None:
            self._set_label(self._rubric.agreement, item, details, cells, payload)
            assert self._signer is not None
            signature = self._signer.of(payload, ui_items(payload), is_invalid=is_invalid)
            details.signature = _bounded(showable(signature))
        item.details = details

    def _open_ui(self, payload: _Object) -> _Object:
        payload, is_nested = open_ui(payload)
        # `scoring.items.payload` counts rows whose whole list is a text.
        self.counts["json-in-ui"] += is_nested
        return payload

    def _set_intent(self, item: Item, details: ItemDetails, cells: Mapping[str, str], payload: _Object | None) -> None:
        rubric = self._rubric
        if rubric.verdict is not None:
            self._pick(rubric.verdict, item, details, cells, payload)
        elif rubric.intent_of:
            item.intent = item.accuracy if rubric.intent_of == "accuracy" else item.stability
            item.intent_source = SOURCE_COPY
        if rubric.accuracy_of == "stability":
            item.accuracy = item.stability
        elif rubric.accuracy_of and item.intent is not None:
            item.accuracy = item.intent

    def _pick(
        self, rule: VerdictRule, item: Item, details: ItemDetails, cells: Mapping[str, str], payload: _Object | None
    ) -> None:
        """The recorded verdict of intent, or the one that the status stands for; a judge may speak at merge."""
        recorded = item.intent if item.intent_source == Source.RECORDED.value else None
        item.intent, item.intent_source = None, SOURCE_NONE
        for source in rule.sources:
            level = None
            match source:
                case Source.COLUMN | Source.PAYLOAD:
                    name = self._named(source, rule.column, rule.field, cells, payload)
                    level = rule.level(name)
                    if name and level is None:
                        known = ", ".join(level.name for level in rule.levels)
                        self.counts["verdict-unknown"] += 1
                        self._note("verdict-unknown", item, rule.column, found=name, known=known)
                case Source.RECORDED:
                    if recorded is not None:
                        item.intent, item.intent_source = recorded, source.value
                        return
                case Source.STATUS:
                    level = rule.level(rule.status_levels.get(item.status, ""))
                case _:
                    continue  # a judge is asked for the whole set
            if level is not None:
                item.intent, item.intent_source = level.points, source.value
                details.verdict = level.name
                return
        self.counts["not-evaluated"] += 1
        details.verdict_why = unjudged_why(rule, has_answer=item.status not in UNANSWERED)

    def _grade(
        self, rule: VerdictRule, item: Item, details: ItemDetails, cells: Mapping[str, str], payload: _Object | None
    ) -> None:
        """The recorded level of the rubrics metric. One that the rubric does not have is refused, never rounded."""
        details.rubrics_source = SOURCE_NONE
        for source in rule.sources:
            if source is Source.JUDGE:
                continue
            text = self._named(source, rule.column, rule.field, cells, payload)
            if not text:
                continue
            level = rule.level(text)
            if level is None:
                known = ", ".join(rule.choices)
                column = rule.column if source is Source.COLUMN else "raw_json"
                self._note("rubric-level", item, column, found=text, severity=Severity.ERROR, known=known)
                details.rubrics_why = WHY_LEVEL_UNKNOWN
            else:
                details.rubrics, details.rubrics_level = rule.points(level), rule.spelling(level)
                details.rubrics_source = source.value
                if details.rubrics and item.status in UNANSWERED:
                    self.counts["level-contradicts-status"] += 1
            return
        details.rubrics_why = unjudged_why(rule, has_answer=item.status not in UNANSWERED)

    def _keep_longer(self, item: Item, details: ItemDetails, cells: Mapping[str, str], payload: _Object | None) -> None:
        """What a judge may read of texts that the item has cut, or of the UI of an answer without words."""
        answer = showable(_message(payload)) or cells.get("response", "")
        if is_blank(answer) and item.status not in UNANSWERED:
            answer = _screen(payload)
        details.graded = longer_texts(item, cells.get("question", ""), cells.get("expected", ""), answer)

    def _check(
        self, rule: CheckRule, item: Item, details: ItemDetails, cells: Mapping[str, str], payload: _Object | None
    ) -> None:
        if item.status in rule.status_points:
            item.accuracy = rule.status_points[item.status]
            details.accuracy_reason = REASON_STATUS
            return
        chosen = self._choose_checks(rule, item, cells, payload)
        details.check_source, details.ignored_checks = chosen.source, chosen.ignored
        self.counts["checks-ignored"] += chosen.ignored
        tally = run_checks(chosen.checks, _with_list(payload))
        details.checks = len(chosen.checks)
        details.ratio = tally.ratio
        details.failed_checks = tuple(
            FailedCheck(_shown(failure.name), failure.operator, _shown(failure.value), failure.fault)
            for failure in tally.failures[:MAX_FAILED]
        )
        details.failed_count = len(tally.failures)
        for failure in tally.failures:
            if failure.fault:
                column = "accuracy_checks" if chosen.source in _LISTED else "expected"
                self._note(f"check-{failure.fault}", item, column, found=failure.name or failure.value)
        if tally.ratio is None:
            details.accuracy_reason = REASON_NO_CHECKS
            self.counts["not-assessable"] += 1
        item.accuracy = rule.bands.score(tally.ratio)

    def _choose_checks(self, rule: CheckRule, item: Item, cells: Mapping[str, str], payload: _Object | None) -> _Chosen:
        for source in rule.sources:
            match source:
                case Source.MARKED:
                    checks, ignored, left_out = read_marked_checks(cells.get("expected", ""), rule, limit=MAX_CHECKS)
                case Source.TEXT:
                    checks, ignored, unread, left_out = read_prose_checks(
                        cells.get("expected", ""), rule, limit=MAX_CHECKS
                    )
                    self.counts["prose-unread"] += unread
                case _:
                    entries = self._listed(source, rule, item, cells, payload)
                    checks, ignored, left_out = read_check_list(entries, rule.ignored)
            if left_out:
                found = str(len(checks) + left_out)
                self._note("checks-too-many", item, "expected", found=found, limit=str(MAX_CHECKS))
            elif checks or ignored:
                return _Chosen(source.value, checks, ignored)
        return _NO_CHECKS

    def _listed(
        self, source: Source, rule: CheckRule, item: Item, cells: Mapping[str, str], payload: _Object | None
    ) -> list[object]:
        """A list of checks from a cell or a field; [] where there is none or it can't be read."""
        column, value = "accuracy_checks", None
        if source is Source.PAYLOAD:
            column, value = "raw_json", payload.get(rule.field) if payload is not None else None
            if isinstance(value, str) and not is_blank(value):
                value = _opened(value)
        elif source is Source.CRITERIA:
            column, cell = "criteria", cells.get("criteria", "")
            if not is_blank(cell):
                value = _opened(cell)
                value = value.get(rule.field) if isinstance(value, dict) else value
                if isinstance(value, str) and not is_blank(value):
                    value = _opened(value)
        elif not is_blank(cell := cells.get("accuracy_checks", "")):
            value = _opened(cell)
        if value is None or (isinstance(value, str) and is_blank(value)):
            return []
        if isinstance(value, list) and len(value) <= MAX_CHECKS:
            return value
        if isinstance(value, list):
            self._note("checks-too-many", item, column, found=str(len(value)), limit=str(MAX_CHECKS))
        else:
            self._note("checks-unreadable", item, column, found=as_text(value))
        return []

    def _compare_addresses(
        self, rule: AddressRule, item: Item, details: ItemDetails, cells: Mapping[str, str], payload: _Object | None
    ) -> None:
        if item.status in rule.status_points:
            item.accuracy = rule.status_points[item.status]
            details.accuracy_reason = REASON_STATUS
            return
        outcome = reach(cells.get("expected", ""), payload, rule)
        item.accuracy = outcome.points
        if outcome.outcome == "missing":
            details.accuracy_reason = REASON_NO_CHECKS
            self.counts["not-assessable"] += 1
        else:
            details.accuracy_reason = outcome.outcome

    def _set_label(
        self, rule: AgreementRule, item: Item, details: ItemDetails, cells: Mapping[str, str], payload: _Object | None
    ) -> None:
        assert self._labeller is not None
        for source in rule.label.sources:
            name = self._named(source, "intent_label", rule.label.field, cells, payload)
            label = self._labeller.named(name) if name else ""
            if label:
                details.label, details.label_source = label, source.value
                return
            if name:
                self._note("label-unknown", item, "intent_label", found=name, known=", ".join(rule.label.names))
        details.label = self._labeller.of(item.status, _message(payload))
        is_by_status = item.status in rule.label.status_labels
        details.label_source = Source.STATUS.value if is_by_status else Source.TEXT.value

    def _set_class(
        self, rule: ClassRule, item: Item, details: ItemDetails, cells: Mapping[str, str], payload: _Object | None
    ) -> None:
        chosen = None
        for source in rule.sources:
            name = self._named(source, "latency_class", rule.field, cells, payload)
            if name:
                chosen = self._rubric.class_named(name)
                if chosen is not None:
                    break
                known = ", ".join(entry.name.upper() for entry in self._rubric.latency_classes)
                self._note("class-unknown", item, "latency_class", found=name, known=known)
        if chosen is None:
            lists = (payload.get(field) for field in rule.several) if payload is not None else ()
            is_several = any(isinstance(one, list | dict) and len(one) >= rule.several_count for one in lists)
            chosen = self._rubric.class_named(rule.several_class if is_several else self._rubric.default_class)
        assert chosen is not None
        details.latency_class = chosen.name
        item.latency = chosen.bands.score(item.seconds)

    def _named(self, source: Source, column: str, field: str, cells: Mapping[str, str], payload: _Object | None) -> str:
        """A name written in a column or in the payload, "" when there is none."""
        if source is Source.COLUMN:
            cell = cells.get(column, "")
            return "" if is_blank(cell) else normalise(cell)
        value = payload.get(field) if payload is not None else None
        return "" if is_nothing(value) or value is False else as_text(value)

    def _note(
        self, code: str, item: Item, column: str, *, found: str, severity: Severity = Severity.NOTE, **values: str
    ) -> None:
        self.note_count += 1
        if code.startswith("check"):
            self.counts["checks-faulty"] += 1
        if len(self.notes) < MAX_LISTED_PROBLEMS:
            self.notes.append(
                Problem(
                    code=code,
                    severity=severity,
                    row=item.row,
                    column=self._titles.get(column, column),
                    found=_shown(found),
                    values=values,
                )
            )


_LISTED = frozenset({Source.COLUMN.value, Source.CRITERIA.value, Source.PAYLOAD.value})


def _opened(text: str) -> object:
    """A JSON text as a value; the text itself when it is none."""
    value = open_json(text)
    return text if value is None else value


def _with_list(payload: _Object | None) -> _Object:
    """The payload as paths see it: an object in place of the list of UI items is one item."""
    if payload is None:
        return {}
    value = payload.get("dataUIList")
    return {**payload, "dataUIList": [value]} if isinstance(value, dict) else payload


def _message(payload: _Object | None) -> str:
    """The message as text, JSON text of a value that is none."""
    value = payload.get("assistantMessage") if payload is not None else None
    if isinstance(value, str):
        return "" if is_blank(value) else value
    return "" if is_nothing(value) or value is False else json.dumps(value, ensure_ascii=False)


def _screen(payload: _Object | None) -> str:
    """The UI items as compact JSON, "" without any."""
    shown = ui_items(payload)
    return showable(json.dumps({"dataUIList": shown}, ensure_ascii=False, separators=(",", ":"))) if shown else ""


def _shown(text: str) -> str:
    text = showable(text)
    return text if len(text) <= NAME_CHARACTERS else text[: NAME_CHARACTERS - 1] + "…"


def _bounded(signature: str) -> str:
    """A long signature is cut and stays its own."""
    if len(signature) <= SIGNATURE_CHARACTERS:
        return signature
    digest = hashlib.sha256(signature.encode(errors="replace")).hexdigest()
    return f"{signature[:SIGNATURE_CHARACTERS]}… #{digest[:16]}"
