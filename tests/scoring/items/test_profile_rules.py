"""Items of H.채용 files: sources in order, what is reported and skipped, hostile values, what changes nothing."""

import json
from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from config import profile_named, shipped_rubrics
from reporting.wording import describe
from scoring.items.part import Item, ItemDetails
from scoring.items.profile_rules import MAX_CHECKS, MAX_FAILED
from scoring.items.spool.part_file import Part
from scoring.results import SetResult, merge
from scoring.rubric import Rubric, decode_rubric, encode_rubric
from scoring.rubric.document import parse_rubric
from tests.examples import examples
from tests.inner import SHIPPED_FOLDER, Fault
from tests.scoring.documents import problems_of, replaced
from tests.scoring.files import csv_text, places, score_bytes, stored

HEADER = (
    "Query ID", "방/반복", "기대결과", "오류", "LLM 점수", "Raw JSON", "intent_verdict", "intent_label", "latencyClass",
    "accuracyChecks", "LLM 평가기준(JSON)", "latency_ms",
)  # fmt: skip
CHECK = {"path": "totalCount", "op": "eq", "value": 3}
LIST = json.dumps([CHECK])


@cache
def rubric() -> Rubric:
    return profile_named("h-recruit", shipped_rubrics())


def raw(**fields: Any) -> str:
    return json.dumps({"assistantMessage": "저장했습니다.", "responseTimeSec": 4, **fields}, ensure_ascii=False)


def part_of(*rows: dict[str, str]) -> Part:
    cells = [
        [{"Query ID": "Q1", "방/반복": "1/1", "Raw JSON": raw(), **row}.get(name, "") for name in HEADER]
        for row in rows
    ]
    return score_bytes(csv_text(cells, header=HEADER).encode(), "h_recruit_x.csv", rubric())


def item_of(**row: str) -> Item:
    (item,) = part_of(
        {name.replace("_JSON", " JSON").replace("방_반복", "방/반복"): cell for name, cell in row.items()}
    ).items
    return item


def details_of(**row: str) -> ItemDetails:
    details = item_of(**row).details
    assert details is not None
    return details


def notes(*rows: dict[str, str]) -> list[tuple[str, int | None, str | None, str]]:
    found = places(part_of(*rows))
    assert all(f"[{place.code}]" in describe(place) for place in found)
    assert all("알 수 없는 문제" not in describe(place) for place in found)
    return [(place.code, place.row, place.column, place.found) for place in found]


@pytest.mark.parametrize(
    ("row", "intent", "source"),
    [
        pytest.param({"intent_verdict": "good"}, 4, "column", id="column-in-any-case"),
        pytest.param({"intent_verdict": " WEAK ", "LLM 점수": "5"}, 2, "column", id="column-before-score"),
        pytest.param({"Raw JSON": raw(intent_verdict="partial")}, 3, "payload", id="payload"),
        pytest.param(
            {"intent_verdict": "GOOD", "Raw JSON": raw(intent_verdict="WEAK")}, 4, "column", id="column-first"
        ),
        pytest.param(
            {"intent_verdict": "5", "Raw JSON": raw(intent_verdict="WEAK")}, 2, "payload", id="unknown-skipped"
        ),
        pytest.param({"intent_verdict": "nan", "LLM 점수": "3.5"}, 3.5, "recorded", id="score"),
        pytest.param({"LLM 점수": "5.01"}, None, "none", id="score-out-of-range"),
        pytest.param({"LLM 점수": "0"}, 0, "recorded", id="score-0"),
        pytest.param({"오류": "timeout"}, 0, "status", id="error"),
        pytest.param({"Raw JSON": raw(assistantMessage="")}, 0, "status", id="empty"),
        pytest.param({"Raw JSON": "{broken"}, 0, "status", id="invalid-payload"),
        pytest.param({"오류": "timeout", "intent_verdict": "PERFECT"}, 5, "column", id="verdict-stands-on-error"),
        pytest.param({}, None, "none", id="not-evaluated"),
        pytest.param({"Raw JSON": raw(intent_verdict=["GOOD"])}, None, "none", id="list-is-no-verdict"),
    ],
)
def test_intent_by_the_first_source_that_has_one(row: dict[str, str], intent: float | None, source: str) -> None:
    (item,) = part_of(row).items
    assert (item.intent, item.intent_source) == (intent, source)


