"""Items to queries: means, passes, consistency and total, worked out by hand."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.comparison.reduce import reduce_items
from scoring.comparison.run import Basis
from scoring.rubric import PassRule
from scoring.text import INVISIBLE, compared_bytes, compared_text, compared_texts
from tests.scoring.comparison.runs import make_basis, make_values


def test_a_query_has_the_mean_of_its_items() -> None:
    items = [
        make_values("Q1", 5.0, round="1/1", seconds=4.0),
        make_values("Q1", 0.0, round="2/1", seconds=None, points={"latency": 0.0}),
        make_values("Q1", 4.0, round="2/1", seconds=7.0),
    ]
    (query,) = reduce_items(items, make_basis()).values()
    assert query.values == {
        "answered": 2 / 3,
        "seconds": 5.5,
        "pass": 2 / 3,
        "intent": 3.0,
        "latency": 10 / 3,
        "consistency": 0.0,  # round 1 passes, of round 2 only one item does: a mismatch
    }
    assert (query.passed, query.assessed, query.n, query.passes) == (2, 3, 3, False)
    assert [answer.round for answer in query.answers] == ["1/1", "2/1", "2/1"]


def test_without_points_to_pass_by_the_status_decides() -> None:
    (query,) = reduce_items([make_values("Q1", 1.0)], make_basis(passes=None)).values()
    assert (query.passed, query.assessed) == (1, 1)
    assert "pass" not in query.values
    assert query.values["answered"] == 1.0


def test_items_with_nothing_to_assess_take_no_part() -> None:
    basis = make_basis(metrics=("accuracy",), passes=PassRule(metric="accuracy", points=3.0))
    items = [
        make_values("Q1", points={"accuracy": 0.0}, accuracy_reason="no-checks"),
        make_values("Q1", round="2/1", points={"accuracy": 5.0}),
        make_values("Q2", points={"accuracy": 0.0}, accuracy_reason="no-checks"),
    ]
    queries = reduce_items(items, basis)
    assert (queries["Q1"].passed, queries["Q1"].assessed) == (1, 1)
    assert queries["Q2"].passes is None
    assert "pass" not in queries["Q2"].values


def test_latency_of_a_class_takes_its_own_items() -> None:
    basis = make_basis(metrics=("latency.single", "latency.multi"))
    items = [
        make_values("Q1", points={"latency": 1.0}, latency_class="single"),
        make_values("Q1", round="2/1", points={"latency": 4.0}, latency_class="multi"),
        make_values("Q2", points={"latency": 2.0}, latency_class="multi"),
    ]
    queries = reduce_items(items, basis)
    assert (queries["Q1"].values["latency.single"], queries["Q1"].values["latency.multi"]) == (1.0, 4.0)
    assert "latency.single" not in queries["Q2"].values


def test_consistency_counts_pairs_of_rounds() -> None:
    items = [make_values("Q1", value, round=f"{at}/1") for at, value in enumerate((5.0, 0.0, 4.0, 5.0))]
    (query,) = reduce_items(items, make_basis()).values()
    assert query.values["consistency"] == pytest.approx(5 * 3 / 6)  # three of the six pairs both pass


def test_consistency_by_points_leaves_out_items_without_them() -> None:
    basis = make_basis(pairs=PassRule(metric="accuracy", points=3.0))
    items = [
        make_values("Q1", round="1/1", points={"accuracy": 5.0}),
        make_values("Q1", round="2/1", points={"accuracy": 2.0}),
        make_values("Q1", round="3/1", points={"accuracy": None}),
    ]
    (query,) = reduce_items(items, basis).values()
    assert query.values["consistency"] == 0.0


def test_consistency_by_labels_and_signatures() -> None:
    basis = make_basis(single=0.0)
    items = [
        make_values("Q1", round="1/1", label="ADD", signature="a"),
        make_values("Q1", round="2/1", label="ADD", signature="b"),
        make_values("Q2", round="1/1"),
    ]
    queries = reduce_items(items, basis)
    assert queries["Q1"].values["consistency"] == (1.0 + 0.5) / 2 * 5
    assert "consistency" not in queries["Q2"].values  # its points are those of a rule


def _weighted(**weights: float) -> Basis:
    return make_basis(weights=weights, metrics=("intent", "consistency", "latency.single", "latency.multi"))


def test_total_is_the_weighted_mean_of_the_metrics_of_a_query() -> None:
    items = [
        make_values("Q1", 5.0, round="1/1", points={"latency": 1.0}, latency_class="single"),
        make_values("Q1", 5.0, round="2/1", points={"latency": 4.0}, latency_class="multi"),
        make_values("Q2", None),
    ]
    queries = reduce_items(items, _weighted(intent=3.0, latency=1.0))
    assert queries["Q1"].values["total"] == (3 * 5.0 + 2.5) / 4
    assert "total" not in queries["Q2"].values  # without a part there is no total


def test_texts_are_compared_without_regard_to_white_space_and_normal_form() -> None:
    items = [
        make_values("Q1", question="가  나\n다 ", expected=" nan "),
        make_values("Q1", round="2/1", question="\u1100\u1161 나 다", expected=""),
    ]
    (query,) = reduce_items(items, make_basis()).values()
    assert query.questions == ("가 나 다",)
    assert query.expected == ()


def test_a_query_in_two_tracks_or_categories_is_split() -> None:
    items = [make_values("Q1"), make_values("Q1", round="2/1", track=2), make_values("Q2", category="x")]
    queries = reduce_items(items, make_basis())
    assert (queries["Q1"].is_split, queries["Q2"].is_split) == (True, False)
    assert queries["Q1"].places == ((1, "공고"), (2, "공고"))


def test_order_of_items_changes_nothing() -> None:
    rng = random.Random(7)
    items = [
        make_values(
            f"Q{n % 7}", rng.choice((0.0, 1 / 3, 4.1, 5.0)), round=f"{n % 3}/1", seconds=rng.random(), answer=f"{n}"
        )
        for n in range(60)
    ]
    shuffled = rng.sample(items, len(items))
    assert reduce_items(items, make_basis()) == reduce_items(shuffled, make_basis())
    assert list(reduce_items(items, make_basis())) == list(reduce_items(shuffled, make_basis()))


BLANKS = [char for char in map(chr, range(0x3001)) if char.isspace()] + sorted(INVISIBLE)


@given(
    st.lists(
        st.text(
            st.sampled_from(" a\n\t\0\u0301\u200b각가\u1100\u1161\x1f\u23ce\\u{00AD}é→、")
            | st.characters(codec="utf-8")
        )
    )
)
def test_texts_are_compared_alike_one_by_one_and_together(texts: list[str]) -> None:
    assert compared_texts(texts) == list(map(compared_text, texts))
    encoded = [text.encode() for text in texts]
    assert [text.decode() for text in compared_bytes(encoded)] == list(map(compared_text, texts))


def test_every_character_is_compared_alike_in_text_and_in_bytes() -> None:
    for char in (chr(code) for code in range(0x10000) if not 0xD800 <= code < 0xE000):
        text = f"a{char}b 가{char}나"
        assert list(compared_bytes([text.encode()])) == [compared_text(text).encode()], hex(ord(char))


@pytest.mark.parametrize("blank", BLANKS, ids=lambda blank: f"U+{ord(blank):04X}")
def test_blanks_of_every_kind_are_collapsed_wherever_they_stand(blank: str) -> None:
    for text in (f"{blank}가", f"가{blank}", f"가{blank}나", f"가 {blank}나", f"가{blank}{blank}나", blank):
        assert compared_texts(["앞", text, "뒤"]) == ["앞", compared_text(text), "뒤"]
