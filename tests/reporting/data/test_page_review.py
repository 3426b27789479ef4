"""What a page needs to make keys: what it does not show already, and inert."""

import json
from typing import Any

from msgspec.structs import replace

from reporting.comparison import embed_comparison
from reporting.data import embed_items
from scoring.comparison import compare_runs
from scoring.items import Item
from scoring.results import find_insights
from scoring.review import ItemKey, Sample
from scoring.rubric import Rubric
from tests.reporting.results import make_item, make_result
from tests.scoring.comparison.runs import make_run, make_values
from tests.scoring.files import resume_rubric
from tests.scoring.judged_sets import SCORES
from texts import texts

HOSTILE = "</script><b>\u202e|100%"


def _review(*items: Item, rubric: Rubric | None = None, set_name: str = "s", language: str = "ko") -> dict[str, Any]:
    result = make_result(*items, rubric=rubric)
    data = embed_items(result, find_insights(result), texts(language), set_name=set_name).json
    assert not set("<>\u202e") & set(data.decode())
    found: dict[str, Any] = json.loads(data)["review"]
    return found


def test_the_page_has_what_a_person_may_give_and_the_hash_of_each_item() -> None:
    first, second = "0123456789abcdef", "fedcba9876543210"
    found = _review(make_item(2, text_hash=first), make_item(3, text_hash=second))
    assert found["sides"] == [
        {
            "key": "sw1|resume-agent|s",
            "metrics": [["intent", "의도 충족", [[str(points), points] for points in range(6)]]],
            "causes": [],
        }
    ]
    assert found["hashes"] == first + second
    assert found["keys"] == {}  # follows from the query and the round that the page shows
    assert list(found["titles"].values())[-6:] == [
        "검수자",
        "검수 점수",
        "검수 코멘트",
        "원인",
        "check",  # in CSV a spreadsheet would run `@check`
        "scorewatch-key",
    ]
    assert _review(language="en")["titles"]["grade"] == "Review grade"


def test_levels_are_those_of_the_document_lowest_first() -> None:
    (side,) = _review(rubric=SCORES)["sides"]
    ((name, _, grades),) = side["metrics"]
    assert name == "rubrics"
    assert grades == sorted(grades, key=lambda grade: grade[1])
    assert [grade[0] for grade in grades] == ["1", "2", "3", "4", "5"]


def test_what_is_shown_otherwise_has_its_key_beside_it_and_nothing_is_markup() -> None:
    rubric = replace(resume_rubric(), causes=(HOSTILE, "검색"))
    found = _review(make_item(2, query_id=HOSTILE, text_hash="0" * 16), rubric=rubric, set_name=HOSTILE)
    (side,) = found["sides"]
    assert side["causes"] == ["</script><b>|100%", "검색"]
    key = ItemKey.read("|".join([side["key"], found["keys"]["0"], "1", "intent", found["sample"], found["hashes"]]))
    assert key == ItemKey("resume-agent", HOSTILE, HOSTILE, "1/1", 1, "intent", Sample.FLAGGED, "0" * 16)


def test_a_comparison_has_both_sets() -> None:
    before, after = (make_run([make_values(query_id="Q", text_hash=mark * 16)]) for mark in "ab")
    comparison = compare_runs(replace(before, name="old"), replace(after, name="new"))
    found = json.loads(embed_comparison(comparison, texts(), mark="m", pages=("", "")).json)["review"]
    assert [side["key"].rpartition("|")[2] for side in found["sides"]] == ["old", "new"]
    assert found["hashes"] == "a" * 16 + "b" * 16


def test_versions_of_a_set_are_both_graded_under_its_name() -> None:
    before, after = (make_run([make_values(query_id="Q", text_hash=mark * 16)]) for mark in "ab")
    comparison = compare_runs(replace(before, name="1번째 버전"), replace(after, name="set"))
    data = embed_comparison(comparison, texts(), mark="m", pages=("", ""), of_one_set=True).json
    assert [side["key"].rpartition("|")[2] for side in json.loads(data)["review"]["sides"]] == ["set", "set"]
