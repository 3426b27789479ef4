"""How tools and people call the columns of a result file, as `texts/data/words.toml` lists it."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from scoring.rubric.fields import normalise_header
from texts import words


class Spelling(NamedTuple):
    """What a name may mean. is_whole: is it the whole name, or one word of it? rank: lower is likelier."""

    field: str
    is_whole: bool
    rank: int


_GENERIC = frozenset({"content", "text", "value", "message", "string", "body"})
_IDS = frozenset({"id", "uuid", "uid", "key", "no", "number", "index"})
_GRADES = frozenset({"llm_score", "intent_verdict"})
_FROM_ABOVE = 20  # added to the rank of a name that comes from further up in a path
_SIDES = frozenset({"question", "expected"})
_REMARK = re.compile(r"\s*\([^()]*\)\s*$")  # a unit or a range behind a name
_PIECES = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[가-힣]+|[0-9]+")


def _table(kind: str, *, is_whole: bool) -> dict[str, list[Spelling]]:
    table: dict[str, list[Spelling]] = {}
    for field, names in words(kind).items():
        for rank, name in enumerate(names):
            table.setdefault(normalise_header(name), []).append(Spelling(field, is_whole, rank))
    return table


_WHOLE = _table("columns", is_whole=True)
_PARTS = _table("column-words", is_whole=False)


_TASKS = {_WHOLE[name][0] for name in ("task", "problem", "request")}


def meanings(header: str) -> Iterator[Spelling]:
    """What a header, or a path into JSON, may mean, whole names first; nothing for a name that is not known.

    A path means what its last name does: `metrics.latency_ms`. Below a question or an expected answer it means that:
    `expected.answer`; a name that says nothing by itself means what the one above it does: `output.content`.
    """
    header = _REMARK.sub("", header) or header
    names = header.split(".") if "." in header and not header.count(" ") else [header]
    *above, last = (name.partition("[")[0] for name in names)
    whole = [_WHOLE.get(normalise_header(name), []) for name in above]
    sides = [found[0] for found in whole if found and _is_side(found[0])]
    own = _own(above, last)
    if sides:
        yield sides[0]
        return
    nearest = next(filter(None, reversed(whole)), [])
    if nearest and normalise_header(last) in _GENERIC:
        own = [one._replace(rank=one.rank + _FROM_ABOVE) for one in nearest]
    elif not own:
        own = [one._replace(rank=one.rank + _FROM_ABOVE) for one in nearest if one.field in _GRADES]
    elif nearest and nearest[0].field == "response":
        own = [one for one in own if one.field != "expected"]  # `output.answer`
    yield from own
    pieces = [piece.casefold() for piece in _PIECES.findall(last)]
    for piece in reversed(pieces if len(pieces) > 1 and not own else ()):  # the last word is the noun
        yield from _PARTS.get(piece, ())


def _own(above: Sequence[str], last: str) -> list[Spelling]:
    """What the last name means; an ID below another name is that of what the name is about: `test_case.id`."""
    if not above:
        return _WHOLE.get(normalise_header(last), [])
    together = _WHOLE.get(normalise_header(f"{above[-1]}_{last}"))
    if together is not None:
        return together
    return [] if normalise_header(last) in _IDS else _WHOLE.get(normalise_header(last), [])


def _is_side(spelling: Spelling) -> bool:
    """Is this what an agent was given, and not what it did? Names of a task may have all of both below them."""
    return spelling.field in _SIDES and spelling not in _TASKS
