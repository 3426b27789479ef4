"""The bench of starts: it runs, and its sets are sets."""

import re

import pytest

from bench import start


@pytest.mark.slow
def test_every_start_is_measured_beside_its_target(capfd: pytest.CaptureFixture[str]) -> None:
    start.main(["--sets", "3", "--times", "2"])
    said = capfd.readouterr().out
    for name, most in (("`status`, no set", "0.35"), ("`status`, 3 sets", "1"), ("`score`, 354 rows", "0.45")):
        figure = r"\d+\.\d\d s \(\d+\.\d\d–\d+\.\d\d\)"
        assert re.search(
            rf"(?m)^\| {name}: CPU \| {figure} \| {figure} \| at most {most} s( \*\*missed\*\*)? \|$", said
        )
        assert re.search(rf"(?m)^\| {name}: wall \| {figure} \|  \|  \|$", said)
