"""The sections of intent and accuracy: sources, levels, failed checks, 0 by rule and 0 by failure; and the total."""

from collections.abc import Iterator
from typing import Any

from msgspec.structs import astuple, replace

from reporting.document.blocks import Passage
from reporting.document.report.metrics import copied_block, counted_table, score_table, status_table
from reporting.document.tables import Table, most_frequent, table, table_of
from reporting.wording import NONE, check_key, count, excerpt, items_link, metric_title, query_links, score, sort_key
from scoring.items import Detailed, FailedCheck, details_of
from scoring.results import SetResult
from scoring.rubric import REASON_NO_CHECKS, REASON_REVIEWED, REASON_STATUS
from texts import Texts

MAX_CHECKS = 50
EXAMPLES = 5
TEXT_CHARS = 120
ID_CHARS = 30

# Of intent, in the order of tables.
SOURCES = ("column", "payload", "recorded", "status", "judge", "reviewed", "copy", "none")
_REACHES = ("same-key", "same-path", "neither")
_ALL_PASSED, _SOME_PASSED, _NONE_PASSED = "accuracy.all", "accuracy.some", "accuracy.none"
_NO_ANSWER, _NOT_ASSESSABLE = "accuracy.failed", "accuracy.not-assessable"
_REVIEWED = "accuracy.reviewed"
OUTCOMES = (
    _ALL_PASSED,
    _SOME_PASSED,
    _NONE_PASSED,
    *(f"reach.{reach}" for reach in _REACHES),
    _NO_ANSWER,
    _NOT_ASSESSABLE,
    _REVIEWED,
)


def intent_blocks(result: SetResult, t: Texts) -> list[Passage]:
    """Scores, where they come from, the levels picked, and the statuses of the answers."""
    copied = result.rubric.intent_of
    blocks = [copied_block(result, "intent", copied, t) if copied else Passage(table=score_table(result, "intent", t))]
    if result.rubric.verdict is not None:
        sources = [one.intent_source for one in result.table.traits()]
        titles = {source: t(f"source.{source}") for source in SOURCES}
        blocks.append(Passage(text=t("intent.sources"), table=counted_table(result, sources, titles, "source", t)))
        levels = {
            level.name: f"{level.name} ({t.counted('points', f'{level.points:g}')})"
            for level in result.rubric.verdict.levels
        }
        picked = [details_of(one).verdict for one in result.table.traits()]
        blocks.append(
            Passage(text=t("intent.levels"), table=counted_table(result, picked, levels, "level", t, keep=True))
        )
    blocks.append(Passage(text=t("basis.status"), table=status_table(result, t)))
    return blocks


def accuracy_blocks(result: SetResult, t: Texts) -> list[Passage]:
    """Scores, why items have none of them, and the checks that failed. One line where they are those of intent."""
    if result.rubric.accuracy_of:
        return [copied_block(result, "accuracy", result.rubric.accuracy_of, t)]
    blocks = [Passage(table=score_table(result, "accuracy", t))]
    if result.rubric.checks is None and result.rubric.addresses is None:
        return blocks
    outcomes = list(map(outcome_of, result.table.traits()))
    titles = {outcome: t(outcome) for outcome in OUTCOMES}
    text = t("accuracy.two-zeros" if _NOT_ASSESSABLE in outcomes else "accuracy.outcomes")
    blocks.append(Passage(text=text, table=counted_table(result, outcomes, titles, "outcome", t)))
    if result.rubric.checks is not None:
        failed = _failed_checks(result, t)
        text = "" if failed.rows else t("accuracy.all-checks-passed")
        blocks.append(Passage(heading=t("accuracy.failed-checks"), text=text, table=failed if failed.rows else None))
    return blocks


