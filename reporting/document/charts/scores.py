"""The charts of a set: which there are, and those about scores and outcomes.

A function of the result: the same set gives the same bytes. Every value is also written as a number, so that no
information depends on a colour, and the description repeats it for readers who do not see the drawing.
"""

from collections.abc import Iterator, Sequence
from itertools import accumulate

from reporting.document.charts.latency import latency_charts
from reporting.document.charts.svg import (
    WIDTH,
    Chart,
    Drawing,
    Share,
    curve,
    file_stem,
    rect,
    stack,
    text,
    text_width,
    whisker,
)
from reporting.document.tables import ratio_text, shown_groups
from reporting.wording import (
    MetricFigures,
    class_name,
    count,
    excerpt,
    pair_kind,
    round_name,
    score,
    set_metrics,
    status_name,
    sure_score,
    track_name,
    widest_scale,
)
from scoring.results import Group, Mean, SetResult, copies_of
from scoring.rubric import ALL, SHARE, Scale, Status
from scoring.statistics import Interval
from texts import Texts

MAX_BARS = 4  # rounds drawn as bars; more become a line
MAX_ROUNDS = 12  # lines of statuses
PASS, FAIL, MISMATCH = "c3", "c1", "c4"
STATUS_KINDS = {Status.OK: "c3", Status.PARTIAL: "c2", Status.ERROR: "c4", Status.EMPTY: "c6"}
_LEVEL_CHARS = 18
_MARK_WIDTH = 16.0  # of the square before a text of a legend, and of the space around it
_THIN_LEFT = 90.0
_THIN_RIGHT = 300.0
_LEFT = 62.0
_RIGHT = 346.0
_LINE_HEIGHT = 34.0

_Row = tuple[str, list[Share]]  # label and shares


def draw_charts(result: SetResult, t: Texts) -> tuple[Chart, ...]:
    """Every chart that has something to show, in the order in which a page shows them."""
    return (
        _metrics(result, t),
        *_consistency(result, t),
        _statuses(result, t),
        *_levels(result, t),
        *_latency_scores(result, t),
        *latency_charts(result, t),
    )


def _metrics(result: SetResult, t: Texts) -> Chart:
    rubric = result.rubric
    scale = widest_scale(rubric)
    drawing = Drawing()
    copies = copies_of(rubric)
    for figures in (one for one in set_metrics(result, t) if one.name not in copies):
        total = t("set") + " " + sure_score(figures.set, figures.interval)
        drawing.heading(figures.title, total, "e b")
        values = [
            f"{_short(entry.number, t)} {sure_score(mean.value, mean.interval)}"
            for entry, mean in zip(result.rounds, figures.rounds, strict=False)
        ]
        drawing.sentences.append(f"{figures.title}: {', '.join([*values, total])}")
        _rounds(drawing, figures, result, t)
        drawing.y += 8
    lowest, highest = (f"{end:g}" for end in scale)
    return drawing.chart("metrics", f"{t('chart.metrics')} ({t('chart.metrics.scale', lowest=lowest, scale=highest)})")


def _rounds(drawing: Drawing, figures: MetricFigures, result: SetResult, t: Texts) -> None:
    scale = result.rubric.scale_of(figures.name)
    if not figures.rounds:
        _bar(drawing, "", figures.set, scale, "c5", interval=figures.interval)
    elif len(figures.rounds) > MAX_BARS:
        _line_of_rounds(drawing, figures.rounds, scale, t)
    else:
        for entry, mean in zip(result.rounds, figures.rounds, strict=True):
            _bar(drawing, _short(entry.number, t), mean.value, scale, interval=mean.interval)


