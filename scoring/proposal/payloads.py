"""Whether a column of JSON objects is the payload of the answers, and where in it the values of an answer are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from scoring.items.quantities import MILLISECONDS
from scoring.proposal.columns import Assigned, assign, title_of
from scoring.proposal.facts import Facts, facts_of
from scoring.proposal.json_fields import find_calls, find_ui, flatten, objects_in
from scoring.proposal.measures import find_measures
from scoring.proposal.model import PayloadGuess, Reason, Sample
from scoring.rubric.model import WHOLE_RECORD

_LEAST_SHARE = 0.5  # of the objects, that have a message
_FIELDS = {
    "message": "response",
    "error": "error",
    "seconds": "response_seconds",
    "milliseconds": "latency_ms",
}


PAYLOAD_FIELDS = frozenset(_FIELDS.values())  # that a payload has in place of columns


def payload_of_records(sample: Sample, columns: Sequence[Facts], assigned: dict[str, Assigned]) -> PayloadGuess:
    """What the records of a JSON file hold; fields that a payload has are taken from the columns.

    The record itself is the payload.
    """
    fields = sample.fields or ()
    measures = tuple(replace(one, path=one.title) for one in find_measures(columns, assigned))
    times = times_of(assigned)
    found = {key: assigned.pop(field) for key, field in _FIELDS.items() if field in assigned}
    answers = found.get("message")
    ui = find_ui(fields)
    return PayloadGuess(
        title=WHOLE_RECORD,
        rows=len(sample.rows),
        fields=fields,
        paths={key: one.facts.header for key, one in found.items()} | ({"ui": ui} if ui else {}),
        calls=find_calls(fields),
        measures=measures,
        messages=() if answers is None else tuple(row[answers.facts.at] for row in sample.rows),
        times=times,
    )


def look_into(sample: Sample, facts: Facts) -> PayloadGuess:
    """What the objects in a column hold."""
    return guess_payload(title_of(facts.header), objects_in([row[facts.at] for row in sample.rows]))


def guess_payload(title: str, objects: Sequence[Mapping[str, object]]) -> PayloadGuess:
    """What the fields of objects mean, by their names and values."""
    flat = flatten(objects)
    columns = [facts_of(at, path, [row[at] for row in flat.rows]) for at, path in enumerate(flat.paths)]
    found = assign(columns, {"raw_json": None})
    paths = {key: found[field].facts.header for key, field in _FIELDS.items() if field in found}
    ui = find_ui(flat.fields)
    answers = found.get("response")
    return PayloadGuess(
        title=title,
        rows=len(objects),
        fields=flat.fields,
        paths=paths | ({"ui": ui} if ui else {}),
        calls=find_calls(flat.fields),
        measures=tuple(replace(one, path=one.title) for one in find_measures(columns, found)),
        messages=() if answers is None else tuple(filter(None, (row[answers.facts.at] for row in flat.rows))),
        times=times_of(found),
    )


def times_of(assigned: Mapping[str, Assigned]) -> tuple[float, ...]:
    """How long answers took, in seconds, by the column that has it; () without one."""
    if "response_seconds" in assigned:
        return assigned["response_seconds"].facts.seconds
    if "latency_ms" in assigned:
        return tuple(value / MILLISECONDS for value in assigned["latency_ms"].facts.numbers)
    return ()


def choose_payload(
    objects: Sequence[PayloadGuess], columns: Sequence[Facts], assigned: dict[str, Assigned]
) -> PayloadGuess | None:
    """The column of JSON objects that is the payload of the answers, which becomes `raw_json`; None without one.

    It has to hold the answer itself, because an answer is looked for in one place; and something that columns do not.
    """
    named = assigned.pop("raw_json", None)
    taken = {title_of(one.facts.header) for field, one in assigned.items() if field != "response"}
    free = [payload for payload in objects if payload.title not in taken]
    whole = [payload for payload in free if has_message(payload) and adds_to(payload, assigned)]
    if not whole:
        return None
    first = None if named is None else title_of(named.facts.header)
    best = max(whole, key=lambda payload: (payload.title == first, len(payload.paths), len(payload.fields)))
    facts = next(facts for facts in columns if title_of(facts.header) == best.title)
    for field in [field for field, one in assigned.items() if one.facts.at == facts.at]:
        del assigned[field]
    assigned["raw_json"] = Assigned(facts, Reason("objects"))
    return best


def has_message(payload: PayloadGuess) -> bool:
    """Do enough of the objects hold the answer itself?"""
    path = payload.paths.get("message")
    filled = next((field.filled for field in payload.fields if field.path == path), 0)
    return payload.rows > 0 and filled >= _LEAST_SHARE * payload.rows


def adds_to(payload: PayloadGuess, assigned: Mapping[str, Assigned]) -> bool:
    """Does it hold something that the columns of the file do not?"""
    has_time = "response_seconds" in assigned or "latency_ms" in assigned
    return (
        "response" not in assigned
        or payload.calls is not None
        or "ui" in payload.paths
        or ("error" in payload.paths and "error" not in assigned)
        or (not has_time and bool({"seconds", "milliseconds"} & payload.paths.keys()))
    )
