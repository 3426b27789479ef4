"""Labels by words, signatures as multisets, and their agreement over rounds."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.items.labels_and_signatures import Labeller, Signer, agreement, ui_items
from scoring.rubric import LabelRule, LabelWords, Scale, SignatureRule, Source, Status


def words(label: str, *found: str) -> LabelWords:
    return LabelWords(label=label, words=found)


LABELLER = Labeller(
    LabelRule(
        sources=(Source.COLUMN,),
        field="intent_label",
        status_labels={Status.ERROR: "ERROR", Status.EMPTY: "ERROR"},
        first=(words("ERROR", "실패", "할 수 없"), words("CLARIFY", "선택해", "주시면")),
        most=(words("ADD", "추가", "저장"), words("DELETE", "삭제"), words("VIEW", "조회", "확인")),
        otherwise="OTHER",
    )
)
AT = (("dataUIList",),)
SIGNER = Signer(
    SignatureRule(keys=("formType", "value.nodeId"), beside=("setting", "filterType"), empty="EMPTY", invalid="INVALID")
)


@pytest.mark.parametrize(
    ("message", "label"),
    [
        pytest.param("저장했습니다.", "ADD", id="one-word"),
        pytest.param("삭제하고 삭제한 뒤 추가", "DELETE", id="most-often"),
        pytest.param("추가하고 삭제했습니다.", "ADD", id="tie-goes-to-the-earlier"),
        pytest.param("추가, 저장, 삭제, 삭제, 삭제", "DELETE", id="words-of-a-label-add-up"),
        pytest.param("저장에 실패했습니다.", "ERROR", id="error-before-actions"),
        pytest.param("선택해 주세요. 조회, 확인", "CLARIFY", id="clarify-before-actions"),
        pytest.param("실패. 선택해 주세요.", "ERROR", id="error-before-clarify"),
        pytest.param("안녕하세요.", "OTHER", id="none"),
        pytest.param("", "OTHER", id="empty-message"),
        pytest.param("조회했습니다.", "VIEW", id="NFD"),
    ],
)
def test_label_by_words(message: str, label: str) -> None:
    assert LABELLER.of(Status.OK, message) == label


@pytest.mark.parametrize("status", [Status.ERROR, Status.EMPTY])
def test_item_without_an_answer_has_the_label_of_its_status(status: Status) -> None:
    assert LABELLER.of(status, "저장했습니다.") == "ERROR"


@pytest.mark.parametrize(("text", "label"), [("add", "ADD"), (" View ", "VIEW"), ("other", "OTHER"), ("EDIT", "")])
def test_recorded_label_counts_when_it_is_one_of_the_rule(text: str, label: str) -> None:
    assert LABELLER.named(text) == label


def sign(*items: Any, **payload: Any) -> str:
    return SIGNER.of(payload, ui_items({"dataUIList": list(items)}, AT))


ACTION = {"uiValue": {"formType": "ACTION", "value": {"nodeId": 6127}}}
SELECT = {"uiValue": {"formType": "SELECT"}}


def test_signature_is_read_as_text() -> None:
    assert sign(ACTION, SELECT, SELECT) == "formType=ACTION value.nodeId=6127 | formType=SELECT ×2"
    assert sign(ACTION, setting={"p": 1}) == 'formType=ACTION value.nodeId=6127 | setting="{\\"p\\": 1}"'


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param([ACTION, SELECT], [SELECT, ACTION], id="order"),
        pytest.param([ACTION], [{"uiValue": {"formType": "ACTION", "value": {"nodeId": "6127"}}}], id="as-text"),
        pytest.param([ACTION], [{"formType": "ACTION", "value": {"nodeId": 6127}}], id="at-the-top"),
        pytest.param([ACTION], [ACTION, None, {}], id="empty-elements"),
        pytest.param([SELECT], [{"uiValue": {"formType": "SELECT", "value": None, "other": 1}}], id="other-keys"),
    ],
)
def test_same_signature(one: list[Any], other: list[Any]) -> None:
    assert sign(*one) == sign(*other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param([ACTION], [ACTION, ACTION], id="how-often"),
        pytest.param([ACTION], [{"uiValue": {"formType": "ACTION"}}], id="missing-key"),
        pytest.param([{"formType": "A B"}], [{"formType": "A", "setting": "B"}], id="no-mixing-of-fields"),
        pytest.param([{"formType": "A | formType=B"}], [{"formType": "A"}, {"formType": "B"}], id="no-mixing-of-items"),
        pytest.param([{"formType": "A ×2"}], [{"formType": "A"}, {"formType": "A"}], id="no-mixing-of-counts"),
        pytest.param(["text"], [], id="element-without-fields-is-not-nothing"),
        pytest.param([{**SELECT, "setting": "x"}], [SELECT], id="setting-of-an-item"),
    ],
)
def test_different_signature(one: list[Any], other: list[Any]) -> None:
    assert sign(*one) != sign(*other)


def test_setting_of_the_payload_counts_but_not_without_items() -> None:
    assert sign(SELECT, filterType="RESUME") != sign(SELECT)
    assert sign(filterType="RESUME") == "EMPTY"
    assert SIGNER.of(None, []) == "EMPTY"
    assert SIGNER.of(None, [], is_invalid=True) == "INVALID"
    assert ui_items({"dataUIList": {"formType": "A"}}, AT) == [{"formType": "A"}]


UI = st.dictionaries(st.sampled_from(["formType", "setting", "x"]), st.sampled_from(["A", "B", 1, None]), max_size=3)


@given(items=st.lists(UI, max_size=5), data=st.data())
def test_permuting_ui_items_changes_nothing(items: list[dict[str, Any]], data: st.DataObject) -> None:
    shuffled = data.draw(st.permutations(items))
    assert sign(*items) == sign(*shuffled)


@given(
    rounds=st.lists(st.tuples(st.sampled_from("AB"), st.sampled_from("xyz")), min_size=1, max_size=7), data=st.data()
)
def test_rounds_commute(rounds: list[tuple[str, str]], data: st.DataObject) -> None:
    shuffled = data.draw(st.permutations(rounds))

    def score(entries: list[tuple[str, str]]) -> object:
        return agreement(
            [label for label, _ in entries], [mark for _, mark in entries], scale=Scale(0.0, 5.0), single=0.0
        )

    found = score(rounds)
    assert found == score(list(shuffled))
    assert 0 <= agreement([a for a, _ in rounds], [b for _, b in rounds], scale=Scale(0.0, 5.0), single=0.0).score <= 5


@pytest.mark.parametrize(
    ("labels", "signatures", "expected"),
    [
        ("A", "x", (1, None, None, 0.0)),
        ("AA", "xx", (2, 1.0, 1.0, 5.0)),
        ("AB", "xy", (2, 0.5, 0.5, 2.5)),
        ("AAB", "xxy", (3, 2 / 3, 2 / 3, 10 / 3)),
        ("AABB", "xxxx", (4, 0.5, 1.0, 3.75)),
    ],
)
def test_agreement(labels: str, signatures: str, expected: tuple[object, ...]) -> None:
    assert tuple(agreement(labels, signatures, scale=Scale(0.0, 5.0), single=0.0)) == pytest.approx(expected, abs=1e-12)
