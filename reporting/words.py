"""Korean names of what the code calls by slugs: metrics, statuses, reasons, diagnoses, counts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from reporting.display import excerpt
from scoring.losses import CONSISTENCY
from scoring.result import UNASSIGNED, Round
from scoring.rubric import Status
from scoring.status import (
    WHY_ANSWERED,
    WHY_ERROR_COLUMN,
    WHY_ERROR_PAYLOAD,
    WHY_NOTHING,
    WHY_PAYLOAD_PREFIX,
    WHY_WORD_PREFIX,
)

NO_TRACK = "미지정"
NO_CATEGORY = "(카테고리 없음)"
NOTHING = "—"
NOT_ASSESSABLE = "평가 불가"  # 0 by rule: there was nothing to check
LABEL_CHARS = 40

METRICS: Mapping[str, str] = {
    "intent": "의도 충족",
    CONSISTENCY: "일관성",
    "accuracy": "정확성",
    "latency": "응답 속도",
    "stability": "안정성",
}

STATUSES: Mapping[Status, str] = {
    Status.OK: "정상",
    Status.PARTIAL: "보완 요청",
    Status.ERROR: "오류",
    Status.EMPTY: "빈 응답",
}

DIAGNOSES: Mapping[str, str] = {
    "excel-cut": "Excel 셀 한도(32,767자)에서 잘림",
    "python-dict": "JSON이 아닌 Python 표기(작은따옴표)",
    "truncated": "중간에서 잘림",
    "not-an-object": "객체가 아닌 값",
    "too-deep": "너무 깊은 구조",
    "invalid": "JSON 문법 오류",
}

COUNTS: Mapping[str, str] = {
    "end-mark": "끝에 DOS 파일 끝 표시(0x1A)가 있는 파일",
    "restored-date": "Excel이 날짜로 바꾼 방/반복을 되살린 행",
    "ui-object": "dataUIList가 목록이 아니라 객체인 행",
    "response-without-payload": "응답은 있으나 Raw JSON이 빈 행",
    "track-unassigned": "Track 미지정 행",
    "track-unnamed": "루브릭에 없는 Track 행",
    "serial-date": "방/반복이 Excel 날짜 숫자로 보이는 행",
    "seconds-missing": "응답 시간이 없는 행",
    "recorded-contradicts-failure": "실패한 답인데 LLM 점수가 0보다 높은 행",
    "recorded-zero-on-pass": "통과한 답인데 LLM 점수가 0인 행",
    "double-encoded": "두 번 감싼 JSON을 풀어 읽은 행",
    "excel-cut-cell": "Excel 셀 한도에서 잘린 셀",
    "not-evaluated": "의도를 평가하지 않은 문항",
    "not-assessable": "체크나 기대 주소가 없어 정확성을 평가할 수 없는 문항",
    "checks-ignored": "메시지에 대한 것이라 세지 않은 체크",
    "prose-unread": "기대결과에서 체크로 읽지 않은 줄",
    "lone-surrogate": "깨진 문자를 바꿔 표시한 셀",
}
_FIELD_TYPE = "field-type:"

_WHYS: Mapping[str, str] = {
    WHY_ERROR_COLUMN: "오류 칸",
    WHY_ERROR_PAYLOAD: "Raw JSON의 error",
    WHY_NOTHING: "메시지와 UI 없음",
    WHY_ANSWERED: "답변함",
}

_PLACEHOLDERS = {"‹n›": "‹숫자›", "‹id›": "‹ID›", "‹path›": "‹경로›", "‹url›": "‹주소›"}


def track_name(key: str) -> str:
    """`Track 1`, or 미지정, by the key of a group."""
    return NO_TRACK if key == UNASSIGNED else f"Track {key}"


def round_name(entry: Round) -> str:
    """`1회차 (1/1)`."""
    return f"{entry.number}회차 ({excerpt(entry.label, LABEL_CHARS)})"


def round_numbers(rounds: Sequence[Round]) -> str:
    """`1/2회차`; from five rounds on `1\u20135회차`."""
    numbers = [str(entry.number) for entry in rounds]
    return ("/".join(numbers) if len(numbers) < 5 else f"{numbers[0]}–{numbers[-1]}") + "회차"


def why(code: str) -> str:
    """The rule that gave an item its status."""
    if code.startswith(WHY_PAYLOAD_PREFIX):
        return f"Raw JSON을 읽을 수 없음: {diagnosis(code.removeprefix(WHY_PAYLOAD_PREFIX))}"
    if code.startswith(WHY_WORD_PREFIX):
        return f"‘{excerpt(code.removeprefix(WHY_WORD_PREFIX), LABEL_CHARS)}’ 포함"
    return _WHYS.get(code) or excerpt(code, LABEL_CHARS)


def diagnosis(code: str) -> str:
    """Why a payload could not be read."""
    return DIAGNOSES.get(code, code)


def count_name(code: str) -> str:
    """What a data quality count counts."""
    if code.startswith(_FIELD_TYPE):
        return f"{code.removeprefix(_FIELD_TYPE)} 값의 형식이 달라 그 값만 쓰지 않은 행"
    return COUNTS.get(code, code)


def pattern_text(folded: str) -> str:
    """A folded error text with Korean placeholders."""
    for placeholder, shown in _PLACEHOLDERS.items():
        folded = folded.replace(placeholder, shown)
    return folded


def category_name(category: str) -> str:
    """A category, or that there is none."""
    return excerpt(category, 60) or NO_CATEGORY
