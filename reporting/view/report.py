"""Result -> what a report shows: display-ready texts and tables, not yet escaped for any format.

A function of the result and the language: no clock, host or path. The same view serves every format.
"""

from __future__ import annotations

from dataclasses import dataclass

from reporting.view.accuracy import total_text
from reporting.view.findings import FindingsView, findings_view, llm_statuses
from reporting.view.headline import lead_text
from reporting.view.metrics import Block, hidden_tracks
from reporting.view.page_paths import PageAddress, RoundPages, page_address, pages_by_round
from reporting.view.quality import HASH_CHARS, QualityView, quality_view
from reporting.view.queries.repeatability import RepeatabilityView, repeatability_view
from reporting.view.rules import RuleView, basis_tables, rules
from reporting.view.sections import SectionView, sections
from reporting.view.summary.checklist import CheckView, checklist, track_shares
from reporting.view.summary.losses import box_table, loss_place
from reporting.view.tables import Table
from reporting.wording.display import count, excerpt, percent
from reporting.wording.intervals import place_text, sure_score
from reporting.wording.links import items_link, joined
from reporting.wording.names import (
    NAME_CHARS,
    category_name,
    knows_tracks,
    metric_title,
    metric_titles,
    round_name,
    some_names,
    status_names,
    track_name,
)
from reporting.wording.times import run_text
from scoring.results.insights import Insights, find_insights
from scoring.results.model import SetResult
from scoring.rubric.model import Rubric
from scoring.statistics.intervals import FEW_QUERIES
from texts import Texts


@dataclass(frozen=True, slots=True, kw_only=True)
class BoxView:
    """What a reader must see first. lead: the figures that lead.

    answers: what to look at in the answers, "" for nothing. total: "" without weights. intervals: what they mean.
    """

    total: str
    lead: str
    weakest_title: str
    weakest: str
    lost: str
    answers: str
    table: Table
    intervals: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BasisView:
    """How scores were computed: one line per rule and per fact about the run that the file has, levels and bands."""

    rules: tuple[RuleView, ...]
    tables: tuple[Block, ...]
    rubric: str
    edition: str
    rubric_digest: str
    engine: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportView:
    """Everything that report.md shows, in its order. Texts are hostile until escaped.

    run: when it was executed and its Run IDs, "" where the file says neither.
    """

    title: str
    set_name: str
    run: str
    address: PageAddress
    box: BoxView
    data: str
    total: str
    rounds: str
    tracks: str
    hidden_tracks: int
    basis: BasisView
    sections: tuple[SectionView, ...]
    findings: FindingsView
    repeatability: RepeatabilityView
    checklist: tuple[CheckView, ...]
    quality: QualityView
    pages: tuple[RoundPages, ...]


def build_view(result: SetResult, *, set_name: str, t: Texts, insights: Insights | None = None) -> ReportView:
    """The view of one set. insights: `find_insights(result)` when None."""
    found = insights if insights is not None else find_insights(result)
    return ReportView(
        title=excerpt(result.rubric.title, NAME_CHARS),
        set_name=excerpt(set_name, NAME_CHARS),
        run=run_text(found.executed, found.run_ids, t),
        address=page_address(set_name, result.rubric.profile),
        box=_box(result, found, t),
        data=some_names([entry.name for entry in result.inputs if not (entry.refused or entry.left_out)], t),
        total=count(len(result.items)),
        rounds=", ".join(
            t("round.items", round=round_name(entry, t), items=t.counted("items", count(n)))
            for entry, n in zip(result.rounds, result.groups[0].items, strict=True)
        ),
        tracks=track_shares(result, t),
        hidden_tracks=hidden_tracks(result),
        basis=_basis(result, found, t),
        sections=sections(result, t),
        findings=findings_view(result, found, t),
        repeatability=repeatability_view(result, t),
        checklist=checklist(result, found, t),
        quality=quality_view(result, found, t),
        pages=pages_by_round(result, t),
    )


def _box(result: SetResult, insights: Insights, t: Texts) -> BoxView:
    names = status_names(t)
    failures = [
        f"{names[status]} {count(n)}"
        for status, n in insights.statuses.items()
        if n and status not in result.rubric.pass_statuses
    ]
    return BoxView(
        total=total_text(result, t) if result.total is not None else "",
        lead=lead_text(result, failures, t),
        weakest_title=t("table.weakest" if knows_tracks(result.rubric) else "report.weakest-category"),
        weakest=_weakest(result, insights, t),
        lost=_lost(result, insights, t),
        answers=joined(_look_at(result, insights, t), ", "),
        table=box_table(result, insights, t),
        intervals=t("box.intervals", n=count(FEW_QUERIES)),
    )


