"""Reads the measures and the named scores of the items of one file, from columns and payloads.

Rules: docs/scoring.md#measures and #scores.
"""

from collections.abc import Iterable, Sequence
from functools import partial
from math import fsum
from typing import NamedTuple

from scoring.checks import Match, matcher
from scoring.findings import FindingLog
from scoring.items.part import UNANSWERED, Item, ItemDetails
from scoring.items.payload import Payload
from scoring.items.quantities import MOST_MEASURED, may_be_grouped, read_amount
from scoring.json_values import ANY_KEY, Path, as_text
from scoring.payloads import PathWatch, is_no_value, parsed_paths, says_nothing, values_at, values_of_each
from scoring.problems import Problem
from scoring.reading import ColumnMap, column_titles
from scoring.rubric import (
    Measure,
    Rubric,
    ScoreRule,
    is_by_scores,
    keys_in,
    keys_of,
    maps_of,
    normalise_header,
    own_paths,
    passing_by_scores,
)
from scoring.text import CellMemo, cut, is_blank, showable
from texts import words

_MOST_SHOWN = 5  # values of a score that has several
_TRUTHS = {  # words that say whether something holds, of the two ends of a scale
    word: at == 0 for at, step in enumerate(words("ladders")["two-steps"]) for word in step.split() if len(word) > 1
}
_Payloads = Sequence[Payload | str | None]
_Amount = float | str | None  # as `read_amount` has it


class _Source(NamedTuple):
    """Where a measure is. at: index of its column, None for an absent one. title: of this column, for findings.

    reason_at, reasons: likewise where it is said why an item has a score. read: of cells, whose texts recur.
    match: compares answers; None where the file has the value. key: under which its paths are watched.
    """

    measure: Measure
    at: int | None
    paths: tuple[Path, ...]
    title: str
    reason_at: int | None
    reasons: tuple[Path, ...]
    read: CellMemo[_Amount]
    match: Match | None
    key: str

    @property
    def is_judged(self) -> bool:
        """Does a judge give it, when parts are merged?"""
        return self.score is not None and self.score.is_judged

    @property
    def score(self) -> ScoreRule | None:
        """The rule of a named score; None for another measure."""
        return self.measure.rule


