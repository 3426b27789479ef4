"""A figure of a profile over its runs, for its trend and its card."""

from collections.abc import Sequence

from msgspec import UNSET

from reporting.comparison import difference_text, value_text
from reporting.document.charts import Chart, Limit, RunPoint, runs_chart
from reporting.trend.runs import TrendRun, figure_of, figures_of
from reporting.wording import count, excerpt, run_changes, verdict_mark
from scoring.comparison import SHARES, Difference, Verdict
from scoring.gate import GateResult, limit_of
from scoring.rubric import RUBRICS, SHARE, USUAL_SCALE, Scale, is_measure
from scoring.sets import shown
from scoring.statistics import Interval
from texts import Texts

NAME_CHARS = 60
_OF_RULES = frozenset({Difference.RUBRIC, Difference.ENGINE, Difference.JUDGE})  # no line joins what they score


def figure_chart(
    name: str,
    title: str,
    metric: str,
    runs: Sequence[TrendRun],
    t: Texts,
    *,
    gate: GateResult | None,
    is_small: bool = False,
) -> Chart:
    """The chart of one figure of at least one run. gate: of the last run, whose limit is drawn. name: of the file."""
    figures = [figure_of(run.status.headline, metric) for run in runs]
    points = [
        RunPoint(
            run_title(run),
            figure.value,
            figure.interval,
            changed_text(run, t),
            run_mark(run, metric),
            run.status.damaged,
            not _OF_RULES.isdisjoint(run.changed),
        )
        for run, figure in zip(runs, figures, strict=True)
    ]
    decimals = figures[-1].decimals
    known = [point.value for point in points if point.value is not None and not point.is_damaged]
    told = ""
    if known:
        first, last = (value_text(metric, value, decimals) for value in (known[0], known[-1]))
        told = t("trend.chart", first=first, last=last, n=count(len(known)))
    rule = limit_of(gate, metric, figures_of(runs[-1].status.headline))
    limit = None if rule is None or rule.limit is None else Limit(rule.limit, _gate_title(metric, rule.limit, t))
    return runs_chart(
        name,
        title,
        points,
        lambda value: value_text(metric, value, decimals),
        scale=_scale(metric, runs),
        limit=limit,
        is_small=is_small,
        told=told,
    )


def shift_chart(name: str, title: str, metric: str, runs: Sequence[TrendRun], t: Texts) -> Chart | None:
    """The differences of a figure to the pinned baseline with their intervals; None where no run has one.

    Those of shares are percent points, which the title says: beside the axis there is no room for the unit.
    """
    pinned = [run.compared for run in runs if run.compared is not None and run.compared.shifts is not UNSET]
    if not pinned:
        return None
    pin, points = pinned[-1].baseline, []
    for run in runs:
        of_pin = run.compared if run.compared is not None and run.compared.baseline == pin else None
        found = None if of_pin is None or of_pin.shifts is UNSET else of_pin.shifts.get(metric)
        shift, interval = (None, None) if found is None else (found[0], Interval(*found[1:]))
        shift = 0.0 if run.name == pin else shift
        points.append(RunPoint(run_title(run), shift, interval, "", run_mark(run, metric)))
    if all(point.interval is None for point in points):
        return None
    told = t("trend.shift", name=run_name(pin))
    unit = t("changes.percent-points", n="").strip() if metric in SHARES else ""

    def show(value: float) -> str:
        return difference_text(metric, value, t).removesuffix(unit).rstrip()

    of_unit = f" ({unit})" if unit else ""
    return runs_chart(name, f"{title}: {told}{of_unit}", points, show, limit=Limit(0.0, run_name(pin)), told=told)


def run_mark(run: TrendRun, metric: str) -> str:
    """What the comparison of a run says of a figure that is worse; "" else."""
    if run.compared is None:
        return ""
    verdict, is_again = run.compared.verdicts.get(metric), run.compared.is_worse_again(metric)
    return verdict_mark(verdict, is_again=is_again) if is_again or verdict is Verdict.WORSE else ""


def run_name(set_name: str) -> str:
    """The name of a run as it is shown."""
    return excerpt(shown(set_name), NAME_CHARS)


def run_title(run: TrendRun) -> str:
    """The name that people gave to a run, else that of its set."""
    return excerpt(run.info.name, NAME_CHARS) or run_name(run.name)


def changed_text(run: TrendRun, t: Texts) -> str:
    """What differs from the run before, "" for nothing."""
    kinds = [t(f"trend.changed.{kind}") for kind in run.changed]
    return ", ".join([*kinds, *run_changes(run.before, run.info, t)])


def since_text(run: TrendRun, t: Texts) -> str:
    """With which run it changed, "" for nothing."""
    what = changed_text(run, t)
    return t("trend.since", name=run_title(run), what=what) if what else ""


def _gate_title(metric: str, limit: float, t: Texts) -> str:
    return f"{t('gate.title')} {value_text(metric, limit)}"


def _scale(metric: str, runs: Sequence[TrendRun]) -> Scale | None:
    """What the figure can be: of points the widest of the runs, None for a measure."""
    if metric == RUBRICS or metric in SHARES:
        return SHARE
    if is_measure(metric):
        return None
    scales = [run.status.headline.points for run in runs if run.status.headline is not None] or [USUAL_SCALE]
    return Scale(min(scale.lowest for scale in scales), max(scale.highest for scale in scales))
