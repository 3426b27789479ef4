"""Korean texts about measures."""

from __future__ import annotations

from collections.abc import Mapping

MEASURES_KO: Mapping[str, str] = {
    "metric.measure": "측정값",
    "measures.title": "측정값",
    "measures.told": "값이 있는 문항의 합계와 평균이며, 빈 값은 0으로 보지 않고 '값 없음'으로 셉니다. 괄호는 같은 종류의 다른 질의를 물었을 때 평균이 달라질 수 있는 범위(95%)입니다. '응답 성공 1건당'은 합계를 응답에 성공한 문항 수로 나눈 값입니다. {rule}",
    "measures.named": "{title} ({unit})",
    "measures.column": "열: {places}",
    "measures.payload": "Raw JSON의 경로: {places}",
    "measures.sum": "합계",
    "measures.mean": "평균",
    "measures.max": "최대",
    "measures.per-answered": "응답 성공 1건당",
    "measures.missing": "값 없음",
    "measures.sure": "{value} ({low}~{high})",
    "values.measures": "측정값",
    "values.measure": "{title}: {name}, {source}, 좋은 쪽: {better}",
    "values.better.lower": "작은 값",
    "values.better.higher": "큰 값",
    "values.better.none": "없음",
    "compare.verdict.changed": "달라짐",
    "gate.reason.no-direction": "{name}은(는) 큰 값과 작은 값 가운데 어느 쪽이 좋은지 문서에 없어 나빠졌는지 판단할 수 없음",
    "brief.measure-unusable": "쓰지 못한 측정값 {n}개",
    "finding.measure-unusable": "측정값 {n}개를 수로 읽을 수 없어 쓰지 않았습니다",
    "fix.measure-unusable": "`1234.5`처럼 수만 적거나, 수의 앞뒤에 문서의 단위를 붙이거나, 비워 두세요",
    "place.measure-unusable": "{measure} '{value}'",
    "brief.measure-absent": "열이 없는 측정값 {n}개",
    "finding.measure-absent": "루브릭 문서의 측정값 {n}개는 파일에 그 열이 없습니다",
    "fix.measure-absent": "문서 `measures`의 열 이름을 고치거나, 그 열을 함께 내보내세요",
    "place.measure-absent": "{measure} ({value})",
    "what.rubric-measure-twice": "측정값 '{value}'이(가) 두 번 선언되어 있습니다",
    "fix.rubric-measure-twice": "하나로 합치거나 이름을 바꾸세요",
    "what.rubric-measure-decimals": "{path} 값 {value}은(는) 쓸 수 없습니다",
    "fix.rubric-measure-decimals": "0에서 {limit} 사이 정수로 적으세요",
    "what.rubric-measure-no-payload": "측정값 '{value}'을(를) Raw JSON에서 찾는데 `raw_json` 열이 선언되지 않았습니다",
    "fix.rubric-measure-no-payload": "columns에 `raw_json`을 적거나 측정값의 `column`을 쓰세요",
}
