"""Runs made by hand from the values of their queries."""

from collections.abc import Mapping, Sequence
from typing import Any

from scoring.comparison.reduce import ItemValues, reduce_items
from scoring.comparison.run import Basis, Judge, Query, Run
from scoring.rubric import PassRule, Status

PASSES = PassRule(metric="intent", points=3.0)


def make_basis(**changes: Any) -> Basis:
    values: dict[str, Any] = {
        "metrics": ("intent", "consistency", "latency"),
        "scale": 5.0,
        "answered": (Status.OK, Status.PARTIAL),
        "passes": PASSES,
        "pairs": None,
        "single": None,
        "weights": {},
        "edition": "2026-01-01",
        "document": "made.md",
    }
    return Basis(**{**values, **changes})


def make_values(query_id: str = "Q1", intent: float | None = 5.0, **changes: Any) -> ItemValues:
    """An ok item of a query; an error where its intent is 0."""
    values: dict[str, Any] = {
        "query_id": query_id,
        "round": "1/1",
        "track": 1,
        "category": "공고",
        "question": f"{query_id} 지원자 수",
        "expected": "지원자 수",
        "answer": f"답 {intent}",
        "status": "ok" if intent else "error",
        "executed_at": "",
        "seconds": 4.0,
        "latency_class": "single",
        "points": {"intent": intent, "latency": 5.0},
        "accuracy_reason": "",
        "label": "VIEW",
        "signature": "EMPTY",
        "intent_source": "recorded",
    }
    points = changes.pop("points", {})
    made = {**values, **changes}
    made["points"] = {**values["points"], **points}
    return ItemValues(**made)


def make_run(items: Sequence[ItemValues], **changes: Any) -> Run:
    basis = changes.pop("basis", make_basis())
    queries: Mapping[str, Query] = reduce_items(items, basis)
    values: dict[str, Any] = {
        "name": "run",
        "key": "k1",
        "selection": "",
        "profile": "resume-agent",
        "rubric_digest": "d1",
        "engine_version": 4,
        "judge": Judge(),
        "basis": basis,
        "rounds": ("1/1",),
        "executed": "",
        "shown": {},
        "queries": queries,
    }
    return Run(**{**values, **changes})


def run_of_points(points: Sequence[Sequence[float | None]], **changes: Any) -> Run:
    """A run whose n-th query has these points of intent, one item a round. Queries are Q000, Q001 …"""
    items = [
        make_values(f"Q{number:03}", value, round=f"{at + 1}/1")
        for number, of_query in enumerate(points)
        for at, value in enumerate(of_query)
    ]
    return make_run(items, **changes)
