"""The section *who graded*: shares by origin, people against what graded before, people against each other, causes."""

from collections.abc import Iterator
from functools import partial

from reporting.document.blocks import Passage
from reporting.document.report.judge import agreement_told, matrix_table
from reporting.document.tables import Table, table_of
from reporting.wording import (
    NONE,
    between_signed,
    causes_text,
    comments_text,
    corrected_texts,
    count,
    excerpt,
    given_text,
    metric_title,
    percent,
    points,
    query_link,
    round_name,
    score,
)
from scoring.results import PASS, Against, MetricReview, SetResult
from scoring.review import ReviewedItem, scale_of
from scoring.rubric import Source
from texts import Texts

MOST_LISTED = 50
ID_CHARS = 60
TEXT_CHARS = 120
NAME_CHARS = 40


def review_blocks(result: SetResult, t: Texts) -> list[Passage]:
    """The part of the section about people, for a set with grades of theirs."""
    reviews = result.reviews
    assert reviews is not None
    names = ", ".join(f"{excerpt(one.name, NAME_CHARS)} {count(one.n)}" for one in reviews.reviewers) or NONE
    told = t(
        "review.told",
        items=t.counted("items", count(reviews.items)),
        queries=t.counted("queries", count(reviews.queries)),
        names=names,
    )
    blocks = [Passage(text=told)]
    for metric in reviews.metrics:
        blocks += _of_metric(result, metric, t)
    blocks += [Passage(text=line) for line in corrected_lines(result, t)]
    if any(metric.corrected.interval is not None for metric in reviews.metrics):
        blocks.append(Passage(text=t("review.coverage")))
    if reviews.items:
        blocks.append(Passage(heading=t("review.overruled"), table=_overruled(result, t)))
    return blocks


def _of_metric(result: SetResult, metric: MetricReview, t: Texts) -> Iterator[Passage]:
    assert result.reviews is not None
    title = metric_title(result.rubric, metric.metric, t)
    moved = t("review.moved", up=count(metric.up), down=count(metric.down), items=count(metric.items))
    yield Passage(heading=t("review.of-metric", metric=title), text=moved)
    origins = result.reviews.origins[metric.metric]
    total = sum(origins.values())
    yield Passage(
        heading=t("review.origins"),
        table=table_of(
            list(origins.items()),
            [
                (t("review.origin"), lambda row: _origin(row[0], t)),
                (f">{t('review.items')}", lambda row: count(row[1])),
                (f">{t('review.share')}", lambda row: percent(row[1], total)),
            ],
        ),
    )
    for one in metric.against:
        yield from _against(one, t)
    if metric.between is not None:
        told = agreement_told(metric.between, t)
        axes = t("review.axes", rows=t("review.reviewer-1"), columns=t("review.reviewer-2"))
        table = matrix_table(metric.between, axes)
        yield Passage(heading=t("review.between"), text=told, table=table)
    if metric.causes:
        yield Passage(
            heading=t("review.causes"),
            table=table_of(
                metric.causes,
                [
                    (t("review.cause"), lambda one: excerpt(one.cause, TEXT_CHARS)),
                    (f">{t('review.items')}", lambda one: count(one.n)),
                    (f">{t('review.lost')}", lambda one: points(one.points)),
                ],
            ),
        )


def _against(one: Against, t: Texts) -> Iterator[Passage]:
    shown = score(one.difference).removeprefix("-")
    side = "same" if shown == score(0.0) else "lower" if one.difference < 0 else "higher"
    between = one.interval
    interval = "" if between is None else f"{between_signed(score(between.low), score(between.high), t)}; "
    numbers = {"up": count(one.up), "down": count(one.down), "n": count(one.n)}
    told = t(f"review.difference.{side}", difference=shown, interval=interval, **numbers)
    heading = t("review.against", origin=_origin(one.origin, t))
    if one.agreement is None:
        yield Passage(heading=heading, text=told)
        return
    axes = t("review.axes", rows=_origin(one.origin, t), columns=_origin(Source.REVIEWED.value, t))
    table = matrix_table(one.agreement, axes)
    yield Passage(heading=heading, text=f"{agreement_told(one.agreement, t)} {told}", table=table)


def corrected_lines(result: SetResult, t: Texts) -> list[str]:
    """What people would give overall, a sentence a figure; none without people's grades."""
    if result.reviews is None:
        return []
    return corrected_texts(
        result.reviews, lambda name: metric_title(result.rubric, name, t), partial(_value, result), t
    )


def _value(result: SetResult, metric: str) -> float | None:
    if metric == PASS:
        return None if result.passed is None else result.passed.value
    return result.groups[0].figure(metric).value


def _origin(origin: str, t: Texts) -> str:
    return t.named("review.by", origin) or origin


def _overruled(result: SetResult, t: Texts) -> Table:
    """The items whose grade people changed, the largest difference first; then those that had none."""
    assert result.applied is not None
    rounds = {entry.label: round_name(entry, t) for entry in result.rounds}
    changed = [one for one in result.applied.reviewed if one.step_before != one.step]
    changed.sort(key=lambda one: (-abs(one.points - (one.points_before or 0.0)), one.index))
    scales = {one.metric: scale_of(result.rubric, one.metric) for one in changed}

    def before(one: ReviewedItem) -> str:
        scale = scales[one.metric]
        return scale.names[one.step_before] if one.step_before is not None else score(one.points_before)

    return table_of(
        changed[:MOST_LISTED],
        [
            ("Query ID", lambda one: query_link(one.item.query_id, ID_CHARS)),
            (t("items.round"), lambda one: rounds[one.item.round]),
            (t("table.metric"), lambda one: metric_title(result.rubric, one.metric, t)),
            (t("review.before"), lambda one: excerpt(before(one), NAME_CHARS)),
            (t("review.origin"), lambda one: _origin(one.origin, t)),
            (t("review.after"), lambda one: excerpt(scales[one.metric].names[one.step], NAME_CHARS)),
            (t("review.who"), lambda one: excerpt(given_text(one.opinions), TEXT_CHARS)),
            (t("review.cause"), lambda one: excerpt(causes_text(one.opinions), TEXT_CHARS)),
            (t("review.comment"), lambda one: excerpt(comments_text(one.opinions), 2 * TEXT_CHARS)),
        ],
        total=len(changed),
    )