@pytest.mark.parametrize(
    ("row", "name"),
    [
        pytest.param({"latencyClass": "multi"}, "multi", id="column"),
        pytest.param({"latencyClass": "Single", "Raw JSON": raw(worker=[1, 2])}, "single", id="column-first"),
        pytest.param({"Raw JSON": raw(latencyClass="MULTI")}, "multi", id="payload"),
        pytest.param({"latencyClass": "both", "Raw JSON": raw(latencyClass="MULTI")}, "multi", id="unknown-skipped"),
        pytest.param({"Raw JSON": raw(worker=[{}, {}])}, "multi", id="two-workers"),
        pytest.param({"Raw JSON": raw(executionProcesses=[{}, {}], worker=[{}])}, "multi", id="either-list"),
        pytest.param({"Raw JSON": raw(executionProcesses=[{}], worker=[{}])}, "single", id="one-each"),
        pytest.param({"Raw JSON": raw(worker="ab")}, "single", id="text-is-no-list"),
        pytest.param({"Raw JSON": "{broken"}, "single", id="invalid"),
        pytest.param({"Raw JSON": ""}, "single", id="blank"),
    ],
)
def test_latency_class(row: dict[str, str], name: str) -> None:
    (item,) = part_of(row).items
    assert item.details is not None
    assert item.details.latency_class == name


@pytest.mark.parametrize(
    ("row", "source", "accuracy"),
    [
        pytest.param({"accuracyChecks": LIST, "기대결과": "@check a=1"}, "column", 5, id="column-never-both"),
        pytest.param({"LLM 평가기준(JSON)": json.dumps({"accuracyChecks": [CHECK]})}, "criteria", 5, id="criteria"),
        pytest.param(
            {"LLM 평가기준(JSON)": json.dumps({"other": 1}), "기대결과": "@check totalCount=3"}, "marked", 5, id="none"
        ),
        pytest.param({"Raw JSON": raw(totalCount=3, accuracyChecks=[CHECK])}, "payload", 5, id="payload"),
        pytest.param({"Raw JSON": raw(totalCount=3, accuracyChecks=LIST)}, "payload", 5, id="payload-as-text"),
        pytest.param({"accuracyChecks": "[]", "기대결과": "@check totalCount=3"}, "marked", 5, id="empty-list-is-none"),
        pytest.param({"accuracyChecks": "nan", "기대결과": "@check totalCount=3"}, "marked", 5, id="blank"),
        pytest.param({"accuracyChecks": "{}", "기대결과": "@check totalCount=3"}, "marked", 5, id="no-list"),
        pytest.param({"기대결과": "사람이 읽는 글"}, "", 0, id="none-at-all"),
    ],
)
def test_checks_of_the_first_source_that_has_any(row: dict[str, str], source: str, accuracy: float) -> None:
    (item,) = part_of({"Raw JSON": raw(totalCount=3), **row}).items
    assert item.details is not None
    assert (item.details.check_source, item.accuracy) == (source, accuracy)


def test_ui_object_is_one_item_for_paths_too() -> None:
    (item,) = part_of(
        {"Raw JSON": raw(dataUIList={"uiValue": {"formType": "A"}}), "기대결과": "@check formType=A"}
    ).items
    assert item.accuracy == 5


def test_zero_by_rule_and_zero_by_failure_are_told_apart() -> None:
    assert details_of().accuracy_reason == "no-checks"
    assert details_of(오류="timeout", 기대결과="@check a=1").accuracy_reason == "status"
    failed = details_of(기대결과="@check a=1")
    assert (failed.accuracy_reason, failed.ratio, failed.failed_count) == ("", 0.0, 1)
    ignored = details_of(기대결과="@check assistantMessageContains=저장")
    assert (ignored.accuracy_reason, ignored.checks, ignored.ignored_checks) == ("no-checks", 0, 1)


