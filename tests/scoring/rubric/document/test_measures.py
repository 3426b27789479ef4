"""`measures` in the front matter: what they become, and what they are refused for."""

import pytest

from scoring.rubric.document.read import parse_rubric
from scoring.rubric.fields import Better, Measure, is_measure, measure_named
from scoring.rubric.model import decode_rubric, encode_rubric
from tests.measured import DOCUMENT, measured_rubric
from tests.scoring.documents import line_of, places, replaced

TEXT = DOCUMENT.read_text(encoding="utf-8")
TOKENS = "{ name: tokens, title: Tokens, unit: tokens, column: total_tokens, decimals: 0 }"
COST = "{ name: cost, title: Cost, unit: USD, payload: [usage.cost, cost], decimals: 4 }"


def test_measures_of_a_document() -> None:
    measures = measured_rubric().measures
    assert measures == (
        Measure(name="tokens", title="Tokens", unit="tokens", column="total_tokens", decimals=0),
        Measure(name="cost", title="Cost", unit="USD", paths=("usage.cost", "cost"), decimals=4),
        Measure(name="saved", title="Saved time", unit="min", column="Saved", better=Better.HIGHER),
        Measure(name="steps", title="Steps", paths=("steps[*].n",), better=Better.NONE),
    )
    assert measure_named(measures, "measure.saved") == measures[2]
    assert measure_named(measures, "saved") is None
    assert is_measure("measure.saved")
    assert not is_measure("latency.measure")
    assert decode_rubric(encode_rubric(measured_rubric())) == measured_rubric()


@pytest.mark.parametrize(
    ("old", "new", "code", "found"),
    [
        pytest.param(TOKENS, "{ name: To kens, title: T, column: c }", "rubric-name", "To kens", id="name"),
        pytest.param(
            "name: cost, title: Cost", "name: tokens, title: Cost", "rubric-measure-twice", "tokens", id="twice"
        ),
        pytest.param(", column: total_tokens", "", "rubric-kinds", "", id="no-place"),
        pytest.param("payload: [usage.cost, cost]", "payload: [cost], column: c", "rubric-kinds", "", id="two-places"),
        pytest.param("[usage.cost, cost]", "[usage..cost]", "rubric-path", "usage..cost", id="path"),
        pytest.param("[usage.cost, cost]", "4", "rubric-value-type", "4", id="no-path"),
        pytest.param("decimals: 4", "decimals: 13", "rubric-measure-decimals", "13", id="decimals"),
        pytest.param("decimals: 4", "decimals: -1", "rubric-measure-decimals", "-1", id="negative-decimals"),
        pytest.param("decimals: 4", "decimals: 0.5", "rubric-value-type", "0.5", id="part-of-a-decimal"),
        pytest.param("better: higher", "better: more", "rubric-value-type", "more", id="better"),
        pytest.param("title: Cost,", "title: ' ',", "rubric-word-empty", "", id="title"),
        pytest.param("title: Cost,", "titel: Cost,", "rubric-key-unknown", "titel", id="key"),
    ],
)
def test_refusals(old: str, new: str, code: str, found: str) -> None:
    text = replaced(TEXT, old, new)
    line = line_of(text, new if len(new) > 1 else "name: tokens" if not new else "name: cost")
    assert (code, line, found) in places(text)


def test_a_single_path_may_be_a_text() -> None:
    rubric = parse_rubric(replaced(TEXT, "[usage.cost, cost]", "usage.cost"), source=DOCUMENT.name)
    assert rubric.measures[1].paths == ("usage.cost",)


def test_a_payload_needs_its_column() -> None:
    text = replaced(TEXT, "  - { name: raw_json, title: Raw JSON, required: true }\n", "")
    assert places(text) == [
        ("rubric-measure-no-payload", line_of(text, "name: cost"), "cost"),
        ("rubric-measure-no-payload", line_of(text, "name: steps"), "steps"),
    ]
