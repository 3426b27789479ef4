"""The bench of starts: it runs, and its sets are sets."""

from __future__ import annotations

import re

import pytest

from bench import start


@pytest.mark.slow
def test_every_start_is_measured(capfd: pytest.CaptureFixture[str]) -> None:
    assert start.main(["--sets", "3", "--times", "1"]) == 0
    said = capfd.readouterr().out
    for name in ("bare interpreter", "status, no set", "status, 3 sets", "score, one file of 354 rows"):
        assert len(re.findall(rf"(?m)^{name} +(?:CPU|wall) +\d+\.\d\d s \(\d+\.\d\d to \d+\.\d\d\)$", said)) == 2, name
