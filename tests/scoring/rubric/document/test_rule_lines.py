"""Lines of a document that state rules beside its tables are read, or named; unedited documents say nothing new."""

import json

import pytest

from config import profile_named, shipped_rubrics
from scoring.items import agreement
from scoring.problems import Severity
from scoring.results import merge
from scoring.rubric.document.read import Reading, read_rubric
from scoring.rubric.model import Rubric, decode_rubric, encode_rubric
from scoring.rubric.points import Scale, Status
from scoring.text import CELL_CHARACTERS
from tests.paths import ROOT
from tests.scoring.files import csv_text, places, row, score_bytes

PROFILES = {"000": "h-recruit", "002": "resume-agent", "004": "rubrics-score"}
WORDS = "- 키워드 포함: `선택`, `선택해 주세요`, `알려주`, `주시면`, `원하시면`, `확인해 주세요`"
ORDER = "상태 우선순위: `error` > `empty` > `partial` > `ok`"
PASSES = "- pass/pass: 둘 다 ok 또는 partial"
KEYS = "formType, actionType, planId, value.nodeId(존재 시), value.nodeType(존재 시), setting, filterType"
FORMULA = "`consistency = ((ratioA + ratioB) / 2) * 5` (0~5 clamp)"


def text_of(name: str) -> str:
    return (ROOT / "tests/seeds" / f"{name}.txt").read_text(encoding="utf-8")


def read(name: str, *edits: tuple[str, str]) -> Reading:
    """A published document with edits, each of which has its place."""
    text = text_of(name)
    for old, new in edits:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    return read_rubric(text, source="edited.md", base=profile_named(PROFILES[name], shipped_rubrics()))


def told(reading: Reading) -> tuple[list[str], list[str]]:
    """Lines that were read, and those that were not."""
    return [rule.text for rule in reading.rules], [rule.text for rule in reading.rubric.unread_rules]


@pytest.mark.parametrize("name", PROFILES)
def test_unedited_document_says_nothing_new(name: str) -> None:
    assert told(read(name)) == ([], [])


@pytest.mark.parametrize("rubric", shipped_rubrics(), ids=lambda rubric: rubric.profile)
def test_shipped_documents_have_no_line_that_is_not_read(rubric: Rubric) -> None:
    assert rubric.unread_rules == ()


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("- 키워드 포함: `골라`, `정해 주세요`", ("골라", "정해 주세요")),
        ("- 키워드 : 골라, 정해 주세요", ("골라", "정해 주세요")),
        ("- 문구 포함： `골라`·`정해`", ("골라", "정해")),
        ("- keywords: `choose`, `please pick`", ("choose", "please pick")),
        ("- 키워드 포함: `골라`\n  - 키워드 포함: `정해`", ("골라", "정해")),
    ],
)
def test_words_of_a_partial_answer_are_read(line: str, words: tuple[str, ...]) -> None:
    reading = read("002", (WORDS, line))
    assert reading.rubric.partial_words == words
    assert told(reading)[1] == []
    assert len(reading.rules) == line.count("\n") + 1


def test_the_same_words_in_another_order_change_nothing() -> None:
    reading = read(
        "002", (WORDS, "- 키워드 포함: `확인해 주세요`, `원하시면`, `주시면`, `알려주`, `선택해 주세요`, `선택`")
    )
    assert told(reading) == ([], [])
    assert reading.rubric == read("002").rubric


P, K, E, N = Status.PARTIAL, Status.OK, Status.ERROR, Status.EMPTY


@pytest.mark.parametrize(
    ("line", "order"),
    [
        ("상태 우선순위: `partial` > `ok` > `error` > `empty`", (P, K, E, N)),
        ("우선순위 : empty → error → partial → ok", (N, E, P, K)),
        ("Priority of statuses: `empty`, `error`, `partial`, `ok`", (N, E, P, K)),
        ("- 상태 우선 순위: ERROR > PARTIAL > EMPTY > OK", (E, P, N, K)),
    ],
)
def test_priority_of_statuses_is_read(line: str, order: tuple[Status, ...]) -> None:
    reading = read("002", (ORDER, line))
    assert (reading.rubric.status_order, told(reading)[1]) == (order, [])


def score(rubric: Rubric, *rows: list[str]) -> list[str]:
    return [item.status for item in score_bytes(csv_text(rows).encode(), "resume_agent_x.csv", rubric).items]


def payload(message: str, *, error: str = "", ui: int = 0) -> str:
    return json.dumps(
        {"assistantMessage": message, "dataUIList": [{"a": 1}] * ui, "error": error, "responseTimeSec": 1}
    )


