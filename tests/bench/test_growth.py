"""The bench of growth: every kind is measured, and exponents are those of powers."""

import re

import pytest

from bench import growth
from bench.targets import exponents


def test_exponents_are_those_of_powers() -> None:
    assert exponents([1, 10, 100], [2.0, 20.0, 2000.0]) == ["", "1.00", "2.00"]


@pytest.mark.slow
def test_every_kind_is_measured(capsys: pytest.CaptureFixture[str]) -> None:
    assert growth.main(["--times", "1", "--scale", "0.02"]) == 0
    said = capsys.readouterr().out
    for kind in growth.KINDS:
        assert len(re.findall(rf"(?m)^\| [\d,]+ {kind} \| -?\d+\.\d\d s \(.*\) \|", said)) == 3
