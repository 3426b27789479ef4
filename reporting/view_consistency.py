"""The part of the view about repeated rounds: pairs compared, or labels and signatures side by side."""

from __future__ import annotations

from reporting import words
from reporting.display import NONE, count, excerpt, percent, score
from reporting.tables import Table, table
from reporting.view_metrics import EVERYTHING, Block, shown_groups
from scoring.repetition import group_key
from scoring.result import ALL, QueryAgreement, SetResult

MAX_QUERIES = 50
MAX_ROUND_COLUMNS = 12
ID_CHARS = 60
SIGNATURE_CHARS = 160


def consistency_blocks(result: SetResult) -> list[Block]:
    """The section of consistency, whichever way the profile finds it."""
    if result.rubric.agreement is None:
        return [Block(text=consistency_reason(result), table=consistency_table(result))]
    return _agreement_blocks(result)


def consistency_table(result: SetResult) -> Table:
    """Compared pairs by outcome, a row per track and one for all."""
    rows = []
    for key, group in (*shown_groups(result), (ALL, result.groups[0])):
        if group is not None:
            pairs = group.pairs
            rows.append(
                [
                    EVERYTHING if key == ALL else words.track_name(key),
                    count(pairs.queries),
                    count(pairs.compared),
                    count(pairs.both_pass),
                    count(pairs.both_fail),
                    count(pairs.mismatch),
                    score(pairs.score),
                ]
            )
    return table(["구분", ">질의 수", ">비교한 쌍(n)", ">둘 다 pass", ">둘 다 fail", ">차이", ">점수"], rows)


def consistency_reason(result: SetResult) -> str:
    """Why consistency has no score, "" when it has one."""
    if result.groups[0].pairs.score is not None:
        return ""
    if len(result.rounds) < 2:
        return (
            "회차가 하나뿐이라 비교할 수 없어 점수가 없습니다(—). "
            "회차별 파일을 한 하위 폴더에 함께 넣으면 회차를 서로 비교합니다."
        )
    return "두 회차 이상에 함께 있는 Query ID가 없어 점수가 없습니다(—). 회차마다 같은 질문을 쓰는지 확인하세요."


def _agreement_blocks(result: SetResult) -> list[Block]:
    everything = result.groups[0].agreement
    assert everything is not None
    rule = result.rubric.agreement
    assert rule is not None
    blocks = []
    if everything.single:
        hint = " 회차별 파일을 한 하위 폴더에 함께 넣으면 회차를 서로 비교합니다." if len(result.rounds) < 2 else ""
        text = (
            f"한 번만 실행한 질문 {count(everything.single)}개는 되풀이를 볼 수 없어 "
            f"규칙에 따라 {rule.single:g}점입니다. 답이 달라서 잃은 점수가 아닙니다.{hint}"
        )
        blocks.append(Block(text=text))
    blocks.append(Block(table=_agreement_table(result)))
    differing = [query for query in result.agreements if _differs(query)]
    if differing:
        blocks.append(
            Block(
                heading="회차마다 다른 질문",
                text="라벨은 메시지가 하려던 일, 시그니처는 화면에 담긴 핵심 값입니다. "
                "비율은 가장 많이 나온 것의 몫입니다.",
                table=_differing_table(result, differing),
            )
        )
    elif everything.queries > everything.single:
        blocks.append(Block(text="두 회차 이상 실행한 모든 질문의 라벨과 시그니처가 회차마다 같습니다."))
    return blocks


def _agreement_table(result: SetResult) -> Table:
    rows = []
    for key, group in (*shown_groups(result), (ALL, result.groups[0])):
        if group is not None and group.agreement is not None:
            figures = group.agreement
            rows.append(
                [
                    EVERYTHING if key == ALL else words.track_name(key),
                    count(figures.queries),
                    count(figures.single),
                    _ratio(figures.ratio_label),
                    _ratio(figures.ratio_signature),
                    score(figures.score),
                ]
            )
    return table(["구분", ">질의 수", ">한 번만 실행", ">라벨 일치", ">시그니처 일치", ">점수"], rows)


def _differing_table(result: SetResult, queries: list[QueryAgreement]) -> Table:
    """Two rows per query: labels, then signatures, a column per round."""
    rounds = result.rounds[:MAX_ROUND_COLUMNS]
    has_tracks = bool(shown_groups(result))
    ordered = sorted(queries, key=lambda query: query.score)
    rows = []
    for query in ordered[:MAX_QUERIES]:
        place = [words.track_name(group_key(query.track))] if has_tracks else []
        rows.append(
            [
                excerpt(query.query_id, ID_CHARS),
                *place,
                "라벨",
                *(_shown(label) for label in query.labels[: len(rounds)]),
                _ratio(query.ratio_label),
                score(query.score),
            ]
        )
        rows.append(
            [
                "",
                *[""] * len(place),
                "시그니처",
                *(_shown(signature) for signature in query.signatures[: len(rounds)]),
                _ratio(query.ratio_signature),
                "",
            ]
        )
    titles = [
        "Query ID",
        *(["Track"] if has_tracks else []),
        "견준 것",
        *map(words.round_name, rounds),
        ">비율",
        ">점수",
    ]
    left_out = max(len(queries) - MAX_QUERIES, 0)
    return table(titles, rows, total=len(rows) + left_out)


def _differs(query: QueryAgreement) -> bool:
    return query.n > 1 and (query.ratio_label, query.ratio_signature) != (1.0, 1.0)


def _shown(text: str | None) -> str:
    return "없음" if text is None else excerpt(text, SIGNATURE_CHARS)


def _ratio(value: float | None) -> str:
    return NONE if value is None else percent(value, 1.0)
