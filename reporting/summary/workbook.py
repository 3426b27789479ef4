"""`report.xlsx`: what report, comparison and gate of a set say, for people who work in Excel.

It is made with the front page and from the same: report, comparison, gate, language. So it is no part of the report
either, and its bytes are a function of what `summary.json` names.
"""

import csv
from collections.abc import Iterator, Sequence
from functools import lru_cache
from io import TextIOWrapper
from pathlib import Path

from reporting.comparison import metric_name
from reporting.data import Cell, Column, Report, Sheet, item_cells, write_workbook
from reporting.gate import reason_text, rule_name, state_name
from reporting.runs import UnreadableRunError
from reporting.store import ITEMS_CSV, QUERIES_CSV, FileMark, private_folder
from reporting.summary.facts import Facts
from reporting.summary.figures import figures_of
from reporting.summary.verdict import figure_name, say_text, verdict_text
from reporting.wording import clean, status_name, track_name
from scoring import number
from scoring.comparison import SHARES, Change, GroupKind
from scoring.reading import FIELD_LIMIT, open_named, read_named, whole_hash
from scoring.results import SECONDS
from scoring.rubric import Status, is_measure
from scoring.sets import shown
from texts import Texts

MOST_COLUMNS = 15  # of the sheet of items
_QUERY_TEXTS = 4  # columns of queries.csv that are texts, whatever is in them
_POINTS = ("intent", "accuracy", "latency", "rubrics", "stability")
_TEXTS = ("query_id", "round", "track", "category", "question", "expected", "response", "status", "passed")
_GOOD, _BAD, _FAIR = "#D9EAD3", "#F4CCCC", "#FFF2CC"
_WIDE, _TEXT, _NAME, _NUMBER = 90.0, 50.0, 20.0, 11.0
_DECIMALS = 6  # of a value, of which the sheet shows two


def workbook_bytes(facts: Facts, folder: Path, out: Path, t: Texts) -> bytes:
    """The workbook of a set that has a report, whose files are in its folder. out: whose work area is used.

    Raises UnreadableRunError when the files are those of another report by now, OSError.
    """
    report = facts.report
    assert report is not None
    with private_folder(out) as temporary:
        path = temporary / "workbook.xlsx"
        title = f"{report.title} · {shown(facts.set_name)}"
        with (
            _open(folder, ITEMS_CSV, report) as items,
            _open(folder, QUERIES_CSV, report) as queries,
        ):
            sheets = [
                _overview(facts, t),
                _figures(facts, t),
                _items(items, report, t),
                _queries(queries, facts, t),
                _changes(facts, t),
                _findings(report, t),
                _basis(facts, t),
            ]
            write_workbook(path, sheets, title=title, temporary=temporary, t=t)
        return read_named(path)


def _open(folder: Path, name: str, report: Report) -> TextIOWrapper:
    """A table of the report, and of no other one."""
    stream = open_named(folder / name)
    found = whole_hash(stream)
    if report.files.get(name) != FileMark(found.size, found.sha256):
        stream.close()
        raise UnreadableRunError(name)
    stream.seek(0)
    return TextIOWrapper(stream, encoding="utf-8-sig", errors="replace", newline="")


def _overview(facts: Facts, t: Texts) -> Sheet:
    """What the front page says first."""
    report = facts.report
    assert report is not None
    rows: list[Sequence[Cell]] = [
        [t("workbook.set"), shown(facts.set_name)],
        [t("workbook.report"), report.title],
        *([[t("workbook.damaged"), report.banner]] if report.banner else []),
        [t("workbook.verdict"), verdict_text(facts, t)],
        *([[t("summary.say-title"), say_text(facts, t)]] if not report.banner else []),
        *([[t("workbook.compared"), facts.why]] if facts.compared is None else []),
        [t("workbook.queries"), report.headline.queries],
        [t("workbook.rounds"), len(report.rounds)],
        [t("workbook.items"), report.headline.n],
    ]
    if facts.gate is not None:
        rows.append([t("gate.title"), t(f"gate.state.{facts.gate.state}")])
        rows += [[rule_name(rule, t), f"{state_name(rule, t)} ({reason_text(rule, t)})"] for rule in facts.gate.rules]
    for figure in figures_of(facts, t):
        value, unit = _value(figure.name, figure.value, t)
        rows.append([f"{figure.title} (%)" if unit == "%" else figure.title, value])
    return Sheet(
        t("workbook.overview"),
        [Column(t("workbook.name"), 34, wraps=True), Column(t("workbook.content"), _WIDE, "0.##", wraps=True)],
        rows,
    )


