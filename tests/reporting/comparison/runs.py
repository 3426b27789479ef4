"""Runs from scored sets, and comparisons of them."""

from collections.abc import Sequence
from typing import Any

from reporting.runs import reported_of_result
from scoring.comparison import Comparison, Run, compare_runs
from scoring.items import Item
from scoring.results import SetResult
from scoring.rubric import Status
from scoring.sets import SetId
from tests.reporting.results import make_item, make_result

FAILED: dict[str, Any] = {
    "status": Status.ERROR, "intent": 0.0, "accuracy": 0.0, "stability": 0.0, "error": "Timeout", "response": "",
    "message": "",
}  # fmt: skip
HOSTILE = (
    "</script><img src=x onerror=alert(1)>", "[링크](javascript:alert(1))", "=HYPERLINK(\"http://x\")", "\u202e거꾸로",
    "| 칸 | 더 |", "{{ 7*7 }}", "가\n나", "'=1+1", "a\x00b\x1bc", "@everyone #12 https://evil.example",
)  # fmt: skip


def items_of(queries: int, *, broken: int = 0, rounds: int = 1, **changes: Any) -> list[Item]:
    """Items of so many queries, of which the first `broken` are errors."""
    return [
        make_item(
            2 + round_number * queries + number,
            query_id=f"Q-{number:03}",
            round=f"{round_number + 1}/1",
            track=1 + number % 2,
            category=("공고", "면접")[number % 2],
            **{**(FAILED if number < broken else {}), **changes},
        )
        for round_number in range(rounds)
        for number in range(queries)
    ]


def run_of_result(result: SetResult, *, name: str, key: str, selection: str = "") -> Run:
    return reported_of_result(result, SetId(name, key), language="ko", selection=selection).run


def run_of(*items: Item, name: str = "a", key: str = "k1", selection: str = "") -> Run:
    return run_of_result(make_result(*items), name=name, key=key, selection=selection)


def worse_comparison(**more: Any) -> Comparison:
    """Seven of thirty queries fail after."""
    before = run_of(*items_of(30, rounds=2), name="before", key="k1")
    after = run_of(*items_of(30, broken=7, rounds=2), name="after", key="k2")
    return compare_runs(before, after, **more)


def sliced_comparison(values: Sequence[str], column: str = "언어") -> Comparison:
    """The queries have these values of a further column in turn; those with the first one fail after."""

    def run(name: str, key: str, *, broken: bool) -> Run:
        items = [
            make_item(
                2 + number,
                query_id=f"Q-{number:03}",
                extra=("x", values[number % len(values)]),
                **(FAILED if broken and number % len(values) == 0 else {}),
            )
            for number in range(12 * len(values))
        ]
        return run_of_result(make_result(*items, extra_columns=("비고", column)), name=name, key=key)

    return compare_runs(run("before", "k1", broken=False), run("after", "k2", broken=True))


def hostile_comparison() -> Comparison:
    """Every text that a file can hold is hostile."""

    def items(broken: bool) -> list[Item]:
        made = []
        for number, text in enumerate(HOSTILE * 2):
            failed = FAILED if broken and number % 2 else {}
            texts = {
                "question": text,
                "expected": text,
                "category": text,
                "response": f"{text} {broken}",
                "error": text,
            }
            made.append(make_item(2 + number, query_id=f"{text}-{number}", **{**failed, **texts}))
        appeared = make_item(90, query_id=f"{HOSTILE[0]}{broken}", question=HOSTILE[0])
        moved = make_item(91, query_id="moved", category=HOSTILE[int(broken)])
        reworded = make_item(92, query_id="reworded", question=HOSTILE[int(broken)])
        return [*made, appeared, moved, reworded]

    before = run_of(*items(False), name=f"{HOSTILE[0]}/before", key="k1")
    after = run_of(*items(True), name=f"{HOSTILE[1]}/after", key="k2")
    return compare_runs(before, after, margin=0.1)
