"""The section of the judge: who it is, what it did, how far it agrees with people and with itself."""

from collections.abc import Iterator, Sequence
from typing import TypeVar

from reporting.document.blocks import Passage
from reporting.document.report.rubrics import items_of, reason_table
from reporting.document.tables import Column, Table, table, table_of
from reporting.wording import (
    between_signed,
    count,
    excerpt,
    metric_title,
    minus,
    money,
    percent,
    quantity,
    query_link,
    round_name,
    score,
    sure_percent,
)
from scoring.items import GAVE_UP, WHY_PENDING, Detailed, details_of
from scoring.judging import Differing, JudgeAgreement, JudgedMetric, JudgeFigures, JudgeRepeat, JudgeState, SplitVote
from scoring.results import SetResult
from scoring.rubric import RUBRICS
from scoring.statistics import LEAST_DISAGREEING, least_queries
from texts import Texts

MODEL_CHARS = 80
ID_CHARS = 60
QUESTION_CHARS = 120
LEVEL_CHARS = 40

Apart = TypeVar("Apart", bound=Differing | SplitVote)


def has_judge(result: SetResult) -> bool:
    """Is there anything to show: a judge that is configured, or items that want one?"""
    judge = result.judge
    return judge is not None and (judge.state is not JudgeState.NONE or judge.wanted > 0)


def judge_blocks(result: SetResult, t: Texts) -> list[Passage]:
    """The section about the judge, for a set that `has_judge`."""
    judge = result.judge
    assert judge is not None
    blocks = [Passage(text=_who(judge, t))]
    if judge.state is not JudgeState.NONE:
        blocks.append(Passage(text=t("judge.coverage"), table=_coverage(result, judge, t)))
        reasons = reason_table(((query_id, why) for query_id, one in items_of(result) for why in _whys(one, judge)), t)
        if reasons.rows:
            blocks.append(Passage(text=t("judge.reasons"), table=reasons))
        if judge.cut_answers:
            blocks.append(Passage(text=t("judge.cut", n=count(judge.cut_answers))))
        blocks += [Passage(text=text) for text in _cost(judge, t)]
    for metric in judge.metrics:
        blocks += _agreement_blocks(result, metric, t)
    repeats = [text for metric in judge.metrics if (text := _repeat(result, metric, t))]
    if repeats:
        blocks.append(Passage(heading=t("judge.repeat"), text=" ".join(repeats)))
    for metric in judge.metrics:
        if metric.repeat is not None and metric.repeat.split:
            blocks.append(Passage(text=t("judge.split"), table=_split(result, metric.repeat, t)))
    return blocks


def _who(judge: JudgeFigures, t: Texts) -> str:
    if judge.state is JudgeState.NONE:
        return t("judge.none", items=t.counted("items", count(judge.wanted)))
    way = "judge.who.one" if judge.votes == 1 else "judge.who" if judge.votes % 2 else "judge.who.even"
    who = t(
        way,
        model=excerpt(judge.model, MODEL_CHARS),
        votes=count(judge.votes),
        prompt=judge.prompt,
    )
    sentences = [f"{who}."]
    if judge.pending:
        sentences.append(t("judge.pending", items=t.counted("items", count(judge.pending))))
    if judge.gave_up:
        sentences.append(t("judge.gave-up", items=t.counted("items", count(judge.gave_up))))
    return " ".join(sentences)


def _cost(judge: JudgeFigures, t: Texts) -> Iterator[str]:
    """What is told of tokens and money, a paragraph each."""
    yield t("judge.tokens", prompt=count(judge.prompt_tokens), completion=count(judge.completion_tokens))
    if judge.estimated_tokens:
        yield t("judge.tokens-estimated", n=count(judge.estimated_tokens))
    cost = judge.cost
    if cost is not None:
        prices = {"input": quantity(cost.input_price), "output": quantity(cost.output_price)}
        yield t("judge.cost", amount=money(cost.amount, cost.currency), **prices)


def _coverage(result: SetResult, judge: JudgeFigures, t: Texts) -> Table:
    compares = any(metric.agreement is not None for metric in judge.metrics)
    return table_of(
        judge.metrics,
        [
            (t("table.metric"), lambda metric: metric_title(result.rubric, metric.metric, t)),
            (f">{t('judge.wanted')}", lambda metric: count(metric.wanted)),
            (f">{t('judge.judged')}", lambda metric: count(metric.judged)),
            (f">{t('judge.waiting')}", lambda metric: count(metric.pending)),
            (f">{t('judge.failed')}", lambda metric: count(metric.gave_up)),
            (f">{t('judge.no-answer')}", lambda metric: count(metric.no_answer)),
            (f">{t('judge.compared')}", lambda metric: count(metric.agreement.n if metric.agreement else 0))
            if compares
            else None,
        ],
    )