def _bar(
    drawing: Drawing,
    label: str,
    value: float | None,
    scale: Scale,
    kind: str = "c1",
    *,
    shown: str = "",
    interval: Interval | None = None,
) -> None:
    """A bar with its value as a number. interval: of the value, drawn as a whisker."""
    y, across = drawing.y, (_RIGHT - _LEFT) / scale.length
    width = min(max(across * ((value or 0) - scale.lowest), 0), _RIGHT - _LEFT)
    drawing.pieces += [text(_LEFT - 8, y + 10, label, "m e")] if label else []
    drawing.pieces += [rect(_LEFT, y + 1, _RIGHT - _LEFT, 11, "p"), rect(_LEFT, y + 1, width, 11, kind)]
    if interval is not None:
        low, high = (_LEFT + across * (end - scale.lowest) for end in interval)
        drawing.pieces += whisker(low, high, y + 6.5)
    drawing.pieces.append(text(WIDTH, y + 10.5, shown or score(value), "m e"))
    drawing.y += 15


def _line_of_rounds(drawing: Drawing, rounds: Sequence[Mean], scale: Scale, t: Texts) -> None:
    """The rounds as a line, with the first and the last value as numbers."""
    y = drawing.y + 4
    below = y + _LINE_HEIGHT + 12
    drawing.pieces += [
        *curve(
            [mean.value for mean in rounds],
            scale,
            y,
            left=_LEFT,
            right=_RIGHT,
            height=_LINE_HEIGHT,
            intervals=[mean.interval for mean in rounds],
        ),
        text(_LEFT - 8, y + 20, score(rounds[0].value), "m e"),
        text(WIDTH, y + 20, score(rounds[-1].value), "m e"),
        text(_LEFT, below, _short(1, t), "m"),
        text(_RIGHT, below, _short(len(rounds), t), "m e"),
    ]
    drawing.y = y + _LINE_HEIGHT + 16


def _short(number: int, t: Texts) -> str:
    return t("round.short", number=str(number))


def _statuses(result: SetResult, t: Texts) -> Chart:
    rows = [
        (
            round_name(entry, t),
            [(status_name(status, t), counts.get(status, 0), kind) for status, kind in STATUS_KINDS.items()],
        )
        for entry, counts in list(zip(result.rounds, result.groups[0].statuses, strict=True))[:MAX_ROUNDS]
    ]
    draw = _stacks if len(rows) <= MAX_BARS else _thin_stacks
    return draw("statuses", t("chart.statuses"), rows)


def _consistency(result: SetResult, t: Texts) -> Iterator[Chart]:
    """No chart where nothing is compared."""
    groups = [(track_name(key, t), group) for key, group in shown_groups(result) if group is not None]
    has_tracks = bool(groups)
    groups.append((track_name(ALL, t), result.groups[0]))
    if result.groups[0].agreement is not None:
        yield from _agreement(groups, t("chart.agreement" if has_tracks else "chart.agreement-all"), t)
        return
    rows = [
        (
            f"{name}  {score(group.consistency)}",
            [
                (t(f"pairs.{pair_kind(result.rubric)}.both"), group.pairs.both_pass, PASS),
                (t(f"pairs.{pair_kind(result.rubric)}.neither"), group.pairs.both_fail, FAIL),
                (t("chart.consistency.mismatch"), group.pairs.mismatch, MISMATCH),
            ],
        )
        for name, group in groups
        if group.pairs.compared
    ]
    if rows:
        yield _stacks("consistency", t("chart.consistency" if has_tracks else "metric.consistency"), rows)


def _agreement(groups: Sequence[tuple[str, Group]], title: str, t: Texts) -> Iterator[Chart]:
    """Shares of rounds that agree on label and signature."""
    drawing = Drawing()
    for name, group in groups:
        figures = group.agreement
        if figures is None or figures.score is None:
            continue
        label = f"{name}  {score(figures.score)}"
        drawing.heading(label, f"n={count(figures.queries)}", "m e")
        ratios = {t("more.label"): figures.ratio_label, t("more.signature"): figures.ratio_signature}
        for named, ratio in ratios.items():
            _bar(drawing, named, ratio, SHARE, shown=ratio_text(ratio))
        shares = ", ".join(f"{named} {ratio_text(ratio)}" for named, ratio in ratios.items())
        drawing.sentences.append(f"{label}: {shares}")
        drawing.y += 8
    if drawing.sentences:
        yield drawing.chart("consistency", title)