ROWS = [
    row(Query_ID="Q-1", Raw_JSON=payload("done")),
    row(Query_ID="Q-2", Raw_JSON=payload("하나를 알려주세요")),
    row(Query_ID="Q-3", Raw_JSON=payload("하나를 알려주세요", error="timeout")),
    row(Query_ID="Q-4", 오류="timeout", Raw_JSON=payload("하나를 알려주세요")),
    row(Query_ID="Q-5", Raw_JSON=payload("done", error="timeout")),
    row(Query_ID="Q-6", Raw_JSON=payload("")),
    row(Query_ID="Q-7", Raw_JSON=payload("", error="timeout")),
    row(Query_ID="Q-8", Raw_JSON="{oops"),
    row(Query_ID="Q-9", 오류="timeout", Raw_JSON=""),
]


@pytest.mark.parametrize(
    ("order", "statuses"),
    [
        ("error > empty > partial > ok", "ok partial error error error empty error error error"),
        ("partial > ok > error > empty", "ok partial partial partial error empty error error error"),
        ("empty > error > partial > ok", "ok partial error error error empty empty error empty"),
        ("ok > empty > partial > error", "ok partial partial partial error empty empty error empty"),
    ],
)
def test_first_status_that_holds_counts(order: str, statuses: str) -> None:
    rubric = read("002", (ORDER, f"상태 우선순위: {order}")).rubric
    assert score(rubric, *ROWS) == statuses.split()


@pytest.mark.parametrize(
    ("line", "passes"),
    [
        ("- pass/pass: 둘 다 ok", (K,)),
        ("- pass / pass : both ok, partial or empty", (K, P, N)),
    ],
)
def test_statuses_that_pass_in_pairs_are_read(line: str, passes: tuple[Status, ...]) -> None:
    rest = "error 또는 empty 또는 partial" if passes == (K,) else "error"
    reading = read("002", (PASSES, line), ("- fail/fail: 둘 다 error 또는 empty", f"- fail/fail: 둘 다 {rest}"))
    assert (set(reading.rubric.pass_statuses), told(reading)[1]) == (set(passes), [])


@pytest.mark.parametrize(
    ("keys", "own", "beside"),
    [
        ("formType", ("formType",), ()),
        ("formType, value.nodeId(존재 시), setting", ("formType", "value.nodeId"), ("setting",)),
        ("formType, value.url", ("formType", "value.url"), ()),
    ],
)
def test_keys_of_the_signature_are_read(keys: str, own: tuple[str, ...], beside: tuple[str, ...]) -> None:
    reading = read("000", (KEYS, keys))
    assert reading.rubric.agreement is not None
    signature = reading.rubric.agreement.signature
    assert (signature.keys, signature.beside, told(reading)[1]) == (own, beside, [])


@pytest.mark.parametrize(
    ("formula", "parts"),
    [
        ("`consistency = ratioA * 5` (0~5 clamp)", (100, 0)),
        ("consistency = ratioB × 5", (0, 100)),
        ("`consistency = (0.7 * ratioA + 0.3 * ratioB) * 5`", (70, 30)),
        ("`consistency = (0.25*ratioB + 0.75*ratioA) * 5` (0~5 clamp)", (75, 25)),
        ("`consistency = (0.5 * ratioA + 0.5 * ratioB) * 5`", (1, 1)),
    ],
)
def test_formula_of_consistency_is_read(formula: str, parts: tuple[int, int]) -> None:
    reading = read("000", (FORMULA, formula))
    assert reading.rubric.agreement is not None
    assert (reading.rubric.agreement.parts, told(reading)[1]) == (parts, [])


def test_parts_weigh_label_and_signature() -> None:
    labels, signatures, scale = ["A", "A", "A", "B"], ["x", "y", "x", "z"], Scale(0, 5)
    of_halves = agreement(labels, signatures, scale=scale, single=0)
    assert of_halves.score == 5 * (0.75 + 0.5) / 2
    assert agreement(labels, signatures, scale=scale, single=0, parts=(100, 0)).score == 5 * 0.75
    assert agreement(labels, signatures, scale=scale, single=0, parts=(70, 30)).score == pytest.approx(5 * 0.675)


def test_points_of_one_round_and_the_empty_signature_are_read() -> None:
    reading = read(
        "000", ("(N < 2면 consistency = 0)", "(N < 2면 consistency = 2.5)"), ("signature = EMPTY", "signature = NONE")
    )
    rule = reading.rubric.agreement
    assert rule is not None
    assert (rule.single, rule.signature.empty, told(reading)[1]) == (2.5, "NONE", [])


