"""The sheet that goes out to a person: which answers, in what order, and what is written beside each (docs/review.md).

Everything is read from the report: the same report gives the same bytes. Texts come from files, so no cell is a formula
or a link.
"""

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from io import TextIOWrapper
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from reporting.comparison import read_recorded
from reporting.data import (
    HINT_LIMIT,
    Cell,
    Column,
    Report,
    Sheet,
    cell,
    csv_title,
    item_cells,
    lines_of,
    sheet_titles,
    write_workbook,
)
from reporting.store import ITEMS_CSV, STATUS, read_baseline, write_atomic
from reporting.wording import count, excerpt, metric_title, round_name, status_name
from scoring import number
from scoring.comparison import GRADED
from scoring.reading import open_named, read_named
from scoring.review import Candidate, GradeScale, ItemKey, Sample, choose_sample, graded_metrics, rows_for, scale_of
from scoring.rubric import Rubric, Status
from scoring.statistics import QUERIES_FOR_INTERVAL, QUERIES_FOR_VALUE
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
_FIELDS = (
    *("file", "row", "query_id", "round", "track", "question", "expected", "message", "response", "error", "status"),
    *("failure_word", "text_hash", "llm_comment", "verdict", "verdict_reason", "rubrics_level", "rubrics_reason"),
    *(name for metric in GRADED for name in (metric, f"before_{metric}", f"before_{metric}_source")),
)
_NOT_BLIND = frozenset({"recorded", "recorded-comment", "sample"})


class Wanted(NamedTuple):
    """What is asked for. n: rows, 0 for all. metric: "" for the first that people can grade."""

    reviewer: str
    n: int
    metric: str
    blind: bool


class SheetRow(NamedTuple):
    """An item that goes out. cells: of `items.csv`, by name. why: it was chosen, by the keys of the texts."""

    key: ItemKey
    cells: Mapping[str, str]
    why: tuple[str, ...]


class ReviewSheet(NamedTuple):
    """What goes out.

    random: questions drawn at random. rows_for: by a number of these how many rows it takes, 0 where the set has fewer.
    """

    report: Report
    rubric: Rubric
    wanted: Wanted
    scale: GradeScale
    rows: tuple[SheetRow, ...]
    random: int
    rows_for: Mapping[int, int]

    @property
    def cut(self) -> list[SheetRow]:
        """Rows whose answer the report has cut."""
        return [row for row in self.rows if _is_cut(answer_of(row.cells))]


def _item_fields(folder: Path) -> list[dict[str, str]]:
    """The items of a report, each as cells by the names of their columns. Raises OSError, ItemsFileError."""
    with open_named(folder / ITEMS_CSV) as stream:
        lines = TextIOWrapper(stream, encoding="utf-8-sig", errors="replace", newline="")
        return [dict(zip(_FIELDS, cells, strict=True)) for cells in item_cells(lines, _FIELDS)]


def make_sheet(folder: Path, report: Report, rubric: Rubric, wanted: Wanted) -> ReviewSheet:
    """Choose the rows. folder: of the report. Raises OSError and ItemsFileError where its items cannot be read."""
    items = _item_fields(folder)
    metric = wanted.metric or graded_metrics(rubric)[0]
    concerns = _concerns(items, folder, report, rubric, metric)
    candidates = [Candidate(at, one["query_id"], len(concerns[at])) for at, one in enumerate(items)]
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
            ("random",) if sample is Sample.RANDOM else concerns[at],
        )
        for at, sample in chosen
    ]
    random = len({row.key.query_id for row in rows if row.key.sample is Sample.RANDOM})
    enough = {least: rows_for(least, candidates, seed=seed) for least in (QUERIES_FOR_VALUE, QUERIES_FOR_INTERVAL)}
    return ReviewSheet(report, rubric, wanted, scale_of(rubric, metric), tuple(rows), random, enough)


def write_sheet(path: Path, sheet: ReviewSheet, t: Texts, whole: Mapping[tuple[str, str], str]) -> None:
    """Write the sheet, as a workbook or as CSV by the name of the file. Raises OSError.

    whole: answers that the report has cut, by file and row; those that are not there stay cut, and say so.
    """
    names = [name for name in sheet_titles(t) if not (sheet.wanted.blind and name in _NOT_BLIND)]
    columns = [_column(name, sheet, t) for name in names]
    rows = [[cells.get(name) for name in names] for row in sheet.rows for cells in (_cells(row, sheet, t, whole),)]
    if path.suffix.casefold() == ".csv":
        lines: list[Sequence[Cell]] = [[csv_title(column.title) for column in columns], *rows]
        data = "".join(",".join(f'"{lines_of(cell(_text(one)))}"' for one in line) + "\r\n" for line in lines)
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


def _column(name: str, sheet: ReviewSheet, t: Texts) -> Column:
    choices: dict[str, Sequence[str | float]] = {
        "grade": sheet.scale.names if sheet.scale.rule is not None else sheet.scale.points,
        "cause": sheet.rubric.causes,
    }
    return Column(
        sheet_titles(t)[name],
        _WIDTHS.get(name, 12),
        wraps=name in _WRAPPED,
        choices=choices.get(name, ()),
        hint=_hint(sheet, t) if name == "grade" else "",
        is_hidden=name == "key",
    )


