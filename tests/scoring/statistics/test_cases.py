"""Every case of `stats_cases.json`, to 1e-9 or the tolerance that it names."""

import json
from collections import Counter
from math import fsum, sqrt
from pathlib import Path
from typing import Any

import pytest

from scoring.statistics.attempts import Attempts, reliability, split_variance
from scoring.statistics.change_intervals import (
    EXACT_RANKS_BELOW,
    benjamini_hochberg,
    change_interval,
    holm,
    leaderboard,
    shift,
    sign_flip,
    signed_ranks,
    smallest_change,
    whole_steps,
)
from scoring.statistics.corrected import Graded, corrected_points, rogan_gladen
from scoring.statistics.distributions import ALPHA
from scoring.statistics.group_tests import lower_by_chance, rounds_alike, sample_of
from scoring.statistics.intervals import mean_interval, once, query_mean, spread_of, wilson
from scoring.statistics.kappa import kappa_interval, matrix_of, weighted_kappa
from tests.scoring.statistics.cases import case, near, queries_of

# judge_agreement is a case of the tests of the kappa
COVERED = {
    "pass_rate_interval", "clustered_mean", "mcnemar", "paired_points", "pass_hat_k", "benjamini_hochberg",
    "judge_agreement", "minimal_detectable", "mean_interval", "change_interval", "weakest_group", "kappa_by_query",
    "hodges_lehmann", "holm", "rounds_alike", "leaderboard", "corrected_points", "rogan_gladen",
    "variance_split",
}  # fmt: skip


def test_no_case_is_left_out() -> None:
    path = Path(__file__).with_name("stats_cases.json")
    names = {one["name"] for one in json.loads(path.read_text(encoding="utf-8"))["cases"]}
    assert names == COVERED


def _named(name: str) -> Any:
    """Parameters of a test: the parts of a case, each with its name."""
    return [pytest.param(one, id=one["name"]) for one in case(name)["cases"]]


@pytest.mark.parametrize("row", case("pass_rate_interval")["results"], ids=lambda row: f"{row['passed']}-of-{row['n']}")
def test_wilson_interval(row: dict[str, float]) -> None:
    passed, n = int(row["passed"]), int(row["n"])
    assert wilson(passed / n, n) == near(row["wilson"])


@pytest.mark.parametrize("one", _named("mean_interval"))
def test_mean_interval(one: dict[str, Any]) -> None:
    queries, right = queries_of(one["queries"]), one["result"]
    value, scale = right["value"], float(one["scale"])
    spread = spread_of(value, queries, top=scale)
    assert spread == near((right["queries"], right["v"], right["kish"], right["cap"]))
    assert spread.worth(value / scale) == near(right["n_eff"])
    interval = mean_interval(value, queries, top=scale)
    assert interval == (None if right["low"] is None else near((right["low"], right["high"])))


CLUSTERED = case("clustered_mean")


@pytest.mark.parametrize("name", CLUSTERED["results"])
def test_spread_between_queries_is_the_standard_error_of_their_means(name: str) -> None:
    """One value per query, against scipy.stats.sem of the query means."""
    right = CLUSTERED["results"][name]
    items = CLUSTERED["inputs"][name]
    top = 5.0 if name.startswith("points") else 1.0
    listed = [list(map(float, values)) for values in (items.values() if isinstance(items, dict) else items)]
    queries = once(map(query_mean, listed))
    mean = fsum(map(query_mean, listed)) / len(listed)
    assert mean == near(right["query_mean"])
    spread = spread_of(mean, queries, top=top)
    assert top * sqrt(spread.variance * spread.queries / (spread.queries - 1)) == near(right["query_mean_se"])
    interval = mean_interval(mean, queries, top=top)
    assert interval is not None
    naive_low, naive_high = right["naive_ci"]
    assert interval.high - interval.low > naive_high - naive_low


MCNEMAR = case("mcnemar")["results"]


@pytest.mark.parametrize("row", MCNEMAR, ids=lambda row: f"{row['worse']}-worse-{row['better']}-better")
def test_sign_flip_of_flips_is_the_mcnemar_test(row: dict[str, float | None]) -> None:
    flips = [-1] * int(row["worse"] or 0) + [0, 0] + [1] * int(row["better"] or 0)
    assert sign_flip(flips) == near(row["p_exact"])
    if row["p_chi2_corrected"] is not None:  # without flips statsmodels divides by 0
        assert sign_flip(flips, exact_below=0) == near(row["p_chi2_corrected"])


