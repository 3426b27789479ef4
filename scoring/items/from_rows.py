"""Rows to items, many at a time: what each cell of an item says (spec §1, §2).

Works in whole columns of a batch, because a loop in C over a column costs a fraction of the steps that an
interpreted loop takes per row (100,000 rows: 1.2 s instead of 2.6 s). Whatever hangs on a short, recurring cell is
worked out once and remembered; only the rows that are out of the ordinary are looked at one by one.
"""

from __future__ import annotations

import hashlib
import unicodedata
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from scoring.items.part import Item
from scoring.items.payload import NOT_PLAIN, Payload, PlainPayload, read_payload, read_plain_payloads, usable_number
from scoring.items.rounds_and_tracks import read_round, read_track
from scoring.items.status import WHY_ANSWERED, StatusRules
from scoring.memo import CellMemo
from scoring.problems import MAX_LISTED_PROBLEMS, Problem, Severity
from scoring.reading.columns import ColumnMap, column_titles
from scoring.rubric.fields import FIELDS
from scoring.rubric.model import METRICS, Bands, DateOrder, Rubric, Status
from scoring.text import CELL_CHARACTERS, cut, is_blank, normalise, number, showable

SOURCE_RECORDED = "recorded"
SOURCE_STATUS = "status"
ISSUE_NOT_A_NUMBER = "not-a-number"
ISSUE_OUT_OF_RANGE = "out-of-range"

FIRST_ROUND = "1/1"  # of items whose profile needs no round
ROW_PREFIX = "R"  # before the row number that stands in for a Query ID

_MILLISECONDS = 1000
_LONGEST_BLANK_IDENTIFIER = 4  # `null`, `none`, `<na>`

_Column = Sequence[str]


class _Recorded(NamedTuple):
    """value: a recorded score that is used, else None with the issue ("" for a blank cell)."""

    value: float | None
    issue: str


class _Answers(NamedTuple):
    """What the payload and the error of each row come to; the columns of `Item` of these names."""

    messages: list[str]
    errors: list[str]
    statuses: list[Status]
    whys: list[str]
    seconds: list[float | None]
    failure_words: list[str]
    have_payload: list[bool]


class _Intents(NamedTuple):
    """Points for the intent of each row, where they come from, and why a recorded score was not used."""

    points: list[float | None]
    sources: list[str]
    issues: list[str]


