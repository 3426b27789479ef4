"""The section about named scores of a set: a table for each, by round and track (docs/scoring.md#scores)."""

from __future__ import annotations

from msgspec import UNSET

from reporting.document.blocks import Passage
from reporting.document.headline import share_of
from reporting.document.report.metrics import scopes, source_text
from reporting.document.tables import table
from reporting.wording import LABEL_CHARS, NONE, count, excerpt, pass_limit, points, sure_score
from scoring.results import Group, SetResult
from scoring.rubric import Measure, ScoreRule, is_by_scores, is_score
from texts import Texts


def score_blocks(result: SetResult, t: Texts) -> list[Passage]:
    """What passes by the scores, then a table per score."""
    shown = [measure for measure in result.rubric.measures if is_score(measure.name)]
    rule = result.rubric.pass_points
    told = [t("scores.told")]
    if rule is not None and is_by_scores(rule):
        told.append(t("scores.passes", limit=pass_limit(result.rubric, t)))
    return [Passage(text=" ".join(told)), *(_score_block(result, measure, t) for measure in shown)]


def _score_block(result: SetResult, measure: Measure, t: Texts) -> Passage:
    rule = measure.score
    assert isinstance(rule, ScoreRule)

    def cells(group: Group, index: int | None) -> list[str]:
        found = group.measures[measure.name]
        figures = found.set if index is None else found.rounds[index]
        passed = []
        if rule.passes:
            share = share_of(figures.passed or 0, figures.assessed or 0, figures.pass_interval or None)
            passed = [share if figures.assessed else NONE]
        possible = (rule.highest - rule.lowest) * figures.n
        lost = f"{points(figures.lost)} / {points(possible)}" if figures.n and figures.lost is not UNSET else NONE
        return [count(figures.n), sure_score(figures.mean, figures.interval), *passed, lost, count(figures.missing)]

    titles = [t("table.scope"), ">n", f">{t('measures.mean')}"]
    titles += [f">{t('scores.passed', limit=rule.passes)}"] if rule.passes else []
    titles += [f">{t('table.lost')}", f">{t('scores.missing')}"]
    scale = t("scores.scale", lowest=f"{rule.lowest:g}", highest=f"{rule.highest:g}")
    better = t(f"scores.better.{measure.better}")
    rows = [[title, *found] for title, found in scopes(result, cells, t)]
    text = f"{source_text(measure, t)} {scale} {better}"
    return Passage(heading=excerpt(measure.title, LABEL_CHARS), text=text, table=table(titles, rows))