def outcome_of(item: Detailed) -> str:
    """What gave an item its points of accuracy, as the key of a text."""
    details = details_of(item)
    reason = details.accuracy_reason
    if reason == REASON_STATUS:
        return _NO_ANSWER
    if reason == REASON_NO_CHECKS:
        return _NOT_ASSESSABLE
    if reason == REASON_REVIEWED:
        return _REVIEWED
    if reason in _REACHES:
        return f"reach.{reason}"
    if details.ratio == 1:
        return _ALL_PASSED
    return _SOME_PASSED if details.ratio else _NONE_PASSED


def frequent_failures(result: SetResult) -> tuple[list[tuple[FailedCheck, int, list[str]]], int]:
    """Failed checks that are alike, most frequent first, with their number and Query IDs; and how many there are."""
    unlisted = 0

    def failures() -> Iterator[tuple[tuple[Any, ...], str]]:
        nonlocal unlisted
        details = result.items.column("details")
        for query_id, one in zip(result.table.query_ids_of_items(), details, strict=True):
            if one is not None and one.failed_count:
                unlisted += one.failed_count - len(one.failed_checks)
                for check in one.failed_checks:
                    yield astuple(alike(check)), query_id

    failed = most_frequent(failures(), examples=EXAMPLES)
    return [(FailedCheck(*check), n, ids) for check, n, ids in failed[:MAX_CHECKS]], len(failed) + unlisted


def alike(check: FailedCheck) -> FailedCheck:
    """The check without what an answer had in its place: what failed checks that are alike have in common."""
    return replace(check, found="") if check.found else check


def _failed_checks(result: SetResult, t: Texts) -> Table:
    rows, total = frequent_failures(result)
    return table_of(
        rows,
        [
            (f">{t('checks.failed')}", lambda row: items_link(count(row[1]), check=check_key(row[0]))),
            (t("checks.path"), lambda row: excerpt(row[0].name, TEXT_CHARS) or NONE),
            (t("checks.condition"), lambda row: operator_text(row[0].operator, t)),
            (t("checks.expected"), lambda row: excerpt(row[0].value, TEXT_CHARS) or NONE),
            (t("table.cause"), lambda row: fault_text(row[0].fault or "value", t)),
            (t("table.examples"), lambda row: query_links(row[2], ID_CHARS)),
        ],
        total=total,
    )


def fault_text(fault: str, t: Texts) -> str:
    """Why a check could not be run, or that its value differs."""
    return t.named("fault", fault) or fault


def operator_text(operator: str, t: Texts) -> str:
    """How a check compares, with what turns it around and the amount that it asks for (`not contains`, `eq ×0`)."""
    negated = operator.removeprefix("not ")
    if negated != operator:
        return t("operator.not", name=operator_text(negated, t))
    name, _, amount = operator.partition(" ")
    return f"{t.named('operator', name or 'unknown') or name} {amount}".strip()


def total_blocks(result: SetResult, t: Texts) -> list[Passage]:
    """The weighted total with its arithmetic, or which part is missing."""
    total = result.total
    assert total is not None
    weighed = sum(part.weight for part in total.parts)
    rows = [
        [
            metric_title(result.rubric, part.metric, t),
            items_link(score(part.value), sort=sort_key(part.metric)),
            f"{part.weight:g}",
            score(None if part.value is None else part.weight * part.value / weighed),
        ]
        for part in total.parts
    ]
    rows.append([t("total.title"), score(total.value), f"{weighed:g}", score(total.value)])
    titles = [t("table.metric"), *(f">{t(key)}" for key in ("table.set-score", "table.weight", "table.share"))]
    return [Passage(text=total_text(result, t)), Passage(table=table(titles, rows))]


def total_text(result: SetResult, t: Texts) -> str:
    """`3.46 = (20×3.63 + 10×5.00 + …) ÷ 100`, or `—` and the metrics without a value."""
    total = result.total
    assert total is not None
    missing = [metric_title(result.rubric, part.metric, t) for part in total.parts if part.value is None]
    if missing:
        return t("total.missing", metrics=", ".join(missing))
    products = " + ".join(f"{part.weight:g}×{score(part.value)}" for part in total.parts)
    return f"{score(total.value)} = ({products}) ÷ {sum(part.weight for part in total.parts):g}"