@pytest.mark.parametrize(
    ("row", "label", "source"),
    [
        ({"intent_label": "move"}, "MOVE", "column"),
        ({"Raw JSON": raw(intent_label="VIEW")}, "VIEW", "payload"),
        ({"intent_label": "EDIT", "Raw JSON": raw(intent_label="VIEW")}, "VIEW", "payload"),
        ({"intent_label": "EDIT"}, "ADD", "text"),
        ({"오류": "x"}, "ERROR", "status"),
        ({"오류": "x", "intent_label": "ADD"}, "ADD", "column"),
        ({"Raw JSON": raw(assistantMessage={"text": "삭제"})}, "DELETE", "text"),
    ],
)
def test_label_sources(row: dict[str, str], label: str, source: str) -> None:
    (item,) = part_of(row).items
    assert item.details is not None
    assert (item.details.label, item.details.label_source) == (label, source)


def test_what_is_skipped_is_reported_with_row_and_column() -> None:
    found = notes(
        {"intent_verdict": "WONDERFUL", "intent_label": "EDIT", "latencyClass": "BOTH", "accuracyChecks": "[not json"},
        {
            "accuracyChecks": json.dumps(
                [{"path": "a", "op": "like", "value": 1}, {"path": "b", "op": "regex", "value": "("}]
            )
        },
        {"기대결과": "@check formType; =3; a="},
    )
    assert found == [
        ("verdict-unknown", 2, "intent_verdict", "WONDERFUL"),
        ("label-unknown", 2, "intent_label", "EDIT"),
        ("class-unknown", 2, "latencyClass", "BOTH"),
        ("checks-unreadable", 2, "accuracyChecks", "[not json"),
        ("check-unknown", 3, "accuracyChecks", "a"),
        ("check-no-value", 4, "기대결과", "a"),
        ("check-no-equals", 4, "기대결과", "formType"),
        ("check-no-key", 4, "기대결과", "3"),
        ("check-pattern", 3, "accuracyChecks", "b"),
    ]


def test_a_key_that_no_payload_has_is_named_with_the_name_that_it_may_mean() -> None:
    screen = raw(dataUIList=[{"uiValue": {"formType": "LINK", "value": {"nodeId": 1}}}])
    listed = json.dumps([{"path": "dataUIList[*].uiValue.value.nodeid", "op": "exists"}])
    rows = [
        {"기대결과": "@check form_type=LINK; formType=LINK", "Raw JSON": screen},
        {"기대결과": "@check form_type=LINK; not gone exists; gone count 0", "Raw JSON": screen},
        {"accuracyChecks": listed, "Raw JSON": screen},
        {"기대결과": "@check zzz=1"},
        {"기대결과": "@check failed=1", "오류": "HTTP 500"},
        {"기대결과": "@check later=1"},
        {"기대결과": "@check later=1", "Raw JSON": raw(later=2)},
    ]
    part = part_of(*rows)
    assert [(place.row, place.column, place.found) for place in places(part)] == [
        (2, "기대결과", "form_type → formType"),
        (4, "accuracyChecks", "dataUIList[*].uiValue.value.nodeid → nodeId"),
        (5, "기대결과", "zzz"),
    ]
    assert [(finding.code, finding.count) for finding in part.findings] == [("check-key-never-found", 4)]
    assert stored(part) == part


def test_a_check_of_an_unknown_spelling_does_not_count_and_the_next_source_is_tried() -> None:
    unknown, sound = (
        details_of(기대결과="@check totalCount is 3"),
        details_of(기대결과="@check totalCount is 3; totalCount=3"),
    )
    assert (unknown.checks, unknown.ratio, unknown.accuracy_reason) == (0, None, "no-checks")
    assert sound.checks == 1
    listed = json.dumps([{"path": "totalCount", "op": "is", "value": 3}])
    item = item_of(accuracyChecks=listed, 기대결과="@check totalCount=3", Raw_JSON=raw(totalCount=3))
    assert (item.accuracy, item.details and item.details.check_source) == (5, "marked")


def test_every_fault_has_a_text() -> None:
    from texts import codes

    faults = [value for name, value in vars(Fault).items() if name.isupper()]
    assert {f"check-{fault}" for fault in faults} == {
        code for code in codes() if code.startswith("check-") and code != "check-key-never-found"
    }


