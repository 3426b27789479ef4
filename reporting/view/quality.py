"""The section of data quality: where the rows went, what was odd, what is wrong."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from reporting.view.problem import AroundView, around_view
from reporting.view.tables import Table, table, table_of
from reporting.wording.catalogue import Texts
from reporting.wording.display import NONE, count, excerpt
from reporting.wording.findings import describe_finding, hidden_places, place_text, places_in_files
from reporting.wording.names import LABEL_CHARS, count_name, diagnosis
from reporting.wording.problems import describe
from scoring.findings import Finding
from scoring.problems import Severity
from scoring.results.insights import Insights
from scoring.results.model import InputSummary, SetResult

MAX_INPUTS = 50
MAX_ERROR_PLACES = 100
MAX_NOTE_PLACES = 5
NAME_CHARS = 120
HASH_CHARS = 12
_PAYLOAD = "payload:"
_SHOWN_ELSEWHERE = ("recorded-not-a-number", "recorded-out-of-range", "restored-date")
_ENCODINGS = {
    "utf-8": "UTF-8",
    "utf-8-sig": "UTF-8 (BOM)",
    "utf-16-le": "UTF-16 LE",
    "utf-16-be": "UTF-16 BE",
    "cp949": "CP949",
    "xlsx": "XLSX",
}
_DELIMITERS = {",": "comma", "\t": "tab", ";": "semicolon"}
_ROW_TITLES = (
    "quality.data-rows",
    "changes.items",
    "quality.duplicates",
    "quality.blank",
    "quality.unusable",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class FindingView:
    """One finding. places: the first ones; around: for each of them its rows, None without any. more: "" for none."""

    is_error: bool
    text: str
    places: tuple[str, ...]
    around: tuple[AroundView | None, ...]
    more: str


@dataclass(frozen=True, slots=True, kw_only=True)
class QualityView:
    """rows: per input and in total, rows = items + duplicates + blank + unusable ones. refused: inputs without figures.

    restored: rounds read back from Excel dates, "" when none; swap_note: what to check about them, "" when nothing.
    payloads: invalid ones by diagnosis, None for profiles without any. counts: everything else that was counted.
    """

    rows: Table
    refused: tuple[str, ...]
    restored: str
    swap_note: str
    payloads: Table | None
    counts: Table
    findings: tuple[FindingView, ...]


def quality_view(result: SetResult, insights: Insights, t: Texts) -> QualityView:
    """Everything about the inputs that a reader must know before trusting the figures."""
    restored = result.counts.get("restored-date", 0)
    labels = ", ".join(excerpt(label, LABEL_CHARS) for label in result.restored_rounds[:MAX_INPUTS])
    return QualityView(
        rows=_row_table(result, t),
        refused=tuple(excerpt(entry.name, NAME_CHARS) for entry in result.inputs if entry.refused),
        restored=f"{t.counted('rows', count(restored))} ({labels})" if restored else "",
        swap_note=t("quality.swap") if _may_be_swapped(result.restored_rounds) else "",
        payloads=_counts(t("quality.cause"), [(diagnosis(code, t), n) for code, n in insights.payloads.items()])
        if result.rubric.has_column("raw_json")
        else None,
        counts=_counts(t("quality.entry"), _other_counts(result, insights, t)),
        findings=tuple(chain.from_iterable(_finding(finding, t) for finding in result.findings)),
    )


def _finding(finding: Finding, t: Texts) -> Iterator[FindingView]:
    """Notes show few places: what was left out has to be found again, the rest only to be understood."""
    if finding.severity is Severity.REFUSED:
        for place in finding.places:
            yield FindingView(is_error=True, text=describe(place, t.language), places=(), around=(), more="")
        return
    is_error = finding.severity is Severity.ERROR
    listed = places_in_files(finding)
    shown = listed[: MAX_ERROR_PLACES if is_error else MAX_NOTE_PLACES]
    more = hidden_places(finding, len(shown))
    yield FindingView(
        is_error=is_error,
        text=describe_finding(finding, t.language, with_places=False),
        places=tuple(place_text(place, t) for place in shown),
        around=tuple(around_view(place) for place in shown),
        more=count(more) if shown and more else "",
    )


def _counts(title: str, counted: Sequence[tuple[str, int]]) -> Table:
    return table_of(counted, [(title, lambda entry: entry[0]), (">n", lambda entry: count(entry[1]))])


def input_table(result: SetResult, t: Texts) -> Table:
    """Names of the inputs with the start of their SHA-256."""
    return table_of(
        result.inputs,
        [
            (t("problem.file"), lambda entry: excerpt(entry.name, NAME_CHARS)),
            (t("problem.digest", chars=str(HASH_CHARS)), lambda entry: entry.sha256[:HASH_CHARS]),
            (f">{t('table.bytes')}", lambda entry: count(entry.size)),
        ],
        limit=MAX_INPUTS,
    )


def _row_table(result: SetResult, t: Texts) -> Table:
    rows = [[excerpt(entry.name, NAME_CHARS), *_row_cells(entry, t)] for entry in result.inputs[:MAX_INPUTS]]
    if len(result.inputs) > 1:
        read = [entry for entry in result.inputs if not entry.refused]
        figures = zip(*(_figures(entry) for entry in read), strict=True)
        rows.append([t("quality.total"), *(count(sum(column)) for column in figures), NONE])
    titles = [t("problem.file"), *(f">{t(key)}" for key in _ROW_TITLES), t("quality.encoding")]
    return table(titles, rows, total=len(rows) + max(len(result.inputs) - MAX_INPUTS, 0))


def _figures(entry: InputSummary) -> tuple[int, int, int, int, int]:
    return entry.rows, entry.items, entry.duplicates, entry.blank_rows, entry.unusable_rows


def _row_cells(entry: InputSummary, t: Texts) -> list[str]:
    if entry.refused:
        return [NONE] * 5 + [t("quality.not-read")]
    encoding = _ENCODINGS.get(entry.encoding, entry.encoding)
    if entry.sheet:
        encoding += t("quality.sheet", name=excerpt(entry.sheet, LABEL_CHARS))
    if entry.delimiter:
        encoding += f", {_delimiter(entry.delimiter, t)}"
    return [*map(count, _figures(entry)), encoding]


def _delimiter(mark: str, t: Texts) -> str:
    return t(f"delimiter.{_DELIMITERS[mark]}") if mark in _DELIMITERS else mark


def _other_counts(result: SetResult, insights: Insights, t: Texts) -> list[tuple[str, int]]:
    sources = insights.intent_sources
    counted = [
        (t("quality.recorded-not-a-number"), sources.not_a_number),
        (t("quality.recorded-out-of-range"), sources.out_of_range),
    ]
    counted += [
        (count_name(code, t), n)
        for code, n in sorted(result.counts.items())
        if not code.startswith(_PAYLOAD) and code not in _SHOWN_ELSEWHERE
    ]
    return [entry for entry in counted if entry[1]]


def _may_be_swapped(labels: tuple[str, ...]) -> bool:
    """Excel set to day-first dates swaps room and repeat: visible only when all rooms are 1 and repeats differ."""
    pairs = [label.split("/") for label in labels]
    return len(pairs) > 1 and all(len(pair) == 2 and pair[0] == "1" for pair in pairs)
