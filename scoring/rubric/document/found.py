"""What one table of a rubric document was found to say, and what a document means where it says nothing.

What may be left out is described in docs/rubrics.md#what-may-be-left-out. Words, headings and titles are known in
Korean and English, as in the shipped documents.
"""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

import msgspec
from msgspec.structs import fields, replace

from scoring.rubric.document.schema import AllWords, Consistency, FrontMatter, HeadedClass, Latency
from scoring.rubric.model import LATENCY_PREFIX, RUBRICS, TOTAL, Column, Rubric, Vocabulary
from scoring.rubric.points import Bands, Status
from scoring.rubric.rules import Level

NONE = "none"  # outcome: nothing to check
SCORING_WORDS = AllWords(
    partial=(
        "선택해 주세요", "알려주", "주시면", "원하시면", "확인해 주세요",
        "Please choose", "please choose", "Please select", "please select", "Please specify", "please specify",
        "Please provide", "please provide", "Could you clarify", "could you clarify", "Could you tell me",
        "could you tell me",
    ),
    no_error=(
        "-", ".", "/", "없음", "없습니다", "오류 없음", "오류가 없음", "오류 없습니다", "오류가 없습니다",
        "에러 없음", "에러가 없음", "문제 없음", "이상 없음", "특이사항 없음", "해당 없음", "해당사항 없음", "미발생",
        "오류 미발생", "무", "아니오", "아니요", "정상", "정상 처리", "정상 처리됨", "정상 처리되었습니다",
        "정상 응답", "정상 종료", "정상 완료", "성공", "성공했습니다", "처리 성공", "응답 성공", "완료", "처리 완료",
        "응답 완료", "통과", "양호", "n", "no", "n/a", "na", "nil", "undefined", "nothing", "not applicable",
        "no error", "no errors", "no error found", "no errors found", "no error occurred", "without error",
        "error free", "no exception", "no issue", "no issues", "no problem", "no problems", "ok", "okay", "success",
        "successful", "successfully", "succeeded", "pass", "passed", "done", "complete", "completed",
        "completed successfully", "finished", "normal", "0", "0 errors", "오류 0건", "0건", "200", "201", "202",
        "204", "200 ok", "201 created", "http 200", "http 200 ok", "http/1.1 200 ok", "http/2 200",
    ),
    failure=(
        "문제가 발생", "실패", "제공할 수 없", "오류로 인해", "토큰 제한",
        "An error occurred", "an error occurred", "Something went wrong", "something went wrong", "unable to provide",
        "token limit",
    ),
    track=("track", "트랙"),
)  # fmt: skip
TABLE_WORDS = Vocabulary(
    missing=("누락", "없음", "missing"),
    either=("또는", "혹은", "or"),
    seconds=("초", "s", "sec", "seconds"),
    points=("점수", "점", "points", "score"),
    at_most=("이하",),
    above=("초과",),
    at_least=("이상",),
    below=("미만",),
)
_CONSISTENCY = ("일관성", "consistency")
_ONE_CLASS = "all"  # name of the latency class of a document that names none
_COLUMNS: dict[str, tuple[str, ...]] = {  # title and aliases
    "run_id": ("Run ID",),
    "item_id": ("Item ID",),
    "query_id": ("Query ID", "ID", "질의 ID", "질문 ID", "Question ID"),
    "track": ("Track", "트랙"),
    "question": ("question", "질의", "질문", "query", "queryText", "prompt", "input"),
    "expected": ("expected", "기대결과", "정답", "expectedResult", "reference", "ground truth"),
    "category": ("category", "카테고리"),
    "round": ("round", "방/반복", "roomRepeat", "회차"),
    "response": ("response", "응답", "답변", "answer", "output"),
    "error": ("error", "오류"),
    "llm_status": ("LLM status", "LLM 상태"),
    "llm_score": ("LLM score", "LLM 점수", "score"),
    "llm_comment": ("LLM comment", "LLM 코멘트"),
    "raw_json": ("Raw JSON", "raw", "rawPayload"),
    "executed_at": ("executed at", "실행시각"),
    "llm_model": ("LLM model", "LLM 모델", "model"),
    "response_seconds": ("responseTimeSec", "seconds"),
    "latency_ms": ("latency_ms",),
    "intent_verdict": ("intent_verdict", "의도 판정"),
    "intent_label": ("intent_label", "의도 라벨"),
    "latency_class": ("latencyClass",),
    "accuracy_checks": ("accuracyChecks", "accuracyChecksJson", "정확성 체크(JSON)"),
    "criteria": ("LLM criteria (JSON)", "LLM 평가기준(JSON)"),
    "rubric_level": ("level", "등급", "rubric level", "grade"),
    "session": ("session", "세션"),
    "turn": ("turn", "턴"),
}


class Form(StrEnum):
    """How the table of a role is read."""

    STATUSES = "statuses"
    LEVELS = "levels"
    NUMBERS = "numbers"  # numbered levels
    RATIO = "ratio"
    CONDITIONS = "conditions"
    BANDS = "bands"
    WEIGHTS = "weights"


class Place(NamedTuple):
    """line: in the document, from 1. cell: as written."""

    line: int
    cell: str