def _stacks(name: str, title: str, rows: Sequence[_Row]) -> Chart:
    """One bar a row, its shares side by side, and below them what they are in words and numbers."""
    drawing = Drawing()
    for label, shares in rows:
        y, total = drawing.y, sum(n for _, n, _ in shares)
        drawing.pieces += [text(0, y + 11, label, "b"), text(WIDTH, y + 11, f"n={count(total)}", "m e")]
        drawing.pieces += stack(shares, 0.0, WIDTH, y + 16, 12)
        drawing.pieces += _legend([(f"{named} {count(n)}", kind) for named, n, kind in shares], y + 41)
        drawing.sentences.append(_sentence(label, shares))
        drawing.y += 51
    return drawing.chart(name, title)


def _thin_stacks(name: str, title: str, rows: Sequence[_Row]) -> Chart:
    """The same in one line a row: the names of the shares are written once, on top."""
    names = rows[0][1]
    drawing = Drawing(38.0)
    drawing.pieces.append(text(WIDTH, 12, " / ".join(named for named, _, _ in names), "m e"))
    drawing.pieces += _legend([(named, kind) for named, _, kind in names], 28)
    for label, shares in rows:
        y, numbers = drawing.y, " / ".join(count(n) for _, n, _ in shares)
        drawing.pieces += [text(0, y + 10, label, "m"), text(WIDTH, y + 10, numbers, "m e")]
        drawing.pieces += stack(shares, _THIN_LEFT, _THIN_RIGHT - _THIN_LEFT, y + 1, 11)
        drawing.sentences.append(_sentence(label, shares))
        drawing.y += 17
    return drawing.chart(name, title)


def _sentence(label: str, shares: Sequence[Share]) -> str:
    return f"{label}: " + ", ".join(f"{named} {count(n)}" for named, n, _ in shares)


def _legend(entries: Sequence[tuple[str, str]], y: float) -> Iterator[str]:
    """entries: text and class of the colour. In columns of one width, or of the texts' widths where one is too long.

    Texts that are too long together are drawn narrower.
    """
    needed = [_MARK_WIDTH + text_width(shown) for shown, _ in entries]
    step, share = WIDTH / len(entries), WIDTH / sum(needed)
    steps = [step] * len(entries) if max(needed) <= step else [share * width for width in needed]
    for x, width, (shown, kind) in zip(accumulate(steps, initial=0.0), steps, entries, strict=False):
        yield rect(x, y - 8, 8, 8, kind)
        yield text(x + 12, y, shown, "m", width=width - _MARK_WIDTH if share < 1 else None)


def _levels(result: SetResult, t: Texts) -> Iterator[Chart]:
    """Items per level of the rubrics metric, those without one last."""
    rule = result.rubric.rubrics
    if rule is None or not result.levels:
        return
    counts = result.levels[0]
    shares = sorted(zip(rule.levels, counts.set, strict=True), key=lambda pair: -pair[0].points)
    rows = [(f"{rule.spelling(level)} {excerpt(level.name, _LEVEL_CHARS)}", n, "c1") for level, n in shares]
    if none := sum(counts.none):
        rows.append((t("rubrics.none"), none, "c6"))
    drawing = Drawing()
    drawing.shares(rows, left=140.0, room=80.0)
    yield drawing.chart("levels", t("chart.levels"), joint=", ")


def _latency_scores(result: SetResult, t: Texts) -> Iterator[Chart]:
    """Items per latency score, a chart per class with items."""
    classes = {entry.name: entry for entry in result.rubric.latency_classes}
    for entry in result.distributions:
        if sum(entry.set):
            drawing = Drawing()
            ordered = sorted(zip(entry.points, entry.set, strict=True), reverse=True)
            rows = [(t("unit.points", n=f"{given:g}"), n, "c1") for given, n in ordered]
            drawing.shares(rows, left=40.0, room=90.0)
            title = t("chart.scores", class_name=class_name(classes[entry.name]))
            yield drawing.chart(f"scores-{file_stem(entry.name)}", title, joint=", ")
