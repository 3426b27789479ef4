"""The items in a page of a report, and which of them a fragment of its address leaves, as its script does it."""

from typing import Any
from urllib.parse import parse_qs, unquote

QUERY, SECONDS, LOST, PASSED, WHY, QUESTION, EXPECTED, RESPONSE, MESSAGE, ERROR, ROW, FIRST = range(12)

Data = dict[str, Any]
Row = list[Any]


def points(data: Data, row: Row) -> dict[str, float | None]:
    """Points of an item by metric."""
    first = FIRST + len(data["facets"])
    return {name: row[first + at] for at, (name, _) in enumerate(data["metrics"])}


def values(data: Data, row: Row, facet: str) -> list[str]:
    """Keys of the values that an item has of a facet."""
    at = [one["name"] for one in data["facets"]].index(facet)
    found, entry = row[FIRST + at], data["facets"][at]
    if found < 0:
        return []
    return [entry["keys"][place] for place in (entry["sets"][found] if "sets" in entry else [found])]


def items_behind(data: Data, href: str) -> list[Row]:
    """The items that a link leads to. Raises KeyError where it names what the page does not know."""
    named = {name: found[0] for name, found in parse_qs(href.partition("#")[2], strict_parsing=True).items()}
    assert all(unquote(part).partition("=")[2] for part in href.partition("#")[2].split("&"))
    facets = {facet["name"]: facet["keys"] for facet in data["facets"]}
    metric = named.pop("metric", "")
    low, high = float(named.pop("from", "-inf")), float(named.pop("below", "inf"))
    sort = named.pop("sort", "lost").removeprefix("-")
    if sort not in {"query", "question", "seconds", "lost", *(name for name, _ in data["metrics"])}:
        raise KeyError(sort)
    named.pop("all", "")
    row, file, query = named.pop("at", ""), named.pop("in", ""), named.pop("query", None)
    for name, key in named.items():
        if key not in facets[name]:
            raise KeyError(f"{name}={key}")
    return [
        item
        for item in data["items"]
        if all(key in values(data, item, name) for name, key in named.items())
        and (not metric or ((value := points(data, item)[metric]) is not None and low <= value < high))
        and (query is None or data["queries"][item[QUERY]] == query)
        and (not row or (str(item[ROW]) == row and (not file or file in values(data, item, "file"))))
    ]
