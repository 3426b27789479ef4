"""The part of the view about intent verdicts and checks: sources, levels, what failed, 0 by rule and 0 by failure."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping

from reporting import words
from reporting.display import count, excerpt, score
from reporting.tables import Table, table
from reporting.view_metrics import SET, Block, score_table, status_table
from scoring.part import Item, ItemDetails
from scoring.result import SetResult
from scoring.rules import REASON_NO_CHECKS, REASON_STATUS

MAX_CHECKS = 50
EXAMPLES = 5
TEXT_CHARS = 120
ID_CHARS = 30
_NO_DETAILS = ItemDetails()

SOURCES: Mapping[str, str] = {
    "column": "판정 열",
    "payload": "Raw JSON의 판정",
    "recorded": "LLM 점수",
    "status": "답변 상태",
    "copy": "다른 지표의 점수",
    "none": "평가하지 않음",
}

OPERATORS: Mapping[str, str] = {
    "eq": "같음",
    "contains": "포함",
    "in": "이 가운데 하나",
    "regex": "정규식",
    "exists": "있음",
    "": "(알 수 없음)",
}

FAULTS: Mapping[str, str] = {
    "": "값이 다르거나 없음",
    "not-an-object": "객체가 아님",
    "no-path": "경로를 읽을 수 없음",
    "unknown-op": "알 수 없는 op",
    "no-value": "견줄 값이 없음",
    "weight": "가중치가 0보다 큰 수가 아님",
    "no-equals": "등호(=)가 없음",
    "no-key": "key를 읽을 수 없음",
    "pattern": "RE2가 받지 못하는 정규식",
}

REACHES: Mapping[str, str] = {
    "same-key": "키가 같음",
    "same-path": "경로만 같음",
    "neither": "둘 다 다름",
}


def intent_blocks(result: SetResult) -> list[Block]:
    """Scores, where they come from, the levels picked, and the statuses of the answers."""
    blocks = [Block(table=score_table(result, "intent"))]
    if result.rubric.verdict is not None:
        sources = _per_round(result, lambda item: SOURCES.get(item.intent_source, item.intent_source))
        blocks.append(Block(text="판정의 출처", table=_counted(result, sources, list(SOURCES.values()))))
        levels = [f"{level.name} ({level.points:g}점)" for level in result.rubric.verdict.levels]
        titles = dict(zip((level.name for level in result.rubric.verdict.levels), levels, strict=True))
        picked = _per_round(result, lambda item: titles.get(_of(item).verdict, ""))
        blocks.append(Block(text="등급 분포", table=_counted(result, picked, levels, keep=True)))
    blocks.append(Block(text="답변 상태", table=status_table(result)))
    return blocks


def accuracy_blocks(result: SetResult) -> list[Block]:
    """Scores, why items have none of them, and the checks that failed."""
    blocks = [Block(table=score_table(result, "accuracy"))]
    if result.rubric.checks is None and result.rubric.addresses is None:
        return blocks
    outcomes = _per_round(result, _outcome)
    titles = list(dict.fromkeys(title for counted in outcomes.values() for title in counted))
    titles.sort(key=_OUTCOMES.index)
    blocks.append(
        Block(
            text="0점에는 두 가지가 있습니다. 평가 불가는 견줄 것이 없어 규칙에 따라 0점인 문항이고, "
            "나머지는 답이 기대와 다른 문항입니다.",
            table=_counted(result, outcomes, titles),
        )
    )
    if result.rubric.checks is not None:
        failed = _failed_checks(result)
        text = "" if failed.rows else "통과하지 못한 체크가 없습니다."
        blocks.append(Block(heading="통과하지 못한 체크", text=text, table=failed if failed.rows else None))
    return blocks


_ALL_PASSED, _SOME_PASSED, _NONE_PASSED = "모두 통과", "일부 통과", "하나도 통과 못함"
_NO_ANSWER, _NOT_ASSESSABLE = "오류로 0점", words.NOT_ASSESSABLE
_OUTCOMES = [_ALL_PASSED, _SOME_PASSED, _NONE_PASSED, *REACHES.values(), _NO_ANSWER, _NOT_ASSESSABLE]


def _outcome(item: Item) -> str:
    details = _of(item)
    match details.accuracy_reason:
        case reason if reason == REASON_STATUS:
            return _NO_ANSWER
        case reason if reason == REASON_NO_CHECKS:
            return _NOT_ASSESSABLE
        case reason if reason in REACHES:
            return REACHES[reason]
    if details.ratio == 1:
        return _ALL_PASSED
    return _SOME_PASSED if details.ratio else _NONE_PASSED


def _failed_checks(result: SetResult) -> Table:
    """Failed checks that are alike, most frequent first."""
    numbers: Counter[tuple[str, str, str, str]] = Counter()
    examples: defaultdict[tuple[str, str, str, str], dict[str, None]] = defaultdict(dict)
    more = 0
    for item in result.items:
        details = _of(item)
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
            excerpt(name, TEXT_CHARS) or words.NOTHING,
            OPERATORS.get(operator, operator),
            excerpt(value, TEXT_CHARS) or words.NOTHING,
            FAULTS.get(fault, fault),
            ", ".join(excerpt(query_id, ID_CHARS) for query_id in examples[name, operator, value, fault]),
        ]
        for name, operator, value, fault in ordered[:MAX_CHECKS]
    ]
    titles = [">실패 n", "경로 또는 key", "조건", "기대한 값", "까닭", "예 (Query ID)"]
    return table(titles, rows, total=len(ordered) + more)


def total_blocks(result: SetResult) -> list[Block]:
    """The weighted total with its arithmetic, or which part is missing."""
    total = result.total
    assert total is not None
    weighed = sum(part.weight for part in total.parts)
    titles = {**words.METRICS, **result.rubric.metrics_by_name}
    rows = [
        [
            titles[part.metric],
            score(part.value),
            f"{part.weight:g}",
            score(None if part.value is None else part.weight * part.value / weighed),
        ]
        for part in total.parts
    ]
    rows.append(["종합", score(total.value), f"{weighed:g}", score(total.value)])
    return [Block(text=total_text(result)), Block(table=table(["지표", ">세트 점수", ">가중치", ">몫"], rows))]


def total_text(result: SetResult) -> str:
    """`3.46 = (20×3.63 + 10×5.00 + …) ÷ 100`, or `—` and the metrics without a value."""
    total = result.total
    assert total is not None
    titles = {**words.METRICS, **result.rubric.metrics_by_name}
    missing = [titles[part.metric] for part in total.parts if part.value is None]
    if missing:
        return f"{words.NOTHING} (값이 없는 지표: {', '.join(missing)})"
    products = " + ".join(f"{part.weight:g}×{score(part.value)}" for part in total.parts)
    return f"{score(total.value)} = ({products}) ÷ {sum(part.weight for part in total.parts):g}"


def _of(item: Item) -> ItemDetails:
    return item.details or _NO_DETAILS


def _per_round(result: SetResult, key: Callable[[Item], str]) -> dict[str, Counter[str]]:
    counted: dict[str, Counter[str]] = {entry.label: Counter() for entry in result.rounds}
    for item in result.items:
        counted[item.round][key(item)] += 1
    return counted


def _counted(result: SetResult, counted: Mapping[str, Counter[str]], titles: list[str], *, keep: bool = False) -> Table:
    """Items by title, a row per round and one for the set. keep: columns without any item as well."""
    total = sum(counted.values(), Counter[str]())
    shown = [title for title in titles if keep or total[title]]
    rows = [
        [words.round_name(entry), *(count(counted[entry.label][title]) for title in shown)] for entry in result.rounds
    ]
    rows.append([SET, *(count(total[title]) for title in shown)])
    return table(["구분", *(f">{title}" for title in shown)], rows)