class ItemMaker:
    """The rows of one file on their way to items.

    counts: data quality by code, as in `Part`. restored: round labels that were read back from dates.
    notes: about recorded scores, at most MAX_LISTED_PROBLEMS; note_count is their number.
    """

    def __init__(self, columns: ColumnMap, rubric: Rubric) -> None:
        self._at = {field: columns.at.get(field) for field in FIELDS}
        self._extra_at = [index for index, _ in columns.extra]
        self._rubric = rubric
        self._recorded_title = column_titles(columns, rubric.columns).get("llm_score", "")
        self._rules = StatusRules(rubric)
        self._passes = frozenset(rubric.pass_statuses)
        required = {column.name for column in rubric.columns if column.required}
        self._optional = {"query_id", "round"} - required
        self._has_payloads = rubric.has_column("raw_json")
        self._metrics = frozenset(name for name in METRICS if rubric.has_metric(name))
        self._identifiers, self._labels, self._texts = CellMemo(identifier), CellMemo(cut), CellMemo(cut)
        # None of them may know this object: a circle would keep a file's texts until the collector comes by.
        self._rounds, self._tracks = CellMemo(partial(_read_round, order=rubric.date_order)), CellMemo(read_track)
        self._bands = CellMemo(partial(_bands_of_track, rubric=rubric))
        self._recorded = CellMemo(partial(_read_recorded, allowed=rubric.recorded_range))
        self.counts: Counter[str] = Counter()
        self.restored: set[str] = set()
        self.notes: list[Problem] = []
        self.note_count = 0

    def items(self, numbers: Sequence[int], rows: Sequence[Sequence[str]]) -> list[Item]:
        """The items of the rows that have a query and a round, in order.

        numbers: of the rows, as a spreadsheet shows them. rows: each of the file's width.
        """
        if not rows:
            return []
        cells = list(zip(*rows, strict=True))
        absent = ("",) * len(rows)
        column = {field: absent if at is None else cells[at] for field, at in self._at.items()}
        query_ids = _identifiers(column["query_id"], self._identifiers.__getitem__)
        rounds = [self._rounds[cell] for cell in column["round"]]
        labels = [label for label, _ in rounds]
        if self._optional:
            self._fill_in(query_ids, labels, numbers, rows)
        if not (all(query_ids) and all(labels)):
            usable = [index for index in range(len(rows)) if query_ids[index] and labels[index]]
            return self.items([numbers[index] for index in usable], [rows[index] for index in usable])
        self._count_restored(rounds)
        answers = self._answers(column)
        intents = self._intents(numbers, column["llm_score"], answers.statuses)
        stability_points = self._rubric.status_points.get("stability", {})
        nothing: Sequence[None] = (None,) * len(rows)  # points of a metric that the profile does not have
        text, label = self._texts, self._labels
        return list(
            map(
                Item,
                numbers,
                [self._identifiers[cell] for cell in column["run_id"]],
                _identifiers(column["item_id"], identifier),
                query_ids,
                labels,
                [self._tracks[cell] for cell in column["track"]],
                [label[cell] for cell in column["category"]],
                [text[cell] for cell in column["question"]],
                [text[cell] for cell in column["expected"]],
                _cut(column["response"]),
                answers.messages,
                answers.errors,
                answers.statuses,
                answers.whys,
                intents.points,
                intents.points if "accuracy" in self._metrics else nothing,  # accuracy copies intent
                [stability_points[status] for status in answers.statuses] if stability_points else nothing,
                [
                    self._bands[cell].score(seconds)
                    for cell, seconds in zip(column["track"], answers.seconds, strict=True)
                ]
                if "latency" in self._metrics
                else nothing,
                answers.seconds,
                intents.sources,
                [label[cell] for cell in column["llm_score"]],
                intents.issues,
                [label[cell] for cell in column["llm_status"]],
                [text[cell] for cell in column["llm_comment"]],
                [label[cell] for cell in column["llm_model"]],
                _cut(column["executed_at"]),
                answers.failure_words,
                answers.have_payload,
                self._extras(cells, len(rows)),
            )
        )

    def _fill_in(
        self, query_ids: list[str], labels: list[str], numbers: Sequence[int], rows: Sequence[Sequence[str]]
    ) -> None:
        """Without a Query ID the row stands for it, without a round the first one, where the profile asks for none.

        A row of blanks stays without either.
        """
        for index, row in enumerate(rows):
            if (query_ids[index] and labels[index]) or all(map(is_blank, row)):
                continue
            if "query_id" in self._optional:
                query_ids[index] = query_ids[index] or f"{ROW_PREFIX}{numbers[index]}"
            if "round" in self._optional:
                labels[index] = labels[index] or FIRST_ROUND

    def _answers(self, column: Mapping[str, _Column]) -> _Answers:
        if not self._has_payloads:
            return self._plain_answers(column)
        responses, error_cells, payload_cells = column["response"], column["error"], column["raw_json"]
        plain = read_plain_payloads(payload_cells)
        messages = [payload.message for payload in plain]
        # Words are looked for in NFC; a batch with a message that is not is looked at row by row.
        is_composed = unicodedata.is_normalized("NFC", "\n".join(messages))
        words = self._rules.find_words(messages)
        odd = [
            index
            for index, (error, payload) in enumerate(zip(error_cells, plain, strict=True))
            if error or index in words or payload is NOT_PLAIN or not is_composed
        ]
        n = len(plain)
        answers = _Answers(
            messages=[
                response if message == response else cut(message)
                for message, response in zip(messages, _cut(responses), strict=True)
            ],
            errors=[""] * n,
            statuses=[Status.OK] * n,
            whys=[WHY_ANSWERED] * n,
            seconds=[payload.response_seconds for payload in plain],
            failure_words=[""] * n,
            have_payload=[True] * n,
        )
        for index in odd:
            self._answer(answers, index, column, plain[index])
        return answers

    def _answer(self, answers: _Answers, index: int, column: Mapping[str, _Column], plain: PlainPayload) -> None:
        """One row that is not simply answered."""
        cell, response = column["raw_json"][index], column["response"][index]
        if plain is not NOT_PLAIN:
            payload: Payload | str | None = plain.complete()
        else:
            payload = None if is_blank(cell) else read_payload(cell)
        outcome = self._rules.decide(column["error"][index], payload)
        message = ""
        if isinstance(payload, Payload):
            message = payload.message
            if payload.notes:
                self.counts.update(payload.notes)
        elif payload is not None:
            self.counts[f"payload:{payload}"] += 1
        elif not is_blank(response):
            self.counts["response-without-payload"] += 1
        answers.messages[index] = cut(response if message == response else showable(message))
        answers.errors[index] = cut(showable(outcome.error))
        answers.statuses[index] = outcome.status
        answers.whys[index] = outcome.why
        answers.seconds[index] = self._read_seconds(
            payload, column["response_seconds"][index], column["latency_ms"][index]
        )
        answers.failure_words[index] = outcome.failure_word
        answers.have_payload[index] = payload is not None

    def _plain_answers(self, column: Mapping[str, _Column]) -> _Answers:
        """Of a profile without payloads: the answer is the message."""
        n = len(column["response"])
        answers = _Answers(
            messages=list(_cut(column["response"])),
            errors=[""] * n,
            statuses=[Status.OK] * n,
            whys=[WHY_ANSWERED] * n,
            seconds=[None] * n,
            failure_words=[""] * n,
            have_payload=[True] * n,  # nothing is missing
        )
        for index, (response, error) in enumerate(zip(column["response"], column["error"], strict=True)):
            message = "" if is_blank(response) else response
            outcome = self._rules.decide(error, Payload(message, False, "", None, None, ()))
            answers.errors[index] = cut(outcome.error)
            answers.statuses[index] = outcome.status
            answers.whys[index] = outcome.why
            answers.failure_words[index] = outcome.failure_word
            if "latency" in self._metrics:
                answers.seconds[index] = self._read_seconds(
                    None, column["response_seconds"][index], column["latency_ms"][index]
                )
        return answers

    def _read_seconds(self, payload: Payload | str | None, seconds_cell: str, latency_cell: str) -> float | None:
        """The first usable of payload seconds, column seconds, payload and column milliseconds."""
        of_payload = payload if isinstance(payload, Payload) else None
        if of_payload is not None and of_payload.response_seconds is not None:
            return of_payload.response_seconds
        seconds = usable_number(seconds_cell)
        if seconds is not None:
            return seconds
        milliseconds = of_payload.latency_ms if of_payload is not None else None
        if milliseconds is None:
            milliseconds = usable_number(latency_cell)
        if milliseconds is None:
            self.counts["seconds-missing"] += 1
            return None
        return milliseconds / _MILLISECONDS

    def _intents(self, numbers: Sequence[int], cells: _Column, statuses: list[Status]) -> _Intents:
        if "intent" not in self._metrics:
            return _Intents([None] * len(cells), [""] * len(cells), [""] * len(cells))
        # Where intent has a rule of its own, `scoring.items.profile_rules` sets it.
        status_points = self._rubric.status_points.get("intent") or dict.fromkeys(Status, 0.0)
        intents = _Intents(
            [status_points[status] for status in statuses], [SOURCE_STATUS] * len(cells), [""] * len(cells)
        )
        for index, cell in enumerate(cells):
            if not cell:
                continue
            value, issue = self._recorded[cell]
            if value is not None:
                intents.points[index], intents.sources[index] = value, SOURCE_RECORDED
                self._count_contradiction(value, passed=statuses[index] in self._passes)
            elif issue:
                intents.issues[index] = issue
                self._note_recorded(numbers[index], cell, issue)
        return intents

    def _count_contradiction(self, value: float, *, passed: bool) -> None:
        if value > self._rubric.recorded_range[0]:
            if not passed:
                self.counts["recorded-contradicts-failure"] += 1
        elif passed:
            self.counts["recorded-zero-on-pass"] += 1

    def _note_recorded(self, row_number: int, cell: str, issue: str) -> None:
        self.note_count += 1
        if len(self.notes) == MAX_LISTED_PROBLEMS:
            return
        lowest, highest = self._rubric.recorded_range
        self.notes.append(
            Problem(
                code=f"recorded-{issue}",
                severity=Severity.NOTE,
                row=row_number,
                column=self._recorded_title,
                found=cut(cell),
                values={"lowest": f"{lowest:g}", "highest": f"{highest:g}"},
            )
        )

    def _count_restored(self, rounds: list[tuple[str, bool]]) -> None:
        restored = [label for label, is_restored in rounds if is_restored]
        if restored:
            self.counts["restored-date"] += len(restored)
            self.restored.update(restored)

    def _extras(self, cells: Sequence[_Column], n: int) -> Sequence[tuple[str, ...]]:
        if not self._extra_at:
            return [()] * n
        return list(zip(*[_cut(cells[at]) for at in self._extra_at], strict=True))


