"""Applies a profile's own rules to an item: verdict, level, checks, addresses, label, signature and latency class.

`scoring.items.from_rows` calls it for profiles that declare such rules (docs/scoring.md#4-verdicts-and-checks).
"""

import json
from collections.abc import Container, Sequence
from itertools import islice, repeat
from typing import NamedTuple

from scoring.checks import (
    Call,
    Check,
    TooManyComparisonsError,
    expected_addresses,
    field_texts,
    find_calls,
    reach,
    read_check_list,
    read_marked_checks,
    read_prose_checks,
    run_checks,
)
from scoring.findings import FindingLog, RowCounts
from scoring.items.labels_and_signatures import Labeller, Signer, bounded, ui_items
from scoring.items.part import (
    SOURCE_NONE,
    UNANSWERED,
    WHY_LEVEL_UNKNOWN,
    FailedCheck,
    Item,
    ItemDetails,
    longer_texts,
    unjudged_why,
)
from scoring.items.payload import Payload
from scoring.json_values import as_text, open_json, opened_text
from scoring.payloads import PathWatch, first_at, found_at, open_ui, parsed_paths, with_list
from scoring.problems import InputError, Problem
from scoring.reading import ColumnMap, column_titles
from scoring.rubric import (
    DETAIL_FIELDS,
    FIELDS,
    ON_CALLS,
    REASON_NO_CHECKS,
    REASON_STATUS,
    AddressRule,
    CheckRule,
    ClassRule,
    LabelRule,
    Paths,
    PayloadRule,
    Rubric,
    Source,
    VerdictRule,
)
from scoring.text import is_blank, normalise, showable

SOURCE_COPY = "copy"

MAX_CHECKS = 1_000  # of one item
MAX_FAILED = 20  # failed checks that an item keeps
NAME_CHARACTERS = 200


class _Row(NamedTuple):
    """What the rules read and set. payload: the object in `Raw JSON`, {} when there is none. ui: its UI items."""

    item: Item
    details: ItemDetails
    cells: dict[str, str]
    payload: dict[str, object]
    ui: list[object]
    message: str

    def cell(self, field: str) -> str:
        """The cell of a column, "" when the file does not have it."""
        return self.cells.get(field, "")


class _Chosen(NamedTuple):
    """Checks of the first source that gave any, or that gave some to ignore."""

    source: str
    checks: tuple[Check, ...]
    ignored: int


_MAX_SHOWN = 5  # addresses that a failed item keeps
_NO_CHECKS = _Chosen("", (), 0)


