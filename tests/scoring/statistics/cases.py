"""Right values from other libraries, in `stats_cases.json` beside this module.

Each case holds its inputs, its results, and under `calls` the scipy, statsmodels or scikit-learn call that gave each
result; `versions` names the versions. Results of methods that the product does not use are there to compare with.
"""

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest

from scoring.statistics.intervals import Rounds, Values

TOLERANCE = 1e-9


def case(name: str) -> dict[str, Any]:
    """The case of this name, as a dictionary of `inputs`, `results`, `calls` and `notes`."""
    path = Path(__file__).with_name("stats_cases.json")
    (found,) = [one for one in json.loads(path.read_text(encoding="utf-8"))["cases"] if one["name"] == name]
    return dict(found)


def near(value: Any, tolerance: float = TOLERANCE) -> Any:
    """The value, to compare with `==` at the tolerance of the cases."""
    return pytest.approx(value, rel=0, abs=tolerance)


def queries_of(queries: Iterable[Mapping[str, float | list[float]]]) -> dict[Rounds, dict[Values, int]]:
    """Queries as `mean_interval` takes them. queries: of each by round the value of its item, or of several items."""
    places: dict[str, int] = {}
    found: defaultdict[Rounds, dict[Values, int]] = defaultdict(dict)
    for query in queries:
        items = [
            (places.setdefault(name, len(places)), one)
            for name, values in query.items()
            for one in (values if isinstance(values, list) else [values])
        ]
        rounds, values = tuple(at for at, _ in items), tuple(one for _, one in items)
        found[rounds][values] = found[rounds].get(values, 0) + 1
    return dict(found)
