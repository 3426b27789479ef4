"""One input file, scored: rows to items by the rules of a rubric (spec §1, §2).

Reads the table row by row; whatever hangs on a short, recurring cell is worked out once and remembered.
De-duplication, averages and consistency are `scoring.aggregate`'s.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable
from operator import itemgetter
from typing import BinaryIO, NamedTuple

from scoring.columns import FIELDS
from scoring.hashing import whole_hash
from scoring.intake import NotThisEncodingError, Table, open_table, refuse_unusable_header
from scoring.labels import read_round, read_track
from scoring.memo import Memo
from scoring.part import Item, Part
from scoring.payload import Diagnosis, Payload, read_payload, usable_number
from scoring.problems import MAX_LISTED_PROBLEMS, InputError, Problem, Severity
from scoring.rubric import Bands, Rubric
from scoring.status import StatusRules
from scoring.text import CELL_CHARACTERS, cut, is_blank, normalise, number, showable

SOURCE_RECORDED = "recorded"
SOURCE_STATUS = "status"
ISSUE_NOT_A_NUMBER = "not-a-number"
ISSUE_OUT_OF_RANGE = "out-of-range"

_PROGRESS_ROWS = 2_000
_FOUND_CELLS = 4  # cells of a row of the wrong width that its problem shows
_FOUND_CHARACTERS = 40
_MILLISECONDS = 1000


def score_file(stream: BinaryIO, *, name: str, rubric: Rubric, progress: Callable[[int], None] | None = None) -> Part:
    """Score the file in `stream` (binary, seekable) by `rubric`.

    name: its extension decides how the file is read, nothing else comes from it. progress: called now and then
    with the number of bytes read. A file that must be refused gives a Part with `refused` and the reasons and
    without any item. Raises OSError as the stream does.
    """
    encoding = ""
    mismatch: NotThisEncodingError | None = None
    while True:
        table: Table | None = None
        try:
            table = open_table(stream, name, rubric.columns, encoding=encoding)
            refuse_unusable_header(table)
            return _FileScorer(table, rubric).score(progress)
        except NotThisEncodingError as error:
            encoding, mismatch = error.next_encoding, error
        except InputError as error:
            problems = mismatch.likelier(error.problems) if mismatch is not None else error.problems
            return _refused_part(stream, table, rubric, problems)


def exact_count(total: int, *shares: int) -> None:
    """Raise AssertionError unless the shares add up to the total: no row may get lost on the way."""
    if total != sum(shares):
        raise AssertionError(f"{total} rows in, {'+'.join(map(str, shares))} accounted for")


class _Recorded(NamedTuple):
    """value: a recorded score that is used, else None with the issue ("" for a blank cell)."""

    value: float | None
    issue: str


class _Places(NamedTuple):
    """Where each of FIELDS stands in a row; fields without a column point behind the last cell."""

    run_id: int
    item_id: int
    query_id: int
    track: int
    question: int
    expected: int
    category: int
    round: int
    response: int
    error: int
    llm_status: int
    llm_score: int
    llm_comment: int
    raw_json: int
    executed_at: int
    llm_model: int
    response_seconds: int
    latency_ms: int


class _FileScorer:
    """The rows of one table on their way to a Part."""

    def __init__(self, table: Table, rubric: Rubric) -> None:
        self._table = table
        self._rubric = rubric
        self._at = _Places(**{field: table.columns.at.get(field, table.columns.width) for field in FIELDS})
        self._titles = {column.name: column.title for column in rubric.columns}
        self._counts: Counter[str] = Counter()
        self._restored: set[str] = set()
        self._errors: list[Problem] = []
        self._notes: list[Problem] = []
        self._problem_count = 0
        self._passes = frozenset(rubric.pass_statuses)
        self._bands = Memo(self._read_bands)
        self._recorded = Memo(self._read_recorded)

    def score(self, progress: Callable[[int], None] | None) -> Part:
        """Read the table to its end. Raises InputError for a file that must be refused."""
        items: list[Item] = []
        rows = blank_rows = unusable_rows = 0
        table = self._table
        width = table.columns.width
        to_item = self._item_maker()
        row: list[str] = []
        for row in table.rows():
            rows += 1
            if progress is not None and not rows % _PROGRESS_ROWS:
                progress(table.size)
            if len(row) == width:
                item = to_item(rows + 1, row)
                if item is not None:
                    items.append(item)
                    continue
            if all(map(is_blank, row)):
                blank_rows += 1
            else:
                unusable_rows += 1
                self._report_unusable(rows + 1, row)
        self._refuse_cut_upload(row)
        exact_count(rows, len(items), blank_rows, unusable_rows)
        if not items:
            raise InputError(self._nothing_usable(rows - blank_rows))
        return Part(
            sha256=table.sha256,
            size=table.size,
            rubric_digest=self._rubric.digest,
            encoding=table.encoding,
            delimiter=table.delimiter,
            sheet=table.sheet,
            rows=rows,
            blank_rows=blank_rows,
            unusable_rows=unusable_rows,
            items=items,
            extra_columns=tuple(title for _, title in table.columns.extra),
            counts=dict(sorted(self._counts.items())),
            restored_rounds=tuple(sorted(self._restored)),
            problems=(*self._errors, *self._notes)[:MAX_LISTED_PROBLEMS],
            problem_count=self._problem_count,
        )

    def _item_maker(self) -> Callable[[int, list[str]], Item | None]:
        """A function from (row number, row of the right width) to its item, None for a blank or unusable row."""
        at, counts, passes = tuple(self._at), self._counts, self._passes
        # Local names: this function runs once a row, and a look-up by attribute would be a tenth of its time.
        run_at, item_at, query_at, track_at, question_at, expected_at, category_at, round_at, response_at = at[:9]
        error_at, llm_status_at, recorded_at, comment_at, raw_at, executed_at, model_at = at[9:16]
        pick_extra = _picker([index for index, _ in self._table.columns.extra])
        identifiers, labels, texts = Memo(_identifier), Memo(cut), Memo(cut)
        rounds, tracks, bands, recorded = Memo(self._read_round), Memo(read_track), self._bands, self._recorded
        decide = StatusRules(self._rubric).decide
        intent_points = self._rubric.status_points["intent"]
        stability_points = self._rubric.status_points["stability"]

        def to_item(row_number: int, row: list[str]) -> Item | None:
            query_id = identifiers[row[query_at]]
            label, is_restored = rounds[row[round_at]]
            if not query_id or not label:
                return None
            row.append("")  # the cell of fields that have no column
            if is_restored:
                counts["restored-date"] += 1
                self._restored.add(label)

            payload, response = _payload_in(row[raw_at]), row[response_at]
            outcome = decide(row[error_at], payload)
            status = outcome.status
            message = ""
            if isinstance(payload, Payload):
                message = payload.message
                for note in payload.notes:
                    counts[note] += 1
            elif payload is not None:
                counts[f"payload:{payload}"] += 1
            elif not is_blank(response):
                counts["response-without-payload"] += 1

            intent, source = intent_points[status], SOURCE_STATUS
            value, issue = recorded[row[recorded_at]]
            if value is not None:
                intent, source = value, SOURCE_RECORDED
                self._count_contradiction(value, passed=status in passes)
            elif issue:
                self._note_recorded(row_number, row[recorded_at], issue)

            seconds = self._read_seconds(payload, row)
            return Item(
                row_number,
                identifiers[row[run_at]],
                _identifier(row[item_at]),
                query_id,
                label,
                tracks[row[track_at]],
                labels[row[category_at]],
                texts[row[question_at]],
                texts[row[expected_at]],
                response if len(response) <= CELL_CHARACTERS else cut(response),
                response if message == response else cut(showable(message)),
                outcome.error and cut(showable(outcome.error)),
                status,
                outcome.why,
                intent,
                intent,
                stability_points[status],
                bands[row[track_at]].score(seconds),
                seconds,
                source,
                labels[row[recorded_at]],
                issue,
                labels[row[llm_status_at]],
                texts[row[comment_at]],
                labels[row[model_at]],
                cut(row[executed_at]),
                outcome.failure_word,
                payload is not None,
                pick_extra(row),
            )

        return to_item

    def _read_round(self, cell: str) -> tuple[str, bool]:
        return ("", False) if is_blank(cell) else read_round(cell, self._rubric.date_order)

    def _read_bands(self, cell: str) -> Bands:
        return self._rubric.latency_class(read_track(cell)).bands

    def _read_recorded(self, cell: str) -> _Recorded:
        if is_blank(cell):
            return _Recorded(None, "")
        value = number(normalise(cell))
        if value is None:
            return _Recorded(None, ISSUE_NOT_A_NUMBER)
        lowest, highest = self._rubric.recorded_range
        return _Recorded(value, "") if lowest <= value <= highest else _Recorded(None, ISSUE_OUT_OF_RANGE)

    def _read_seconds(self, payload: Payload | str | None, row: list[str]) -> float | None:
        """The first usable of payload seconds, column seconds, payload and column milliseconds."""
        of_payload = payload if isinstance(payload, Payload) else None
        if of_payload is not None and of_payload.response_seconds is not None:
            return of_payload.response_seconds
        seconds = usable_number(row[self._at.response_seconds])
        if seconds is not None:
            return seconds
        milliseconds = of_payload.latency_ms if of_payload is not None else None
        if milliseconds is None:
            milliseconds = usable_number(row[self._at.latency_ms])
        if milliseconds is None:
            self._counts["seconds-missing"] += 1
            return None
        return milliseconds / _MILLISECONDS

    def _count_contradiction(self, value: float, *, passed: bool) -> None:
        if value > self._rubric.recorded_range[0]:
            if not passed:
                self._counts["recorded-contradicts-failure"] += 1
        elif passed:
            self._counts["recorded-zero-on-pass"] += 1

    def _note_recorded(self, row_number: int, cell: str, issue: str) -> None:
        lowest, highest = self._rubric.recorded_range
        self._report(
            Problem(
                code=f"recorded-{issue}",
                severity=Severity.NOTE,
                row=row_number,
                column=self._titles["llm_score"],
                found=cut(cell),
                values={"lowest": f"{lowest:g}", "highest": f"{highest:g}"},
            )
        )

    def _report_unusable(self, row_number: int, row: list[str]) -> None:
        width = self._table.columns.width
        if len(row) != width:
            found = " | ".join(cell[:_FOUND_CHARACTERS] for cell in row[:_FOUND_CELLS])
            values = {"expected": str(width), "found": str(len(row))}
            self._report(Problem(code="cell-count", row=row_number, found=cut(found), values=values))
            return
        code, field = ("no-round", "round") if _identifier(row[self._at.query_id]) else ("no-query-id", "query_id")
        self._report(Problem(code=code, row=row_number, column=self._titles[field]))

    def _report(self, problem: Problem) -> None:
        self._problem_count += 1
        listed = self._notes if problem.severity is Severity.NOTE else self._errors
        if len(listed) < MAX_LISTED_PROBLEMS:
            listed.append(problem)

    def _refuse_cut_upload(self, row: list[str]) -> None:
        """A file cut between the two quotes of `""` looks closed; its last record gives it away."""
        width = self._table.columns.width
        if not row or not self._table.is_cut_after_quote:
            return
        last = row[:width][-1]
        if len(row) < width or (last.lstrip()[:1] == "{" and read_payload(last) == Diagnosis.TRUNCATED):
            row_number, line = self._table.last_row
            raise InputError((Problem(code="open-quote", severity=Severity.REFUSED, row=row_number, line=line),))

    def _nothing_usable(self, filled_rows: int) -> tuple[Problem, ...]:
        if not filled_rows:
            return (Problem(code="header-only", severity=Severity.REFUSED),)
        head = Problem(code="no-usable-rows", severity=Severity.REFUSED, values={"rows": str(filled_rows)})
        return (head, *self._errors[: MAX_LISTED_PROBLEMS - 1])


def _picker(places: list[int]) -> Callable[[list[str]], tuple[str, ...]]:
    """A function from a row to its cells at `places`, each cut."""
    get = itemgetter(*places) if len(places) > 1 else None

    def pick(row: list[str]) -> tuple[str, ...]:
        cells: tuple[str, ...] = get(row) if get is not None else tuple(row[place] for place in places)
        return tuple(map(cut, cells)) if max(map(len, cells), default=0) > CELL_CHARACTERS else cells

    return pick


def _identifier(cell: str) -> str:
    text = cell.strip() if cell.isascii() else normalise(cell)
    if len(text) > CELL_CHARACTERS:
        # Identifiers that differ behind the cut must stay apart.
        return cut(text) + hashlib.sha256(text.encode()).hexdigest()[:16]
    return "" if is_blank(text) else text


def _payload_in(cell: str) -> Payload | str | None:
    """The payload, the diagnosis of an invalid one, or None for a blank cell."""
    return read_payload(cell) if cell and (cell[0] == "{" or not is_blank(cell)) else None


def _refused_part(stream: BinaryIO, table: Table | None, rubric: Rubric, problems: tuple[Problem, ...]) -> Part:
    """A Part without items. Hash and size are those of the whole file all the same: they are its identity."""
    if table is None:
        digest, size = whole_hash(stream)
    else:
        table.drain()
        digest, size = table.sha256, table.size
    return Part(
        sha256=digest,
        size=size,
        rubric_digest=rubric.digest,
        refused=True,
        encoding=table.encoding if table is not None else "",
        delimiter=table.delimiter if table is not None else "",
        sheet=table.sheet if table is not None else "",
        problems=problems,
        problem_count=len(problems),
    )
