"""The sheet that goes out to a person: which answers, in what order, and what is written beside each (docs/review.md).

Everything is read from the report: the same report gives the same bytes. Texts come from files, so no cell is a formula
or a link.
"""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from reporting.comparison import read_recorded
from reporting.data import Cell, Column, Report, Sheet, cell, read_cells, sheet_titles, write_workbook
from reporting.store import ITEMS_CSV, STATUS, read_baseline, write_atomic
from reporting.wording import count, metric_title, round_name, status_name
from scoring.reading import read_named
from scoring.review import (
    Candidate,
    GradeScale,
    ItemKey,
    Sample,
    choose_sample,
    column_title,
    graded_metrics,
    rows_for_interval,
    scale_of,
)
from scoring.rubric import Rubric, Status
from scoring.statistics import QUERIES_FOR_INTERVAL
from texts import Texts

ANSWER_CHARACTERS = 32_000
_CUT = "…"
_KEPT = 900  # characters: a shorter text was never cut
_HIGH, _LOW = 0.8, 0.2  # of the scale: a grade at odds with the status
_WRAPPED = {
    "question": 40,
    "expected": 40,
    "answer": 60,
    "error": 20,
    "recorded-comment": 30,
    "comment": 40,
    "check": 20,
}
_WIDTHS = {**_WRAPPED, "query": 14, "track": 8, "sample": 10, "cause": 16}
_NOT_BLIND = frozenset({"recorded", "recorded-comment", "sample"})


class Wanted(NamedTuple):
    """What is asked for. n: rows, 0 for all. metric: "" for the first that people can grade."""

    reviewer: str
    n: int
    metric: str
    blind: bool


class SheetRow(NamedTuple):
    """An item that goes out. cells: of `items.csv`, by name."""

    key: ItemKey
    cells: Mapping[str, str]


class ReviewSheet(NamedTuple):
    """What goes out. random: questions drawn at random; rows_for_interval: how many rows hold enough of these."""

    report: Report
    rubric: Rubric
    wanted: Wanted
    scale: GradeScale
    rows: tuple[SheetRow, ...]
    random: int
    rows_for_interval: int

    @property
    def cut(self) -> list[SheetRow]:
        """Rows whose answer the report has cut."""
        return [row for row in self.rows if _is_cut(answer_of(row.cells))]


def make_sheet(folder: Path, report: Report, rubric: Rubric, wanted: Wanted) -> ReviewSheet:
    """Choose the rows. folder: of the report. Raises OSError and ItemsFileError where its items cannot be read."""
    items = list(read_cells(folder / ITEMS_CSV))
    metric = wanted.metric or graded_metrics(rubric)[0]
    concerns = _concerns(items, folder, report, rubric, metric)
    candidates = [Candidate(at, one["query_id"], concerns[at]) for at, one in enumerate(items)]
    seed = hashlib.sha256("\n".join(sorted(entry.sha256 for entry in report.inputs)).encode()).hexdigest()
    chosen = choose_sample(candidates, n=wanted.n, seed=seed)
    numbers = _attempts(items)
    rows = [
        SheetRow(
            ItemKey(
                profile=report.profile,
                set_name=report.set,
                query_id=items[at]["query_id"],
                round=items[at]["round"],
                attempt=numbers[at],
                metric=metric,
                sample=sample,
                text_hash=items[at]["text_hash"],
            ),
            items[at],
        )
        for at, sample in chosen
    ]
    random = len({row.key.query_id for row in rows if row.key.sample is Sample.RANDOM})
    enough = rows_for_interval(candidates, QUERIES_FOR_INTERVAL)
    return ReviewSheet(report, rubric, wanted, scale_of(rubric, metric), tuple(rows), random, enough)


def write_sheet(path: Path, sheet: ReviewSheet, t: Texts, whole: Mapping[tuple[str, str], str]) -> None:
    """Write the sheet, as a workbook or as CSV by the name of the file. Raises OSError.

    whole: answers that the report has cut, by file and row; those that are not there stay cut, and say so.
    """
    columns = _columns(sheet, t)
    rows = [_cells(row, sheet, t, whole) for row in sheet.rows]
    if path.suffix.casefold() == ".csv":
        lines: list[list[Cell]] = [[column.title for column in columns], *rows]
        data = "".join(",".join(f'"{cell(_text(one))}"' for one in line) + "\r\n" for line in lines)
        write_atomic(path, data.encode("utf-8-sig", "replace"))
        return
    pages = [
        Sheet(t("review.sheet"), columns, rows, frozen=1, has_filter=True),
        Sheet(t("review.guide"), [Column(t("review.guide"), 24), Column("", 90, wraps=True)], list(_guide(sheet, t))),
    ]
    title = t("review.title", set=sheet.report.set)
    with TemporaryDirectory() as temporary:
        unfinished = Path(temporary, "sheet.xlsx")
        write_workbook(unfinished, pages, title=title, temporary=Path(temporary), t=t)
        write_atomic(path, read_named(unfinished))


def answer_of(cells: Mapping[str, str]) -> str:
    """What a person reads of an item."""
    return cells["message"] or cells["response"]


def _columns(sheet: ReviewSheet, t: Texts) -> list[Column]:
    by_number = sheet.scale.rule is None
    choices: dict[str, Sequence[str | float]] = {
        "grade": sheet.scale.points if by_number else sheet.scale.names,
        "cause": sheet.rubric.causes,
    }
    return [
        Column(
            title,
            _WIDTHS.get(name, 12),
            wraps=name in _WRAPPED,
            choices=choices.get(name, ()),
            is_hidden=name == "key",
        )
        for name, title in sheet_titles(t).items()
        if not (sheet.wanted.blind and name in _NOT_BLIND)
    ]


