"""What to do next time: would one more round of a set, or more questions, make its figure surer?"""

from pathlib import Path

from reporting.comparison import costliest_metric, metric_name, size_text
from reporting.data import Report
from reporting.runs import read_repeats
from reporting.summary.facts import Plan, leading_of_report
from reporting.wording import count
from scoring.comparison import SHARES
from scoring.rubric import METRICS, RUBRICS, TOTAL
from scoring.statistics import split_variance
from texts import Texts

MOST_ITEMS = 20_000  # of a set whose front page says it; `scorewatch plan` says it of all
_OF_AN_ITEM = (*METRICS, RUBRICS)


def plan_of(folder: Path, report: Report, leading: str = "") -> Plan | None:
    """What is planned by, of the report in a folder; None where its queries have one item each, or do not vary.

    leading: the figure that leads; without it the report's own. Raises UnreadableRunError.
    """
    repeated, figure = report.repeatability, planned_figure(report, leading)
    if not figure or report.headline.queries == report.headline.n:
        return None
    split = split_variance(read_repeats(folder, report, figure))
    if split is None or split.icc is None:
        return None
    return Plan(
        figure,
        split,
        flips=repeated.sometimes,
        of=repeated.always + repeated.sometimes + repeated.never,
        rounds_differ=any(one.code == "rounds-differ" for one in report.findings),
    )


def planned_figure(report: Report, leading: str = "") -> str:
    """The leading figure, or what costs a total most of the metrics that an item has points of by itself; "" for none.

    A total and consistency are of queries, so that nothing of them lies within a query.
    """
    figure = leading or leading_of_report(report)
    if figure == TOTAL:
        figure = costliest_metric(
            report.insights.losses,
            report.basis.weights,
            [name for name in report.basis.weights if name in _OF_AN_ITEM],
        )
    figure = report.basis.told_as(figure)
    return figure if figure in {*_OF_AN_ITEM, *SHARES} else ""


def figure_title(plan: Plan, report: Report, t: Texts) -> str:
    """The figure as the document of the set calls it."""
    return metric_name(plan.figure, t, (), {entry.name: entry.title for entry in report.metrics})


def half_width(plan: Plan, t: Texts, *, queries: float | None = None, rounds: int | None = None) -> str:
    """`±0.78`. queries, rounds: as of `VarianceSplit.half_width`."""
    return f"±{size_text(plan.figure, plan.split.half_width(queries=queries, rounds=rounds), t)}"


def plan_text(plan: Plan, report: Report, t: Texts) -> str:
    """The line of a front page."""
    split = plan.split
    told = t(
        "plan.line",
        metric=figure_title(plan, report, t),
        now=half_width(plan, t),
        round=half_width(plan, t, rounds=split.rounds + 1),
        queries=half_width(plan, t, queries=split.queries_for_a_round),
    )
    return " ".join([told, *flips_text(plan, t)])


def flips_text(plan: Plan, t: Texts) -> list[str]:
    """That queries pass in one round and not in another though nothing changed; nothing where none does."""
    return [t("plan.flips", n=count(plan.flips), of=count(plan.of))] if plan.flips else []