def _figures(facts: Facts, t: Texts) -> Sheet:
    """Every figure of all items and of each track, with its interval and what it was in the baseline."""
    report, compared = facts.report, facts.compared
    assert report is not None
    changes: dict[tuple[str, str], Change] = {}
    for of_queries in () if compared is None else compared.groups:
        if of_queries.kind is GroupKind.TRACK:
            changes |= {(str(of_queries.track), change.metric): change for change in of_queries.changes}

    def rows() -> Iterator[Sequence[Cell]]:
        for figure in figures_of(facts, t):
            low, high = figure.interval or (None, None)
            change = facts.change(figure.name)
            yield _figure_row((t("workbook.all"), figure.title), figure.name, (figure.value, low, high), change, t)
        for group in report.groups[1:]:
            for name, metric in group.metrics.items():
                low, high = metric.set.interval or (None, None)
                change = changes.get((group.key, name))
                title = figure_name(facts, name, t)
                yield _figure_row((track_name(group.key, t), title), name, (metric.set.value, low, high), change, t)

    numbers = ("value", "low", "high")
    columns = [
        Column(t("workbook.group"), _NAME),
        Column(t("workbook.figure"), 28),
        *[Column(t(f"workbook.{name}"), _NUMBER, "0.00") for name in numbers],
        Column(t("workbook.unit"), 8),
        *[Column(t(f"workbook.{name}"), _NUMBER, "0.00") for name in ("before", "after", "difference")],
        Column(t("workbook.verdict"), 30, colours=_verdict_colours(t)),
    ]
    return Sheet(t("workbook.figures"), columns, rows(), frozen=2, has_filter=True)


def _figure_row(
    names: tuple[str, str], name: str, values: Sequence[float | None], change: Change | None, t: Texts
) -> Sequence[Cell]:
    """A line of the sheet of figures. names: of the group and the figure."""
    shown_values = [_value(name, value, t)[0] for value in values]
    if change is None:
        return [*names, *shown_values, _value(name, 0.0, t)[1]]
    moved = [_value(name, value, t)[0] for value in (change.before, change.after, change.difference)]
    return [*names, *shown_values, _value(name, 0.0, t)[1], *moved, t(f"compare.verdict.{change.verdict}")]


def _verdict_colours(t: Texts) -> dict[str, str]:
    return {t("compare.verdict.worse"): _BAD, t("compare.verdict.better"): _GOOD}


def _value(name: str, value: float | None, t: Texts) -> tuple[float | None, str]:
    """A value as a number with its unit: shares in percent."""
    unit = "%" if name in SHARES else t("workbook.seconds") if name == SECONDS else t("workbook.points")
    if is_measure(name):
        unit = ""
    if value is None:
        return None, unit
    return round(value * 100 if name in SHARES else value, _DECIMALS), unit


def _items(lines: TextIOWrapper, report: Report, t: Texts) -> Sheet:
    """The answers, at most MOST_COLUMNS columns."""
    shown_metrics = [name for name in _POINTS if name in report.basis.metrics]
    points = shown_metrics[: MOST_COLUMNS - len(_TEXTS) - 2]
    names = (*_TEXTS, *points, "seconds", "error")
    statuses = {status.value: status_name(status, t) for status in Status}
    passed = {"true": t("workbook.passed.yes"), "false": t("workbook.passed.no")}
    at_status, at_passed, first = names.index("status"), names.index("passed"), len(_TEXTS)

    def rows() -> Iterator[Sequence[Cell]]:
        for cells in item_cells(lines, names, fallback={"response": "message"}):
            row: list[Cell] = list(cells)
            row[at_status] = statuses.get(cells[at_status], cells[at_status])
            row[at_passed] = passed.get(cells[at_passed], "")
            row[first:-1] = map(_number, cells[first:-1])
            yield row

    answered = {status_name(status, t): _GOOD for status in report.basis.answered}
    others = {
        status_name(Status.PARTIAL, t): _FAIR,
        status_name(Status.ERROR, t): _BAD,
        status_name(Status.EMPTY, t): _BAD,
    }
    colours = {"status": others | answered, "passed": {passed["true"]: _GOOD, passed["false"]: _BAD}}
    widths = {"question": _TEXT, "expected": _TEXT, "response": _TEXT, "error": 30.0, "query_id": 16.0}
    titles = {**{name: t(f"workbook.{name}") for name in names if name not in points}}
    titles |= {name: metric_name(name, t, (), {one.name: one.title for one in report.metrics}) for name in points}
    columns = [
        Column(
            titles[name],
            widths.get(name, _NUMBER),
            "0.00" if name in points else "0.###" if name == "seconds" else "",
            colours=colours.get(name, {}),
        )
        for name in names
    ]
    return Sheet(t("workbook.items"), columns, rows(), frozen=2, has_filter=True)


