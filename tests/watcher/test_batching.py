"""Which asks share a task, and that none is lost or moved by it."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.sets import Plan, PlannedInput
from watcher.plan import BUNDLE_BYTES, LEAST_TASKS, MOST, bundle

PLENTY = MOST * LEAST_TASKS


def ask(name: str, *sizes: int) -> Plan:
    inputs = tuple(
        PlannedInput(f"{name}/{index}", str(index), "0" * 64, size, 0, 0) for index, size in enumerate(sizes)
    )
    return Plan(set_name=name, key="k", rubric_digest="d", engine_version=1, language="ko", inputs=inputs)


def names(plans: Sequence[Plan], outstanding: int) -> list[str]:
    return ["".join(entry.set_name for entry in task) for task in bundle(plans, outstanding=outstanding)]


@pytest.mark.parametrize(
    ("outstanding", "expected"),
    [
        pytest.param(3, ["a", "b", "c"], id="a-few-go-alone"),
        pytest.param(2 * LEAST_TASKS - 1, ["a", "b", "c"], id="just-too-few"),
        pytest.param(2 * LEAST_TASKS, ["ab", "c"], id="two-each"),
        pytest.param(PLENTY, ["abc"], id="plenty"),
    ],
)
def test_the_more_wait_the_more_share_a_task(outstanding: int, expected: list[str]) -> None:
    assert names([ask(name, 10) for name in "abc"], outstanding) == expected


def test_a_task_has_a_most() -> None:
    plans = [ask("x", 10) for _ in range(2 * MOST + 1)]
    assert [len(task) for task in bundle(plans, outstanding=100 * PLENTY)] == [MOST, MOST, 1]


@pytest.mark.parametrize(
    ("sizes", "expected"),
    [
        pytest.param([BUNDLE_BYTES, 0], ["ab"], id="just-full"),
        pytest.param([BUNDLE_BYTES, 1], ["a", "b"], id="too-much"),
        pytest.param([1, BUNDLE_BYTES + 1, 1], ["a", "b", "c"], id="a-large-file-goes-alone"),
    ],
)
def test_a_task_is_bounded_by_bytes(sizes: list[int], expected: list[str]) -> None:
    assert names([ask(name, size) for name, size in zip("abc", sizes, strict=False)], PLENTY) == expected


def test_a_set_of_several_files_goes_alone() -> None:
    assert names([ask("a", 1), ask("b", 0, 0), ask("c", 1), ask("d", 1)], PLENTY) == ["a", "b", "cd"]


@given(
    st.lists(st.lists(st.integers(0, BUNDLE_BYTES), min_size=1, max_size=2), max_size=40), st.integers(0, 2 * PLENTY)
)
def test_all_are_asked_for_in_their_order(sizes: list[list[int]], outstanding: int) -> None:
    plans = [ask(str(number), *of) for number, of in enumerate(sizes)]
    assert [entry for task in bundle(plans, outstanding=outstanding) for entry in task] == plans