def test_paired_points() -> None:
    found = case("paired_points")
    before, after, right = found["inputs"]["before"], found["inputs"]["after"], found["results"]
    differences = [query_mean(new) - query_mean(old) for old, new in zip(before, after, strict=True)]
    assert differences == near(right["query_differences"])
    assert query_mean(differences) == near(right["mean_difference"])
    assert sign_flip(whole_steps(differences, 5)) == near(right["sign_flip_exact_p"])
    assert sign_flip(signed_ranks(differences), exact_below=EXACT_RANKS_BELOW) == near(right["wilcoxon_p"])


@pytest.mark.parametrize("one", _named("change_interval"))
def test_change_interval(one: dict[str, Any]) -> None:
    differences, length = list(map(float, one["d"])), one["length"]
    p = sign_flip(whole_steps(differences, length))
    assert p == near(one["verdict_p"])
    found = change_interval(differences, length=length, is_found=p <= ALPHA)
    assert found == near(tuple(one["interval"]))


BOARDS = [(one, pair) for one in case("leaderboard")["cases"] for pair in one["pairs"]]


@pytest.mark.parametrize(("one", "pair"), BOARDS)
def test_change_between_two_of_several_runs(one: dict[str, Any], pair: dict[str, Any]) -> None:
    before, after = one["query_means"][pair["a"]], one["query_means"][pair["b"]]
    differences = [new - old for old, new in zip(before, after, strict=True)]
    assert sign_flip(whole_steps(differences, 5)) == near(pair["p"])
    found = change_interval(differences, length=5.0, is_found=pair["p_holm"] <= ALPHA)
    assert found == near(tuple(pair["interval_change"]))


@pytest.mark.parametrize("one", case("leaderboard")["cases"], ids=lambda one: one["name"])
def test_holm_over_pairs_of_runs(one: dict[str, Any]) -> None:
    assert holm([pair["p"] for pair in one["pairs"]]) == near([pair["p_holm"] for pair in one["pairs"]])


@pytest.mark.parametrize("one", case("leaderboard")["cases"], ids=lambda one: one["name"])
def test_leaderboard(one: dict[str, Any]) -> None:
    means = one["query_means"]
    differences = {
        (pair["a"], pair["b"]): [new - old for old, new in zip(means[pair["a"]], means[pair["b"]], strict=True)]
        for pair in one["pairs"]
    }
    found = leaderboard(differences, len(means), length=5.0)
    assert [list(rank) for rank in found.ranks] == one["rank_from_to"]
    for pair, right in zip(found.pairs, one["pairs"], strict=True):
        counts = ("a", "b", "win", "tie", "loss")
        assert [getattr(pair, name) for name in counts] == [right[name] for name in counts]
        assert [pair.difference, pair.p, pair.p_holm] == near([right[key] for key in ["difference", "p", "p_holm"]])
        assert pair.interval == near(tuple(right["interval_change"]))


@pytest.mark.parametrize("one", _named("hodges_lehmann"))
def test_shift_of_values_without_a_scale(one: dict[str, Any]) -> None:
    found = shift(one["d"])
    assert found.estimate == near(one["estimate"])
    assert found.interval == (None if one["interval"] is None else near(tuple(one["interval"])))
    assert sign_flip(signed_ranks(one["d"]), exact_below=EXACT_RANKS_BELOW) == near(one["wilcoxon_p"])


@pytest.mark.parametrize("one", _named("weakest_group"))
def test_weakest_group(one: dict[str, Any]) -> None:
    groups, right = one["groups"], one["result"]
    found = {}
    for key, means in groups.items():
        others = [mean for other, of_other in groups.items() if other != key for mean in of_other]
        p = lower_by_chance(sample_of(Counter(means)), sample_of(Counter(others)), length=5.0)
        if p is not None:
            found[key] = p
    assert found == near(right["p"])
    together = dict(zip(found, holm(list(found.values())), strict=True))
    assert together == near(right["holm"])
    lowest = min(groups, key=lambda key: query_mean(groups[key]))
    assert (lowest if together.get(lowest, 1.0) <= ALPHA else None) == right["named"]


