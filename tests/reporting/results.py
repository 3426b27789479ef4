"""Small scored sets made by hand, for the tests of what is written."""

import hashlib
from typing import Any

from scoring.items import Item
from scoring.items.spool import Items, Part
from scoring.results import SetResult, merge
from scoring.rubric import Bands, Column, DateOrder, LatencyClass, Rubric, Status
from tests.inner import MetricInfo

SHA = "0123456789abcdef" * 4


def make_rubric(**changes: Any) -> Rubric:
    """A rubric with the points of seed 002 and Korean titles for some columns."""
    single = Bands(edges=(5, 8, 10, 15, 20), points=(5, 4, 3, 2, 1, 0), missing=0)
    multi = Bands(edges=(20, 30, 40, 50, 60), points=(5, 4, 3, 2, 1, 0), missing=0)
    points = {Status.OK: 5.0, Status.PARTIAL: 4.0, Status.ERROR: 0.0, Status.EMPTY: 0.0}
    values: dict[str, Any] = {
        "profile": "resume-agent",
        "title": "지원자 관리 에이전트",
        "files": ("resume_agent_*.csv",),
        "columns": (
            Column(name="query_id", title="Query ID", required=True),
            Column(name="round", title="방/반복", required=True),
            Column(name="question", title="질의"),
            Column(name="error", title="오류"),
            Column(name="llm_score", title="LLM 점수"),
            Column(name="llm_status", title="llm_status"),
            Column(name="raw_json", title="Raw JSON"),
        ),
        "no_error_words": ("-",),
        "partial_words": ("선택",),
        "failure_words": ("실패",),
        "track_words": ("track",),
        "date_order": DateOrder.MONTH_FIRST,
        "scale": 5.0,
        "recorded_range": (0.0, 5.0),
        "status_points": {"intent": points, "stability": {**points, Status.PARTIAL: 5.0}},
        "accuracy_of": "intent",
        "pass_statuses": (Status.OK, Status.PARTIAL),
        "latency_classes": (
            LatencyClass(name="single", title="단일", tracks=(1, 2), bands=single),
            LatencyClass(name="multi", title="복수", tracks=(3,), bands=multi, slow_seconds=60),
        ),
        "default_class": "single",
        "max_rounds": 50,
        "metrics": (
            MetricInfo(name="intent", title="의도 충족"),
            MetricInfo(name="consistency", title="일관성"),
            MetricInfo(name="accuracy", title="정확성"),
            MetricInfo(name="latency", title="응답 속도"),
            MetricInfo(name="stability", title="안정성"),
        ),
    }
    return Rubric(**{**values, **changes})


def make_item(row: int = 2, **changes: Any) -> Item:
    """One ok item; Item ID and Query ID follow the row."""
    values: dict[str, Any] = {
        "row": row,
        "run_id": "run-1",
        "item_id": f"item-{row}",
        "query_id": f"Q-{row}",
        "round": "1/1",
        "track": 1,
        "category": "공고",
        "question": "지원자 수 알려줘",
        "expected": "지원자 수",
        "response": "19,164명입니다.",
        "message": "19,164명입니다.",
        "error": "",
        "status": Status.OK,
        "why": "message",
        "intent": 5.0,
        "accuracy": 5.0,
        "stability": 5.0,
        "latency": 5.0,
        "seconds": 4.2,
        "intent_source": "status",
        "recorded": "",
        "recorded_issue": "",
        "llm_status": "",
        "llm_comment": "",
        "llm_model": "",
        "executed_at": "",
        "failure_word": "",
        "has_payload": True,
    }
    return Item(**{**values, **changes})


def make_part(*items: Item, rubric: Rubric | None = None, **changes: Any) -> Part:
    """A part that holds `items` and nothing unusual."""
    values: dict[str, Any] = {
        "sha256": SHA,
        "size": 1000,
        "rubric_digest": (rubric or make_rubric()).digest,
        "encoding": "utf-8",
        "delimiter": ",",
        "rows": len(items),
        "items": Items.of(items),
    }
    return Part(**{**values, **changes})


def sha_of(name: str) -> str:
    """A SHA-256 for the file of the set of this name: sets with the same files are one run."""
    return hashlib.sha256(name.encode()).hexdigest()


def make_result(*items: Item, name: str = "resume_agent_a.csv", rubric: Rubric | None = None, **part: Any) -> SetResult:
    """A set of one file with `items` (one ok item when none are given)."""
    rubric = rubric or make_rubric()
    return merge([(name, make_part(*(items or (make_item(),)), rubric=rubric, **part))], rubric)
