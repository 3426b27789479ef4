"""The rows of index.html as data: about a hundred bytes a set, so that twenty thousand open at once.

index.js reads them, and works out what other rows say: the runs of a profile are in the order of their data, so that a
baseline is named by how many runs back it is, and the line of a trend is made of the runs before.
"""

import hashlib
from collections.abc import Mapping
from datetime import datetime

from reporting.data import script_json
from reporting.index.cells import MARKS, MetricCell, RowTexts, arrived, differences, said_of_run
from reporting.index.rows import IndexRow
from reporting.store import SourceState, link
from reporting.wording import NONE, excerpt, numbers_of
from scoring.comparison import Difference
from scoring.gate import GateState
from scoring.judging import JudgeState
from scoring.sets import shown
from texts import Texts

STATES = tuple(SourceState)  # the cell of each is its place, from 1
GATES = tuple(GateState)
JUDGES = (JudgeState.PENDING, JudgeState.INCOMPLETE)
DIFFERENCES = tuple(Difference)
_SINCE = datetime(2000, 1, 1)  # noqa: DTZ001 -- as the times of the data, without a zone
_OTHER_CHARS = 120
_DIGEST_CHARS = 12


def packed_row(row: IndexRow, texts: RowTexts, profile: int, t: Texts) -> tuple[bytes, tuple[str, str]]:
    """JSON of a row, and of a problem (key, text) of what it says; ("", "") for a report.

    [name, profile, findings, errors, minutes, n, answered, metrics, baseline, passed, assessed, gate, judge, source,
    other, arrived, said of the run]; of a problem, after the errors, [key of its text, what the text begins with]. ""
    where there is nothing, left out at the end. profile: its place among the profiles.
    """
    status = row.entry.status
    told = "", ""
    cells: list[object] = [_name(row, texts.name), profile, *numbers_of(status.findings)]
    headline = status.headline
    if headline is None:
        start, told = _told(row, texts.problem)
        cells += [told[0], start, *[""] * 5]
    else:
        cells += [
            _minutes(status.executed),
            headline.n,
            headline.answered,
            _figures(row, texts),
            _baseline(row, texts),
            "" if headline.passed is None else headline.passed,
            "" if headline.passed is None or headline.assessed == headline.n else headline.assessed,
        ]
    cells += [
        "" if row.entry.gate is None else GATES.index(row.entry.gate.result.state) + 1,
        JUDGES.index(status.judge) + 1 if status.judge in JUDGES else "",
        "" if row.mark is None else STATES.index(row.mark.state) + 1,
        "" if row.mark is None else excerpt(row.mark.other, _OTHER_CHARS),
        "" if headline is None or status.executed else arrived(row),
        said_of_run(row, t),
    ]
    while cells[-1] == "":
        cells.pop()
    return script_json(cells).encode(errors="replace"), told


def packed_texts(t: Texts) -> Mapping[str, object]:
    """The words that the cells stand for."""
    return {
        "states": [t("state.report"), t("state.problem"), t("sources.removed")],
        "gates": [t(f"gate.state.{state.value}") for state in GATES],
        "judges": [t(f"index.judge-{state.value}") for state in JUDGES],
        "sources": [t(f"sources.{state.value}", other="{other}") for state in STATES],
        "differences": [t(f"trend.changed.{kind.value}") for kind in DIFFERENCES],
        "marks": {kind: [mark, t(f"index.mark-{kind}")] for kind, mark in MARKS.items()},
    }


def _name(row: IndexRow, title: str) -> str | list[str]:
    """The name of a set; where it is not shown as it is written, also the path of its folder."""
    name = row.entry.set_name
    return name if title == name else [title, link(name, "")]


def _minutes(executed: str) -> int:
    """Minutes since 2000, 0 for no time."""
    try:
        return int((datetime.fromisoformat(executed) - _SINCE).total_seconds() // 60)
    except (ValueError, TypeError):
        return 0


def _figures(row: IndexRow, texts: RowTexts) -> str:
    """The metrics; behind a `;` the places of what else differs from the baseline, behind another marks of the rates.

    Two marks: of the items that pass and of those answered, a blank for none.
    """
    figures = "|".join(map(_metric, texts.metrics))
    kinds = ",".join(str(DIFFERENCES.index(kind)) for kind in differences(row.compared))
    marks = "".join(cell.kind or " " for cell in (texts.passed, texts.answered))
    return f"{figures};{kinds};{marks}".rstrip("; ")


def _metric(cell: MetricCell) -> str:
    """`451`, `451 8 7w`: hundredths, how far the interval goes down and up, and the verdict; after a `=` texts instead.

    "" without a value.
    """
    mark = cell.kind
    if cell.value == NONE:
        return mark
    texts = (cell.value, *cell.ends)
    if not all(text[-3:-2] == "." and text[:-3].lstrip("-").isdecimal() for text in texts):
        return f"={' '.join(texts)}{mark}"
    value, *found = (int(text.replace(".", "")) for text in texts)
    if not found:
        return f"{value}{mark}"
    low, high = found
    return f"{value} {value - low} {high - value}{mark}"


def _baseline(row: IndexRow, texts: RowTexts) -> str | int:
    """How many runs back it is; its name where it is far, 0 where there is none, "" where that is not known yet."""
    if row.compared is None or not row.compared.verdicts:
        return "" if row.compared is None else 0
    return row.back or texts.baseline


def _told(row: IndexRow, text: str) -> tuple[str | int, tuple[str, str]]:
    """What the text begins with, and (key, rest). Many files have the same problem, and differ by their name alone.

    1: it begins with the name of the set and `.csv`.
    """
    name = shown(row.entry.set_name)
    start: str | int = ""
    for suffix, found in ((".csv", 1), ("", name)):
        if text.startswith(name + suffix):
            start, text = found, text.removeprefix(name + suffix)
            break
    return start, (hashlib.sha256(text.encode(errors="replace")).hexdigest()[:_DIGEST_CHARS], text)
