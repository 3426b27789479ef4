"""All figures of a comparison with the good side right, worst first; what did not change is folded."""

from collections.abc import Sequence

from reporting.comparison.figures import change_text, metric_of, range_text, value_text, verdict_text
from reporting.document import Block, Details, Html, OnlyHtml, html
from reporting.document.charts import Dot, bar
from scoring.comparison import Change, Comparison, Verdict, has_no_scale, length_of
from scoring.rubric import Better, Scale
from scoring.statistics import Interval
from texts import Texts

LEAST_PART = 0.02  # of a scale, that the axis reaches on both sides
_OF_BEFORE = Scale(-1.0, 1.0)  # axis of what has no scale: the value before, to twice as much and to nothing
_ORDER = (
    Verdict.WORSE,
    Verdict.BETTER,
    Verdict.CHANGED,
    Verdict.NOT_DISTINGUISHABLE,
    Verdict.NOT_COMPARABLE,
    Verdict.TOO_FEW,
    Verdict.NO_VALUE,
)
_KINDS = {Verdict.WORSE: "down", Verdict.BETTER: "up"}


def forest(comparison: Comparison, t: Texts) -> Block:
    """A row a figure: before and after, its change with the interval, the verdict. To the right is better."""
    changes = [change for change in comparison.groups[0].changes if change.queries]
    same = [change for change in changes if change.verdict is Verdict.SAME]
    others = [change for change in changes if change.verdict is not Verdict.SAME]
    others.sort(key=lambda change: _ORDER.index(change.verdict))
    dots = {change.metric: _dot(change, comparison) for change in changes}
    scaled = [dot for metric, dot in dots.items() if not has_no_scale(metric)]
    reach = max((abs(end) for dot in scaled for end in (dot.value or 0.0, *(dot.interval or ()))), default=0.0)
    axis = max(reach, LEAST_PART)
    scale = Scale(-axis, axis)
    blocks: list[Block] = [_table(comparison, others, dots, scale, t)] if others else []
    if same:
        names = ", ".join(metric_of(comparison.after, change.metric, t) for change in same)
        blocks.append(Details(t("compare.same", names=names), [_table(comparison, same, dots, scale, t)]))
    told = [html('<p class="muted">{}</p>\n', t("compare.forest-told"))] if any(map(_is_drawn, dots.values())) else []
    return OnlyHtml([*told, *blocks])


def _is_drawn(dot: Dot) -> bool:
    return dot.value is not None


def _dot(change: Change, comparison: Comparison) -> Dot:
    """The change as a part of the scale, or of the value before where there is none, with the good side right."""
    if has_no_scale(change.metric):
        length = abs(change.before or 0.0) or 1.0
    else:
        length = length_of(change.metric, comparison.after.basis.points.length)
    sign = -1.0 if change.good is Better.LOWER else 1.0
    ends = None if change.interval is None else sorted(sign * end / length for end in change.interval)
    return Dot(
        label="",
        value=None if change.difference is None else sign * change.difference / length,
        interval=None if ends is None else Interval(*ends),
        shown="",
        before=None if change.difference is None else 0.0,
    )


def _table(comparison: Comparison, changes: Sequence[Change], dots: dict[str, Dot], scale: Scale, t: Texts) -> Html:
    rows = [_row(comparison, change, dots[change.metric], scale, t) for change in changes]
    titles = ("table.metric", "compare.before-after", "compare.good-right", "compare.verdict", "compare.difference")
    kinds = {"compare.difference": ' class="r"'}
    heads = Html(
        "".join(html(f'<th scope="col"{kinds.get(key, "")}>{{}}</th>', t(key)) for key in (*titles, "compare.range"))
    )
    return html(
        '<div class="scroll" role="group" aria-label="{}"><table class="forest"><thead><tr>{}</tr></thead>\n'
        "<tbody>\n{}</tbody></table></div>\n",
        t("compare.metrics"),
        heads,
        Html("".join(rows)),
    )


def _row(comparison: Comparison, change: Change, dot: Dot, scale: Scale, t: Texts) -> Html:
    return html(
        '<tr><th scope="row">{}</th><td class="n">{} → {}</td><td>{}</td><td class="verdict-cell {}">{}</td>'
        '<td class="r">{}</td><td class="n">{}</td></tr>\n',
        metric_of(comparison.after, change.metric, t),
        value_text(change.metric, change.before),
        value_text(change.metric, change.after),
        Html(bar(dot, _OF_BEFORE if has_no_scale(change.metric) else scale) if _is_drawn(dot) else ""),
        _KINDS.get(change.verdict, ""),
        verdict_text(change, t),
        change_text(change, t),
        range_text(change, t),
    )
