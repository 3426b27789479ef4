"""Makes scored items from rows of cells: status, points and seconds (docs/scoring.md#3-points-of-an-item).

Works on whole columns of a batch, because a loop in C over a column is faster than an interpreted loop over rows
(100,000 rows: 1.2 s instead of 2.6 s). Values derived from short, repeated cells are cached; only rows that are not
simply answered are handled one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace

from scoring.findings import FindingLog, RowCounts
from scoring.items.identity import identifier, identifiers
from scoring.items.labels_and_signatures import TextHasher, WholeTexts
from scoring.items.measures import MeasureReader
from scoring.items.part import KEPT_PAYLOADS, LONGEST_PAYLOAD, Item, items_of_columns
from scoring.items.payload import Opened, Payload, PayloadReader, open_payload
from scoring.items.quantities import MILLISECONDS, elapsed_of, may_be_grouped, read_recorded, read_seconds
from scoring.items.questions import QuestionFiller
from scoring.items.rounds_and_tracks import read_round, track_reader
from scoring.items.status import ANSWERED, WHY_ANSWERED, Outcome, StatusRules, is_no_answer
from scoring.payloads import PathWatch
from scoring.problems import Problem
from scoring.reading import ColumnMap, column_titles, columns_of
from scoring.rubric import (
    FIELDS,
    METRICS,
    Bands,
    DateOrder,
    PayloadRule,
    Rubric,
    Status,
    TrackId,
    normalise_header,
)
from scoring.text import CELL_CHARACTERS, CellMemo, cut, is_blank, showable

if TYPE_CHECKING:
    from scoring.items.profile_rules import ProfileRules

SOURCE_RECORDED = "recorded"
SOURCE_STATUS = "status"

FIRST_ROUND = "1/1"  # of items whose profile needs no round
ROW_PREFIX = "R"  # before the row number that replaces a Query ID

_FOUND_CHARACTERS = 80  # of a payload that its problem shows

FILLED_ERRORS = "filled-errors"  # among the counts, until all rows are read: cells of `오류`, whatever they say
_OPENED = {"double-encoded": "json-in-json", "json-in-ui": "json-in-ui"}  # note of a payload -> finding
_NO_PAYLOAD = Payload("")
_ENDS = ("start of the answer", "end of the answer")  # columns between whose times it took

_Column = Sequence[str]


class _Answers(NamedTuple):
    """Columns of `Item` that follow from payload and error."""

    message: list[str]
    error: list[str]
    status: list[Status]
    why: list[str]
    seconds: list[float | None]
    failure_word: list[str]
    has_payload: list[bool]


class _Whole(NamedTuple):
    """Columns of what an answer says, uncut. message: of the payload. shown: see `Payload`."""

    message: list[str]
    shown: list[bytes]
    error: list[str]

    def beside(self, column: Mapping[str, _Column]) -> WholeTexts:
        """These with the cells of their rows."""
        answers = [
            response if is_blank(message) else message
            for message, response in zip(self.message, column["response"], strict=True)
        ]
        return WholeTexts(column["question"], column["expected"], answers, self.shown, self.error)


class _Said(NamedTuple):
    """What the rows of a batch say: cut for display, and whole."""

    answers: _Answers
    whole: _Whole


class _Intents(NamedTuple):
    """Columns of `Item` about the points of intent."""

    intent: list[float | None]
    intent_source: list[str]
    recorded_issue: list[str]


class ItemMaker:
    """Makes the items of one file.

    counts: data quality by code, as in `Part`. restored: round labels that were read back from dates. numbered: rows
    whose number is their Query ID. watch: which paths of the document were found. log: takes what to look at, of the
    rules of the profile too. has_decimal_comma: a comma in a number is a decimal point.
    """

    def __init__(self, columns: ColumnMap, rubric: Rubric, log: FindingLog, *, has_decimal_comma: bool = False) -> None:
        self._filler = QuestionFiller(columns, rubric) if rubric.questions else None
        columns = columns if self._filler is None else self._filler.columns
        self._at = {field: columns.at.get(field) for field in FIELDS}
        self._extra_at = [index for index, _ in columns.extra]
        self._rubric = rubric
        paths = rubric.payload_paths or PayloadRule()
        ends = _ends(columns, rubric, paths)
        self._has_ends = bool(ends)
        self._at |= ends
        self._titles = column_titles(columns, rubric.columns) | {end: columns.header[at] for end, at in ends.items()}
        self._has_decimal_comma = has_decimal_comma
        self._status_rules = StatusRules(rubric)
        self._passes = frozenset(rubric.pass_statuses)
        required = {column.name for column in rubric.columns if column.required}
        self._optional = {"query_id", "round"} - required
        self._has_tracks = rubric.has_tracks
        self._has_payloads = rubric.has_column("raw_json")
        self.watch = PathWatch()
        self._metrics = frozenset(name for name in METRICS if rubric.has_metric(name))
        has_times = self._has_payloads or self._has_ends or "latency" in self._metrics
        self._has_times = has_times or any(map(rubric.has_column, ("response_seconds", "latency_ms")))
        self._identifiers, self._labels, self._texts = CellMemo(identifier), CellMemo(cut), CellMemo(cut)
        # No cache may refer to this object: a cycle would keep a file's texts until the garbage collector runs.
        self._rounds = CellMemo(partial(_read_round, order=rubric.date_order))
        read = track_reader(rubric)
        self._tracks, self._bands = CellMemo(read), CellMemo(partial(_bands_of_track, rubric=rubric, read=read))
        self._recorded = CellMemo(
            partial(read_recorded, allowed=rubric.recorded_range, has_decimal_comma=has_decimal_comma)
        )
        self._hasher = TextHasher()
        self.counts = RowCounts()
        self.restored: set[str] = set()
        self.numbered: list[int] = []
        self._room = KEPT_PAYLOADS  # characters
        self._log = log
        self._profile_rules = _profile_rules(columns, rubric, self.counts, log, self.watch)
        self._measures = (
            MeasureReader(columns, rubric, log, self.watch, has_decimal_comma=has_decimal_comma)
            if rubric.measures
            else None
        )
        names = frozenset() if self._measures is None else self._measures.payload_names
        self._reader = PayloadReader(
            replace(paths, seconds=()) if ends else paths,
            self.watch,
            names=names or frozenset(),
            has_decimal_comma=has_decimal_comma,
        )
        is_plain = self._reader.is_plain and not rubric.no_answer_words
        self._reads_all = self._profile_rules is not None or names is None or not is_plain

    def items(self, numbers: Sequence[int], rows: Sequence[Sequence[str]], cells: Sequence[_Column]) -> list[Item]:
        """The items of the rows that have a query and a round, in order.

        numbers: of the rows, as a spreadsheet shows them. rows: each of the file's width. cells: their columns.
        """
        if self._filler is not None:
            rows = self._filler.filled(rows)
            cells = columns_of(rows)
        return self._items(numbers, rows, cells)

    def _items(self, numbers: Sequence[int], rows: Sequence[Sequence[str]], cells: Sequence[_Column]) -> list[Item]:
        if not rows:
            return []
        absent = ("",) * len(rows)
        column = {field: absent if at is None else cells[at] for field, at in self._at.items()}
        query_ids = identifiers(column["query_id"], self._identifiers.__getitem__)
        rounds = [self._rounds[cell] for cell in column["round"]]
        labels = [label for label, _ in rounds]
        if self._optional:
            self._fill_in(query_ids, labels, numbers, rows)
        if not (all(query_ids) and all(labels)):
            usable = [index for index in range(len(rows)) if query_ids[index] and labels[index]]
            used = [rows[index] for index in usable]
            return self._items([numbers[index] for index in usable], used, columns_of(used))
        self._note_restored(numbers, rounds)
        self._find_odd_tracks(numbers, column["track"])
        if self._has_payloads and not self._reads_all:
            (answers, whole), payloads = self._plain_answers(numbers, column)
        else:
            payloads = self._payloads(column)
            answers, whole = self._answers(numbers, column, payloads)
        intents = self._intents(numbers, column["llm_score"], answers.status)
        stability_points = self._rubric.status_points.get("stability", {})
        nothing: Sequence[None] = (None,) * len(rows)  # points of a metric that the profile does not have
        text, label = self._texts, self._labels
        items = items_of_columns(
            row=numbers,
            run_id=[self._identifiers[cell] for cell in column["run_id"]],
            item_id=identifiers(column["item_id"], identifier),
            query_id=query_ids,
            round=labels,
            track=[self._tracks[cell] for cell in column["track"]],
            category=[label[cell] for cell in column["category"]],
            question=[text[cell] for cell in column["question"]],
            expected=[text[cell] for cell in column["expected"]],
            response=_cut(column["response"]),
            accuracy=intents.intent if "accuracy" in self._metrics else nothing,  # accuracy copies intent
            stability=[stability_points[status] for status in answers.status] if stability_points else nothing,
            latency=[
                self._bands[cell].score(seconds) for cell, seconds in zip(column["track"], answers.seconds, strict=True)
            ]
            if "latency" in self._metrics
            else nothing,
            recorded=[label[cell] for cell in column["llm_score"]],
            llm_status=[label[cell] for cell in column["llm_status"]],
            llm_comment=[text[cell] for cell in column["llm_comment"]],
            llm_model=[label[cell] for cell in column["llm_model"]],
            executed_at=_cut(column["executed_at"]),
            extra=self._extras(cells, len(rows)),
            payload_size=list(map(len, column["raw_json"])),
            payload=self._kept_payloads(column["raw_json"]),
            text_hash=self._hasher.hashes(whole.beside(column)),
            **answers._asdict(),
            **intents._asdict(),
        )
        if self._profile_rules is not None:
            for item, row, payload in zip(items, rows, payloads, strict=True):
                self._profile_rules.apply(item, row, payload)
        if self._measures is not None:
            self._measures.set(items, cells, payloads)
        return items

    def finish(self) -> None:
        """Note what only all rows of the file tell."""
        self.watch.note(self._log, self._titles.get("raw_json", "raw_json"))
        for rules in (self._profile_rules, self._measures):
            if rules is not None:
                rules.finish()

    def _note_restored(self, numbers: Sequence[int], rounds: Sequence[tuple[str, bool]]) -> None:
        """Count the rounds that were read back from a date. rounds: as `_read_round` gives them."""
        restored = [(number, label) for number, (label, is_one) in zip(numbers, rounds, strict=True) if is_one]
        for number, label in restored:
            self.counts.note(number, "restored-date")
            self.restored.add(label)

    def _fill_in(
        self, query_ids: list[str], labels: list[str], numbers: Sequence[int], rows: Sequence[Sequence[str]]
    ) -> None:
        """Where none is required, take the row number as the Query ID and the first round; in a blank row neither."""
        for index, row in enumerate(rows):
            if (query_ids[index] and labels[index]) or all(map(is_blank, row)):
                continue
            if "query_id" in self._optional and not query_ids[index]:
                query_ids[index] = f"{ROW_PREFIX}{numbers[index]}"
                self.numbered.append(numbers[index])
            if "round" in self._optional:
                labels[index] = labels[index] or FIRST_ROUND

    def _payloads(self, column: Mapping[str, _Column]) -> Sequence[Payload | str | None]:
        """The payloads of profiles that read them whole, and of those whose answers are a column."""
        if not self._has_payloads:
            return [Payload("" if is_no_answer(response) else response) for response in column["response"]]
        return list(map(self._reader.read, column["raw_json"]))

    def _kept_payloads(self, cells: _Column) -> _Column:
        """The cells that an item keeps, "" for the others."""
        if self._room <= 0:
            return ("",) * len(cells)
        kept = []
        for cell in cells:
            is_kept = len(cell) <= LONGEST_PAYLOAD
            self._room -= len(cell) if is_kept else 0
            kept.append(cell if is_kept and self._room >= 0 else "")
        return kept

    def _find_odd_tracks(self, numbers: Sequence[int], cells: _Column) -> None:
        if odd := {cell: code for cell in set(cells) if (code := self._odd_track(cell))}:
            for number, cell in zip(numbers, cells, strict=True):
                if cell in odd:
                    self._note(odd[cell], number, "track", cell)

    def _odd_track(self, cell: str) -> str:
        """Code of what is odd about a track, "" for nothing."""
        track = self._tracks[cell]
        if track is None:
            return "" if is_blank(cell) else "track-unknown"
        return "" if not self._has_tracks or self._rubric.names_track(track) else "track-unnamed"

    def _note(self, code: str, row_number: int, field: str, found: str, **values: str) -> None:
        title = self._titles.get(field, field)
        self._log.add(Problem(code=code, row=row_number, column=title, found=cut(showable(found)), values=values))

    def _plain_answers(
        self, numbers: Sequence[int], column: Mapping[str, _Column]
    ) -> tuple[_Said, Sequence[Payload | str | None]]:
        """The same as `_answers`, but only the rows that are not simply answered are handled one by one."""
        cells = column["raw_json"]
        plain = self._reader.plain(cells)
        words = self._status_rules.find_words(plain.messages)
        answers = _answered(
            [
                response if message == response else cut(message)
                for message, response in zip(plain.messages, _cut(column["response"]), strict=True)
            ],
            plain.seconds,
        )
        shown = [b"" if payload is None else payload.shown for payload in plain.payloads]
        said = _Said(answers, _Whole(list(plain.messages), shown, [""] * len(cells)))
        payloads: list[Payload | str | None] = [*plain.payloads]
        for index, (error, message) in enumerate(zip(column["error"], plain.messages, strict=True)):
            if error or not message or index in words:
                payload = payloads[index]
                payloads[index] = self._reader.read(cells[index]) if payload is None else payload
                self._answer(said, index, numbers[index], column, payloads[index])
        return said, payloads

    def _answers(
        self, numbers: Sequence[int], column: Mapping[str, _Column], payloads: Sequence[Payload | str | None]
    ) -> _Said:
        n = len(payloads)
        said = _Said(_answered([""] * n, [None] * n), _Whole([""] * n, [b""] * n, [""] * n))
        for index, payload in enumerate(payloads):
            self._answer(said, index, numbers[index], column, payload)
        if not self._has_payloads:
            said.answers.message[:] = _cut(column["response"])
        return said

    def _answer(
        self,
        said: _Said,
        index: int,
        row_number: int,
        column: Mapping[str, _Column],
        payload: Payload | str | None,
    ) -> None:
        """Set one row."""
        answers, whole = said
        outcome = self._status_rules.decide(column["error"][index], payload)
        response, message = column["response"][index], ""
        if not is_blank(column["error"][index]):
            self.counts[FILLED_ERRORS] += 1
        if isinstance(payload, Payload):
            message = payload.message
            whole.shown[index] = payload.shown
            if payload.notes:
                self.counts.note(row_number, *payload.notes)
                self._note_payload(payload, row_number)
            if outcome.status is Status.EMPTY and self._has_payloads and not is_blank(response):
                self._note_unknown_fields(column["raw_json"][index], row_number)
        elif payload is not None:
            self.counts.note(row_number, f"payload:{payload}")
            start = column["raw_json"][index].strip()[:_FOUND_CHARACTERS]
            self._note("payload-unreadable", row_number, "raw_json", start, diagnosis=payload)
        elif not is_blank(response):
            self.counts.note(row_number, "response-without-payload")
            if outcome.status is Status.EMPTY:
                self._note("response-without-payload", row_number, "raw_json", response)
        answers.message[index] = cut(response if message == response else showable(message))
        answers.error[index] = cut(showable(outcome.error))
        whole.message[index], whole.error[index] = message, outcome.error
        answers.status[index] = outcome.status
        answers.why[index] = outcome.why
        answers.failure_word[index] = outcome.failure_word
        answers.has_payload[index] = payload is not None
        if self._has_times:
            seconds = self._read_seconds(row_number, outcome, payload, column, index)
            if seconds == 0 and outcome.is_timed:
                self._note("seconds-zero", row_number, "response_seconds", outcome.error)
            answers.seconds[index] = seconds

    def _note_payload(self, payload: Payload, row_number: int) -> None:
        for note, code in _OPENED.items():
            if note in payload.notes:
                self._note(code, row_number, "raw_json", "")

    def _note_unknown_fields(self, cell: str, row_number: int) -> None:
        """Log a payload that has no field of an answer, where the answer is in its own column."""
        opened = open_payload(cell)
        if isinstance(opened, Opened) and not self._reader.has_answer_field(opened.value):
            self._note("payload-unknown-fields", row_number, "raw_json", ", ".join(opened.value) or "{}")

    def _read_seconds(
        self,
        row_number: int,
        outcome: Outcome,
        payload: Payload | str | None,
        column: Mapping[str, _Column],
        index: int,
    ) -> float | None:
        """The first usable of payload seconds, columns of times, column seconds, payload and column milliseconds."""
        of_payload = payload if isinstance(payload, Payload) else _NO_PAYLOAD
        comma = self._has_decimal_comma
        if isinstance(of_payload.response_seconds, float):
            return of_payload.response_seconds  # the usual case: saves reading the others
        cells = {field: column[field][index] for field in ("response_seconds", "latency_ms")}
        is_named = "latency" not in self._metrics or outcome.status not in ANSWERED
        for field, seconds in (
            ("raw_json", of_payload.response_seconds),
            (_ENDS[1], _between(column, index) if self._has_ends else None),
            ("response_seconds", read_seconds(cells["response_seconds"], has_decimal_comma=comma)),
            ("raw_json", of_payload.latency),
            ("latency_ms", read_seconds(cells["latency_ms"], per_second=MILLISECONDS, has_decimal_comma=comma)),
        ):
            if isinstance(seconds, float):
                if comma and field in cells and may_be_grouped(cells[field]):
                    self._note("number-separator", row_number, field, cells[field], read=f"{seconds:.12g}")
                return seconds
            if seconds is not None:
                self._note("seconds-unusable", row_number, field, seconds)
                is_named = True
        self.counts.note(row_number, "seconds-missing")
        if not is_named:
            self._note("seconds-missing", row_number, "response_seconds", "")
        return None

    def _intents(self, numbers: Sequence[int], cells: _Column, statuses: list[Status]) -> _Intents:
        n = len(cells)
        if "intent" not in self._metrics:
            return _Intents([None] * n, [""] * n, [""] * n)
        # `scoring.items.profile_rules` sets an intent that has a rule of its own.
        points = self._rubric.status_points.get("intent") or dict.fromkeys(Status, 0.0)
        intents = _Intents([points[status] for status in statuses], [SOURCE_STATUS] * n, [""] * n)
        for index, cell in enumerate(cells):
            if not cell:
                continue
            value, issue = self._recorded[cell]
            if value is not None:
                intents.intent[index], intents.intent_source[index] = value, SOURCE_RECORDED
                self._count_contradiction(numbers[index], value, passed=statuses[index] in self._passes)
            elif issue:
                intents.recorded_issue[index] = issue
                lowest, highest = (f"{bound:g}" for bound in self._rubric.recorded_range)
                self._note(f"recorded-{issue}", numbers[index], "llm_score", cell, lowest=lowest, highest=highest)
        return intents

    def _count_contradiction(self, row_number: int, value: float, *, passed: bool) -> None:
        if value > self._rubric.recorded_range[0]:
            if not passed:
                self.counts.note(row_number, "recorded-contradicts-failure")
        elif passed:
            self.counts.note(row_number, "recorded-zero-on-pass")

    def _extras(self, cells: Sequence[_Column], n: int) -> Sequence[tuple[str, ...]]:
        if not self._extra_at:
            return [()] * n
        return list(zip(*[_cut(cells[at]) for at in self._extra_at], strict=True))


def _profile_rules(
    columns: ColumnMap, rubric: Rubric, counts: RowCounts, log: FindingLog, watch: PathWatch
) -> ProfileRules | None:
    """The rules beyond status and seconds; profiles without any do not import them."""
    if not rubric.has_details:
        return None
    from scoring.items.profile_rules import ProfileRules

    return ProfileRules(columns, rubric, counts, log, watch)


def _ends(columns: ColumnMap, rubric: Rubric, paths: PayloadRule) -> dict[str, int]:
    """Indexes of the two columns between whose times an answer took; {} where a record of JSON or nothing has them."""
    if paths.elapsed is None or any(column.name == "raw_json" and column.paths for column in rubric.columns):
        return {}
    at = {normalise_header(title): index for index, title in enumerate(columns.header)}
    found = {end: at.get(normalise_header(name)) for end, name in zip(_ENDS, paths.elapsed.between, strict=False)}
    known = {end: index for end, index in found.items() if index is not None}
    return known if len(known) == len(_ENDS) else {}


def _between(column: Mapping[str, _Column], index: int) -> float | str | None:
    """Seconds between the two times of a row."""
    return elapsed_of([[cell] if not is_blank(cell := column[end][index]) else [] for end in _ENDS], is_sum=False)


def _answered(messages: list[str], seconds: list[float | None]) -> _Answers:
    """Answers without any error."""
    n = len(messages)
    return _Answers(messages, [""] * n, [Status.OK] * n, [WHY_ANSWERED] * n, seconds, [""] * n, [True] * n)


def _read_round(cell: str, *, order: DateOrder) -> tuple[str, bool]:
    return ("", False) if is_blank(cell) else read_round(cell, order)


def _bands_of_track(cell: str, *, rubric: Rubric, read: Callable[[str], TrackId | None]) -> Bands:
    return rubric.latency_class(read(cell)).bands


def _cut(cells: _Column) -> Sequence[str]:
    """`cut` of each."""
    return cells if max(map(len, cells)) <= CELL_CHARACTERS else list(map(cut, cells))
