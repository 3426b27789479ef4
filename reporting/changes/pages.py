"""The pages about changes, `changes.md` and `changes.html`: the same view in two formats.

They depend on the earlier versions in the folder, unlike a report, which is a function of its key.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cache

import msgspec

from reporting.changes.compare import Changes, ItemChange
from reporting.charts.svg import Chart
from reporting.charts.trend import trend_chart
from reporting.data.judge_json import JudgeMark
from reporting.pages.html import render
from reporting.pages.markdown import md, render_markdown
from reporting.store.history import Version
from reporting.store.set_folder import CHANGES_HTML, CHANGES_MD, HISTORY
from reporting.store.status import Headline, State, StatusFile
from reporting.view.headline import headline_pieces, leading_metrics, pass_cell
from reporting.view.tables import Table, table, table_of
from reporting.wording.catalogue import Texts
from reporting.wording.display import NONE, count, excerpt, percent, score
from reporting.wording.names import metric_place, metric_title, metric_word
from scoring.rubric.model import Rubric

MAX_ITEMS = 100
ID_CHARS = 60
QUESTION_CHARS = 120
NAME_CHARS = 120
KEY_CHARS = 8
_USUAL_SCALE = 5.0
_NOTHING = table([], [])
_ANY_SET = "theNameOfAnySet"  # letters, which no escaping changes


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionLink:
    """An earlier version. href: relative to the set's folder."""

    text: str
    href: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangesView:
    """What changed since the version before.

    home: "report" or "problem", the page to go back to. is_first: nothing to compare with; the rest is empty then.
    lead: what changed in one line, "" without figures on both sides. note: what makes the figures differ besides the
    answers, "" when nothing. trend: None with fewer than two versions that have figures. versions: newest first.
    """

    set_name: str
    home: str
    is_first: bool = True
    lead: str = ""
    note: str = ""
    metrics: Table = _NOTHING
    paired: str = ""
    worse: Table = _NOTHING
    better: Table = _NOTHING
    trend: Chart | None = None
    versions: tuple[VersionLink, ...] = ()


def changes_view(
    set_name: str,
    after: StatusFile,
    changes: Changes | None,
    versions: Sequence[Version],
    *,
    rubric: Rubric | None,
    t: Texts,
) -> ChangesView:
    """changes: None for the first version. versions: the kept ones, oldest first. rubric: None for a problem."""
    word = _metric_namer(rubric, t)
    headlines = [version.status.headline for version in versions]
    trend = [headline for headline in (*headlines, after.headline) if headline is not None]
    view = ChangesView(
        set_name=excerpt(set_name, NAME_CHARS),
        home="report" if after.state is State.REPORT else "problem",
        trend=trend_chart(trend, _USUAL_SCALE if rubric is None else rubric.scale, word, t) if len(trend) > 1 else None,
    )
    if changes is None:
        return view
    return replace(
        view,
        is_first=False,
        lead=_lead(changes, word, t),
        note=_note(changes, t),
        metrics=_metrics(changes, word, t),
        paired=_paired(changes, t),
        worse=_items(changes.worse, word, t),
        better=_items(changes.better, word, t),
        versions=tuple(_link(version, t) for version in reversed(versions)),
    )


def render_changes(view: ChangesView, t: Texts) -> dict[str, str]:
    """Text by format: "md" and "html"."""
    if not view.is_first:
        return _rendered(view, t)
    from markupsafe import escape

    # Most sets have one version: their pages differ by the name of the set alone.
    pieces = _first_pages(view.home, t)
    return {
        "md": md(view.set_name).join(pieces["md"]),
        "html": str(escape(view.set_name)).join(pieces["html"]),
    }


def _rendered(view: ChangesView, t: Texts) -> dict[str, str]:
    return {
        "md": render_markdown("changes.md.j2", view=view, t=t),
        "html": render("changes.html.j2", t, view=view),
    }


@cache
def _first_pages(home: str, t: Texts) -> dict[str, list[str]]:
    """The pages of a first version, split at the name of the set."""
    pages = _rendered(ChangesView(set_name=_ANY_SET, home=home), t)
    return {kind: text.split(_ANY_SET) for kind, text in pages.items()}


def render_kept(status: StatusFile, t: Texts) -> dict[str, str]:
    """The pages in the place of those of a kept version, by file name: its report links to them."""
    name = excerpt(status.set, NAME_CHARS)
    return {
        CHANGES_MD: render_markdown("kept.md.j2", set_name=name, t=t),
        CHANGES_HTML: render("kept.html.j2", t, set_name=name),
    }


def _note(changes: Changes, t: Texts) -> str:
    notes = [t("changes.new-rules")] if changes.has_new_rules else []
    notes += _judge_notes(changes.judges, t) if changes.before is not None and changes.after is not None else []
    notes += [t("changes.was-refused")] if changes.before is None else []
    notes += [t("changes.is-refused")] if changes.after is None else []
    return " ".join(notes)


def _judge_notes(judges: tuple[JudgeMark, JudgeMark], t: Texts) -> list[str]:
    before, after = judges
    if before == after:
        return []
    if not before.model or not after.model:
        model = excerpt(before.model or after.model, NAME_CHARS)
        return [t("changes.judge-on" if after.model else "changes.judge-off", model=model)]
    sides = zip(
        ("model", "votes", "prompt"), msgspec.structs.astuple(before), msgspec.structs.astuple(after), strict=True
    )
    changed = [
        t(f"changes.judge-{what}", values=" → ".join(excerpt(str(value), NAME_CHARS) for value in (old, new)))
        for what, old, new in sides
        if old != new
    ]
    return [t("changes.judge-other", changes=", ".join(changed))]


