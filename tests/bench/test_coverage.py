"""The coverage table: its formula is the product's, and it notices when it is not."""

import numpy as np
import pytest

from bench import coverage
from bench.coverage import LAYOUTS, MODELS, Layout, Model, check, intervals, main, shares_and_worth, wanted


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.name)
def test_models_have_the_mean_that_they_claim(model: Model) -> None:
    drawn = model.draw((2_000, 40, 2), np.random.default_rng(3))
    assert drawn.mean() == pytest.approx(model.truth, abs=0.01 * model.top)
    assert 0 <= drawn.min() < drawn.max() <= model.top


@pytest.mark.parametrize("layout", [Layout(12, 3), Layout(12, 3, 5), Layout(12, 3, 1)], ids=lambda layout: layout.name)
def test_another_formula_than_the_product_has_stops_the_program(layout: Layout) -> None:
    values, mask = MODELS[0].draw((20, 12, 3), np.random.default_rng(3)), layout.mask()
    ours = intervals(*shares_and_worth(values, mask))
    share = (values * mask).sum(axis=(1, 2)) / mask.sum()
    over_items = intervals(share, np.full(20, mask.sum()))
    check(values, mask, 1.0, ours, over_items)
    with pytest.raises(RuntimeError, match="by the product"):
        check(values, mask, 1.0, over_items, over_items)
    with pytest.raises(RuntimeError, match="over items"):
        check(values, mask, 1.0, ours, ours)


def test_less_is_wanted_of_a_round_with_one_query() -> None:
    assert [wanted(MODELS[0], layout) for layout in (Layout(82, 3), Layout(82, 3, 1))] == [0.93, 0.90]
    assert wanted(MODELS[-1], Layout(82, 3)) == 0.92


@pytest.mark.slow
def test_table_and_exit_code(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(coverage, "LAYOUTS", LAYOUTS[5:8])
    assert main(["--runs", "600"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 2 + len(MODELS) * 3
    monkeypatch.setattr(coverage, "wanted", lambda *_: 1.01)
    assert main(["--runs", "600"]) == 1
