"""The charts of a set: which there are, and those about scores and outcomes.

A function of the result: the same set gives the same bytes. Every value is also written as a number, so that nothing
hangs on a colour, and the description says it once more for those who do not see the drawing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from reporting.charts.latency import latency_charts
from reporting.charts.levels import level_charts
from reporting.charts.svg import WIDTH, Chart, file_stem, line, polyline, rect, text
from reporting.view.metrics import shown_groups
from reporting.wording.catalogue import Texts
from reporting.wording.display import NONE, count, percent, score
from reporting.wording.names import MetricFigures, class_name, round_name, set_metrics, status_name, track_name
from scoring.results.model import Distribution, Group, Mean, SetResult
from scoring.rubric.model import Status

MAX_BARS = 4  # rounds drawn as bars; more become a line
MAX_ROUNDS = 12  # lines of statuses
PASS, FAIL, MISMATCH = "c3", "c1", "c4"
STATUS_KINDS = {Status.OK: "c3", Status.PARTIAL: "c2", Status.ERROR: "c4", Status.EMPTY: "c6"}
_Row = tuple[str, list[tuple[str, int, str]]]  # label; shares: name, number, class
_THIN_LEFT = 90.0
_THIN_RIGHT = 300.0
_LEFT = 62.0
_RIGHT = 350.0


def draw_charts(result: SetResult, t: Texts) -> tuple[Chart, ...]:
    """Every chart that has something to show, in the order in which a page shows them."""
    charts = [
        _metrics(result, t),
        _statuses(result, t),
        *level_charts(result, t),
        *_scores(result, t),
        *latency_charts(result, t),
    ]
    consistency = _consistency(result, t)
    if consistency is not None:
        charts.insert(1, consistency)
    return tuple(charts)


def _metrics(result: SetResult, t: Texts) -> Chart:
    scale = max((result.rubric.scale_of(metric.name) for metric in result.rubric.metrics), default=result.rubric.scale)
    pieces: list[str] = []
    told: list[str] = []
    y = 4.0
    for figures in set_metrics(result, t):
        total = t("set") + " " + score(figures.set)
        pieces += [text(0, y + 12, figures.title, "b"), text(WIDTH, y + 12, total, "e b")]
        y += 18
        values = [
            f"{t('round.short', number=str(entry.number))} {score(mean.value)}"
            for entry, mean in zip(result.rounds, figures.rounds, strict=False)
        ]
        told.append(f"{figures.title}: {', '.join([*values, total])}")
        of_metric = result.rubric.scale_of(figures.name)
        drawn, y = _rounds(figures, result, t, y) if figures.rounds else _bar("", figures.set, of_metric, y, "c5")
        pieces += drawn
        y += 8
    return Chart(
        name="metrics",
        title=f"{t('chart.metrics')} ({t('chart.metrics.scale', scale=f'{scale:g}')})",
        description="; ".join(told),
        height=y,
        body="".join(pieces),
    )


def _rounds(figures: MetricFigures, result: SetResult, t: Texts, y: float) -> tuple[list[str], float]:
    scale = result.rubric.scale_of(figures.name)
    if len(figures.rounds) > MAX_BARS:
        return _line_of_rounds(figures.rounds, scale, t, y)
    pieces: list[str] = []
    for entry, mean in zip(result.rounds, figures.rounds, strict=True):
        drawn, y = _bar(t("round.short", number=str(entry.number)), mean.value, scale, y)
        pieces += drawn
    return pieces, y


def _bar(
    label: str, value: float | None, scale: float, y: float, kind: str = "c1", *, shown: str = ""
) -> tuple[list[str], float]:
    width = (_RIGHT - _LEFT) * min(max((value or 0) / scale, 0), 1)
    pieces = [text(_LEFT - 8, y + 10, label, "m e")] if label else []
    pieces += [rect(_LEFT, y + 1, _RIGHT - _LEFT, 11, "p"), rect(_LEFT, y + 1, width, 11, kind)]
    return [*pieces, text(WIDTH, y + 10.5, shown or score(value), "m e")], y + 15


def _line_of_rounds(rounds: Sequence[Mean], scale: float, t: Texts, y: float) -> tuple[list[str], float]:
    """The rounds as a line, with the first and the last value as numbers and the least one marked."""
    step = (_RIGHT - _LEFT) / max(len(rounds) - 1, 1)
    height = 34.0
    y += 4
    points = [
        (_LEFT + at * step, y + height * (1 - min(max(mean.value / scale, 0), 1)))
        for at, mean in enumerate(rounds)
        if mean.value is not None
    ]
    pieces = [line(_LEFT, y, _RIGHT, y), line(_LEFT, y + height, _RIGHT, y + height), polyline(points, "o l1")]
    pieces += [rect(x - 2, top - 2, 4, 4, "c1") for x, top in points]
    for anchor, x, mean in (("e", _LEFT - 8, rounds[0]), ("e", WIDTH, rounds[-1])):
        pieces.append(text(x, y + 20, score(mean.value), f"m {anchor}"))
    last = t("round.short", number=str(len(rounds)))
    pieces += [
        text(_LEFT, y + height + 12, t("round.short", number="1"), "s m"),
        text(_RIGHT, y + height + 12, last, "s m e"),
    ]
    return pieces, y + height + 16


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


def _consistency(result: SetResult, t: Texts) -> Chart | None:
    """None where nothing is compared."""
    groups = [(t("everything") if key is None else track_name(key, t), group) for key, group in _tracks(result)]
    if result.groups[0].agreement is not None:
        return _agreement(groups, t)
    rows = []
    for name, group in groups:
        if not group.pairs.compared:
            continue
        shares = [
            (t("chart.consistency.pass"), group.pairs.both_pass, PASS),
            (t("chart.consistency.fail"), group.pairs.both_fail, FAIL),
            (t("chart.consistency.mismatch"), group.pairs.mismatch, MISMATCH),
        ]
        rows.append((f"{name}  {score(group.consistency)}", shares))
    title = t("chart.consistency" if len(groups) > 1 else "chart.consistency-all")
    return _stacks("consistency", title, rows) if rows else None


def _tracks(result: SetResult) -> list[tuple[str | None, Group]]:
    """Groups by key, all items together under None at the end."""
    tracks: list[tuple[str | None, Group]] = [(key, group) for key, group in shown_groups(result) if group is not None]
    return [*tracks, (None, result.groups[0])]


def _agreement(groups: Sequence[tuple[str, Group]], t: Texts) -> Chart | None:
    """Shares of rounds that agree on label and signature."""
    pieces: list[str] = []
    told: list[str] = []
    y = 4.0
    for name, group in groups:
        figures = group.agreement
        if figures is None or figures.score is None:
            continue
        label = f"{name}  {score(figures.score)}"
        pieces += [text(0, y + 12, label, "b"), text(WIDTH, y + 12, f"n={count(figures.queries)}", "m e")]
        y += 18
        ratios = [
            (t("chart.agreement.label"), figures.ratio_label),
            (t("chart.agreement.signature"), figures.ratio_signature),
        ]
        for title, ratio in ratios:
            drawn, y = _bar(title, ratio, 1.0, y, shown=NONE if ratio is None else percent(ratio, 1))
            pieces += drawn
        shown = ", ".join(f"{title} {NONE if ratio is None else percent(ratio, 1)}" for title, ratio in ratios)
        told.append(f"{label}: {shown}")
        y += 8
    title, body = t("chart.agreement" if len(groups) > 1 else "chart.agreement-all"), "".join(pieces)
    return Chart(name="consistency", title=title, description="; ".join(told), height=y, body=body) if told else None


def _stacks(name: str, title: str, rows: Sequence[_Row]) -> Chart:
    """One bar a row, its shares side by side, and below them what they are in words and numbers."""
    pieces: list[str] = []
    told: list[str] = []
    y = 4.0
    for label, shares in rows:
        total = sum(n for _, n, _ in shares)
        pieces += [text(0, y + 11, label, "b"), text(WIDTH, y + 11, f"n={count(total)}", "m e")]
        x = 0.0
        for _, n, kind in shares:
            width = WIDTH * n / total if total else 0.0
            if n:
                pieces.append(rect(x, y + 16, width, 12, f"{kind} w"))
            x += width
        y += 41
        pieces += _legend(shares, y)
        told.append(f"{label}: " + ", ".join(f"{named} {count(n)}" for named, n, _ in shares))
        y += 10
    return Chart(name=name, title=title, description="; ".join(told), height=y, body="".join(pieces))


def _thin_stacks(name: str, title: str, rows: Sequence[_Row]) -> Chart:
    """The same in one line a row: what the numbers stand for is said once, on top."""
    pieces = [text(WIDTH, 12, " / ".join(named for named, _, _ in rows[0][1]), "m e")]
    step = WIDTH / len(rows[0][1])
    for at, (named, _, kind) in enumerate(rows[0][1]):
        pieces += [rect(at * step, 20, 8, 8, kind), text(at * step + 12, 28, named, "m")]
    told: list[str] = []
    y = 38.0
    for label, shares in rows:
        total = sum(n for _, n, _ in shares)
        pieces += [text(0, y + 10, label, "m"), text(WIDTH, y + 10, " / ".join(count(n) for _, n, _ in shares), "m e")]
        x, room = _THIN_LEFT, _THIN_RIGHT - _THIN_LEFT
        for _, n, kind in shares:
            width = room * n / total if total else 0.0
            if n:
                pieces.append(rect(x, y + 1, width, 11, f"{kind} w"))
            x += width
        told.append(f"{label}: " + ", ".join(f"{named} {count(n)}" for named, n, _ in shares))
        y += 17
    return Chart(name=name, title=title, description="; ".join(told), height=y, body="".join(pieces))


def _legend(shares: Sequence[tuple[str, int, str]], y: float) -> Iterator[str]:
    step = WIDTH / len(shares)
    for at, (named, n, kind) in enumerate(shares):
        yield rect(at * step, y - 8, 8, 8, kind)
        yield text(at * step + 12, y, f"{named} {count(n)}", "m")


def _scores(result: SetResult, t: Texts) -> Iterator[Chart]:
    """Items per latency score, a chart per class with items."""
    for entry in result.distributions:
        if sum(entry.set):
            yield _score_chart(result, entry, t)


def _score_chart(result: SetResult, entry: Distribution, t: Texts) -> Chart:
    total = sum(entry.set)
    most = max(entry.set)
    pieces: list[str] = []
    told: list[str] = []
    y = 4.0
    for given, n in sorted(zip(entry.points, entry.set, strict=True), reverse=True):
        label = t("unit.points", n=f"{given:g}")
        share = f"{count(n)} ({percent(n, total)})"
        pieces += [text(32, y + 11, label, "m e"), rect(40, y + 1, (WIDTH - 130) * n / most, 13, "c1")]
        pieces.append(text(46 + (WIDTH - 130) * n / most, y + 11.5, share, "m"))
        told.append(f"{label} {share}")
        y += 18
    latency_class = next(found for found in result.rubric.latency_classes if found.name == entry.name)
    title = t("chart.scores", class_name=class_name(latency_class))
    return Chart(
        name=f"scores-{file_stem(entry.name)}", title=title, description=", ".join(told), height=y, body="".join(pieces)
    )