def _metric_namer(rubric: Rubric | None, t: Texts) -> Callable[[str], str]:
    """A function from a metric to what the report calls it. rubric: None where there is no report."""
    return lambda name: metric_word(name, t) if rubric is None else metric_title(rubric, name, t)


def _metrics(changes: Changes, word: Callable[[str], str], t: Texts) -> Table:
    """A metric over a different number of items than before shows its n."""
    before, after = changes.before, changes.after
    sides = (before, after)
    names = dict.fromkeys(name for side in (after, before) if side is not None for name in side.metrics)
    rows = [
        [
            t("changes.items"),
            *(NONE if side is None else count(side.n) for side in sides),
            _count_change(before, after),
        ],
    ]
    if any(side is not None and side.passed is not None for side in sides):
        rows.append(_rate_row("headline.pass-rate", [NONE if side is None else pass_cell(side) for side in sides], t))
    answered = [NONE if side is None else percent(side.answered, side.n) for side in sides]
    rows.append(_rate_row("headline.answered-rate", answered, t))
    for name in sorted(names, key=metric_place):
        values = [None if side is None else side.metrics.get(name) for side in sides]
        numbers = [side.get(name) for side in changes.numbers]
        shown = [f" (n={count(n)})" if n is not None and len({*numbers}) > 1 else "" for n in numbers]
        cells = [f"{score(value)}{n}" for value, n in zip(values, shown, strict=True)]
        rows.append([word(name), *cells, difference(*values)])
    return table(
        [t("table.metric"), *(f">{t(key)}" for key in ("changes.before", "changes.after", "changes.difference"))],
        rows,
    )


def difference(before: float | None, after: float | None) -> str:
    """`▲ 0.12`, `▼ 0.30`, `=`; "" when a side has no value."""
    if before is None or after is None:
        return ""
    change = Decimal(score(after)) - Decimal(score(before))  # of what is shown: 4.48 and 4.48 are equal
    return _arrow(change, str(abs(change))) if change else "="


def _count_change(before: Headline | None, after: Headline | None) -> str:
    if before is None or after is None:
        return ""
    change = after.n - before.n
    return _arrow(change, count(abs(change))) if change else "="


def _rate_row(key: str, rates: Sequence[str], t: Texts) -> list[str]:
    """A share before and after, and the difference of what is shown; NONE is a side without one."""
    if NONE in rates:
        return [t(key), *rates, ""]
    before, after = (Decimal(rate.removesuffix("%")) for rate in rates)
    change = after - before
    difference = t("changes.percent-points", n=_arrow(change, str(abs(change)))) if change else "="
    return [t(key), *rates, difference]


def _arrow(change: Decimal | float, shown: str) -> str:
    return f"{'▲' if change > 0 else '▼'} {shown}"


def _lead(changes: Changes, word: Callable[[str], str], t: Texts) -> str:
    """What changed in one line, "" without figures on both sides: what leads, and the number of items."""
    if changes.before is None or changes.after is None:
        return ""
    sides = (changes.before, changes.after)
    pieces = [
        f"{word(name)} " + " → ".join(score(side.metrics.get(name)) for side in sides)
        for name in leading_metrics(changes.after.metrics)
    ]
    if any(side.passed is not None for side in sides):
        pieces.append(f"{t('headline.pass-rate')} " + " → ".join(map(pass_cell, sides)))
    answered = " → ".join(percent(side.answered, side.n) for side in sides)
    pieces.append(f"{t('headline.answered-rate')} {answered}")
    numbers = {"worse": count(len(changes.worse)), "better": count(len(changes.better))}
    return t("changes.lead", rates=", ".join(pieces), **numbers)


def _paired(changes: Changes, t: Texts) -> str:
    numbers = {"added": count(changes.added), "removed": count(changes.removed)}
    return t("changes.paired", items=t.counted("items", count(changes.paired)), **numbers)


def _items(changes: Sequence[ItemChange], word: Callable[[str], str], t: Texts) -> Table:
    return table_of(
        changes,
        [
            ("Query ID", lambda change: excerpt(change.query_id, ID_CHARS)),
            (t("items.round"), lambda change: excerpt(change.round, ID_CHARS)),
            (t("items.status"), lambda change: _statuses(change, t)),
            (t("changes.points"), lambda change: _points(change, word)),
            (f">{t('changes.sum')}", lambda change: _arrow(change.delta, score(abs(change.delta)))),
            (t("js.question"), lambda change: excerpt(change.after.question, QUESTION_CHARS)),
        ],
        limit=MAX_ITEMS,
    )


def _statuses(change: ItemChange, t: Texts) -> str:
    names = [t(f"status.{s}") if t.has(f"status.{s}") else s for s in (change.before.status, change.after.status)]
    return names[0] if names[0] == names[1] else " → ".join(names)


def _points(change: ItemChange, word: Callable[[str], str]) -> str:
    before, after = change.before.points, change.after.points
    return ", ".join(
        f"{word(name)} {score(before.get(name))} → {score(value)}"
        for name, value in after.items()
        if before.get(name) != value
    )


def _link(version: Version, t: Texts) -> VersionLink:
    status = version.status
    page = "report.md" if status.state is State.REPORT else "problem.md"
    text = t("changes.version", number=str(version.sequence), key=excerpt(status.key, KEY_CHARS))
    if status.headline is not None:
        items = t.counted("items", count(status.headline.n))
        text += ", " + ", ".join([items, *headline_pieces(status.headline, t)])
    return VersionLink(text=text, href=f"{HISTORY}/{version.folder.name}/{page}")