@pytest.mark.parametrize("one", _named("rounds_alike"))
def test_rounds_alike(one: dict[str, Any]) -> None:
    found = rounds_alike(Counter(map(tuple, one["rows_are_queries"])))
    if one["p_used"] is None:
        assert found is None
        return
    assert found is not None
    assert found.p == near(one["p_used"])
    if "rounds_tested" in one:
        assert list(found.rounds) == one["rounds_tested"]
    else:
        assert list(found.means) == near(one["round_means"])


@pytest.mark.parametrize("one", _named("kappa_by_query"))
def test_kappa_by_query(one: dict[str, Any]) -> None:
    pairs = [list(zip(*query, strict=True)) for query in zip(one["recorded"], one["judged"], strict=True)]
    assert weighted_kappa(matrix_of([pair for query in pairs for pair in query], one["levels"])) == near(one["kappa"])
    found = kappa_interval(pairs, one["levels"])
    assert found == (None if one["interval"] is None else near(tuple(one["interval"])))


@pytest.mark.parametrize("one", _named("corrected_points"))
def test_corrected_points(one: dict[str, Any]) -> None:
    right = one["result"]
    found = corrected_points(one["scores"], dict(one["reviewed"]), top=5.0)
    assert found is not None
    assert (found.queries, found.reviewed) == (right["queries"], right["reviewed"])
    assert found[2:5] == near((right["slope"], right["value"], right["se"]))
    assert found.interval == near((right["low"], right["high"]))


@pytest.mark.parametrize("one", case("rogan_gladen")["cases"], ids=lambda one: f"{one['app']}-{one['n']}")
def test_rogan_gladen(one: dict[str, Any]) -> None:
    right = one["result"]
    found = rogan_gladen(one["app"], one["n_app"], Graded(one["tp"], one["p"], one["tn"], one["n"], one["p"], one["n"]))
    if right["value"] is None:
        assert found is None
        return
    assert found is not None
    assert found[:3] == near((right["sens"], right["spec"], right["value"]))
    assert found.interval == near((right["low"], right["high"]))


@pytest.mark.parametrize("one", _named("variance_split"))
def test_variance_split(one: dict[str, Any]) -> None:
    found = split_variance(one["items"])
    if one["split"] is None:
        assert found is None
        return
    assert found is not None
    assert {"within": found.within, "between": found.between, "icc": found.icc, "n0": found.n0} == near(one["split"])
    more = found.rounds + 1
    assert {
        "now": found.half_width(),
        "one_more_round": found.half_width(rounds=more),
        "items_of_that_round_as_new_queries": found.half_width(queries=found.queries_for_a_round),
    } == near(one["half_width_of_mean"])
    for name, change in one["smallest_change_found_80pct_if_queries_keep_their_level"].items():
        queries, rounds = map(int, name.split("x"))
        assert found.smallest_change(queries=queries, rounds=rounds) == near(change)
    assert found.rounds_for(0.3) == one["rounds_needed_for_0.3_points"]


@pytest.mark.parametrize("one", case("holm")["cases"], ids=str)
def test_holm(one: dict[str, list[float]]) -> None:
    assert holm(one["distinct"]) == near(one["adjusted"])


HAT = case("pass_hat_k")


@pytest.mark.parametrize("row", HAT["results"]["by_k"], ids=lambda row: f"k{row['k']}")
def test_pass_hat_k_and_pass_at_k(row: dict[str, float]) -> None:
    queries = [Attempts(query["passed"], query["rounds"]) for query in HAT["inputs"]]
    found = reliability(queries, int(row["k"]))
    assert (found.queries, found.left_out) == (row["queries"], len(queries) - row["queries"])
    assert found.all_pass.value == near(row["pass_hat_k"])
    assert found.any_passes.value == near(row["pass_at_k"])


def test_benjamini_hochberg() -> None:
    found = case("benjamini_hochberg")
    p_values = benjamini_hochberg(found["inputs"])
    assert p_values == near(found["results"]["adjusted_bh"])
    assert [p <= ALPHA for p in p_values] == found["results"]["rejected_bh"]


@pytest.mark.parametrize("row", case("minimal_detectable")["results"], ids=lambda row: f"{row['n_queries']}-queries")
def test_smallest_change_in_standard_deviations(row: dict[str, float]) -> None:
    n = int(row["n_queries"])
    one = sqrt((n - 1) / n)  # half of the queries one up, half one down: a standard deviation of 1
    assert smallest_change([one, -one] * (n // 2)) == near(row["d_z_normal"])