class Ignored(msgspec.Struct, frozen=True, kw_only=True):
    """A table, list or key of the front matter that was not used.

    label: the heading or line above it; the key. reason: not-points, other-bands, list or front-matter. rows: line and
    first cell, or text, of each.
    """

    line: int
    last_line: int
    label: str
    reason: str
    rows: tuple[tuple[int, str], ...] = ()


class Found(msgspec.Struct, frozen=True, kw_only=True):
    """One table that says something.

    rows: (condition, points). points and places: per status, empty where no status is named. outcomes: points of
    other named conditions. bands: None without numbers and for faulty ones. missing: points without a value, None when
    no row gives them. levels, weights: of tables of these forms.
    """

    role: str
    line: int
    last_line: int
    rows: tuple[tuple[str, float], ...]
    points: dict[Status, float] = {}
    places: dict[Status, Place] = {}
    outcomes: dict[str, float] = {}
    bands: Bands | None = None
    missing: float | None = None
    levels: tuple[Level, ...] = ()
    weights: dict[str, float] = {}

    def says_the_same(self, other: Found) -> bool:
        """Is nothing said differently? A table may leave out what a missing value scores."""
        same_missing = None in {self.missing, other.missing} or self.missing == other.missing
        # Criteria are prose: two wordings of one level are one level.
        levels = [[(level.name, level.points) for level in table.levels] for table in (self, other)]
        return (
            same_missing
            and (self.points, self.outcomes, self.bands, self.weights)
            == (other.points, other.outcomes, other.bands, other.weights)
            and levels[0] == levels[1]
        )


def forms_of(rubric: Rubric) -> dict[str, Form]:
    """Roles that a full document has to fill with a table, in the order of the report, and how each is read."""
    forms: dict[str, Form] = {}
    if rubric.verdict is not None:
        forms["intent"] = Form.LEVELS
    elif "intent" in rubric.status_points:
        forms["intent"] = Form.STATUSES
    if rubric.checks is not None:
        forms["accuracy"] = Form.RATIO
    elif rubric.addresses is not None:
        forms["accuracy"] = Form.CONDITIONS
    if "stability" in rubric.status_points:
        forms["stability"] = Form.STATUSES
    forms |= {f"{LATENCY_PREFIX}{entry.name}": Form.BANDS for entry in rubric.latency_classes}
    if rubric.rubrics is not None:
        forms[RUBRICS] = Form.NUMBERS
    if rubric.weights:
        forms[TOTAL] = Form.WEIGHTS
    return forms


def filled_in(front: FrontMatter) -> FrontMatter:
    """The front matter with what it leaves out."""
    return replace(
        front,
        columns=tuple(map(_column, front.columns)),
        metrics=replace(
            front.metrics,
            consistency=_consistency(front.metrics.consistency),
            latency=_latency(front.metrics.latency),
        ),
        words=_words(front),
        recorded_range=front.recorded_range or (front.scale.lowest, front.scale.highest),
    )


def table_words(rubric: Rubric) -> Vocabulary:
    """The words by which tables are read. Tables of levels alone, which have no points, need none."""
    written = rubric.vocabulary
    if all(metric.name == RUBRICS for metric in rubric.metrics):
        return written
    names = ("missing", "either", "seconds", "points", "at_most", "above", "at_least", "below")
    return replace(written, **{name: getattr(written, name) or getattr(TABLE_WORDS, name) for name in names})


def _column(spec: Column) -> Column:
    """A title that is left out is the usual one, with its aliases and those of the document."""
    if spec.title or spec.name not in _COLUMNS:
        return spec if spec.title else replace(spec, title=spec.name)
    title, *aliases = _COLUMNS[spec.name]
    return replace(spec, title=title, aliases=(*aliases, *spec.aliases))


def _words(front: FrontMatter) -> AllWords:
    """All of them where the document has no `words` and a metric in points; else those that it lists.

    The words for a track are usual wherever a latency class needs them.
    """
    in_points = any(metric.name != RUBRICS and getattr(front.metrics, metric.name) for metric in fields(front.metrics))
    words = front.words if front.words is not None else SCORING_WORDS if in_points else AllWords()
    if front.metrics.latency is not None and not words.track:
        words = replace(words, track=SCORING_WORDS.track)
    return words


def _consistency(spec: Consistency | None) -> Consistency | None:
    if spec is None or spec.title:
        return spec
    return replace(spec, title=_CONSISTENCY[0], headings=(*_CONSISTENCY[1:], *spec.headings))


def _latency(spec: Latency | None) -> Latency | None:
    if spec is None:
        return None
    written = spec.classes or {_ONE_CLASS: HeadedClass()}
    of_metric = spec.headings if len(written) == 1 else ()  # the one table is that of the metric
    classes = {name: _class(name, one, of_metric) for name, one in written.items()}
    return replace(spec, classes=classes, default=spec.default or next(iter(written)))


def _class(name: str, spec: HeadedClass, of_metric: tuple[str, ...]) -> HeadedClass:
    title = spec.title or name
    headings = spec.headings or tuple(dict.fromkeys((title, name, *of_metric)))
    return replace(spec, title=title, headings=headings)