class MeasureReader:
    """Sets the measures of items.

    log: takes the values that cannot be used, and measures whose column is not there. watch: told of paths.
    """

    def __init__(
        self, columns: ColumnMap, rubric: Rubric, log: FindingLog, watch: PathWatch, *, has_decimal_comma: bool
    ) -> None:
        self._log = log
        self._watch = watch
        self._has_decimal_comma = has_decimal_comma
        wanted = rubric.wanted_columns
        fields = {normalise_header(name): one.name for one in wanted for name in (one.title, *one.aliases)}
        titles = column_titles(columns, wanted)
        self._sources = []
        for measure in rubric.measures:
            field = fields[normalise_header(measure.column)] if measure.column else "raw_json"
            paths = parsed_paths(measure.paths)
            rule = measure.rule
            reason = fields.get(normalise_header(rule.reason_column), "") if rule and rule.reason_column else ""
            reasons = parsed_paths(rule.reason_paths) if rule else ()
            title = titles.get(field, field)
            at, reason_at = columns.at.get(field), columns.at.get(reason)
            read = CellMemo(partial(_read, measure=measure, has_decimal_comma=has_decimal_comma))
            match = matcher(rule.match) if rule and rule.match else None
            key = f"measures.{measure.name}"
            self._sources.append(_Source(measure, at, paths, title, reason_at, reasons, read, match, key))
        self._at = columns.at
        self._maps, self._keys = maps_of(rubric.measures), frozenset(keys_of(rubric))
        self._declared = own_paths(rubric.measures)
        self.payload_names = self._names_in_payloads()
        self._has_reasons = any(one.reasons or one.reason_at is not None for one in self._sources)
        passing = rubric.pass_points
        is_decided = passing is not None and is_by_scores(passing)
        self._passes = passing_by_scores(rubric.measures, passing) if passing is not None and is_decided else None

    def _names_in_payloads(self) -> frozenset[str] | None:
        """The names at the top of payloads where its paths begin; None where one begins with another step."""
        matches = [source.score.match for source in self._sources if source.score and source.score.match]
        written = [path for rule in matches for path in (rule.expected, rule.answer) if path]
        paths = [path for source in self._sources for path in (*source.paths, *source.reasons)]
        names = {path[0] if path else ANY_KEY for path in (*paths, *parsed_paths((*written, *self._maps)))}
        return frozenset(map(str, names)) if all(type(name) is str and name != ANY_KEY for name in names) else None

    def set(self, items: Sequence[Item], cells: Sequence[Sequence[str]], payloads: _Payloads) -> None:
        """Set `measures` of the items of a batch. cells: the columns of their rows; payloads: of these rows."""
        values = [payload.value if isinstance(payload, Payload) else None for payload in payloads]
        columns = [
            self._matched(source, items, cells, payloads)
            if source.match is not None
            else self._of_payloads(source, values)
            if source.paths
            else self._of_cells(source, cells, len(items))
            for source in self._sources
        ]
        for source, amounts in zip(self._sources, columns, strict=True):
            if source.match is not None or self._are_usual(source, amounts):
                continue
            self._note_separators(source, items, cells, amounts)
            if source.score is not None:
                self._keep_to_scale(source, source.score, items, amounts)
            for at, amount in enumerate(amounts):
                if isinstance(amount, str):
                    self._note_unusable(source, items[at].row, amount)
                    amounts[at] = None
        measured: list[tuple[float | None, ...]] = list(zip(*columns, strict=True))
        for item, measures in zip(items, measured, strict=True):
            item.details = item.details or ItemDetails()
            item.details.measures = measures
            if self._passes is not None:
                item.details.passed = self._passes(measures, item.status not in UNANSWERED)
        if self._has_reasons:
            self._set_reasons(items, cells, values)
        if self._maps:
            self._note_late_keys(items, values)

    def _are_usual(self, source: _Source, amounts: Sequence[_Amount]) -> bool:
        """Are these numbers on the scale of a score, or blank, with nothing to be told of any?"""
        if source.score is None or source.measure.decimals == 0 or self._has_decimal_comma:
            return False
        numbers = [amount for amount in amounts if type(amount) is float]
        if len(numbers) + amounts.count(None) < len(amounts):
            return False
        return not numbers or source.score.lowest <= min(numbers) <= max(numbers) <= source.score.highest

    def _note_late_keys(self, items: Sequence[Item], values: Sequence[dict[str, object] | None]) -> None:
        """Log the keys of maps that are no scores, because they came too late or there are too many."""
        for item, value in zip(items, values, strict=True):
            for key in dict.fromkeys(keys_in(value, self._maps, self._declared)):
                if key not in self._keys:
                    self._log.add(Problem(code="score-key-unused", row=item.row, found=cut(showable(key))))

    def _keep_to_scale(self, source: _Source, rule: ScoreRule, items: Sequence[Item], amounts: list[_Amount]) -> None:
        """Log the scores that are outside their scale, and leave them out."""
        scale = {"lowest": f"{rule.lowest:g}", "highest": f"{rule.highest:g}", "measure": source.measure.title}
        for at, amount in enumerate(amounts):
            if not isinstance(amount, float | int):
                continue
            amounts[at] = rule.on_scale(amount)
            if amounts[at] is None:
                found = f"{amount:.12g}"
                row, column = items[at].row, source.title
                self._log.add(Problem(code="score-outside", row=row, column=column, found=found, values=scale))

    def _set_reasons(
        self, items: Sequence[Item], cells: Sequence[Sequence[str]], values: Sequence[dict[str, object] | None]
    ) -> None:
        columns = [self._reasons(source, cells, values, len(items)) for source in self._sources if source.score]
        for item, reasons in zip(items, zip(*columns, strict=True), strict=True):
            assert item.details is not None
            item.details.score_reasons = reasons

    @staticmethod
    def _reasons(
        source: _Source, cells: Sequence[Sequence[str]], values: Sequence[dict[str, object] | None], n: int
    ) -> list[str]:
        """Why each of n items has its score; "" for no word of it."""
        if source.reason_at is not None:
            texts: Iterable[str] = cells[source.reason_at]
        elif values and source.reasons:
            found = values_of_each(values, source.reasons, says_nothing)
            texts = [as_text(one[0]) if one else "" for one in found]
        else:
            return [""] * n
        return [cut(showable(text)) for text in texts]

    def finish(self) -> None:
        """Note the measures whose column the file does not have."""
        for source in self._sources:
            if source.at is None and not source.paths and source.match is None and not source.is_judged:
                values, found = {"measure": source.measure.name}, source.measure.column
                self._log.add(Problem(code="measure-absent", column=source.title, found=found, values=values))

    def _matched(
        self, source: _Source, items: Sequence[Item], cells: Sequence[Sequence[str]], payloads: _Payloads
    ) -> list[_Amount]:
        """The match of each answer with what is expected; 0 without an answer, None where nothing is expected."""
        rule = source.score.match if source.score is not None else None
        assert rule is not None
        assert source.match is not None
        amounts: list[_Amount] = []
        for at, item in enumerate(items):
            payload = payloads[at] if payloads else None
            opened = payload if isinstance(payload, Payload) else None
            expected = _text_at(opened, rule.expected) if rule.expected else self._cell("expected", cells, at)
            answer = (
                _text_at(opened, rule.answer) if rule.answer else _answer(opened, self._cell("response", cells, at))
            )
            if is_blank(expected):
                amounts.append(None)
            elif item.status in UNANSWERED or is_blank(answer):
                amounts.append(0.0)
            else:
                amount = source.match(answer, expected)
                if amount is None:
                    self._note_unusable(source, item.row, cut(showable(expected)))
                amounts.append(amount)
        return amounts

    def _cell(self, field: str, cells: Sequence[Sequence[str]], at: int) -> str:
        return cells[self._at[field]][at] if field in self._at else ""

    def _of_cells(self, source: _Source, cells: Sequence[Sequence[str]], n: int) -> list[_Amount]:
        if source.at is None:
            return [None] * n
        return [source.read[cell] for cell in cells[source.at]]

    def _of_payloads(self, source: _Source, values: Sequence[dict[str, object] | None]) -> list[_Amount]:
        """At the first path that has any value: their sum, or what of them cannot be used. values: of payloads."""
        found = values_of_each(values, source.paths, is_no_value if source.score else says_nothing)
        n, asked = len(found) - found.count([]), len(values) - values.count(None)
        if n:
            self._watch.saw(source.key, source.measure.paths, found=True)
        if n < asked:
            self._watch.saw(source.key, source.measure.paths, asked=asked - n, found=False)
        measure = source.measure
        return [_read(one[0], measure) if len(one) == 1 else self._amount(measure, one) for one in found]

    @staticmethod
    def _amount(measure: Measure, found: Sequence[object]) -> _Amount:
        """Of none or several values."""
        amounts = [amount for value in found if (amount := _read(value, measure)) is not None]
        return _only(amounts) if measure.rule is not None else _sum(amounts)

    def _note_separators(
        self, source: _Source, items: Sequence[Item], cells: Sequence[Sequence[str]], amounts: Sequence[_Amount]
    ) -> None:
        """Log fractions of a measure that is whole, and numbers whose separator may mean another thing."""
        written = cells[source.at] if source.at is not None and not source.paths else ()
        is_whole = source.measure.decimals == 0
        odd = {at for at, one in enumerate(amounts) if is_whole and type(one) is float and not one.is_integer()}
        if self._has_decimal_comma:
            odd |= {at for at, cell in enumerate(written) if may_be_grouped(cell)}
        for at in sorted(odd):
            if isinstance(amount := amounts[at], float):
                read = f"{amount:.12g}"
                found = cut(written[at]) if written else read
                values = {"measure": source.measure.title, "read": read}
                row, title = items[at].row, source.title
                self._log.add(Problem(code="number-separator", row=row, column=title, found=found, values=values))

    def _note_unusable(self, source: _Source, row: int, found: str) -> None:
        values = {"measure": source.measure.title}
        self._log.add(Problem(code="measure-unusable", row=row, column=source.title, found=found, values=values))


