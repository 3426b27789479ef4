"""The part of the view about intent verdicts and checks: sources, levels, what failed, 0 by rule and 0 by failure."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping

from reporting.view.metrics import Block, score_table, status_table
from reporting.view.tables import Table, table
from reporting.wording.catalogue import Texts
from reporting.wording.display import NONE, count, excerpt, score
from reporting.wording.names import metric_title, round_name
from scoring.items.part import Item, details_of
from scoring.results.model import SetResult
from scoring.rubric.rules import REASON_NO_CHECKS, REASON_STATUS

MAX_CHECKS = 50
EXAMPLES = 5
TEXT_CHARS = 120
ID_CHARS = 30

SOURCES = ("column", "payload", "recorded", "status", "judge", "copy", "none")  # of intent, in the order of tables
_REACHES = ("same-key", "same-path", "neither")
_ALL_PASSED, _SOME_PASSED, _NONE_PASSED = "accuracy.all", "accuracy.some", "accuracy.none"
_NO_ANSWER, _NOT_ASSESSABLE = "accuracy.failed", "accuracy.not-assessable"
_OUTCOMES = (
    _ALL_PASSED,
    _SOME_PASSED,
    _NONE_PASSED,
    *(f"reach.{reach}" for reach in _REACHES),
    _NO_ANSWER,
    _NOT_ASSESSABLE,
)


def intent_blocks(result: SetResult, t: Texts) -> list[Block]:
    """Scores, where they come from, the levels picked, and the statuses of the answers."""
    blocks = [Block(table=score_table(result, "intent", t))]
    if result.rubric.verdict is not None:
        sources = _per_round(result, lambda item: item.intent_source)
        titles = {source: t(f"source.{source}") for source in SOURCES}
        blocks.append(Block(text=t("intent.sources"), table=_counted(result, sources, titles, t)))
        levels = {
            level.name: f"{level.name} ({t.counted('points', f'{level.points:g}')})"
            for level in result.rubric.verdict.levels
        }
        picked = _per_round(result, lambda item: details_of(item).verdict)
        blocks.append(Block(text=t("intent.levels"), table=_counted(result, picked, levels, t, keep=True)))
    blocks.append(Block(text=t("intent.statuses"), table=status_table(result, t)))
    return blocks


def accuracy_blocks(result: SetResult, t: Texts) -> list[Block]:
    """Scores, why items have none of them, and the checks that failed."""
    blocks = [Block(table=score_table(result, "accuracy", t))]
    if result.rubric.checks is None and result.rubric.addresses is None:
        return blocks
    outcomes = _per_round(result, _outcome)
    titles = {outcome: t(outcome) for outcome in _OUTCOMES}
    told = (
        "accuracy.two-zeros"
        if any(_NOT_ASSESSABLE in counted for counted in outcomes.values())
        else "accuracy.outcomes"
    )
    blocks.append(Block(text=t(told), table=_counted(result, outcomes, titles, t)))
    if result.rubric.checks is not None:
        failed = _failed_checks(result, t)
        text = "" if failed.rows else t("accuracy.all-checks-passed")
        blocks.append(Block(heading=t("accuracy.failed-checks"), text=text, table=failed if failed.rows else None))
    return blocks


def _outcome(item: Item) -> str:
    details = details_of(item)
    match details.accuracy_reason:
        case reason if reason == REASON_STATUS:
            return _NO_ANSWER
        case reason if reason == REASON_NO_CHECKS:
            return _NOT_ASSESSABLE
        case reason if reason in _REACHES:
            return f"reach.{reason}"
    if details.ratio == 1:
        return _ALL_PASSED
    return _SOME_PASSED if details.ratio else _NONE_PASSED


def _failed_checks(result: SetResult, t: Texts) -> Table:
    """Failed checks that are alike, most frequent first."""
    numbers: Counter[tuple[str, str, str, str]] = Counter()
    examples: defaultdict[tuple[str, str, str, str], dict[str, None]] = defaultdict(dict)
    more = 0
    for item in result.items:
        details = details_of(item)
        more += details.failed_count - len(details.failed_checks)
        for check in details.failed_checks:
            key = (check.name, check.operator, check.value, check.fault)
            numbers[key] += 1
            if len(examples[key]) < EXAMPLES:
                examples[key][item.query_id] = None
    ordered = sorted(numbers, key=lambda key: (-numbers[key], key))
    rows = [
        [
            count(numbers[name, operator, value, fault]),
            excerpt(name, TEXT_CHARS) or NONE,
            operator_text(operator, t),
            excerpt(value, TEXT_CHARS) or NONE,
            t.named("fault", fault or "value") or fault,
            ", ".join(excerpt(query_id, ID_CHARS) for query_id in examples[name, operator, value, fault]),
        ]
        for name, operator, value, fault in ordered[:MAX_CHECKS]
    ]
    titles = [
        f">{t('checks.failed')}",
        t("checks.path"),
        t("checks.condition"),
        t("checks.expected"),
        t("table.cause"),
        t("table.examples"),
    ]
    return table(titles, rows, total=len(ordered) + more)


def operator_text(operator: str, t: Texts) -> str:
    """How a check compares, with the amount that it asks for (`eq ×0`)."""
    name, _, amount = operator.partition(" ")
    return f"{t.named('operator', name or 'unknown') or name} {amount}".strip()


def total_blocks(result: SetResult, t: Texts) -> list[Block]:
    """The weighted total with its arithmetic, or which part is missing."""
    total = result.total
    assert total is not None
    weighed = sum(part.weight for part in total.parts)
    rows = [
        [
            metric_title(result.rubric, part.metric, t),
            score(part.value),
            f"{part.weight:g}",
            score(None if part.value is None else part.weight * part.value / weighed),
        ]
        for part in total.parts
    ]
    rows.append([t("total.title"), score(total.value), f"{weighed:g}", score(total.value)])
    titles = [t("table.metric"), *(f">{t(key)}" for key in ("table.set-score", "table.weight", "table.share"))]
    return [Block(text=total_text(result, t)), Block(table=table(titles, rows))]


def total_text(result: SetResult, t: Texts) -> str:
    """`3.46 = (20×3.63 + 10×5.00 + …) ÷ 100`, or `—` and the metrics without a value."""
    total = result.total
    assert total is not None
    missing = [metric_title(result.rubric, part.metric, t) for part in total.parts if part.value is None]
    if missing:
        return t("total.missing", metrics=", ".join(missing))
    products = " + ".join(f"{part.weight:g}×{score(part.value)}" for part in total.parts)
    return f"{score(total.value)} = ({products}) ÷ {sum(part.weight for part in total.parts):g}"


def _per_round(result: SetResult, key: Callable[[Item], str]) -> dict[str, Counter[str]]:
    counted: dict[str, Counter[str]] = {entry.label: Counter() for entry in result.rounds}
    for item in result.items:
        counted[item.round][key(item)] += 1
    return counted


def _counted(
    result: SetResult, counted: Mapping[str, Counter[str]], titles: Mapping[str, str], t: Texts, *, keep: bool = False
) -> Table:
    """Items by what was counted, a row per round and one for the set. keep: columns without any item as well."""
    total = sum(counted.values(), Counter[str]())
    shown = [code for code in titles if keep or total[code]]
    rows = [[round_name(entry, t), *(count(counted[entry.label][code]) for code in shown)] for entry in result.rounds]
    rows.append([t("set"), *(count(total[code]) for code in shown)])
    return table([t("table.scope"), *(f">{titles[code]}" for code in shown)], rows)
