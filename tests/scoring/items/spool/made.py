"""Items of every kind, and the same items in files."""

from collections.abc import Sequence
from tempfile import TemporaryFile
from typing import Any

from hypothesis import strategies as st

from scoring.items.part import FailedCheck, Item, ItemDetails, Turn
from scoring.items.spool.items import Items, Listed, SpoolFile
from scoring.rubric import Status
from tests.reporting.results import make_item

_texts = st.text(max_size=6) | st.sampled_from(["", "같은 답", "=1+1", "a\nb"])
_points = st.none() | st.sampled_from([0.0, -0.0, 1.0, 4.5, 5.0])
_details = st.none() | st.builds(
    ItemDetails,
    verdict=_texts,
    ratio=_points,
    failed_checks=st.tuples() | st.tuples(st.builds(FailedCheck, name=_texts, operator=_texts, value=_texts)),
    graded=st.none() | st.tuples(_texts, _texts, _texts),
    measures=st.tuples(_points),
    turn=st.none() | st.builds(Turn, session=_texts, number=_points),
)


@st.composite
def items(draw: st.DrawFn, *, most: int = 30) -> list[Item]:
    """Some items in the order of their rows; many of their fields are equal."""
    fields: dict[str, st.SearchStrategy[Any]] = {
        "round": st.sampled_from(["1/1", "2/1"]),
        "track": st.sampled_from([None, 1, 2, "easy"]),
        "question": _texts,
        "response": _texts,
        "message": _texts,
        "status": st.sampled_from(Status),
        "intent": _points,
        "seconds": st.none() | st.floats(0, 100),
        "has_payload": st.booleans(),
        "extra": st.sampled_from([(), ("a", "")]),
        "details": _details,
    }
    n = draw(st.integers(1, most))
    return [make_item(row, **{name: draw(made) for name, made in fields.items()}) for row in range(2, n + 2)]


def in_files(given: Sequence[Item], *, n: int = 4) -> Items:
    """The items in chunks of `n`."""
    file = SpoolFile(TemporaryFile())  # noqa: SIM115 -- closed with its last reader
    return Items(file.add(given[start : start + n]) for start in range(0, len(given), n))


def are_in_files(items: Items) -> bool:
    """Are they not in memory?"""
    return bool(items.chunks) and not any(isinstance(chunk, Listed) for chunk in items.chunks)


def exact(given: Sequence[Item]) -> list[str]:
    """The items as text, which tells 0.0 from -0.0 and 1 from 1.0."""
    return list(map(repr, given))
