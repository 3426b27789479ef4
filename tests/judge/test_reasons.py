"""What an endpoint writes as its reason, as far as it is kept."""

import json
from pathlib import Path

import pytest

from tests.judge.asking import KEY, graded, judge, requests
from tests.judge.stub import Stub

pytestmark = [pytest.mark.service, pytest.mark.timeout(300)]


def test_the_key_does_not_come_back_as_a_reason(tmp_path: Path) -> None:
    reason = f"You sent Bearer {KEY}, and again {KEY[:12]}"
    with Stub(tmp_path / "log", f"raw:{json.dumps({'reason': reason, 'level': 4})}") as stub:
        (found,) = graded(judge(stub.url), requests("답")).values()
    assert (found.level, found.reason) == ("4", "You sent Bearer […], and again […]")


@pytest.mark.parametrize("reply", ['{"level": 3}', '{"level": 3, "reason": null}'])
def test_a_level_without_a_reason_counts(reply: str, tmp_path: Path) -> None:
    with Stub(tmp_path / "log", f"raw:{reply}") as stub:
        (found,) = graded(judge(stub.url), requests("답")).values()
        assert len(stub.requests) == 1
    assert (found.level, found.reason, found.failure) == ("3", "", "")
