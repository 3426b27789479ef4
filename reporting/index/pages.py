"""The index in two formats. `index.html` carries its rows as data: ten thousand of them open at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import NamedTuple

import msgspec

from reporting.data.items_in_html import script_json
from reporting.index.latest import Latest
from reporting.index.rows import IndexEntry, IndexRow, metric_columns
from reporting.pages.html import render
from reporting.pages.markdown import Markdown, md, render_markdown, table_row, table_rows
from reporting.store.baseline import BaselineFile
from reporting.store.set_folder import (
    COMPARE_HTML,
    COMPARE_MD,
    PROBLEM_HTML,
    PROBLEM_MD,
    REPORT_HTML,
    REPORT_MD,
    link,
)
from reporting.store.sources import source_text
from reporting.store.status import Headline, State
from reporting.trend.pages import time_text, trend_page
from reporting.view.headline import measures_of, pass_cell, share_title
from reporting.view.tables import table
from reporting.wording.catalogue import Texts
from reporting.wording.display import NONE, count, excerpt, percent, quantity, score
from reporting.wording.findings import counted
from reporting.wording.intervals import sure_quantity, sure_score
from reporting.wording.names import measure_title, metric_word
from reporting.wording.system import in_words
from scoring.comparison.changes import Verdict
from scoring.gate.result import GateState
from scoring.judging.verdicts import JudgeState
from scoring.sets.names import shown

MAX_UNCLAIMED = 100
# During a burst the index is written again every two seconds.
_MARKDOWN_ROWS: Latest[str] = Latest()
_HTML_ROWS: Latest[msgspec.Raw] = Latest()
NAME_CHARS = 120
PROBLEM_CHARS = 160
TOOLTIP_CHARS = 600
UNLIKE = "≠"
_MARKS = {
    Verdict.WORSE: "▼",
    Verdict.BETTER: "▲",
    Verdict.NOT_DISTINGUISHABLE: "–",
    Verdict.SAME: "=",
    Verdict.CHANGED: "↕",
}
_BLOCKS = "▁▂▃▄▅▆▇█"


def index_markdown(
    rows: Sequence[IndexRow],
    unclaimed: Sequence[str],
    unread: Mapping[str, str],
    t: Texts,
    *,
    trends: Sequence[str] = (),
) -> str:
    """index.md. unclaimed: paths as people see them. unread: such paths -> why they cannot be read.

    trends: profiles that have a page of their trend.
    """
    metrics = tuple(metric_columns([row.entry for row in rows]))
    titles = [t("index-js.set"), t("index-js.state"), t("index-js.executed"), f">{t('changes.items')}"]
    titles += [f">{t('headline.pass-rate')}", f">{t('headline.answered-rate')}", _trend_title(rows, t)]
    titles += [f">{title}" for title in _metric_titles(metrics, rows, t)]
    titles += [t("index-js.against"), f">{t('index-js.look-at')}"]
    return render_markdown(
        "index.md.j2",
        t=t,
        summary=_summary(rows, t),
        trends=[(profile, trend_page(profile)) for profile in trends],
        sets=Markdown(table_rows(table(titles, [])) + "".join([_markdown_row(row, metrics, t) for row in rows]))
        if rows
        else "",
        lists=_lists(unclaimed, unread, t),
    )


def index_html(
    rows: Sequence[IndexRow],
    unclaimed: Sequence[str],
    unread: Mapping[str, str],
    t: Texts,
    *,
    trends: Sequence[str] = (),
) -> str:
    """index.html. The rest as `index_markdown`."""
    metrics = tuple(metric_columns([row.entry for row in rows]))
    profiles = sorted({row.entry.status.profile for row in rows})
    at = {profile: number for number, profile in enumerate(profiles)}
    data = {
        "metrics": _metric_titles(metrics, rows, t),
        "profiles": [excerpt(profile, NAME_CHARS) for profile in profiles],
        "states": [t(f"state.{state.value}") for state in State],
        "gates": [t(f"gate.state.{state.value}") for state in GateState],
        "rows": [_html_row(row, metrics, at[row.entry.status.profile], t) for row in rows],
        "texts": {**t.starting("index-js."), "trend": _trend_title(rows, t)},
    }
    return render(
        "index.html.j2",
        t,
        script="index.js",
        data=script_json(data),
        summary=_summary(rows, t),
        trends=[(profile, trend_page(profile)) for profile in trends],
        lists=_lists(unclaimed, unread, t),
    )


class FileList(NamedTuple):
    """Files that no report shows: title, explanation, the files, and how many are not listed ("0": none)."""

    title: str
    told: str
    files: list[str]
    more: str


def _lists(unclaimed: Sequence[str], unread: Mapping[str, str], t: Texts) -> list[FileList]:
    """What could not be read, then what was not scored for its name; lists without files are left out."""
    reasons = [
        t("index.unread-file", path=excerpt(path, NAME_CHARS), reason=excerpt(in_words(reason, t), NAME_CHARS))
        for path, reason in unread.items()
    ]
    paths = [excerpt(path, NAME_CHARS) for path in unclaimed[:MAX_UNCLAIMED]]
    lists = (("unread", reasons[:MAX_UNCLAIMED], len(reasons)), ("unclaimed", paths, len(unclaimed)))
    return [
        FileList(t(f"index.{name}"), t(f"index.{name}-told"), files, count(total - len(files)))
        for name, files, total in lists
        if files
    ]


def _metric_titles(metrics: Sequence[str], rows: Sequence[IndexRow], t: Texts) -> list[str]:
    measures = measures_of(row.entry.status.headline for row in rows)
    return [
        measure_title(measures[name].title, measures[name].unit, t) if name in measures else metric_word(name, t)
        for name in metrics
    ]


def _trend_title(rows: Sequence[IndexRow], t: Texts) -> str:
    headlines = [row.entry.status.headline for row in rows]
    return t("index.trend", share=share_title([headline for headline in headlines if headline is not None], t))


def _summary(rows: Sequence[IndexRow], t: Texts) -> str:
    reports = sum(row.entry.status.state is State.REPORT for row in rows)
    text = t("index.summary", sets=t.counted("sets", count(len(rows))), reports=t.counted("reports", count(reports)))
    return text + t("index.refused", n=count(len(rows) - reports)) if reports < len(rows) else text


def _name(entry: IndexEntry) -> str:
    return excerpt(shown(entry.set_name), NAME_CHARS)


def _markdown_row(row: IndexRow, metrics: tuple[str, ...], t: Texts) -> str:
    place = (t.language, row.entry.set_name)
    return _MARKDOWN_ROWS.get(place, (row, metrics), lambda: table_row(_markdown_cells(row, metrics, t)) + "\n")


def _markdown_cells(row: IndexRow, metrics: Sequence[str], t: Texts) -> list[str]:
    status = row.entry.status
    state = ", ".join([t(f"state.{status.state.value}"), *_notes(row, t)])
    target = link(row.entry.set_name, REPORT_MD if status.state is State.REPORT else PROBLEM_MD)
    name = Markdown(f"[{md(_name(row.entry))}]({target})")
    look_at = counted(status.findings, t)
    headline = status.headline
    if headline is None:
        return [name, state, NONE, NONE, NONE, NONE, "", *[NONE] * len(metrics), NONE, look_at]
    cells = []
    for metric in metrics:
        measure = headline.measured.get(metric)
        if measure is None:
            shown_value = sure_score(headline.metrics.get(metric), headline.intervals.get(metric))
        else:
            shown_value = sure_quantity(measure.mean, measure.interval, measure.decimals, t)
        cells.append(f"{shown_value} {verdict_mark(row.compared, metric)}".rstrip())
    blocks = "".join(_BLOCKS[min(int(rate * len(_BLOCKS)), len(_BLOCKS) - 1)] for rate in row.trend)
    return [
        name,
        state,
        time_text(status.executed),
        count(headline.n),
        pass_cell(headline),
        percent(headline.answered, headline.n),
        blocks if len(row.trend) > 1 else "",
        *cells,
        _against(row, t),
        look_at,
    ]


def _notes(row: IndexRow, t: Texts) -> list[str]:
    """Notes beside the state: removed or renamed files, the gate, and items that a judge has left."""
    notes = [] if row.mark is None else [source_text(row.mark, t)]
    if row.entry.gate is not None:
        notes.append(f"{t('gate.title')} {t(f'gate.state.{row.entry.gate.result.state}')}")
    judge = row.entry.status.judge
    if judge in {JudgeState.PENDING, JudgeState.INCOMPLETE}:
        notes.append(t(f"index.judge-{judge.value}"))
    return notes


def verdict_mark(compared: BaselineFile | None, metric: str) -> str:
    """`▲` better, `▼` worse, `–` not distinguishable, `=` no query changed, `≠` not of like with like; "" for none."""
    verdict = None if compared is None else compared.verdicts.get(metric)
    if compared is None or verdict not in _MARKS:
        return ""
    return _MARKS[verdict] if compared.is_like_with_like else UNLIKE


def _against(row: IndexRow, t: Texts) -> str:
    """The baseline, as a link to the comparison."""
    compared = row.compared
    if compared is None:
        return NONE
    name = _baseline_name(compared) or t("index.no-baseline")
    return Markdown(f"[{md(name)}]({link(row.entry.set_name, COMPARE_MD)})")


def _baseline_name(compared: BaselineFile) -> str:
    """The name of the run that it is compared with, "" where it is compared with none."""
    return excerpt(shown(compared.baseline), NAME_CHARS) if compared.verdicts else ""


def _tooltip(compared: BaselineFile) -> str:
    """What differs besides the answers first, then the sentence."""
    return excerpt(" ".join((*compared.notes, compared.sentence)), TOOLTIP_CHARS)


def _html_row(row: IndexRow, metrics: tuple[str, ...], profile: int, t: Texts) -> msgspec.Raw:
    def draw() -> msgspec.Raw:
        return msgspec.Raw(msgspec.json.encode(_html_cells(row, metrics, profile, t)))

    return _HTML_ROWS.get((t.language, row.entry.set_name), (row, metrics, profile), draw)


def _html_cells(row: IndexRow, metrics: Sequence[str], profile: int, t: Texts) -> list[object]:
    """The cells of a row as index.js reads them.

    [name, href, state, mark, profile, what to look at, why there is no report, gate], and for a report also
    [n, passed, answered, [[value, mark, interval] …], trend, executed, baseline, href and tooltip of its page].
    """
    status = row.entry.status
    is_report = status.state is State.REPORT
    headline, gate = status.headline, row.entry.gate
    first = status.findings[0].text if status.findings and not is_report else ""
    cells: list[object] = [
        _name(row.entry),
        link(row.entry.set_name, REPORT_HTML if is_report else PROBLEM_HTML),
        int(not is_report),
        ", ".join(_notes(row, t)),
        profile,
        counted(status.findings, t),
        excerpt(first, PROBLEM_CHARS),
        -1 if gate is None else list(GateState).index(gate.result.state),
    ]
    if headline is None:
        return cells
    cells += [count(headline.n), pass_cell(headline), percent(headline.answered, headline.n)]
    cells.append([_metric(name, headline, row.compared) for name in metrics])
    cells += [[round(rate, 3) for rate in row.trend], time_text(status.executed)]
    if row.compared is not None:
        baseline = _baseline_name(row.compared) or t("index.no-baseline")
        cells += [baseline, link(row.entry.set_name, COMPARE_HTML), _tooltip(row.compared)]
    return cells


def _metric(name: str, headline: Headline, compared: BaselineFile | None) -> list[str]:
    """Value, verdict and interval, "" for none."""
    measure = headline.measured.get(name)
    show: Callable[[float | None], str] = score
    value, interval = headline.metrics.get(name), headline.intervals.get(name)
    if measure is not None:
        value, interval, show = measure.mean, measure.interval, partial(quantity, decimals=measure.decimals)
    return [show(value), verdict_mark(compared, name), "" if interval is None else "–".join(map(show, interval))]
