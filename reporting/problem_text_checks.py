"""What about the declared values of an item could not be used, in Korean: code -> (what, fix), as in the other tables.

All of these are notes: the item stands, and what it was scored by instead is said.
"""

from __future__ import annotations

from collections.abc import Mapping

CHECK_TEXTS: Mapping[str, tuple[str, str]] = {
    # Declared words.
    "verdict-unknown": (
        "'{value}' 판정은 루브릭에 없는 등급이라 쓰지 않고 다음 출처에서 찾았습니다",
        "다음 가운데 하나로 적으세요: {known}",
    ),
    "label-unknown": (
        "'{value}' 라벨은 루브릭에 없어 쓰지 않고 다음 출처에서 찾았습니다",
        "다음 가운데 하나로 적으세요: {known}",
    ),
    "class-unknown": (
        "'{value}' 속도 구분은 루브릭에 없어 쓰지 않고 다음 출처에서 찾았습니다",
        "다음 가운데 하나로 적으세요: {known}",
    ),
    # Lists of checks.
    "checks-unreadable": (
        "체크 목록을 JSON 목록으로 읽을 수 없어 쓰지 않고 다음 출처에서 찾았습니다('{value}')",
        '`[{{"path": …, "op": …, "value": …}}]` 꼴의 JSON으로 적거나 비워 두세요',
    ),
    "checks-too-many": (
        "체크가 {value}개라 쓰지 않았습니다(한도 {limit}개)",
        "한 문항의 체크를 한도 안으로 줄이세요",
    ),
    # Checks that can't be run: they count as failed.
    "check-not-an-object": (
        "체크 '{value}' 항목이 객체가 아니어서 통과하지 못한 것으로 셌습니다",
        "path, op, value를 갖춘 객체로 적으세요",
    ),
    "check-no-path": (
        "체크의 path '{value}' 표기를 읽을 수 없어 통과하지 못한 것으로 셌습니다",
        "`dataUIList[*].uiValue.formType` 꼴로 적으세요",
    ),
    "check-unknown-op": (
        "체크 '{value}'의 op를 알 수 없어 통과하지 못한 것으로 셌습니다",
        "eq, contains, in, regex, exists 가운데 하나로 적으세요",
    ),
    "check-no-value": (
        "체크 '{value}'에 견줄 값이 없어 통과하지 못한 것으로 셌습니다",
        "value를 적거나, 있는지만 보려면 op를 exists로 적으세요",
    ),
    "check-weight": (
        "체크 '{value}'의 가중치가 0보다 큰 수가 아니어서 가중치 1로 통과하지 못한 것으로 셌습니다",
        "weight를 0보다 큰 수로 적거나 지우세요",
    ),
    "check-no-equals": (
        "@check 뒤 '{value}'에 등호(=)가 없어 통과하지 못한 것으로 셌습니다",
        "`@check key=value` 꼴로 적으세요",
    ),
    "check-no-key": (
        "@check 뒤의 key '{value}' 표기를 읽을 수 없어 통과하지 못한 것으로 셌습니다",
        "`@check key=value` 꼴로 적으세요",
    ),
    "check-pattern": (
        "체크 '{value}'의 정규식을 RE2가 받지 못해 통과하지 못한 것으로 셌습니다",
        "앞뒤 살피기와 되돌아보기 참조를 빼고 RE2 문법으로 적으세요",
    ),
}
