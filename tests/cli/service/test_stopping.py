"""A loop that stands still is ended, one that computes has more time."""

import threading
import time

import pytest

from cli.service import stopping
from cli.service.stopping import HangGuard


@pytest.mark.parametrize(("is_busy", "is_ended"), [(False, True), (True, False)])
def test_a_long_step_that_computes_is_no_hang(
    monkeypatch: pytest.MonkeyPatch, *, is_busy: bool, is_ended: bool
) -> None:
    """Of four looks' time: a start over very many sets takes minutes of work, a hung mount takes none."""
    monkeypatch.setattr(stopping, "HANG_SECONDS", 0.4)
    monkeypatch.setattr(stopping, "LOOKS", 4)
    spent = iter(range(10_000))
    monkeypatch.setattr(stopping.time, "process_time", lambda: float(next(spent)) if is_busy else 0.0)
    ended = threading.Event()
    monkeypatch.setattr(HangGuard, "_end", lambda _: ended.set())
    with HangGuard({}, restarts=False) as guard:
        guard.step()
        time.sleep(1.0)  # the step itself
    assert ended.is_set() is is_ended