def _answer(payload: Payload | None, response: str) -> str:
    return payload.message if payload is not None and payload.message else response


def _text_at(payload: Payload | None, path: str) -> str:
    """The texts at a path, one a line; "" for none."""
    value = None if payload is None else payload.value
    found = () if value is None else values_at(value, parsed_paths((path,)), is_no_value)
    return "\n".join(filter(None, map(as_text, found)))


def _read(value: object, measure: Measure, *, has_decimal_comma: bool = False) -> _Amount:
    if type(value) is float and -MOST_MEASURED <= value <= MOST_MEASURED:
        return value + 0.0  # the usual case of payloads; never -0
    if measure.rule is not None and (isinstance(value, bool) or type(value) is str):
        word = as_text(value).casefold()
        if (told := next((one for name, one in measure.rule.values if name.casefold() == word), None)) is not None:
            return told
        truth = _TRUTHS.get(word)
        if truth is not None:
            return measure.rule.highest if truth else measure.rule.lowest
    is_whole = measure.decimals == 0
    return read_amount(value, unit=measure.unit, is_whole=is_whole, has_decimal_comma=has_decimal_comma)


def _only(amounts: Sequence[float | str]) -> _Amount:
    """The one value of a score, None without any; several that differ cannot be used."""
    different = list(dict.fromkeys(amounts))
    return ", ".join(map(str, different[:_MOST_SHOWN])) if len(different) > 1 else next(iter(different), None)


def _sum(amounts: Sequence[float | str]) -> _Amount:
    """Of the values that a path with `[*]` found, None without any; the first of them that cannot be used."""
    numbers = [amount for amount in amounts if not isinstance(amount, str)]
    if len(numbers) < len(amounts):
        return next(amount for amount in amounts if isinstance(amount, str))
    total = fsum(numbers) if numbers else None
    return total if total is None or abs(total) <= MOST_MEASURED else f"{total:g}"
