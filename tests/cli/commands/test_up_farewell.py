"""What `up` says at its end: one outcome."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from cli.commands.up import _farewell
from config import Settings


def service(*, sets: int, settled: int) -> Any:
    snapshot = SimpleNamespace(sets=sets, settled=settled, troubles={}, unwritable="", waiting=0)
    watcher = SimpleNamespace(snapshot=lambda: snapshot, settled={})
    return SimpleNamespace(watch=SimpleNamespace(watcher=watcher, queue=SimpleNamespace(fault=None)))


@pytest.mark.parametrize(
    ("missed", "settled", "said"),
    [
        (None, 2, None),
        ("timed-out", 1, "제한 시간 안에 모두 끝내지 못했습니다. 다시 실행하면 이어서 합니다."),
        ("timed-out", 2, "세트는 모두 끝났지만 비교와 게이트를 제한 시간 안에 다 끝내지 못했습니다."),
        ("stopped", 1, "모두 끝내기 전에 멈췄습니다. 다시 실행하면 이어서 합니다."),
        ("stopped", 2, "세트는 모두 끝났지만 비교와 게이트를 다 끝내기 전에 멈췄습니다."),
    ],
)
def test_the_last_lines_agree(missed: str | None, settled: int, said: str | None) -> None:
    bad, lines = _farewell(Settings(out=Path("out")), service(sets=2, settled=settled), missed=missed)
    assert bad == (missed is not None)
    assert lines[0] == f"세트 2개 중 {settled}개 끝남, 문제 있는 세트 0개"
    assert [line for line in lines[1:-1] if said is None or not line.startswith(said)] == []
    assert len(lines) == (2 if said is None else 3)
