"""What is wrong with an input or a set, and what to do, in Korean: code -> (what, fix), each without its full stop.

`{value}` is what stood in the cell, `{column}` its header; other names are `Problem.values`. A particle follows a
fixed noun, never a value, so that every sentence reads right.
"""

from __future__ import annotations

from collections.abc import Mapping

INPUT_TEXTS: Mapping[str, tuple[str, str]] = {
    # The whole file.
    "empty-file": (
        "파일이 비어 있습니다",
        "내보내기가 끝난 파일인지 확인하고 다시 넣으세요",
    ),
    "header-only": (
        "머리글 아래에 데이터가 없습니다",
        "실행 결과가 담긴 파일인지 확인하고 다시 넣으세요",
    ),
    "no-usable-rows": (
        "데이터 {rows}행 가운데 쓸 수 있는 행이 없습니다",
        "아래에 적힌 행의 문제를 고쳐 다시 넣으세요",
    ),
    "missing-columns": (
        "필요한 열이 없습니다: {missing} (파일에 있는 열: {found})",
        "첫 행에 빠진 열 이름을 넣거나 바른 파일로 바꾸세요",
    ),
    "duplicate-column": (
        "같은 뜻의 열이 두 번 있습니다: '{first}', '{second}'",
        "둘 중 하나를 지우거나 이름을 바꾸세요",
    ),
    "not-decodable": (
        "{encoding} 글자로 읽을 수 없는 곳이 있습니다 (파일 처음에서 {offset}바이트 뒤)",
        "UTF-8 CSV로 다시 저장하세요",
    ),
    "cut-character": (
        "파일이 글자 중간에서 끝납니다 ({offset}바이트 뒤, {encoding})",
        "업로드가 끝까지 되었는지 확인하고 다시 넣으세요",
    ),
    "binary-file": (
        "텍스트 파일이 아니거나 암호화된 파일입니다 ({offset}바이트 뒤)",
        "암호를 풀고 CSV 또는 XLSX로 다시 저장하세요",
    ),
    "zip-as-text": (
        "확장자는 텍스트인데 내용은 압축 파일이나 스프레드시트입니다 ({kind})",
        "확장자를 .xlsx로 바꾸거나 CSV로 다시 저장하세요",
    ),
    "bad-quoting": (
        "따옴표가 맞지 않습니다. 여기서 시작하는 행을 읽을 수 없습니다",
        '칸 안의 따옴표를 두 번("") 쓰고 칸 전체를 따옴표로 감싸세요',
    ),
    "open-quote": (
        "따옴표로 묶인 칸 안에서 파일이 끝났습니다. 여기서 시작하는 행이 잘려 있어 채점하지 않았습니다",
        "원본 파일 전체를 다시 넣으세요",
    ),
    "cell-too-large": (
        "칸 하나가 너무 큽니다 (한도 {limit}MB)",
        "따옴표가 빠진 곳이 없는지 확인하고 칸을 줄여 다시 넣으세요",
    ),
    "unknown-extension": (
        "'{value}' 파일은 읽을 수 있는 종류가 아닙니다",
        "CSV, TSV, XLSX 가운데 하나로 저장해 넣으세요",
    ),
    "bad-spreadsheet": (
        "스프레드시트를 열 수 없습니다 ({reason})",
        "Excel에서 열어 암호 없는 .xlsx로 다시 저장하세요",
    ),
    "spreadsheet-too-large": (
        "스프레드시트를 풀면 한도 {limit}MB를 넘습니다",
        "회차별로 나누거나 CSV로 저장해 넣으세요",
    ),
    "unreadable": (
        "파일을 읽을 수 없습니다 ({reason})",
        "파일이 있고 읽기 권한이 있는지 확인하세요",
    ),
    # Single rows; the rest of the file counts.
    "cell-count": (
        "칸이 {expected}개여야 하는데 {found}개입니다. 이 행은 뺐습니다 ('{value}')",
        "쉼표나 따옴표가 빠지거나 남지 않았는지 확인하세요",
    ),
    "no-query-id": (
        "칸이 비어 있어 이 행은 뺐습니다",
        "Query ID를 채워 다시 넣으세요",
    ),
    "repeated-header": (
        "머리글이 데이터 가운데 다시 나와 이 행은 뺐습니다",
        "파일을 이어 붙였다면 두 번째 머리글부터 지우거나, 파일을 나누어 한 폴더에 넣으세요",
    ),
    "no-round": (
        "칸이 비어 있어 이 행은 뺐습니다",
        "방/반복을 1/1처럼 채워 다시 넣으세요",
    ),
    "recorded-not-a-number": (
        "'{value}' 값은 숫자가 아니라 쓰지 않았습니다. 답변 상태로 점수를 주었습니다",
        "{lowest}에서 {highest} 사이 숫자로 고치거나 비워 두세요",
    ),
    "recorded-out-of-range": (
        "'{value}' 값은 {lowest}부터 {highest}까지의 범위를 벗어나 쓰지 않았습니다. 답변 상태로 점수를 주었습니다",
        "{lowest}에서 {highest} 사이 숫자로 고치거나 비워 두세요",
    ),
    # The set as a whole.
    "too-many-rounds": (
        "회차가 {rounds}개입니다 (한도 {limit}개, 예: {value}). 다른 열을 회차로 읽은 것 같습니다",
        "방/반복 열에 1/1 같은 값이 있는지 확인하세요",
    ),
    "name-clash": (
        "보고서 이름이 같아지는 파일이 둘 이상 있습니다: {paths}",
        "하나만 남기고 이름을 바꾸세요. 대소문자만 다른 이름도 같은 이름으로 봅니다",
    ),
    "same-name-twice": (
        "똑같아 보이는 이름의 파일이 둘 있습니다: '{first}', '{second}'",
        "하나의 이름을 바꾸세요. 한글 이름을 macOS와 Windows에서 따로 저장하면 이렇게 될 수 있습니다",
    ),
    "unsafe-path": (
        "폴더 밖을 가리키거나 안전하지 않은 경로라 읽지 않았습니다",
        "파일을 감시 폴더 안으로 옮기세요",
    ),
    "symlink-outside": (
        "감시 폴더 밖을 가리키는 링크라 읽지 않았습니다",
        "파일 자체를 감시 폴더 안으로 복사하세요",
    ),
    "duplicate-of": (
        "'{other}' 파일과 내용이 같습니다",
        "일부러 넣은 것이 아니면 하나를 지우세요",
    ),
    "poisoned": (
        "이 파일을 처리하다가 작업이 {strikes}번 멈췄고, 따로 실행해도 끝나지 않았습니다 ({reason})",
        "파일을 확인해 고쳐 넣거나 scorewatch retry로 다시 시도하세요",
    ),
    "engine-mismatch": (
        "이 보고서는 더 새로운 산출 엔진({found})이 만들었습니다. 지금 엔진({own})은 덮어쓰지 않습니다",
        "Scorewatch를 같은 버전으로 맞추세요",
    ),
    # Looking for inputs, writing reports.
    "not-claimed": (
        "이 이름의 파일을 맡는 루브릭 문서가 없습니다 (받는 이름: {patterns})",
        "파일 이름을 그 모양으로 바꾸거나 --rubric으로 문서를 지정하세요",
    ),
    "nothing-to-score": (
        "점수를 낼 파일이 없습니다",
        "CSV, TSV, XLSX 파일이 있는 경로인지 확인하세요",
    ),
    "not-written": (
        "보고서를 쓰지 못했습니다 ({reason})",
        "출력 폴더의 권한과 남은 공간을 확인하고 다시 실행하세요",
    ),
    "output-outside": (
        "보고서 폴더가 출력 폴더 밖을 가리킵니다 ('{value}')",
        "그 자리에 있는 링크를 지우고 다시 실행하세요",
    ),
}

# Slugs among the facts of a problem, by code and slug.
FACTS: Mapping[str, Mapping[str, str]] = {
    "bad-spreadsheet": {
        "ole": "옛 .xls 형식이거나 암호가 걸린 파일",
        "encrypted": "암호가 걸린 파일",
        "zip": "파일이 손상됨",
        "content": "내용이 손상됨",
        "no-sheet": "시트가 없음",
    },
    "poisoned": {"time": "제한 시간 초과"},
    "zip-as-text": {"zip": "ZIP 또는 XLSX", "ole": "옛 Excel 형식 또는 암호가 걸린 파일"},
}