class ProfileRules:
    """The rules of a rubric, ready for the rows of one file.

    counts: data quality by code, added to. log: takes values that were skipped. watch: learns of paths looked for.
    """

    def __init__(
        self, columns: ColumnMap, rubric: Rubric, counts: RowCounts, log: FindingLog, watch: PathWatch
    ) -> None:
        self._rubric = rubric
        self._watch = watch
        self._keys = watch.keys
        self._ui_paths = parsed_paths((rubric.payload_paths or PayloadRule()).paths("ui"))
        self._several = parsed_paths(rubric.classes.several) if rubric.classes is not None else ()
        self._is_judged = bool(rubric.judged)
        self._every = _checks_of_every(rubric.checks) if rubric.checks is not None else ()
        self._at = {field: columns.at[field] for field in (*FIELDS, *DETAIL_FIELDS) if field in columns.at}
        self._titles = column_titles(columns, rubric.columns)
        agreement = rubric.agreement
        self._labeller = Labeller(agreement.label) if agreement is not None else None
        self._signer = Signer(agreement.signature) if agreement is not None else None
        self._counts = counts
        self._log = log

    def finish(self) -> None:
        """Note tool calls that checks are about and no row of the file has at any place that the document names."""
        self._keys.note(self._log)
        rule = self._rubric.checks.calls if self._rubric.checks is not None else None
        if rule is not None:
            self._watch.note_calls(self._log, self._titles.get("raw_json", "raw_json"), rule.paths)

    def apply(self, item: Item, cells: Sequence[str], payload: Payload | str | None) -> None:
        """Set the details of an item and the points that depend on them.

        Raises InputError when its checks ask for more comparisons than an item may.
        """
        opened = payload if isinstance(payload, Payload) else None
        value = self._open_ui(opened.value, item.row) if opened is not None and opened.value else {}
        row = _Row(
            item=item,
            details=ItemDetails(),
            cells={field: cells[at] for field, at in self._at.items()},
            payload=value,
            ui=ui_items(value, self._ui_paths),
            message=opened.message if opened is not None else "",
        )
        rubric = self._rubric
        if rubric.classes is not None:
            self._set_class(rubric.classes, row)
        if rubric.checks is not None:
            self._check(rubric.checks, row)
        elif rubric.addresses is not None:
            self._compare_addresses(rubric.addresses, row)
        self._set_intent(row)
        if rubric.rubrics is not None:
            self._grade(rubric.rubrics, row)
        if self._is_judged:
            self._keep_longer(row)
        if rubric.agreement is not None:
            self._set_label(rubric.agreement.label, row)
            assert self._signer is not None
            signature = self._signer.of(row.payload, row.ui, is_invalid=isinstance(payload, str))
            row.details.signature = bounded(showable(signature))
        item.details = row.details

    def _open_ui(self, payload: dict[str, object], row_number: int) -> dict[str, object]:
        payload, is_nested = open_ui(payload, self._ui_paths)
        if is_nested:  # `scoring.items.from_rows` counts rows whose whole list is a text
            self._counts.note(row_number, "json-in-ui")
            self._log.add(Problem(code="json-in-ui", row=row_number, column=self._titles.get("raw_json", "")))
        return payload

    def _set_intent(self, row: _Row) -> None:
        rubric, item = self._rubric, row.item
        if rubric.verdict is not None:
            self._pick(rubric.verdict, row)
        elif rubric.intent_of:
            item.intent = item.accuracy if rubric.intent_of == "accuracy" else item.stability
            item.intent_source = SOURCE_COPY
        if rubric.accuracy_of == "stability":
            item.accuracy = item.stability
        elif rubric.accuracy_of and item.intent is not None:
            item.accuracy = item.intent

    def _pick(self, rule: VerdictRule, row: _Row) -> None:
        """The recorded verdict of intent, or the one for the status; a judge is asked when parts are merged."""
        item = row.item
        recorded = item.intent if item.intent_source == Source.RECORDED.value else None
        item.intent, item.intent_source = None, SOURCE_NONE
        for source in rule.sources:
            level = None
            match source:
                case Source.COLUMN | Source.PAYLOAD:
                    name = self._named(source, row, rule.column, rule.field)
                    level = rule.level(name)
                    if name and level is None:
                        known = ", ".join(level.name for level in rule.levels)
                        self._counts.note(item.row, "verdict-unknown")
                        self._note("verdict-unknown", row, rule.column, found=name, known=known)
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
                row.details.verdict = level.name
                return
        self._counts.note(item.row, "not-evaluated")
        row.details.verdict_why = unjudged_why(rule, has_answer=item.status not in UNANSWERED)

    def _grade(self, rule: VerdictRule, row: _Row) -> None:
        """The recorded level of the rubrics metric. One that the rubric does not have is refused, never rounded."""
        details, is_unanswered = row.details, row.item.status in UNANSWERED
        details.rubrics_source = SOURCE_NONE
        for source in rule.sources:
            text = "" if source is Source.JUDGE else self._named(source, row, rule.column, rule.field)
            if not text:
                continue
            level = rule.level(text)
            if level is None:
                known = ", ".join(rule.choices)
                column = rule.column if source is Source.COLUMN else "raw_json"
                self._note("rubric-level", row, column, found=text, known=known)
                details.rubrics_why = WHY_LEVEL_UNKNOWN
            else:
                details.rubrics, details.rubrics_level = rule.points(level), rule.spelling(level)
                details.rubrics_source = source.value
                if details.rubrics and is_unanswered:
                    self._counts.note(row.item.row, "level-contradicts-status")
            return
        details.rubrics_why = unjudged_why(rule, has_answer=not is_unanswered)

    def _check(self, rule: CheckRule, row: _Row) -> None:
        if _has_points_by_status(rule, row):
            return
        item, details = row.item, row.details
        chosen = self._choose_checks(rule, row)
        chosen = chosen._replace(checks=(*chosen.checks, *self._every)) if self._every else chosen
        try:
            answer = with_list(row.payload, self._ui_paths)
            calls = self._calls(rule, chosen.checks, row)
            characters = sum(map(len, row.cells.values()))
            tally = run_checks(chosen.checks, answer, calls, characters=characters)
        except TooManyComparisonsError as error:
            values = {"found": str(error.found), "limit": str(error.limit)}
            raise InputError((Problem(code="comparisons-too-many", row=item.row, values=values),)) from None
        self._counts.note(item.row, *repeat("checks-ignored", chosen.ignored))
        details.check_source, details.ignored_checks = chosen.source, chosen.ignored
        details.checks = sum(check.counts for check in chosen.checks)
        details.ratio, details.failed_count = tally.ratio, len(tally.failures)
        details.failed_checks = tuple(
            FailedCheck(
                _shown(failure.name),
                failure.operator,
                _shown(failure.value),
                failure.fault,
                _shown(failure.found),
            )
            for failure in tally.failures[:MAX_FAILED]
        )
        column = "accuracy_checks" if chosen.source in _LISTED else "expected"
        for failure in tally.failures:
            if failure.fault:
                self._note_check(f"check-{failure.fault}", row, column, found=failure.name or failure.value)
        for check in chosen.checks:
            if not check.counts:
                values = {"nearest": check.nearest} if check.nearest else {}
                self._note_check("check-unknown", row, column, found=check.shown, **values)
        if row.payload:
            self._watch_keys(chosen.checks, tally.absent, row, column)
        if tally.ratio is None:
            details.accuracy_reason = REASON_NO_CHECKS
            self._counts.note(item.row, "not-assessable")
        item.accuracy = rule.bands.score(tally.ratio)

    def _watch_keys(self, checks: Sequence[Check], absent: Container[str], row: _Row, column: str) -> None:
        """Note which keys of checks the payload has. absent: those that it has not."""
        title = self._titles.get(column, column)
        for check in checks:
            if check.wants_value:
                self._keys.saw(check.name, row.item.row, title, row.payload if check.name in absent else None)

    def _calls(self, rule: CheckRule, checks: Sequence[Check], row: _Row) -> Sequence[Call]:
        """The tool calls of the payload where a check is about them."""
        if rule.calls is None or not any(check.operator in ON_CALLS for check in checks):
            return ()
        calls = find_calls(row.payload, rule.calls, open_json)
        self._watch.saw_calls(row.item.row, found=calls is not None)
        return calls or ()

    def _choose_checks(self, rule: CheckRule, row: _Row) -> _Chosen:
        expected = row.cell("expected")
        unknown: _Chosen | None = None  # none of whose checks counts
        for source in rule.sources:
            match source:
                case Source.MARKED:
                    checks, ignored, left_out = read_marked_checks(expected, rule, limit=MAX_CHECKS)
                case Source.TEXT:
                    checks, ignored, unread, left_out = read_prose_checks(expected, rule, limit=MAX_CHECKS)
                    if unread:
                        self._counts.note(row.item.row, *repeat("prose-unread", len(unread)))
                        places = (self._problem_at("prose-unread", row, "expected", line) for line in unread)
                        self._log.add_first(places, len(unread))
                case _:
                    listed = self._listed(source, rule, row)
                    checks, ignored, left_out = read_check_list(listed, rule.ignored, has_calls=rule.calls is not None)
            if left_out:
                found = str(len(checks) + left_out)
                self._note_check("checks-too-many", row, "expected", found=found, limit=str(MAX_CHECKS))
            elif ignored or any(check.counts for check in checks):
                return _Chosen(source.value, checks, ignored)
            elif checks:
                unknown = unknown or _Chosen(source.value, checks, 0)
        return unknown or _NO_CHECKS

    def _listed(self, source: Source, rule: CheckRule, row: _Row) -> list[object]:
        """A list of checks from a cell or a field; [] where there is none or it can't be read."""
        match source:
            case Source.PAYLOAD:
                column, value = "raw_json", opened_text(self._watch.value(row.payload, rule.field, "accuracy_checks"))
            case Source.CRITERIA:
                column, value = "criteria", opened_text(row.cell("criteria"))
                value = opened_text(first_at(value, rule.field) if isinstance(value, dict) else value)
            case _:
                column, value = "accuracy_checks", opened_text(row.cell("accuracy_checks"))
        if value is None or (isinstance(value, str) and is_blank(value)):
            return []
        if isinstance(value, list) and len(value) <= MAX_CHECKS:
            return value
        if isinstance(value, list):
            self._note_check("checks-too-many", row, column, found=str(len(value)), limit=str(MAX_CHECKS))
        else:
            self._note_check("checks-unreadable", row, column, found=as_text(value))
        return []

    def _compare_addresses(self, rule: AddressRule, row: _Row) -> None:
        if _has_points_by_status(rule, row):
            return
        outcome = reach(row.cell("expected"), row.payload, rule)
        row.item.accuracy = outcome.points
        row.details.accuracy_reason = outcome.outcome
        if outcome.outcome in {"same-path", "neither"}:
            wanted = [
                f"{address.path}?{rule.key}={address.key}"
                for address in expected_addresses(row.cell("expected"), rule.key)
            ]
            offered = ", ".join(islice(field_texts(row.payload, rule.field), _MAX_SHOWN))
            check = FailedCheck(rule.field, "address", _shown(", ".join(wanted[:_MAX_SHOWN])), found=_shown(offered))
            row.details.failed_checks, row.details.failed_count = (check,), 1
        if outcome.outcome == "missing":
            row.details.accuracy_reason = REASON_NO_CHECKS
            self._counts.note(row.item.row, "not-assessable")

    def _set_label(self, rule: LabelRule, row: _Row) -> None:
        assert self._labeller is not None
        details = row.details
        for source in rule.sources:
            name = self._named(source, row, "intent_label", rule.field)
            label = self._labeller.named(name) if name else ""
            if label:
                details.label, details.label_source = label, source.value
                return
            if name:
                self._note("label-unknown", row, "intent_label", found=name, known=", ".join(rule.names))
        details.label = self._labeller.of(row.item.status, row.message)
        is_by_status = row.item.status in rule.status_labels
        details.label_source = Source.STATUS.value if is_by_status else Source.TEXT.value

    def _set_class(self, rule: ClassRule, row: _Row) -> None:
        chosen = None
        for source in rule.sources:
            name = self._named(source, row, "latency_class", rule.field)
            if name:
                chosen = self._rubric.class_named(name)
                if chosen is not None:
                    break
                known = ", ".join(entry.name.upper() for entry in self._rubric.latency_classes)
                self._note("class-unknown", row, "latency_class", found=name, known=known)
        if chosen is None:
            lists = (one for path in self._several for one in found_at(row.payload, path))
            is_several = any(isinstance(one, list | dict) and len(one) >= rule.several_count for one in lists)
            chosen = self._rubric.class_named(rule.several_class if is_several else self._rubric.default_class)
        assert chosen is not None
        row.details.latency_class = chosen.name
        row.item.latency = chosen.bands.score(row.item.seconds)

    def _named(self, source: Source, row: _Row, column: str, field: Paths) -> str:
        """A name written in a column or in the payload, "" when there is none."""
        if source is Source.COLUMN:
            cell = row.cell(column)
            return "" if is_blank(cell) else normalise(cell)
        return as_text(self._watch.value(row.payload, field, column))

    def _keep_longer(self, row: _Row) -> None:
        """Keep what a judge may read of texts that the item has cut, or of the UI of an answer without words."""
        answer = showable(row.message) or row.cell("response")
        if is_blank(answer) and row.item.status not in UNANSWERED and row.ui:
            answer = showable(json.dumps({"dataUIList": row.ui}, ensure_ascii=False, separators=(",", ":")))
        row.details.graded = longer_texts(row.item, row.cell("question"), row.cell("expected"), answer)

    def _note_check(self, code: str, row: _Row, column: str, *, found: str, **values: str) -> None:
        self._counts.note(row.item.row, "checks-faulty")
        self._note(code, row, column, found=found, **values)

    def _note(self, code: str, row: _Row, column: str, *, found: str, **values: str) -> None:
        self._log.add(self._problem_at(code, row, column, found, **values))

    def _problem_at(self, code: str, row: _Row, column: str, found: str, **values: str) -> Problem:
        title = self._titles.get(column, column)
        return Problem(code=code, row=row.item.row, column=title, found=_shown(found), values=values)


_LISTED = frozenset({Source.COLUMN.value, Source.CRITERIA.value, Source.PAYLOAD.value})


def _checks_of_every(rule: CheckRule) -> tuple[Check, ...]:
    """The checks that a document has for every item."""
    return tuple(
        check
        for one in rule.every
        for check in read_marked_checks(f"{rule.marker} {one}", rule, limit=MAX_CHECKS).checks
    )


def _has_points_by_status(rule: CheckRule | AddressRule, row: _Row) -> bool:
    """Does the status decide accuracy? Then it is set."""
    if row.item.status not in rule.status_points:
        return False
    row.item.accuracy = rule.status_points[row.item.status]
    row.details.accuracy_reason = REASON_STATUS
    return True


def _shown(text: str) -> str:
    text = showable(text)
    return text if len(text) <= NAME_CHARACTERS else text[: NAME_CHARACTERS - 1] + "…"