def _cells(row: SheetRow, sheet: ReviewSheet, t: Texts, whole: Mapping[tuple[str, str], str]) -> list[Cell]:
    cells = row.cells
    rounds = {entry.label: entry for entry in sheet.report.rounds}
    label = cells["round"]
    graded: list[Cell] = []
    if not sheet.wanted.blind:
        graded = [_recorded(cells, sheet), cells["llm_comment"] or cells.get(_reason(sheet), "")]
    sample: list[Cell] = [] if sheet.wanted.blind else [t(f"review.sample.{row.key.sample.value}")]
    return [
        cells["query_id"],
        round_name(rounds[label], t) if label in rounds else label,
        cells["track"],
        cells["question"],
        cells["expected"],
        _answer(cells, t, whole),
        cells["error"],
        *graded,
        *sample,
        sheet.wanted.reviewer,
        None,
        None,
        None,
        None,
        str(row.key),
    ]


def _answer(cells: Mapping[str, str], t: Texts, whole: Mapping[tuple[str, str], str]) -> str:
    text = answer_of(cells)
    if not _is_cut(text):
        return text
    found = whole.get((cells["file"], cells["row"]))
    if found is None:
        return f"{text}\n{t('review.cut-kept')}"
    return found if len(found) <= ANSWER_CHARACTERS else f"{found[:ANSWER_CHARACTERS]}\n{t('review.cut-long')}"


def _is_cut(text: str) -> bool:
    return len(text) > _KEPT and text.endswith(_CUT)


def _recorded(cells: Mapping[str, str], sheet: ReviewSheet) -> str:
    """What the item had before people graded it, as the scale writes it."""
    metric = sheet.rows[0].key.metric
    if cells.get("reviewed_by") and cells.get(f"before_{metric}_source"):
        points = cells.get(f"before_{metric}", "")
    elif sheet.scale.rule is not None:
        return cells.get("rubrics_level" if metric == "rubrics" else "verdict", "")
    else:
        points = cells.get(metric, "")
    at = sheet.scale.at(float(points)) if points else None
    return points if at is None else sheet.scale.names[at]


def _reason(sheet: ReviewSheet) -> str:
    return "rubrics_reason" if sheet.rows[0].key.metric == "rubrics" else "verdict_reason"


def _text(one: Cell) -> str:
    return "" if one is None else str(one)


def _attempts(items: Sequence[Mapping[str, str]]) -> list[int]:
    """Of each item its number among those of its query and round, from 1."""
    counted: Counter[tuple[str, str]] = Counter()
    numbers = []
    for one in items:
        counted[one["query_id"], one["round"]] += 1
        numbers.append(counted[one["query_id"], one["round"]])
    return numbers


def _concerns(
    items: Sequence[Mapping[str, str]], folder: Path, report: Report, rubric: Rubric, metric: str
) -> list[int]:
    """How much each item looks as if a grade could be wrong: what speaks for it, counted."""
    passing = {status.value for status in rubric.pass_statuses}
    ends: defaultdict[str, set[bool]] = defaultdict(set)
    for one in items:
        ends[one["query_id"]].add(one["status"] in passing)
    dropped = _dropped(folder)
    judged = () if report.judge is None else report.judge.metrics
    split = {vote.index for of in judged if of.repeat is not None for vote in of.repeat.split}
    scale = rubric.scale_of(metric)
    return [
        (one["status"] not in passing)
        + (len(ends[one["query_id"]]) > 1)
        + bool(one["failure_word"])
        + (at in split)
        + (one["query_id"] in dropped)
        + _is_at_odds(one, metric, scale.lowest, scale.length, answered=one["status"] in passing)
        for at, one in enumerate(items)
    ]


def _is_at_odds(one: Mapping[str, str], metric: str, lowest: float, length: float, *, answered: bool) -> bool:
    """Is a failed item graded high, or an answered one low?"""
    points = one.get(f"before_{metric}") or one.get(metric, "")
    if not points:
        return False
    share = (float(points) - lowest) / length
    return share <= _LOW if answered else share >= _HIGH


def _dropped(folder: Path) -> set[str]:
    """The queries that got worse since the baseline."""
    status = STATUS.read(folder)
    mark = None if status is None else read_baseline(folder, status)
    found = None if mark is None else read_recorded(folder, mark)
    return set() if found is None else {entry.query_id for entry in (*found.now_fails, *found.dropped)}


def _guide(sheet: ReviewSheet, t: Texts) -> Iterator[list[Cell]]:
    """The rows of the second sheet: the criteria, who is asked, and how to give the file back."""
    report, rubric = sheet.report, sheet.rubric
    metric = sheet.rows[0].key.metric if sheet.rows else graded_metrics(rubric)[0]
    document = ", ".join(filter(None, (rubric.document, rubric.edition))) or rubric.profile
    executed = report.insights.executed
    yield [t("review.guide-set"), report.set]
    yield [t("review.guide-when"), "" if executed is None else f"{executed.first} – {executed.last}"]
    yield [t("review.guide-who"), sheet.wanted.reviewer]
    yield [t("review.guide-metric"), metric_title(rubric, metric, t)]
    yield [t("review.guide-document"), document]
    if sheet.scale.rule is None:
        yield [column_title("grade", t.language), ", ".join(sheet.scale.names)]
        for status, points in rubric.status_points.get(metric, {}).items():
            yield [status_name(Status(status), t), t.counted("points", f"{points:g}")]
    else:
        for level in sorted(sheet.scale.rule.levels, key=lambda one: -one.points):
            yield [sheet.scale.rule.spelling(level), " – ".join(filter(None, (level.name, level.criteria)))]
    for number in range(1, 6):
        yield [count(number), t(f"review.guide.{number}")]