def _queries(lines: TextIOWrapper, facts: Facts, t: Texts) -> Sheet:
    """The lines of queries.csv without spreads and single rounds, numbers as numbers, names and words as on pages."""
    csv.field_size_limit(FIELD_LIMIT)
    rows = csv.reader(lines)
    header = next(rows, [])
    places = [at for at, name in enumerate(header) if not name.startswith("status") and not name.endswith("_sd")]
    places = places[:MOST_COLUMNS]
    columns = [
        Column(_query_title(header[at], facts, t), _TEXT if at == 1 else _NUMBER, _format(header[at])) for at in places
    ]
    words = {at: f"workbook.{header[at]}" for at in places if header[at] in {"class", "passed"}}

    def cells() -> Iterator[Sequence[Cell]]:
        for row in rows:
            yield [
                t.named(words[at], row[at]) or row[at]
                if at in words
                else _number_or_text(row[at])
                if at >= _QUERY_TEXTS
                else row[at]
                for at in places
            ]

    return Sheet(t("workbook.queries"), columns, cells(), frozen=1, has_filter=True)


def _query_title(name: str, facts: Facts, t: Texts) -> str:
    """What a column of queries.csv is called; one that is none of ours has its title already."""
    assert facts.report is not None
    title = t.named("workbook.query", name) or t.named("workbook", name)
    return title or (figure_name(facts, name, t) if name in {*facts.report.basis.metrics, SECONDS} else name)


def _format(name: str) -> str:
    return "" if name in {"n", "passes"} else "0.##"


def _number_or_text(cell: str) -> Cell:
    found = _number(cell)
    return cell if found is None else found


_number = lru_cache(maxsize=4096)(number)  # points recur


def _changes(facts: Facts, t: Texts) -> Sheet:
    """The queries that changed against the baseline, or why nothing was compared."""
    compared = facts.compared
    kinds = ("now_fails", "now_unanswered", "now_passes", "dropped", "rose")
    columns = [
        Column(t("workbook.change"), _NAME, colours={t("workbook.now_fails"): _BAD, t("workbook.now_passes"): _GOOD}),
        Column(t("workbook.query_id"), 16),
        Column(t("workbook.question"), _TEXT),
        *[
            Column(t(f"workbook.{name}"), _NUMBER)
            for name in ("passed-before", "of-before", "passed-after", "of-after")
        ],
    ]

    def rows() -> Iterator[Sequence[Cell]]:
        if compared is None:
            yield [facts.why]
            return
        yield ["", shown(compared.before.name), compared.sentence]
        for kind in kinds:
            for one in getattr(compared, kind) or ():  # unset where there are none
                sides = (one.before.passed, one.before.assessed, one.after.passed, one.after.assessed)
                yield [t(f"workbook.{kind}"), one.query_id, one.question, *sides]

    return Sheet(t("workbook.changes"), columns, rows(), frozen=1, has_filter=True)


def _findings(report: Report, t: Texts) -> Sheet:
    """What there is to look at, with its first places."""
    columns = [
        Column(t("workbook.severity"), _NUMBER),
        Column(t("workbook.code"), 26),
        Column(t("workbook.count"), _NUMBER),
        Column(t("workbook.what"), _WIDE, wraps=True),
        Column(t("workbook.place"), 34),
        Column(t("workbook.found"), _TEXT),
    ]

    def rows() -> Iterator[Sequence[Cell]]:
        for finding in report.findings:
            said: list[Cell] = [t(f"workbook.severity.{finding.severity}"), finding.code, finding.count, finding.text]
            for place in finding.places[:1]:
                said += [" ".join(filter(None, (place.file, str(place.row or ""), place.column or ""))), place.found]
            yield said

    return Sheet(t("workbook.findings"), columns, rows(), has_filter=True)


def _basis(facts: Facts, t: Texts) -> Sheet:
    """By what was scored: rubric, weights, judge and inputs."""
    report = facts.report
    assert report is not None
    basis = report.basis
    rows: list[Sequence[Cell]] = [
        [t("workbook.profile"), report.profile],
        [t("workbook.rubric"), clean(f"{basis.document} {basis.edition}")],
        ["SHA-256", report.rubric_digest],
        [t("workbook.engine"), report.engine_version],
        [t("workbook.scale"), f"{basis.floor or 0:g}–{basis.scale:g}"],
    ]
    for name, weight in basis.weights.items():
        rows.append([f"{t('workbook.weight')}: {figure_name(facts, name, t)}", weight])
    if basis.passes is not None:
        rows.append([t("workbook.passes"), f"{figure_name(facts, basis.passes.metric, t)} ≥ {basis.passes.points:g}"])
    if report.judge is not None and report.judge.model:
        rows.append([t("workbook.judge"), report.judge.model])
    rows += [[f"{t('workbook.input')}: {one.name}", f"{one.sha256} · {one.rows}"] for one in report.inputs]
    return Sheet(
        t("workbook.basis"),
        [Column(t("workbook.name"), 44, wraps=True), Column(t("workbook.content"), _WIDE, wraps=True)],
        rows,
    )