def _read_round(cell: str, *, order: DateOrder) -> tuple[str, bool]:
    return ("", False) if is_blank(cell) else read_round(cell, order)


def _bands_of_track(cell: str, *, rubric: Rubric) -> Bands:
    return rubric.latency_class(read_track(cell)).bands


def _read_recorded(cell: str, *, allowed: tuple[float, float]) -> _Recorded:
    if is_blank(cell):
        return _Recorded(None, "")
    value = number(normalise(cell))
    if value is None:
        return _Recorded(None, ISSUE_NOT_A_NUMBER)
    lowest, highest = allowed
    return _Recorded(value, "") if lowest <= value <= highest else _Recorded(None, ISSUE_OUT_OF_RANGE)


def identifier(cell: str) -> str:
    """An id as it is compared: NFC and stripped, "" when blank; a very long one is cut, and still its own."""
    text = cell.strip() if cell.isascii() else normalise(cell)
    if len(text) > CELL_CHARACTERS:
        # Identifiers that differ behind the cut must stay apart.
        return cut(text) + hashlib.sha256(text.encode()).hexdigest()[:16]
    return "" if is_blank(text) else text


def _identifiers(cells: _Column, one_by_one: Callable[[str], str]) -> list[str]:
    """`identifier` of each. one_by_one: gives it for the odd batch, where looking at all of them at once does not."""
    if all(map(str.isascii, cells)):
        stripped = list(map(str.strip, cells))
        lengths = list(map(len, stripped))
        if min(lengths) > _LONGEST_BLANK_IDENTIFIER and max(lengths) <= CELL_CHARACTERS:
            return stripped
    return list(map(one_by_one, cells))


def _cut(cells: _Column) -> Sequence[str]:
    """`cut` of each."""
    return cells if max(map(len, cells)) <= CELL_CHARACTERS else list(map(cut, cells))
