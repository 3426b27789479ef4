"""A forged bundle is refused before any of its files is looked at."""

import pytest

from tests.inner import ITEMS_PER_TASK, MOST
from workers.jobs.inputs import MAX_BUNDLE, MAX_TEXT, ForgedAskError, bundled_asks, judged_hashes

ASK = ["a.csv", "a", "k" * 64]


def test_what_the_watcher_sends_is_taken() -> None:
    assert bundled_asks([ASK] * MOST) == [tuple(ASK)] * MOST
    assert judged_hashes(["h" * 64] * ITEMS_PER_TASK) == ["h" * 64] * ITEMS_PER_TASK
    assert max(MOST, ITEMS_PER_TASK) <= MAX_BUNDLE


@pytest.mark.parametrize(
    "asks",
    [
        [ASK] * (MAX_BUNDLE + 1),
        [],
        {},
        "a",
        None,
        [ASK[:2]],
        [[*ASK, ""]],
        [["a.csv", "a", 1]],
        [["a.csv", None, "k"]],
        [[["a"], "a", "k"]],
        [["a" * (MAX_TEXT + 1), "a", "k"]],
    ],
    ids=lambda value: str(value)[:20],
)
def test_forged_bundle_is_refused_as_a_whole(asks: object) -> None:
    with pytest.raises(ForgedAskError):
        bundled_asks(asks)


@pytest.mark.parametrize("hashes", [["h"] * (MAX_BUNDLE + 1), "h", [1], [["h"]]], ids=lambda value: str(value)[:20])
def test_forged_hashes_are_refused(hashes: object) -> None:
    with pytest.raises(ForgedAskError):
        judged_hashes(hashes)
