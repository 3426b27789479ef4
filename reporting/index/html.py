"""index.html: the first rows as markup, which is all that a page without a script shows, and all rows as data.

index.js draws the rows of the other pages, and those that a search or an order leaves, as `html_row` does.
"""

from collections.abc import Collection, Mapping, Sequence
from html import escape
from typing import NamedTuple

from reporting.data import script_json
from reporting.document import Html, fragment, html, large, leading_metrics, struck
from reporting.index.cells import (
    MARKS,
    NAME_CHARS,
    WORST_FIRST,
    MetricCell,
    RowTexts,
    differences,
    leading_column,
    row_texts,
)
from reporting.index.packed import packed_texts
from reporting.index.rows import IndexRow, Rows
from reporting.store import COMPARE_HTML, SUMMARY_HTML, link
from reporting.wording import NONE, excerpt, metric_word
from texts import Texts

FIRST_ROWS = 100  # of a page; index.js has the same
_BREAKS = frozenset("-_./")
_WIDE = frozenset({"state", "passed", "against"})  # columns that a phone leaves out
_OF_ALL = "ds"  # verdicts that a row has of all figures, where it is the worst of them
_CLASSES = {"b": ' class="up"', "h": ' class="down"', "w": ' class="down"'}
_ROWS = "\x1f"  # no text has this character once it is clean
ROWS = script_json(_ROWS).encode()


class PageRows(NamedTuple):
    """first: markup of the first rows. told: texts of the problems by key."""

    first: Sequence[str]
    told: Mapping[str, str]


def rows_data(drawn: PageRows, metrics: Sequence[str], rows: Rows, t: Texts) -> bytes:
    """The data of the page, with ROWS where those of its rows are put. metrics: titles of their columns."""
    data = {
        "metrics": metrics,
        "columns": sorted(rows.columns),
        "leading": len(leading_metrics(rows.metrics)),
        "profiles": [excerpt(profile, NAME_CHARS) for profile in rows.profiles],
        "told": dict(sorted(drawn.told.items())),
        "texts": t.starting("index-js."),
        **packed_texts(t),
        "rows": [_ROWS],
    }
    return script_json(data).encode(errors="replace")


def first_rows(drawn: PageRows, metrics: Sequence[str], columns: Collection[str], t: Texts) -> Html:
    """The form and the table with the first rows. metrics: titles of their columns. columns: of `Rows`."""
    heads = [
        html('<th scope="col"{}>{}</th>', Html(f' class="{kind}"' if kind else ""), text)
        for text, kind in _titles(metrics, columns, t)
    ]
    noscript = t("index.noscript", n=str(FIRST_ROWS))
    rows = Html("".join(drawn.first))
    return fragment("index.html", t, titles=Html("".join(heads)), rows=rows, noscript=noscript)


def _titles(metrics: Sequence[str], columns: Collection[str], t: Texts) -> list[tuple[str, str]]:
    """The columns and the classes of their cells. On a phone those of the class `wide` give way to the `narrow` one."""
    state = [(t("index-js.state"), "wide")] if "state" in columns else []
    passed = [(t("index-js.passed"), "r wide")] if "passed" in columns else []
    against = [(t("index-js.against"), "wide")] if "against" in columns else []
    return [
        (t("index-js.set"), ""),
        (t("index-js.lead"), "narrow"),
        *state,
        (t("index-js.executed"), "wide"),
        (t("index-js.items"), "r wide"),
        *passed,
        (t("index-js.answered"), "r wide"),
        *((title, "r wide") for title in metrics),
        *against,
        *([(t("index-js.look-at"), "r")] if "look-at" in columns else []),
    ]