def test_hostile_amounts_are_bounded() -> None:
    many = json.dumps([{"path": "a", "op": "eq", "value": n} for n in range(MAX_CHECKS + 1)])
    part = part_of({"accuracyChecks": many})
    assert [place.code for place in places(part)] == ["checks-too-many"]
    marked = part_of({"기대결과": "@check " + "a=1;" * (MAX_CHECKS + 7)})
    assert [(place.code, place.found) for place in places(marked)] == [("checks-too-many", f"{MAX_CHECKS + 7}")]
    at_limit = json.dumps([{"path": "a" * 300, "op": "eq", "value": "v" * 9_999} for _ in range(MAX_CHECKS)])
    (item,) = part_of({"accuracyChecks": at_limit}).items
    assert item.details is not None
    assert (item.details.failed_count, len(item.details.failed_checks)) == (MAX_CHECKS, MAX_FAILED)
    assert all(len(check.name) <= 200 and len(check.value) <= 200 for check in item.details.failed_checks)
    deep = "[" * 3_000 + "]" * 3_000
    assert notes({"accuracyChecks": deep}) == [("checks-unreadable", 2, "accuracyChecks", "[" * 199 + "…")]


def test_long_signatures_that_differ_at_their_end_stay_apart() -> None:
    def signature(last: str) -> str:
        return details_of(
            Raw_JSON=raw(dataUIList=[{"formType": f"F{n}"} for n in range(500)] + [{"formType": last}])
        ).signature

    assert len(signature("Z1")) < 1_000
    assert signature("Z1") == signature("Z1") != signature("Z2")


def test_part_with_details_survives_its_bytes() -> None:
    part = part_of({"기대결과": "@check a=1; b", "intent_verdict": "GOOD"}, {"Raw JSON": "{broken"})
    assert stored(part) == part


# What changes nothing, and what never lowers anything.

UI = st.fixed_dictionaries(
    {},
    optional={
        "formType": st.sampled_from(["ACTION", "SELECT", 1, None]),
        "uiValue": st.dictionaries(st.sampled_from(["formType", "planId", "setting"]), st.sampled_from(["A", 2, True])),
        "value": st.fixed_dictionaries({"nodeId": st.integers(1, 3)}),
    },
)
CHECKS = st.lists(
    st.fixed_dictionaries(
        {
            "path": st.sampled_from(["dataUIList[*].formType", "dataUIList[*].value.nodeId", "totalCount", "x["]),
            "op": st.sampled_from(["eq", "in", "contains", "exists", "regex", "??"]),
            "value": st.sampled_from(["ACTION", 1, ["SELECT", 2], None, "("]),
            "weight": st.sampled_from([1, 2, 0.5, 0]),
        }
    ),
    min_size=1,
    max_size=4,
)


def scored(items: list[Any], checks: list[Any]) -> Item:
    """The item without its payload as it was written."""
    item = item_of(Raw_JSON=raw(dataUIList=items, totalCount=3), accuracyChecks=json.dumps(checks))
    return replace(item, payload="")


@settings(deadline=None)
@given(items=st.lists(UI, max_size=4), checks=CHECKS, data=st.data())
def test_permuting_ui_items_changes_nothing(items: list[Any], checks: list[Any], data: st.DataObject) -> None:
    shuffled = data.draw(st.permutations(items))
    one, other = scored(items, checks), scored(list(shuffled), checks)
    assert one == replace(other, text_hash=one.text_hash)  # a grader reads them in their order


@settings(deadline=None)
@given(items=st.lists(UI, max_size=3), checks=CHECKS, weight=st.sampled_from([1, 0.1, 50]))
def test_a_passing_check_more_never_lowers_accuracy(items: list[Any], checks: list[Any], weight: float) -> None:
    more = [*checks, {"path": "totalCount", "op": "eq", "value": "3", "weight": weight}]
    before, after = scored(items, checks).accuracy, scored(items, more).accuracy
    assert before is not None
    assert after is not None
    assert after >= before


@settings(deadline=None)
@given(items=st.lists(UI, max_size=3), checks=CHECKS, factor=st.sampled_from([2, 0.125, 1000]))
def test_weights_are_free_of_scale(items: list[Any], checks: list[Any], factor: float) -> None:
    sound = [check for check in checks if check["op"] != "??" and check["path"] != "x[" and check["weight"]]
    sound = [check for check in sound if check["op"] == "exists" or check["value"] is not None]
    scaled = [{**check, "weight": check["weight"] * factor} for check in sound]
    assert scored(items, scaled).accuracy == scored(items, sound).accuracy


