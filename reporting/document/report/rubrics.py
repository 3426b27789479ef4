"""The section of the rubrics metric: scores, levels and what they mean, what was not evaluated."""

from collections.abc import Iterable, Iterator, Sequence

from reporting.document.blocks import Passage
from reporting.document.report.metrics import counted_table, score_table
from reporting.document.tables import Table, most_frequent, shown_groups, table, table_of
from reporting.wording import (
    NONE,
    count,
    excerpt,
    items_link,
    joined,
    key_of,
    operand,
    percent,
    query_links,
    round_name,
    score,
    track_name,
)
from scoring.items import GAVE_UP, ItemDetails, details_of
from scoring.results import SetResult, Traits
from scoring.rubric import RUBRICS, Level, VerdictRule
from texts import Texts

MAX_ROUND_COLUMNS = 12
MAX_IDS = 10  # Query IDs named per reason
ID_CHARS = 30
NAME_CHARS = 60
CRITERIA_CHARS = 300
REASON_CHARS = 160
LEVEL_SOURCES = ("column", "payload", "judge", "reviewed", "none")


def rubrics_blocks(result: SetResult, t: Texts) -> list[Passage]:
    """The section of the metric."""
    rule = result.rubric.rubrics
    assert rule is not None
    points = [level.points for level in rule.levels]
    mean = result.groups[0].metrics[RUBRICS].set.value
    sentences = [t("rubrics.formula", low=operand(min(points)), high=operand(max(points)))]
    if mean is not None:
        sentences.append(t("rubrics.mean", score=score(mean), percent=percent(mean, 1)))
    blocks = [
        Passage(text=" ".join(sentences), table=score_table(result, RUBRICS, t)),
        Passage(heading=t("rubrics.levels"), table=_level_table(result, rule, t)),
    ]
    if shown_groups(result):
        blocks.append(Passage(text=t("rubrics.tracks"), table=_track_table(result, rule, t)))
    sources = [details_of(one).rubrics_source for one in result.table.traits()]
    titles = {source: t(f"rubrics.source.{source}") for source in LEVEL_SOURCES}
    blocks.append(Passage(text=t("rubrics.sources"), table=counted_table(result, sources, titles, "grade-source", t)))
    reasons = reason_table(((query_id, details_of(one).rubrics_why) for query_id, one in items_of(result)), t)
    if reasons.rows:
        blocks.append(Passage(text=t("rubrics.unevaluated"), table=reasons))
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


def items_of(result: SetResult) -> Iterator[tuple[str, Traits]]:
    """Query ID and traits of every item."""
    return zip(result.table.query_ids_of_items(), result.table.traits(), strict=True)


def reason_table(whys: Iterable[tuple[str, str]], t: Texts) -> Table:
    """Items by why they have no level, the most frequent reason first.

    whys: Query ID and reason of each item, "" where it has a level.
    """

    def named(query_ids: Sequence[str]) -> str:
        shown = query_links(query_ids[:MAX_IDS], ID_CHARS)
        return joined([shown, " …"], "") if len(query_ids) > MAX_IDS else shown

    return table_of(
        most_frequent(((why, query_id) for query_id, why in whys if why), examples=MAX_IDS + 1),
        [
            (">n", lambda row: count(row[1])),
            (t("table.cause"), lambda row: why_unjudged(row[0], t)),
            ("Query ID", lambda row: named(row[2])),
        ],
    )


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


def _level_table(result: SetResult, rule: VerdictRule, t: Texts) -> Table:
    """A row per level, the highest first, and one for the items without any."""
    counts = result.levels[0]
    rounds = result.rounds[:MAX_ROUND_COLUMNS]
    items = result.groups[0].n

    def figures(per_round: Sequence[int], total: int, level: str = "") -> list[str]:
        numbers = [count(n) for n in per_round[: len(rounds)]]
        if not level:
            return [*numbers, count(total), percent(total, items)]
        labels = [key_of(entry.label) for entry in rounds] if len(result.rounds) > 1 else [""] * len(rounds)
        shown = [items_link(n, grade=level, round=label) for n, label in zip(numbers, labels, strict=True)]
        return [*shown, items_link(count(total), grade=level), percent(total, items)]

    rows = [
        [
            rule.spelling(level),
            excerpt(level.name, NAME_CHARS),
            score_text(rule.points(level)),
            *figures([of_round[place] for of_round in counts.rounds], counts.set[place], key_of(rule.spelling(level))),
            excerpt(level.criteria, CRITERIA_CHARS),
        ]
        for place, level in _by_points(rule.levels)
    ]
    rows.append([NONE, t("rubrics.none"), NONE, *figures(counts.none, sum(counts.none)), NONE])
    titles = [
        f">{t('rubrics.level')}",
        t("rubrics.name"),
        f">{t('table.points')}",
        *(f">{round_name(entry, t)}" for entry in rounds),
        f">{t('set')}",
        f">{t('set.share')}",
        t("rubrics.criteria"),
    ]
    return table(titles, rows)


def _track_table(result: SetResult, rule: VerdictRule, t: Texts) -> Table:
    by_key = {counts.key: counts for counts in result.levels}
    levels = _by_points(rule.levels)
    rows = [
        [
            track_name(key, t),
            *(
                items_link(count(by_key[key].set[place]), grade=key_of(rule.spelling(level)), track=key)
                for place, level in levels
            ),
            count(sum(by_key[key].none)),
        ]
        for key, group in shown_groups(result)
        if group is not None
    ]
    titles = [t("items.track"), *(f">{level_text(rule, level)}" for _, level in levels), f">{t('rubrics.none')}"]
    return table(titles, rows)


def _by_points(levels: Sequence[Level]) -> list[tuple[int, Level]]:
    """Levels with their places in the rubric, the highest points first."""
    return sorted(enumerate(levels), key=lambda entry: -entry[1].points)