def html_row(row: IndexRow, metrics: Sequence[str], columns: Collection[str], t: Texts) -> str:
    """A row as markup. columns: of `Rows`."""
    texts = row_texts(row, metrics, t)
    name = f'<a class="name" href="{link(row.entry.set_name, SUMMARY_HTML)}">{_parts(texts.name)}</a>'
    notes = f"<small>{escape(texts.notes)}</small>" if texts.notes else ""
    look_at = f'<td class="r">{escape(texts.look_at)}</td>' if "look-at" in columns else ""
    if row.entry.status.headline is None:
        told = f'<div class="told">{name} · {texts.state}{notes}<span class="why">{escape(texts.problem)}</span></div>'
        wide = f'<td class="wide" colspan="{len(metrics) + 4 + len(_WIDE & {*columns})}">{told}</td>'
        return f'<tr class="bad">{wide}<td class="narrow" colspan="2">{told}</td>{look_at}</tr>\n'
    against = link(row.entry.set_name, COMPARE_HTML)
    baseline = _against(row, texts, against, t)
    when = escape(", ".join(filter(None, (texts.notes, texts.executed))))
    state = f'<td class="n wide">{texts.state}{notes}</td>' if "state" in columns else ""
    figures = [*([texts.passed] if "passed" in columns else []), texts.answered, *texts.metrics]
    cells = [
        f'<td>{name}<small class="narrow">{when}</small></td>',
        f'<td class="narrow">{_lead(row, texts, metrics, t)}</td>',
        state,
        f'<td class="n wide">{escape(texts.executed)}</td>',
        f'<td class="r wide">{texts.n}</td>',
        *[_metric(cell, against, _unlike(row, t), t, is_damaged=row.entry.status.damaged) for cell in figures],
        f'<td class="against wide">{baseline}</td>' if "against" in columns else "",
        look_at,
    ]
    return f"<tr>{''.join(cells)}</tr>\n"


def _against(row: IndexRow, texts: RowTexts, page: str, t: Texts) -> str:
    """The name of the baseline and a link to the comparison with it, or one to why there is none."""
    if row.compared is None:
        return NONE
    if not row.compared.verdicts:
        return f'<a href="{page}">{escape(texts.baseline)}</a>'
    return f'{_parts(texts.baseline)} <a href="{page}">{escape(t("index-js.comparison"))}</a>'


def _parts(name: str) -> str:
    """A long name breaks after its `_`, `-`, `.` and `/`, not within a word."""
    pieces = []
    start = 0
    for at, character in enumerate(name[:-1]):
        if character in _BREAKS:
            pieces.append(escape(name[start : at + 1]))
            start = at + 1
    return "<wbr>".join([*pieces, escape(name[start:])])


def _lead(row: IndexRow, texts: RowTexts, metrics: Sequence[str], t: Texts) -> str:
    """The figure that leads and the verdict, for a page that is too narrow for the columns."""
    leading = leading_column(row, metrics)
    headline = row.entry.status.headline
    assert headline is not None
    if headline.passed is not None:
        share = texts.passed, t("index-js.passed")
    else:
        share = texts.answered, t("index-js.answered")
    lead = [] if leading is None else [(texts.metrics[leading].value, metric_word(metrics[leading], t))]
    figures = [*lead, (share[0].value, share[1])]
    is_damaged = row.entry.status.damaged
    pieces = [f"{large(value, is_damaged=is_damaged)}<small>{escape(title)}</small>" for value, title in figures]
    titles = (t("index-js.passed"), t("index-js.answered"), *(metric_word(name, t) for name in metrics))
    cells = zip((texts.passed, texts.answered, *texts.metrics), titles, strict=True)
    of_kind = {cell.kind: title for cell, title in reversed([*cells])}
    kind = next((kind for kind in WORST_FIRST if kind in of_kind), "")
    if kind:
        said = f"{MARKS[kind]} {t(f'index.mark-{kind}')}" + ("" if kind in _OF_ALL else f": {of_kind[kind]}")
        pieces.append(f"<small{_CLASSES.get(kind, '')}>{escape(said)}</small>")
    return "".join(pieces)


def _unlike(row: IndexRow, t: Texts) -> str:
    """What else differs from the baseline; "" where like is compared with like."""
    return ", ".join(t(f"trend.changed.{kind.value}") for kind in differences(row.compared))


def _metric(cell: MetricCell, against: str, unlike: str, t: Texts, *, is_damaged: bool) -> str:
    title = f' title="{escape(t("index-js.interval", interval=cell.interval))}"' if cell.interval else ""
    mark = ""
    if cell.kind:
        verdict = t(f"index.mark-{cell.kind}")
        told = escape(f"{verdict}: {unlike}" if unlike and cell.kind != "d" else verdict)
        mark = f'<small{_CLASSES.get(cell.kind, "")}><a href="{against}" title="{told}">{cell.mark}</a></small>'
    value = struck(cell.value) if is_damaged and cell.kind else cell.value
    return f'<td class="r wide"{title}>{value}{mark}</td>'
