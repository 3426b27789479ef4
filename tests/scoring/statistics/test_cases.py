"""Every case of `stats_cases.json`, to 1e-9 or the tolerance that it names."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from collections import defaultdict
from math import fsum, sqrt
from pathlib import Path
from statistics import median

import pytest

from scoring.statistics.attempts import Attempts, reliability
from scoring.statistics.bootstrap import change_intervals
from scoring.statistics.chance import (
    EXACT_RANKS_BELOW,
    adjusted,
    sign_flip,
    signed_ranks,
    smallest_change,
    whole_steps,
)
from scoring.statistics.intervals import ALPHA, Values, effective_n, mean_interval, query_mean, wilson
from tests.paths import ROOT
from tests.scoring.statistics.cases import case, near

# judge_agreement is a case of the tests of the kappa
COVERED = {
    "pass_rate_interval", "clustered_mean", "wilson_effective_n", "mcnemar", "paired_points", "pass_hat_k",
    "benjamini_hochberg", "judge_agreement", "minimal_detectable",
}  # fmt: skip


def test_no_case_is_left_out() -> None:
    path = Path(__file__).with_name("stats_cases.json")
    assert {one["name"] for one in json.loads(path.read_text(encoding="utf-8"))["cases"]} == COVERED


@pytest.mark.parametrize("row", case("pass_rate_interval")["results"], ids=lambda row: f"{row['passed']}-of-{row['n']}")
def test_one_round_is_the_plain_wilson_interval(row: dict[str, float]) -> None:
    passed, n = int(row["passed"]), int(row["n"])
    assert wilson(passed / n, n) == near(row["wilson"])
    queries = [(1.0,)] * passed + [(0.0,)] * (n - passed)
    assert mean_interval(row["rate"], queries, top=1.0) == near(row["wilson"])


CLUSTERED = case("clustered_mean")


@pytest.mark.parametrize("name", CLUSTERED["results"])
def test_spread_between_queries_is_the_standard_error_of_their_means(name: str) -> None:
    """The variance inside n_eff, taken out of it, against scipy.stats.sem of the query means."""
    queries = _tuples(CLUSTERED["inputs"][name])
    right = CLUSTERED["results"][name]
    top = 5.0 if name.startswith("points") else 1.0
    size, mean = len(queries), _mean_of_queries(queries)
    assert mean == near(right["query_mean"])
    variance = mean * (top - mean) / effective_n(mean, queries, top=top)
    assert sqrt(variance * size / (size - 1)) == near(right["query_mean_se"])
    interval = mean_interval(mean, queries, top=top)
    assert interval is not None
    naive_low, naive_high = right["naive_ci"]
    assert interval.high - interval.low > naive_high - naive_low


EFFECTIVE = case("wilson_effective_n")
SAMPLES = {
    "sample_pass_rate": ("status", None),
    "sample_intent": ("intent", None),
    "sample_intent_track_1": ("intent", "1"),
    "sample_intent_track_2": ("intent", "2"),
    "sample_intent_track_3": ("intent", "3"),
}


@pytest.mark.parametrize("name", [name for name in EFFECTIVE["results"] if name not in SAMPLES])
def test_interval_with_effective_n(name: str) -> None:
    inputs = EFFECTIVE["inputs"][name]
    _check_interval(name, _tuples(inputs["points"]), float(inputs["scale"]))


@pytest.fixture(scope="module")
def sample_items(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, str]]:
    out = tmp_path_factory.mktemp("sample")
    command = [
        sys.executable,
        "-m",
        "cli.main",
        "score",
        str(ROOT / "tests/samples/resume_agent_two_rounds.csv"),
        "--out",
        str(out),
    ]
    subprocess.run(command, check=True, cwd=ROOT, capture_output=True)
    (path,) = out.rglob("items.csv")
    return list(csv.DictReader(path.read_text(encoding="utf-8-sig").splitlines()))


@pytest.mark.parametrize("name", SAMPLES)
def test_interval_of_the_sample(name: str, sample_items: list[dict[str, str]]) -> None:
    column, track = SAMPLES[name]
    queries: defaultdict[str, list[float]] = defaultdict(list)
    for item in sample_items:
        if track in {None, item["Track"]}:
            value = float(item["status"] in {"ok", "partial"}) if column == "status" else float(item[column])
            queries[item["Query ID"]].append(value)
    _check_interval(name, _tuples(queries.values()), 1.0 if column == "status" else 5.0)


def _check_interval(name: str, queries: list[Values], top: float) -> None:
    right = EFFECTIVE["results"][name]
    mean = _mean_of_queries(queries)
    assert len(queries) == right["n_queries"]
    assert sum(map(len, queries)) == right["n_items"]
    assert mean == near(right["mean"])
    assert effective_n(mean, queries, top=top) == near(right["n_eff"])
    assert mean_interval(mean, queries, top=top) == near((right["low"], right["high"]))


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
    # Means of these twelve lie 1/24 apart, and 2,000 resamples often miss the 200,000 of the case by one step.
    found_ends = [change_intervals([differences], seed=str(seed))[0] or (0.0, 0.0) for seed in range(25)]
    interval = tuple(map(median, zip(*found_ends, strict=True)))
    assert interval == near(tuple(right["bootstrap_percentile"]), right["bootstrap_tolerance"])


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
    p_values = adjusted(found["inputs"])
    assert p_values == near(found["results"]["adjusted_bh"])
    assert [p <= ALPHA for p in p_values] == found["results"]["rejected_bh"]


@pytest.mark.parametrize("row", case("minimal_detectable")["results"], ids=lambda row: f"{row['n_queries']}-queries")
def test_smallest_change_in_standard_deviations(row: dict[str, float]) -> None:
    n = int(row["n_queries"])
    one = sqrt((n - 1) / n)  # half of the queries one up, half one down: a standard deviation of 1
    assert smallest_change([one, -one] * (n // 2)) == near(row["d_z_normal"])


def _tuples(queries: object) -> list[Values]:
    assert isinstance(queries, list | type({}.values()))
    return [tuple(map(float, values)) for values in queries]


def _mean_of_queries(queries: list[Values]) -> float:
    return fsum(map(query_mean, queries)) / len(queries)