def _whys(item: Detailed, judge: JudgeFigures) -> Iterator[str]:
    """Why items have no verdict on intent; those without a level are in the section of that metric."""
    why = details_of(item).verdict_why
    asked = any(metric.metric != RUBRICS for metric in judge.metrics)
    if asked and (why == WHY_PENDING or why.startswith(GAVE_UP)):
        yield why


def _agreement_blocks(result: SetResult, metric: JudgedMetric, t: Texts) -> list[Passage]:
    agreement = metric.agreement
    if agreement is None:
        return []
    text = agreement_told(agreement, t)
    blocks = [
        Passage(heading=t("judge.agreement", metric=metric_title(result.rubric, metric.metric, t)), text=text),
        Passage(text=t("judge.matrix"), table=matrix_table(agreement, t("judge.recorded"))),
    ]
    if agreement.differing:
        blocks.append(Passage(text=t("judge.differing"), table=_differing(result, agreement, t)))
    return blocks


def agreement_told(agreement: JudgeAgreement, t: Texts) -> str:
    """How far two series of levels agree, in sentences."""
    text = t(
        "judge.agreement-told",
        queries=t.counted("queries", count(agreement.queries)),
        items=t.counted("items", count(agreement.n)),
        exact=score(None) if agreement.exact is None else sure_percent(agreement.exact, 1, agreement.exact_interval),
        kappa=_kappa(agreement, t),
    )
    if not agreement.no_interval:
        return text
    least = {"least": count(least_queries(len(agreement.levels))), "differing": count(LEAST_DISAGREEING)}
    return f"{text} {t(f'judge.no-interval.{agreement.no_interval}', **least)}"


def _kappa(agreement: JudgeAgreement, t: Texts) -> str:
    if agreement.kappa is None:
        return t(f"judge.undefined.{agreement.undefined}")
    if agreement.low is None or agreement.high is None:
        return score(agreement.kappa)
    interval = between_signed(score(agreement.low), score(agreement.high), t)
    return t("judge.interval", kappa=minus(score(agreement.kappa)), interval=interval)


def matrix_table(agreement: JudgeAgreement, first: str) -> Table:
    """How often each pair of levels occurs. first: what the levels of the rows are."""
    levels = [excerpt(level, LEVEL_CHARS) for level in agreement.levels]
    rows = [
        [level, *map(count, counts), count(sum(counts))] for level, counts in zip(levels, agreement.matrix, strict=True)
    ]
    return table([first, *(f">{level}" for level in levels), ">n"], rows)


def _differing(result: SetResult, agreement: JudgeAgreement, t: Texts) -> Table:
    columns: list[Column[Differing] | None] = [
        (t("judge.recorded"), lambda entry: excerpt(entry.recorded, LEVEL_CHARS)),
        (t("judge.of-model"), lambda entry: excerpt(entry.judged, LEVEL_CHARS)),
    ]
    return _items_table(result, agreement.differing, columns, agreement.differing_count, t)


def _split(result: SetResult, repeat: JudgeRepeat, t: Texts) -> Table:
    columns: list[Column[SplitVote] | None] = [
        (t("judge.votes"), lambda entry: ", ".join(excerpt(vote, LEVEL_CHARS) for vote in entry.votes)),
        (t("judge.taken"), lambda entry: excerpt(entry.level, LEVEL_CHARS)),
    ]
    return _items_table(result, repeat.split, columns, repeat.split_count, t)


def _items_table(
    result: SetResult, entries: Sequence[Apart], columns: Sequence[Column[Apart] | None], total: int, t: Texts
) -> Table:
    """Items whose levels are apart, with the columns that say which they are."""
    rounds = {entry.label: round_name(entry, t) for entry in result.rounds}
    items = result.items
    return table_of(
        entries,
        [
            ("Query ID", lambda entry: query_link(items[entry.index].query_id, ID_CHARS)),
            (t("items.round"), lambda entry: rounds[items[entry.index].round]),
            *columns,
            (f">{t('judge.apart')}", lambda entry: count(entry.apart)),
            (t("table.question"), lambda entry: excerpt(items[entry.index].question, QUESTION_CHARS)),
        ],
        total=total,
    )


def _repeat(result: SetResult, metric: JudgedMetric, t: Texts) -> str:
    repeat = metric.repeat
    if repeat is None or repeat.unanimous is None or repeat.pairwise is None:
        return ""
    return t(
        "judge.repeat-told",
        metric=metric_title(result.rubric, metric.metric, t),
        n=count(repeat.n),
        unanimous=percent(repeat.unanimous, 1),
        pairwise=percent(repeat.pairwise, 1),
    )