@settings(deadline=None, max_examples=examples(30))
@given(
    answers=st.lists(
        st.tuples(st.sampled_from(["저장", "삭제", "조회", ""]), st.lists(UI, max_size=2)), min_size=2, max_size=5
    ),
    data=st.data(),
)
def test_rounds_commute(answers: list[tuple[str, list[Any]]], data: st.DataObject) -> None:
    def result(order: list[tuple[str, list[Any]]]) -> SetResult:
        rows = [
            {"방/반복": f"{number}/1", "Raw JSON": raw(assistantMessage=message, dataUIList=items)}
            for number, (message, items) in enumerate(order, start=1)
        ]
        return merge([("h_recruit_x.csv", part_of(*rows))], rubric())

    one, other = result(answers), result(list(data.draw(st.permutations(answers))))
    assert one.groups[0].agreement == other.groups[0].agreement
    assert one.total is not None
    assert other.total is not None
    assert [part.value for part in one.total.parts] == [part.value for part in other.total.parts]
    ratios = {(query.ratio_label, query.ratio_signature, query.score) for query in (*one.agreements, *other.agreements)}
    assert len(ratios) == 1


CALLS = "calls: { paths: [tool_calls], name: function.name, arguments: function.arguments }"


@cache
def rubric_with_calls() -> Rubric:
    text = (SHIPPED_FOLDER / "h-recruit.md").read_text(encoding="utf-8")
    return parse_rubric(
        replaced(text, "      none: [체크 없음]", f"      none: [체크 없음]\n      {CALLS}"), source="x.md"
    )


def part_with_calls(*rows: tuple[str, str]) -> Part:
    """rows: expected result and payload."""
    header = ("Query ID", "방/반복", "기대결과", "Raw JSON")
    cells = [[f"Q{n}", "1/1", *row] for n, row in enumerate(rows)]
    return score_bytes(csv_text(cells, header=header).encode(), "h_recruit_x.csv", rubric_with_calls())


def test_checks_on_tool_calls_of_a_document_that_names_their_place() -> None:
    call = {"type": "function", "function": {"name": "search", "arguments": '{"city": "Seoul"}'}}
    answer = raw(tool_calls=[call])
    part = part_with_calls(
        ("@check calls search; never calls pay", answer),
        ('@check arguments search {"city": "Seoul"}; in order search, book', answer),
        ("@check totalCount>=3", raw(totalCount="3")),
    )
    assert [item.accuracy for item in part.items] == [5, 3, 5]
    assert places(part) == []
    assert [check.operator for item in part.items for check in (item.details or ItemDetails()).failed_checks] == [
        "in-order"
    ]


def test_calls_that_no_row_has_are_a_finding() -> None:
    part = part_with_calls(
        ("@check never calls pay", raw(calls=[])), ("@check calls pay", raw()), ("@check a=1", raw())
    )
    assert [(place.code, place.row, place.column) for place in places(part)] == [
        ("check-key-never-found", 4, "기대결과"),
        ("calls-absent", 2, "Raw JSON"),
        ("calls-absent", 3, "Raw JSON"),
    ]
    assert "tool_calls 위치에" in describe(places(part)[1])


def test_document_without_calls_has_the_digest_that_it_had() -> None:
    assert b'"calls"' not in encode_rubric(rubric())
    assert rubric_with_calls().digest != rubric().digest
    assert decode_rubric(encode_rubric(rubric_with_calls())) == rubric_with_calls()
    assert decode_rubric(encode_rubric(rubric())) == rubric()


@pytest.mark.parametrize(
    ("calls", "code", "found"),
    [
        ("calls: { paths: [] }", "rubric-list-empty", ""),
        ("calls: { name: name }", "rubric-key-missing", ""),
        ("calls: { paths: ['a..b'] }", "rubric-path", "a..b"),
        ("calls: { paths: [a], name: 'b[' }", "rubric-path", "b["),
        ("calls: { paths: [a], arguments: ' ' }", "rubric-word-empty", ""),
        ("calls: [a]", "rubric-value-type", "[…]"),
    ],
)
def test_place_of_calls_that_is_none_is_refused(calls: str, code: str, found: str) -> None:
    text = (SHIPPED_FOLDER / "h-recruit.md").read_text(encoding="utf-8")
    changed = replaced(text, "      none: [체크 없음]", f"      none: [체크 없음]\n      {calls}")
    assert (code, found) in [(problem.code, problem.found) for problem in problems_of(changed)]
