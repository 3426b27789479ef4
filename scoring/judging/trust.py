"""Decides whether a judge's levels may be believed, from the levels that people or programs recorded.

Nothing is taken away from a figure: a reader is told (docs/statistics.md#agreement-of-a-judge).
"""

from collections.abc import Iterable

from scoring.findings import FindingLog
from scoring.judging.figures import JudgeAgreement, JudgedMetric
from scoring.problems import Problem

POOR_KAPPA = 0.4  # below it agreement is no better than fair (Landis & Koch 1977)
QUERIES_TO_REJECT = 40
QUERIES_TO_BACK = 20


def note_trust(metrics: Iterable[JudgedMetric], log: FindingLog) -> None:
    """Log each metric whose judge disagrees with recorded levels, or whose levels too few of these back."""
    for metric in metrics:
        agreement = metric.agreement
        if agreement is not None and _disagrees(agreement):
            facts = {
                "kappa": f"{agreement.kappa:.2f}",
                "low": f"{agreement.low:.2f}",
                "high": f"{agreement.high:.2f}",
                "queries": str(agreement.queries),
            }
            log.add(Problem(code="judge-disagrees", found=metric.metric, values=facts), agreement.n)
        backing = 0 if agreement is None else agreement.queries
        if metric.judged and backing < QUERIES_TO_BACK:
            facts = {"queries": str(backing), "least": str(QUERIES_TO_BACK)}
            log.add(Problem(code="judge-unproven", found=metric.metric, values=facts), metric.judged)


def _disagrees(agreement: JudgeAgreement) -> bool:
    """Is it sure, over enough queries, that the two agree poorly?"""
    return agreement.queries >= QUERIES_TO_REJECT and agreement.high is not None and agreement.high < POOR_KAPPA
