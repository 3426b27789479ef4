"""Which queries always, sometimes or never pass: by hand, at the edges, and whatever the order of rows and files."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from scoring.items import Item, ItemDetails
from scoring.results.merging import merge
from scoring.results.model import SetResult
from scoring.rubric import REASON_NO_CHECKS, PassRule, Status
from scoring.statistics import Repeats
from tests.paths import ROOT
from tests.reporting.results import make_item, make_part, make_result, make_rubric
from tests.scoring.files import score_shipped
from tests.scoring.statistics.cases import near

AT_3 = make_rubric(pass_points=PassRule(metric="accuracy", points=3))
STATUSES = st.sampled_from(list(Status))
OUTCOMES = st.lists(
    st.tuples(st.sampled_from("ABCDE"), st.integers(1, 3), STATUSES), min_size=1, max_size=30
)  # query, round, status of an item


def made(*queries: str) -> SetResult:
    """A set of queries A, B …; each is given by its items in rounds 1, 2 …: p passes, f fails, a space is none."""
    items = [
        _item(name, number, Status.OK if end == "p" else Status.ERROR)
        for name, ends in zip("ABCDEFGH", queries, strict=False)
        for number, end in enumerate(ends, start=1)
        if end != " "
    ]
    return make_result(*[_at(item, row) for row, item in enumerate(items, start=2)])


def _item(query_id: str, number: int, status: Status, **changes: Any) -> Item:
    return make_item(query_id=query_id, round=f"{number}/1", status=status, **changes)


def _at(item: Item, row: int) -> Item:
    item.row, item.item_id = row, f"i-{row}"
    return item


def test_classes_counts_and_lists() -> None:
    found = made("pp", "pf", "ff", "fp", "p ").repeatability
    assert list(found.attempts.items()) == [("A", (2, 2)), ("B", (1, 2)), ("C", (0, 2)), ("D", (1, 2)), ("E", (1, 1))]
    assert found.counts == {Repeats.ALWAYS: 2, Repeats.SOMETIMES: 2, Repeats.NEVER: 1}
    assert found.flaky == (("B", (1, 2)), ("D", (1, 2)))
    assert found.never == (("C", (0, 2)),)
    assert (found.left_out, found.is_repeated) == (0, True)


def test_reliability_has_an_entry_per_number_of_rounds() -> None:
    one, two = made("pp", "pf", "ff", "fp", "p ").repeatability.reliability
    assert (one.k, one.queries, one.left_out) == (1, 5, 0)
    assert one.all_pass.value == one.any_passes.value == near((1 + 0.5 + 0 + 0.5 + 1) / 5)
    assert (two.k, two.queries, two.left_out) == (2, 4, 1)
    assert (two.all_pass.value, two.any_passes.value) == (0.25, 0.75)


def test_fewest_passes_come_first_then_the_first_to_appear() -> None:
    found = made("ppf", "pff", "fpp", "fpf").repeatability
    assert [query.query_id for query in found.flaky] == ["B", "D", "A", "C"]


def test_attempts_of_a_round_count_one_by_one() -> None:
    items = [_at(_item("A", 1, status), row) for row, status in enumerate((Status.ERROR, Status.OK, Status.OK), 2)]
    found = make_result(*items).repeatability
    assert found.flaky == (("A", (2, 3)),)
    assert found.is_repeated
    assert [entry.k for entry in found.reliability] == [1]


def test_points_decide_where_the_document_names_them() -> None:
    items = [
        _item("A", 1, Status.OK, accuracy=3.0),
        _item("A", 2, Status.OK, accuracy=2.9),
        _item("B", 1, Status.OK, accuracy=0.0, details=ItemDetails(accuracy_reason=REASON_NO_CHECKS)),
        _item("B", 2, Status.OK, accuracy=5.0),
        _item("C", 1, Status.OK, accuracy=0.0, details=ItemDetails(accuracy_reason=REASON_NO_CHECKS)),
    ]
    found = make_result(*items, rubric=AT_3).repeatability
    assert found.attempts == {"A": (1, 2), "B": (1, 1), "C": (0, 0)}
    assert found.counts == {Repeats.ALWAYS: 1, Repeats.SOMETIMES: 1, Repeats.NEVER: 0}
    assert found.left_out == 1
    assert [entry.left_out for entry in found.reliability] == [1, 2]


def test_one_round_repeats_nothing() -> None:
    found = made("p", "f").repeatability
    assert not found.is_repeated
    assert (found.flaky, found.never) == ((), (("B", (0, 1)),))


def test_profiles_without_consistency_have_queries_and_classes() -> None:
    rubric = make_rubric(metrics=tuple(one for one in make_rubric().metrics if one.name != "consistency"))
    result = make_result(_item("A", 1, Status.OK), _at(_item("A", 2, Status.ERROR), 3), rubric=rubric)
    assert result.repeatability.flaky == (("A", (1, 2)),)
    (query,) = result.queries
    assert (query.statuses, query.category) == ((Status.OK, Status.ERROR), "공고")
    assert result.groups[0].pairs.compared == 0


def test_sample_of_two_rounds() -> None:
    """The figures that the page of methods was checked with."""
    found = score_shipped(ROOT / "tests/samples/resume_agent_two_rounds.csv").repeatability
    assert found.counts == {Repeats.ALWAYS: 71, Repeats.SOMETIMES: 7, Repeats.NEVER: 5}
    both = found.reliability[1]
    assert (both.queries, both.left_out) == (81, 2)
    assert (both.all_pass.value, both.any_passes.value) == (near(69 / 81), near(76 / 81))


@given(OUTCOMES)
def test_classes_add_up_to_the_queries_with_attempts(outcomes: list[tuple[str, int, Status]]) -> None:
    items = [_item(*outcome) for outcome in outcomes]
    found = make_result(*items).repeatability
    assert sum(found.counts.values()) + found.left_out == len({query_id for query_id, _, _ in outcomes})
    assert sum(attempts.n for attempts in found.attempts.values()) == len(items)
    assert found.counts[Repeats.SOMETIMES] == len(found.flaky)
    assert found.counts[Repeats.NEVER] == len(found.never)
    assert all(0 < passed < n for _, (passed, n) in found.flaky)
    assert all(passed == 0 < n for _, (passed, n) in found.never)


@given(OUTCOMES, st.randoms(use_true_random=False), st.integers(0, 30))
def test_order_of_rows_and_files_changes_nothing(
    outcomes: list[tuple[str, int, Status]], random: Any, split: int
) -> None:
    items = [_at(_item(*outcome), row) for row, outcome in enumerate(outcomes, start=2)]
    shuffled = random.sample(items, len(items))
    whole, moved = (make_result(*some).repeatability for some in (items, shuffled))
    assert (moved.counts, moved.reliability) == (whole.counts, whole.reliability)
    assert dict(moved.attempts) == dict(whole.attempts)
    assert (set(moved.flaky), set(moved.never)) == (set(whole.flaky), set(whole.never))
    first, second = items[:split], items[split:]
    if not {(item.query_id, item.round) for item in first} & {(item.query_id, item.round) for item in second}:
        parts = [("b.csv", make_part(*second, sha256="b" * 64)), ("a.csv", make_part(*first, sha256="a" * 64))]
        joined, one_file = merge(parts, make_rubric()).repeatability, make_result(*items).repeatability
        assert joined == one_file
