"""The part of the view about the rubrics metric: scores, levels and what they mean, what was not evaluated."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

from reporting.view.metrics import Block, score_table, shown_groups
from reporting.view.tables import Table, table
from reporting.wording.catalogue import Texts
from reporting.wording.display import NONE, count, excerpt, operand, percent, score
from reporting.wording.names import round_name, track_name
from scoring.items.part import GAVE_UP, Item, ItemDetails, details_of
from scoring.results.model import SetResult
from scoring.rubric.model import RUBRICS
from scoring.rubric.rules import Level, VerdictRule

MAX_ROUND_COLUMNS = 12
MAX_IDS = 10  # Query IDs named per reason
ID_CHARS = 30
NAME_CHARS = 60
CRITERIA_CHARS = 300
REASON_CHARS = 160
SOURCES = ("column", "payload", "judge", "none")


def rubrics_blocks(result: SetResult, t: Texts) -> list[Block]:
    """The section of the metric."""
    rule = result.rubric.rubrics
    assert rule is not None
    points = [level.points for level in rule.levels]
    mean = result.groups[0].metrics[RUBRICS].set.value
    told = [t("rubrics.formula", low=operand(min(points)), high=operand(max(points)))]
    if mean is not None:
        told.append(t("rubrics.mean", score=score(mean), percent=percent(mean, 1)))
    blocks = [
        Block(text=" ".join(told), table=score_table(result, RUBRICS, t)),
        Block(heading=t("rubrics.levels"), table=_level_table(result, rule, t)),
    ]
    if shown_groups(result):
        blocks.append(Block(text=t("rubrics.tracks"), table=_track_table(result, rule, t)))
    blocks.append(Block(text=t("rubrics.sources"), table=_source_table(result, t)))
    reasons = reason_table(((item, details_of(item).rubrics_why) for item in result.items), t)
    if reasons.rows:
        blocks.append(Block(text=t("rubrics.unevaluated"), table=reasons))
    return blocks


def score_text(value: float | None) -> str:
    """`0.75 (75%)`."""
    return NONE if value is None else f"{score(value)} ({percent(value, 1)})"


def level_text(rule: VerdictRule, level: Level) -> str:
    """`4 좋음`."""
    return f"{rule.spelling(level)} {excerpt(level.name, NAME_CHARS)}"


def why_unjudged(why: str, t: Texts) -> str:
    """Why an item has no level."""
    if why.startswith(GAVE_UP):
        failure = why.removeprefix(GAVE_UP)
        return t("unjudged.gave-up", failure=t.named("failure", failure) or excerpt(failure, NAME_CHARS))
    return t.named("unjudged", why) or excerpt(why, NAME_CHARS)


def reason_table(whys: Iterable[tuple[Item, str]], t: Texts) -> Table:
    """Items by why they have no level, the most frequent reason first. whys: item and reason, "" where it has one."""
    numbers: Counter[str] = Counter()
    examples: defaultdict[str, dict[str, None]] = defaultdict(dict)
    for item, why in whys:
        if why:
            numbers[why] += 1
            if len(examples[why]) <= MAX_IDS:
                examples[why][item.query_id] = None
    rows = []
    for why in sorted(numbers, key=lambda why: (-numbers[why], why)):
        named = [excerpt(query_id, ID_CHARS) for query_id in examples[why]]
        shown = ", ".join(named[:MAX_IDS]) + (" …" if len(named) > MAX_IDS else "")
        rows.append([count(numbers[why]), why_unjudged(why, t), shown])
    return table([">n", t("table.cause"), "Query ID"], rows)


def page_titles(t: Texts) -> list[str]:
    """Columns of an item page about the level."""
    return [f">{t('metric.rubrics')}", t("rubrics.level"), t("rubrics.source"), t("rubrics.reason")]


def page_cells(details: ItemDetails, rule: VerdictRule, t: Texts) -> list[str]:
    """The cells of `page_titles`; an item without a level says why."""
    level = rule.level(details.rubrics_level) if details.rubrics_level else None
    if level is None:
        return [NONE, NONE, t("rubrics.none"), why_unjudged(details.rubrics_why, t)]
    source = t.named("rubrics.source", details.rubrics_source) or details.rubrics_source
    reason = excerpt(details.rubrics_reason, REASON_CHARS) or NONE
    return [score(details.rubrics), level_text(rule, level), source, reason]


def by_points(levels: Sequence[Level]) -> list[Level]:
    """Highest first."""
    return sorted(levels, key=lambda level: -level.points)


def _level_table(result: SetResult, rule: VerdictRule, t: Texts) -> Table:
    """A row per level, the highest first, and one for the items without any."""
    counts = result.levels[0]
    place = {level.name: at for at, level in enumerate(rule.levels)}
    rounds = range(min(len(result.rounds), MAX_ROUND_COLUMNS))
    items = result.groups[0].n
    rows = [
        [
            rule.spelling(level),
            excerpt(level.name, NAME_CHARS),
            score_text(rule.points(level)),
            *(count(counts.rounds[index][place[level.name]]) for index in rounds),
            count(counts.set[place[level.name]]),
            percent(counts.set[place[level.name]], items),
            excerpt(level.criteria, CRITERIA_CHARS),
        ]
        for level in by_points(rule.levels)
    ]
    none = sum(counts.none)
    rows.append(
        [
            NONE,
            t("rubrics.none"),
            NONE,
            *(count(counts.none[index]) for index in rounds),
            count(none),
            percent(none, items),
            NONE,
        ]
    )
    titles = [
        f">{t('rubrics.level')}",
        t("rubrics.name"),
        f">{t('table.points')}",
        *(f">{round_name(result.rounds[index], t)}" for index in rounds),
        f">{t('set')}",
        f">{t('set.share')}",
        t("rubrics.criteria"),
    ]
    return table(titles, rows)


def _track_table(result: SetResult, rule: VerdictRule, t: Texts) -> Table:
    ordered = by_points(rule.levels)
    place = {level.name: at for at, level in enumerate(rule.levels)}
    by_key = {counts.key: counts for counts in result.levels}
    rows = [
        [
            track_name(key, t),
            *(count(by_key[key].set[place[level.name]]) for level in ordered),
            count(sum(by_key[key].none)),
        ]
        for key, group in shown_groups(result)
        if group is not None
    ]
    titles = [t("items.track"), *(f">{level_text(rule, level)}" for level in ordered), f">{t('rubrics.none')}"]
    return table(titles, rows)


def _source_table(result: SetResult, t: Texts) -> Table:
    counted = Counter([(item.round, details_of(item).rubrics_source) for item in result.items])
    shown = [source for source in SOURCES if any(counted[entry.label, source] for entry in result.rounds)]
    rows = [
        [round_name(entry, t), *(count(counted[entry.label, source]) for source in shown)] for entry in result.rounds
    ]
    total = [count(sum(counted[entry.label, source] for entry in result.rounds)) for source in shown]
    rows.append([t("set"), *total])
    return table([t("table.scope"), *(f">{t(f'rubrics.source.{source}')}" for source in shown)], rows)