def _cells(row: SheetRow, sheet: ReviewSheet, t: Texts, whole: Mapping[tuple[str, str], str]) -> dict[str, Cell]:
    """What is written out, by the name of the column; the others are for the reviewer."""
    cells = {name: lines_of(text) for name, text in row.cells.items()}
    rounds = {entry.label: entry for entry in sheet.report.rounds}
    label = cells["round"]
    return {
        "query": cells["query_id"],
        "round": round_name(rounds[label], t) if label in rounds else label,
        "track": cells["track"],
        "question": cells["question"],
        "expected": cells["expected"],
        "answer": _answer(cells, t, whole),
        "error": cells["error"],
        "recorded": _recorded(cells, sheet),
        "recorded-comment": cells["llm_comment"] or cells[_reason(sheet)],
        "sample": ", ".join(t(f"review.sample.{why}") for why in row.why),
        "reviewer": sheet.wanted.reviewer,
        "key": str(row.key),
    }


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


def _recorded(cells: Mapping[str, str], sheet: ReviewSheet) -> Cell:
    """What the item had before people graded it, as the scale writes it: points are a number."""
    metric = sheet.rows[0].key.metric
    if cells[f"before_{metric}_source"]:
        value = number(cells[f"before_{metric}"])
    elif sheet.scale.rule is not None:
        return cells["rubrics_level" if metric == "rubrics" else "verdict"]
    else:
        value = number(cells[metric])
    at = None if sheet.scale.rule is None else sheet.scale.at(value)
    return value if at is None else sheet.scale.names[at]


def _reason(sheet: ReviewSheet) -> str:
    return "rubrics_reason" if sheet.rows[0].key.metric == "rubrics" else "verdict_reason"


def _text(one: Cell) -> str:
    return "" if one is None else one if isinstance(one, str) else f"{one:g}"


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
) -> list[tuple[str, ...]]:
    """What speaks for it that the grade of each item could be wrong, by the keys of the texts."""
    passing = {status.value for status in rubric.pass_statuses}
    ends: defaultdict[str, set[bool]] = defaultdict(set)
    for one in items:
        ends[one["query_id"]].add(one["status"] in passing)
    dropped = _dropped(folder)
    judged = () if report.judge is None else report.judge.metrics
    split = {vote.index for of in judged if of.repeat is not None for vote in of.repeat.split}
    scale = rubric.scale_of(metric)
    concerns = [
        {
            "failed": one["status"] not in passing,
            "mixed": len(ends[one["query_id"]]) > 1,
            "admits": bool(one["failure_word"]),
            "split": at in split,
            "dropped": one["query_id"] in dropped,
            "odd": _is_at_odds(one, metric, scale.lowest, scale.length, answered=one["status"] in passing),
        }
        for at, one in enumerate(items)
    ]
    return [tuple(concern for concern, is_so in of_item.items() if is_so) for of_item in concerns]


def _is_at_odds(one: Mapping[str, str], metric: str, lowest: float, length: float, *, answered: bool) -> bool:
    """Is a failed item graded high, or an answered one low?"""
    points = one[f"before_{metric}"] or one[metric]
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
    yield [t("review.guide-scale"), ", ".join(sheet.scale.names)]
    yield from _meanings(sheet, t)
    for step in range(1, 6):
        yield [t("review.guide-step", n=count(step)), t(f"review.guide.{step}")]


def _meanings(sheet: ReviewSheet, t: Texts) -> list[list[Cell]]:
    """Grades and what they mean by the document, the highest first; nothing where it says nothing."""
    scale, rule = sheet.scale, sheet.scale.rule
    if rule is not None:
        levels = sorted(rule.levels, key=lambda one: -one.points)
        names = [(rule.spelling(level), level) for level in levels]
        return [
            [name, " – ".join(filter(None, ("" if level.name == name else level.name, level.criteria)))]
            for name, level in names
        ]
    statuses: defaultdict[float, list[str]] = defaultdict(list)
    for status, points in sheet.rubric.status_points.get(sheet.rows[0].key.metric, {}).items():
        statuses[points].append(status_name(Status(status), t))
    told = [
        (name, t("review.guide-status", names=", ".join(statuses[points])) if points in statuses else "")
        for name, points in zip(scale.names, scale.points, strict=True)
    ]
    alike = groupby(reversed(told if statuses else ()), itemgetter(1))
    return [[", ".join(name for name, _ in of), meaning or t("review.guide-between")] for meaning, of in alike]


def _hint(sheet: ReviewSheet, t: Texts) -> str:
    """What grades mean, in few words, for the message beside a cell."""
    meanings = _meanings(sheet, t)
    most = HINT_LIMIT // max(len(meanings), 1) - 1
    return "\n".join(excerpt(f"{name}: {meaning}", most) for name, meaning in meanings)
