"""The coverage table: its formula is the product's, and it notices when it is not."""

from __future__ import annotations

import numpy as np
import pytest

from bench import coverage
from bench.coverage import MODELS, Model, check, effective_n, intervals, main


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.name)
def test_models_have_the_mean_that_they_claim(model: Model) -> None:
    drawn = model.draw((2_000, 40, 2), np.random.default_rng(3))
    assert drawn.mean() == pytest.approx(model.truth, abs=0.01 * model.top)
    assert 0 <= drawn.min() < drawn.max() <= model.top


def test_another_formula_than_the_product_has_stops_the_program() -> None:
    values = MODELS[0].draw((20, 12, 3), np.random.default_rng(3))
    ours = intervals(values, 1.0, effective_n(values, 1.0))
    over_items = intervals(values, 1.0, np.full(20, 36.0))
    check(values, 1.0, ours, over_items)
    with pytest.raises(RuntimeError, match="by the product"):
        check(values, 1.0, over_items, over_items)
    with pytest.raises(RuntimeError, match="over items"):
        check(values, 1.0, ours, ours)


@pytest.mark.slow
def test_table_and_exit_code(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(coverage, "QUERIES", (4, 25))
    assert main(["--runs", "600"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 2 + len(MODELS) * 2 * 3
    monkeypatch.setattr(coverage, "ENOUGH", 1.0)
    assert main(["--runs", "600"]) == 1