def _weakest(result: SetResult, insights: Insights, t: Texts) -> str:
    """The weakest track by the first metric in which one can be told from the others; where it is weakest as well.

    Where none can: the lowest track of the first metric, and that it cannot be told. The same of categories where there
    are no tracks, "" when they do not differ.
    """
    has_tracks = knows_tracks(result.rubric)
    weakest, name = (
        (insights.weakest_tracks, track_name) if has_tracks else (insights.weakest_categories, category_name)
    )
    titles = metric_titles(result.rubric, t)
    named = [(metric, weakest.get(metric)) for metric in titles]
    known = [(metric, entry) for metric, entry in named if entry is not None]
    distinct = [(metric, entry) for metric, entry in known if entry.is_distinct]
    if not known:
        return t("box.no-weakest") if has_tracks else ""
    metric, entry = (distinct or known)[0]
    also = [titles[name] for name, other in distinct if name != metric and other.key == entry.key]
    more = t("box.also-weakest", metrics=t("box.joint").join(also)) if also else ""
    figure = f"{titles[metric]} {sure_score(entry.value, entry.interval)}"
    return f"{place_text(entry, name(entry.key, t), t)}, {figure}{more}"


def _lost(result: SetResult, insights: Insights, t: Texts) -> str:
    """The metric that lost the largest share of its points, and where."""
    losses = [loss for loss in insights.losses if loss.points]
    if not losses:
        if not any(loss.possible for loss in insights.losses):
            return t("box.nothing-evaluated")
        return t("box.nothing-lost-evaluated" if _unevaluated(result) else "box.nothing-lost")
    worst = max(losses, key=lambda loss: loss.points / loss.possible)
    return t(
        "box.lost",
        metric=metric_title(result.rubric, worst.metric, t),
        share=percent(worst.points, worst.possible),
        place=loss_place(worst, result, t),
    )


def _unevaluated(result: SetResult) -> dict[str, int]:
    """Items without a value by metric; metrics that copy another are left out."""
    rubric, everything = result.rubric, result.groups[0]
    copies = {"accuracy" if rubric.accuracy_of else "", "intent" if rubric.intent_of else ""}
    missing = {
        name: everything.n - metric.set.n
        for name, metric in everything.metrics.items()
        if "." not in name and name not in copies
    }
    return {name: n for name, n in missing.items() if n}


def _not_evaluated(result: SetResult, name: str, n: int, t: Texts) -> str:
    """`의도 충족 평가하지 않음 3문항 (대기 1, 포기 2)`."""
    judged = result.judge.metrics if result.judge is not None else ()
    of_judge = next((metric for metric in judged if metric.metric == name), None)
    why = ""
    if of_judge is not None and (of_judge.pending or of_judge.gave_up):
        why = t("look-at.not-evaluated-why", pending=count(of_judge.pending), gave_up=count(of_judge.gave_up))
    title = metric_title(result.rubric, name, t)
    return t("look-at.not-evaluated", metric=title, items=t.counted("items", count(n)), why=why)


def _look_at(result: SetResult, insights: Insights, t: Texts) -> list[str]:
    entries = (
        ("look-at.disagreeing", len(result.repeatability.flaky), {"repeat": "sometimes"}),
        ("look-at.hidden-failures", len(insights.hidden_failures), {"finding": "hidden-failure"}),
        ("look-at.slow", len(insights.slow), {"finding": "slow"}),
        ("look-at.missing", len(insights.missing), {"finding": "missing"}),
    )
    unevaluated = [_not_evaluated(result, name, n, t) for name, n in _unevaluated(result).items()]
    return unevaluated + [items_link(t(key, n=count(n)), **filters) for key, n, filters in entries if n]


def _basis(result: SetResult, insights: Insights, t: Texts) -> BasisView:
    rubric = result.rubric
    return BasisView(
        rules=(*rules(result, t), *_run_facts(result, insights, t)),
        tables=basis_tables(rubric, t),
        rubric=excerpt(rubric.profile, NAME_CHARS),
        edition=_edition(result.rubric),
        rubric_digest=result.rubric_digest[:HASH_CHARS],
        engine=str(result.engine_version),
    )


def _run_facts(result: SetResult, insights: Insights, t: Texts) -> list[RuleView]:
    """What the file says of its run."""
    facts = (
        RuleView(t("basis.llm-models"), some_names(insights.llm_models, t)),
        RuleView(t("more.llm-status"), llm_statuses(insights, t) if result.rubric.has_column("llm_status") else ""),
    )
    return [fact for fact in facts if fact.text]


def _edition(rubric: Rubric) -> str:
    """File and edition of the document, each followed by a comma; "" where they are not known."""
    return "".join(f"{excerpt(text, NAME_CHARS)}, " for text in (rubric.document, rubric.edition) if text)
