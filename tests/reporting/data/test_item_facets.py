"""Facets of the items in a page: stable keys, values of every item, several findings of one item."""

from reporting.data.facets import Facet
from reporting.data.item_columns import item_columns
from reporting.data.item_facets import item_facets
from reporting.wording import pattern_key
from scoring import Problem, group_problems
from scoring.results import SetResult, find_insights
from scoring.rubric import Status
from tests.reporting.results import make_item, make_result, make_rubric
from texts import texts


def facets(result: SetResult, language: str = "ko") -> dict[str, Facet]:
    chosen = range(len(result.items))
    found = item_facets(result, find_insights(result), chosen, item_columns(result.items), texts(language))
    return {facet.name: facet for facet in found}


def values(facet: Facet) -> list[list[str]]:
    """Keys of the values of each item."""
    sets = facet.sets or tuple((at,) for at in range(len(facet.keys)))
    return [[facet.keys[at] for at in sets[value]] if value >= 0 else [] for value in facet.values]


FAILED = {"status": Status.ERROR, "why": "error", "intent": 0.0, "stability": 0.0}


def test_keys_do_not_depend_on_the_language() -> None:
    result = make_result(make_item(2), make_item(3, round="2/1", query_id="Q-2", error="x", **FAILED))
    korean, english = facets(result), facets(result, "en")
    assert {name: facet.keys for name, facet in korean.items()} == {name: facet.keys for name, facet in english.items()}
    assert korean["status"].names != english["status"].names


def test_status_round_track_and_category_of_items() -> None:
    result = make_result(make_item(2), make_item(3, round="2/1", track=None, category="", error="x", **FAILED))
    found = facets(result)
    assert values(found["status"]) == [["ok"], ["error"]]
    assert values(found["round"]) == [["1/1"], ["2/1"]]
    assert values(found["track"]) == [["1"], ["unassigned"]]
    assert values(found["category"]) == [["공고"], ["-"]]


def test_patterns_are_those_that_the_report_lists() -> None:
    items = [
        make_item(2, error="TimeoutError 12", **FAILED),
        make_item(3, error="TimeoutError 13", **FAILED),
        make_item(4, status=Status.EMPTY, why="nothing", intent=0.0, stability=0.0),
        make_item(5),
    ]
    result = make_result(*items)
    keys = [pattern_key(pattern.key) for pattern in find_insights(result).patterns]
    assert values(facets(result)["pattern"]) == [[keys[0]], [keys[0]], [keys[1]], []]


def test_an_item_has_every_finding_that_is_about_it() -> None:
    result = make_result(
        make_item(2, track=3, seconds=90.0, latency=0.0, error="x", **FAILED),
        make_item(3, track=3, seconds=70.0, latency=0.0),
        make_item(4, failure_word="실패"),
        make_item(5),
        findings=(),
    )
    assert values(facets(result)["finding"]) == [["unanswered", "slow"], ["slow"], ["hidden-failure"], []]


def test_slow_items_have_a_preset_with_its_limits_where_the_rubric_calls_any_slow() -> None:
    limited = make_rubric()
    usual = make_rubric(latency_classes=limited.latency_classes[:1])
    of_limited, of_usual = (facets(make_result(make_item(2), rubric=rubric))["preset"] for rubric in (limited, usual))
    assert dict(zip(of_limited.keys, of_limited.names, strict=True))["slow"] == "느림 · Track 3 60초 이상"
    assert "slow" not in of_usual.keys


def test_findings_in_rows_are_found_by_file_and_row() -> None:
    place = Problem(code="seconds-missing", row=3, column="Raw JSON")
    result = make_result(make_item(2), make_item(3), findings=group_problems([place]))
    found = facets(result)["finding"]
    assert values(found) == [[], ["seconds-missing"]]


def test_repeats_tell_queries_apart_only_where_something_is_repeated() -> None:
    once = make_result(make_item(2), make_item(3))
    assert "repeat" not in facets(once)
    twice = make_result(
        make_item(2, query_id="A"),
        make_item(3, query_id="A", round="2/1"),
        make_item(4, query_id="B"),
        make_item(5, query_id="B", round="2/1", error="x", **FAILED),
    )
    assert values(facets(twice)["repeat"]) == [["always"], ["always"], ["sometimes"], ["sometimes"]]
