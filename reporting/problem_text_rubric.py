"""What is wrong with a rubric document, and what to do, in Korean: code -> (what, fix), each without its full stop.

`{value}` is the cell or word that stood there; other names are `Problem.values`. RUBRIC_FACTS: code -> value -> its
name in Korean. A particle follows a fixed noun, never a value.
"""

from __future__ import annotations

from collections.abc import Mapping

RUBRIC_TEXTS: Mapping[str, tuple[str, str]] = {
    # The document as a file, and the folder it is in.
    "rubric-not-readable": ("루브릭 문서를 읽을 수 없습니다({reason})", "경로와 읽기 권한을 확인하세요"),
    "rubric-not-utf8": (
        "루브릭 문서가 UTF-8이 아닙니다({offset}번째 바이트)",
        "편집기에서 인코딩을 UTF-8로 골라 다시 저장하세요",
    ),
    "rubric-too-large": (
        "루브릭 문서가 너무 깁니다(한도 {limit}자)",
        "채점 기준만 남기고 나머지는 다른 문서로 옮기세요",
    ),
    "rubric-folder-missing": (
        "루브릭 문서를 둔 폴더가 없습니다",
        "설정 rubrics의 경로를 고치거나 폴더를 만드세요",
    ),
    "rubric-profile-twice": (
        "프로필 '{value}' 문서가 둘입니다. 다른 문서는 '{other}'입니다",
        "한 문서의 profile 이름을 바꾸거나 한 문서를 빼세요",
    ),
    "rubric-claimed-twice": (
        "이 파일을 맡겠다는 루브릭 문서가 둘 이상입니다: {profiles}",
        "문서의 files 패턴이 겹치지 않게 고치세요",
    ),
    "rubric-profile-unknown": (
        "'{value}' 프로필이 없습니다. 있는 프로필: {known}",
        "프로필 이름을 고치거나 문서의 경로를 적으세요",
    ),
    # Front matter: form.
    "rubric-no-profile": (
        "머리말에 profile이 없어 어느 프로필의 문서인지 알 수 없습니다",
        "머리말을 갖추거나, 표만 있는 문서라면 바탕이 될 프로필을 함께 지정하세요",
    ),
    "rubric-front-matter-open": (
        "첫 줄의 `---`로 시작한 머리말이 끝나지 않습니다",
        "머리말이 끝나는 곳에 `---` 줄을 넣으세요",
    ),
    "rubric-front-matter-size": ("머리말이 너무 깁니다(한도 {limit}자)", "설명은 본문으로 옮기세요"),
    "rubric-yaml": (
        "머리말을 YAML로 읽을 수 없습니다({reason})",
        "이 줄과 바로 윗줄의 들여쓰기, 따옴표, 괄호를 확인하세요",
    ),
    "rubric-yaml-alias": (
        "머리말에 YAML 별칭 '{value}' 표기가 있습니다",
        "별칭은 받지 않으니 값을 그대로 적거나 따옴표로 감싸세요",
    ),
    "rubric-yaml-depth": (
        "머리말의 괄호나 들여쓰기가 너무 깊습니다(한도 {limit}단계)",
        "선언의 모양을 단순하게 고치세요",
    ),
    "rubric-yaml-duplicate-key": (
        "머리말에 {path} 항목이 두 번 있습니다. 처음은 {first}번째 줄입니다",
        "둘 중 하나를 지우세요",
    ),
    "rubric-key-unknown": ("머리말의 {path} 항목은 쓰이지 않는 이름입니다", "다음 이름 중에서 고르세요: {known}"),
    "rubric-key-missing": ("머리말에 {key} 항목이 없습니다", "항목을 적으세요"),
    "rubric-value-type": (
        "머리말의 {path} 값 '{value}'의 종류가 맞지 않습니다",
        "다음 형식으로 고치세요: {expected}",
    ),
    # Front matter: meaning.
    "rubric-name": (
        "머리말의 {path} 이름 '{value}' 표기를 쓸 수 없습니다",
        "영문 소문자, 숫자, 붙임표로 64자 안에서 지으세요",
    ),
    "rubric-class-unknown": (
        "머리말의 {path} 값 '{value}' 등급이 classes에 없습니다",
        "다음 중에서 고르세요: {known}",
    ),
    "rubric-list-empty": ("머리말의 {path} 목록이 비어 있습니다", "하나 이상 적으세요"),
    "rubric-word-empty": ("머리말의 {path} 자리에 빈 말이 있습니다", "말을 적거나 그 자리를 지우세요"),
    "rubric-glob-separator": (
        "파일 패턴 '{value}' 안에 폴더 구분자가 있습니다",
        "패턴은 파일 이름만 보므로 `/`와 `\\` 없이 적으세요",
    ),
    "rubric-no-required-columns": (
        "꼭 있어야 하는 열이 하나도 없습니다",
        "columns에서 하나 이상에 required: true를 적으세요",
    ),
    "rubric-field-unknown": ("열 이름 '{value}' 항목은 없는 이름입니다", "다음 중에서 고르세요: {known}"),
    "rubric-field-twice": ("열 '{value}' 선언이 두 번 있습니다. 처음은 {first}번째 줄입니다", "하나로 합치세요"),
    "rubric-alias-collision": (
        "열 제목 '{value}' 표기가 열 '{other}'의 '{same}' 표기와 같습니다(공백, `_`, `-`, 대소문자는 구분하지 않음)",
        "한쪽에서 지우세요",
    ),
    "rubric-track-twice": ("트랙 {value}번이 '{other}' 등급에도 있습니다", "한 등급에만 남기세요"),
    "rubric-scale": ("만점 {value}점은 쓸 수 없습니다", "0보다 큰 수를 적으세요"),
    "rubric-range-reversed": ("{path} 범위 {value}의 앞뒤가 바뀌었습니다", "낮은 점수를 먼저 적으세요"),
    "rubric-recorded-range": ("{path} 범위 {value}가 0점과 만점 사이를 벗어납니다", "0에서 {scale} 사이로 고치세요"),
    "rubric-value-too-small": ("{path} 값 {value}이(가) 너무 작습니다", "{low} 이상으로 고치세요"),
    # Tables.
    "rubric-nothing-understood": (
        "이 프로필의 점수표나 구간표로 읽을 수 있는 것이 없습니다",
        "상태나 구간과 점수를 표 또는 `<= 5초: 5` 꼴의 목록으로 적으세요",
    ),
    "rubric-table-missing": (
        "{role} 표가 없습니다",
        "제목에 다음 말 중 하나를 넣고 그 아래에 표를 두세요: {words}",
    ),
    "rubric-table-unnamed": (
        "무엇의 점수인지 알 수 없는 표입니다(위 제목: '{value}')",
        "제목이나 바로 윗줄에 다음 말 중 하나만 넣으세요: {words}",
    ),
    "rubric-columns-ambiguous": (
        "숫자 열이 여럿이라 점수 열을 고를 수 없습니다('{value}')",
        "점수 열의 제목을 '점수'로 적으세요",
    ),
    "rubric-tables-differ": (
        "{role} 표가 {first}번째 줄의 표와 다릅니다('{value}')",
        "두 표를 같게 고치거나 하나를 지우세요",
    ),
    "rubric-copy-differs": (
        "'{value}' 줄의 {status} 점수 {points}점이 {of} 표의 {other}점과 다릅니다",
        "이 지표는 {of} 점수를 그대로 쓰므로 같게 고치거나 이 표를 지우세요",
    ),
    "rubric-status-unknown": ("상태 '{value}' 표기를 알 수 없습니다", "다음 상태로 적으세요: {known}"),
    "rubric-status-twice": (
        "'{value}'의 상태 {status} 줄이 또 있습니다. 처음은 {first}번째 줄입니다",
        "한 줄만 남기세요",
    ),
    "rubric-status-without-points": (
        "{role} 표에 점수가 없는 상태가 있습니다: {statuses}",
        "빠진 상태의 줄을 넣으세요",
    ),
    "rubric-points-not-a-number": ("점수 칸 '{value}'의 내용이 수가 아닙니다", "점수를 숫자로만 적으세요"),
    # Rules that a profile declares.
    "rubric-kinds": ("{path}에는 {choices} 가운데 하나만 있어야 합니다", "쓰지 않을 것을 지우거나 빠진 것을 적으세요"),
    "rubric-copies-itself": (
        "의도 충족과 정확성이 서로의 점수를 쓰도록 되어 있습니다",
        "한쪽에 점수를 내는 규칙을 적으세요",
    ),
    "rubric-copies-verdict": (
        "정확성이 의도 판정의 점수를 쓰도록 되어 있어, 판정이 없는 문항에는 정확성도 없게 됩니다",
        "정확성에 checks나 addresses를 적으세요",
    ),
    "rubric-path": (
        "머리말의 {path} 값 '{value}'을(를) 경로로 읽을 수 없습니다",
        "`dataUIList[*].uiValue.formType` 꼴로 적고, key가 들어갈 자리에는 {{key}}를 한 번 적으세요",
    ),
    "rubric-pattern": (
        "머리말의 {path} 정규식 '{value}'을(를) RE2가 받지 못합니다({reason})",
        "앞뒤 살피기와 되돌아보기 참조를 빼고 RE2 문법으로 적으세요",
    ),
    "rubric-pattern-groups": (
        "머리말의 {path} 정규식에 {groups} 이름의 묶음이 없습니다('{value}')",
        "`(?P<key>…)`처럼 이름을 붙이거나 같은 이름의 항목에 값을 적으세요",
    ),
    "rubric-label-twice": ("라벨 '{value}' 항목이 first와 most에 함께 있습니다", "한 곳에만 적으세요"),
    # Levels, conditions, weights.
    "rubric-level-number": ("등급 '{value}'이(가) 정수가 아닙니다", "등급 열에는 정수만 적으세요"),
    "rubric-level-no-name": ("'{value}' 줄에 등급의 이름이 없거나 너무 깁니다", "짧은 이름을 적으세요"),
    "rubric-level-twice": ("등급 '{value}'이(가) 또 있습니다. 처음은 {first}번째 줄입니다", "한 줄만 남기세요"),
    "rubric-level-no-criteria": ("등급 '{value}'의 기준이 비어 있습니다", "어떤 답이 이 등급인지 기준을 적으세요"),
    "rubric-levels-few": ("등급이 {least}개보다 적습니다", "등급을 둘 이상 적으세요"),
    "rubric-level-unknown": ("등급 '{value}'이(가) 등급표에 없습니다", "등급표의 등급으로 적으세요: {known}"),
    "rubric-level-score": (
        "등급 {level}의 점수 '{value}'이(가) 등급표에서 나오는 값과 다릅니다",
        "{expected}로 고치거나 등급표를 확인하세요",
    ),
    "rubric-condition-unknown": (
        "조건 '{value}'의 뜻을 알 수 없습니다",
        "머리말에 적은 말 가운데 하나로 적으세요",
    ),
    "rubric-condition-twice": ("조건 '{value}' 줄이 또 있습니다", "한 줄만 남기세요"),
    "rubric-condition-missing": ("{role} 표에 빠진 조건이 있습니다: {conditions}", "빠진 조건의 점수를 적으세요"),
    "rubric-weight-unreadable": ("가중치 '{value}'을(를) 읽을 수 없습니다", "`20%`나 `20`처럼 적으세요"),
    "rubric-weight-metric": (
        "'{value}'이(가) 어느 지표의 가중치인지 알 수 없습니다",
        "머리말 headings에 있는 지표 이름 하나를 적으세요",
    ),
    "rubric-weight-twice": ("'{value}'의 가중치가 또 있습니다", "지표마다 한 줄만 남기세요"),
    "rubric-weight-mixed": ("가중치에 %가 있는 줄과 없는 줄이 섞여 있습니다", "모두 %로 적거나 모두 빼세요"),
    "rubric-weight-sum": (
        "가중치의 합이 {sum}입니다",
        "%로 적을 때는 합이 100이 되게, 아닐 때는 0보다 크게 고치세요",
    ),
    "rubric-points-range": ("점수 '{value}'의 값이 범위를 벗어납니다", "0에서 {scale} 사이로 고치세요"),
    # Bands.
    "rubric-band-unreadable": (
        "구간 '{value}'의 뜻을 읽을 수 없습니다",
        "`<= 5`, `5 < latencySec <= 8`, `5~8초`, `> 20초` 중 한 꼴로 적으세요",
    ),
    "rubric-band-reversed": ("구간 '{value}'의 앞뒤가 바뀌었거나 비어 있습니다", "작은 수를 먼저 적으세요"),
    "rubric-band-gap": (
        "구간 '{value}' 앞에서 {start}부터 {end}까지의 값이 어느 구간에도 들지 않습니다",
        "구간이 이어지도록 경계를 고치세요",
    ),
    "rubric-band-gap-at": (
        "구간 '{value}'의 경계 값 {at}이(가) 어느 구간에도 들지 않습니다",
        "한쪽에 등호를 넣어 경계 값이 한 구간에 들게 하세요",
    ),
    "rubric-band-overlap": (
        "구간 '{value}'이(가) {at_line}번째 줄의 '{other}' 구간과 겹칩니다",
        "한 값이 한 구간에만 들도록 경계를 고치세요",
    ),
    "rubric-band-no-end": (
        "가장 높은 구간 '{value}' 위({end} 너머)의 값이 어느 구간에도 들지 않습니다",
        "`> {end}` 꼴의 줄을 넣으세요",
    ),
    "rubric-band-order": (
        "구간 '{value}'의 점수 {points}점이 {at_line}번째 줄 '{other}'의 {before}점과 순서가 맞지 않습니다",
        "점수가 한 방향으로만 오르거나 내리도록 고치세요",
    ),
    "rubric-band-missing-twice": ("값이 없을 때의 점수가 또 있습니다('{value}')", "한 줄에만 남기세요"),
    "rubric-band-only-missing": ("{role} 표에 값이 없을 때의 점수만 있습니다", "구간을 적으세요"),
    "rubric-band-no-missing": (
        "{role} 표에 값이 없을 때의 점수가 없습니다",
        "마지막 구간을 `> 20초 또는 누락`처럼 적거나 `누락` 줄을 넣으세요",
    ),
}

_ROLES = {
    "intent": "의도 충족(intent)",
    "accuracy": "정확성(accuracy)",
    "stability": "안정성(stability)",
    "latency.single": "단일 도구 응답 속도(latency.single)",
    "latency.multi": "복수 도구 응답 속도(latency.multi)",
    "total": "종합 점수(total)",
}

RUBRIC_FACTS: Mapping[str, Mapping[str, str]] = {
    "rubric-value-type": {
        "text": "글",
        "number": "수",
        "integer": "정수",
        "boolean": "true 또는 false",
        "list": "[ ] 목록",
        "pair": "[낮은 수, 높은 수]",
        "map": "이름: 값의 묶음",
    },
    **dict.fromkeys(
        (
            "rubric-table-missing",
            "rubric-tables-differ",
            "rubric-status-without-points",
            "rubric-copy-differs",
            "rubric-band-only-missing",
            "rubric-band-no-missing",
            "rubric-condition-missing",
        ),
        _ROLES,
    ),
}