UNREAD = [
    ("002", ORDER, "상태 우선순위: `error` > `partial` > `ok`"),
    ("002", ORDER, "상태 우선순위: 오류가 있어도 `partial` 먼저"),
    ("002", ORDER, "상태 우선순위: `error` > `error` > `partial` > `ok`"),
    ("002", "- `assistantMessage`와 `dataUIList`가 모두 비어있음", "- `assistantMessage`가 비어있음"),
    ("002", "- 보완 문구(선택/알려주기/주시면)가 없음", "- 보완 문구(골라/정해)가 없음"),
    ("002", "  - 응답은 있으나 사용자의 추가 입력/선택을 요구", "  - 키워드 제외: `확인`"),
    ("002", PASSES, "- pass/pass: 둘 다 점수 4 이상인 ok"),
    ("002", "- mismatch: 위 외", "- mismatch: 한쪽만 error"),
    ("002", "`5 × (both-pass + both-fail) / 대상 질의 수`", "`5 × both-pass / 대상 질의 수`"),
    ("002", "Track 1,2는 단일 도구 루브릭, Track 3은 복수", "Track 1은 단일 도구 루브릭, Track 2,3은 복수"),
    ("000", FORMULA, "`consistency = max(ratioA, ratioB) * 5`"),
    ("000", FORMULA, "`consistency = (0.7 * ratioA + 0.7 * ratioB) * 5`"),
    ("000", FORMULA, "`consistency = ratioA * 10`"),
    ("000", KEYS, "formType과 planId"),
    ("000", "ADD, UPDATE, DELETE, VIEW, MOVE, CLARIFY, ERROR, OTHER", "ADD, VIEW, OTHER"),
    ("000", "`ratioA = count(label==mode)/N`", "`ratioA = count(label==first)/N`"),
    ("000", "N >= 2 (N < 2면 consistency = 0)", "N >= 3 (N < 3면 consistency = 0)"),
    ("000", "(5:5 비율 결합)", "(7:3 비율 결합)"),
    ("000", "| ratioB            |", "| ratioC            | 답변 길이의 비율 |\n| ratioB            |"),
    ("004", "score = (selected_level - min_level) / (max_level - min_level)", "score = selected_level / max_level"),
]


@pytest.mark.parametrize(("name", "old", "new"), UNREAD, ids=[new[:40] for _, _, new in UNREAD])
def test_edited_rule_that_cannot_be_read_is_named(name: str, old: str, new: str) -> None:
    reading = read(name, (old, new))
    (rule,) = reading.rubric.unread_rules
    lines = text_of(name).replace(old, new).splitlines()
    assert new.splitlines()[0].strip("-| `").partition("`")[0].strip() in lines[rule.line - 1]
    assert reading.rubric.digest != read(name).rubric.digest
    assert len(rule.text) <= CELL_CHARACTERS


def test_each_report_of_such_a_document_has_the_finding() -> None:
    rubric = read("002", (ORDER, "상태 우선순위: `ok` 먼저"), ("- mismatch: 위 외", "- mismatch: 없음")).rubric
    result = merge([("resume_agent_x.csv", score_bytes(csv_text([row()]).encode(), rubric=rubric))], rubric)
    found = [place for place in places(result) if place.code == "rule-lines-not-read"]
    assert [(place.source, place.line, place.severity) for place in found] == [
        ("edited.md", 74, Severity.ERROR),
        ("edited.md", 100, Severity.ERROR),
    ]
    assert result.has_errors


def test_line_of_a_document_that_declares_its_rules_cannot_change_them() -> None:
    shipped = (ROOT / "config/rubrics/resume-agent.md").read_text(encoding="utf-8")
    before = read_rubric(shipped, source="own.md")
    line = "상태 우선순위: `partial` > `ok` > `error` > `empty`"
    reading = read_rubric(f"{shipped}\n{line}\n", source="own.md")
    assert told(reading) == ([], [line.replace("`", "")])
    assert reading.rubric.status_order == before.rubric.status_order == ()
    same = read_rubric(f"{shipped}\n{ORDER}\n", source="own.md")
    assert same.rubric == before.rubric


def test_digests_of_documents_without_such_lines_are_as_before() -> None:
    data = encode_rubric(read("000").rubric)
    assert not [name for name in (b"status_order", b"unread_rules", b'"parts"') if name in data]
    changed = read("000", (FORMULA, "consistency = ratioA * 5")).rubric
    assert decode_rubric(encode_rubric(changed)) == changed
