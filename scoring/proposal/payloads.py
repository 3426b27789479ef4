"""Whether a column of JSON objects is the payload of the answers, and where in it the values of an answer are."""

from collections.abc import Container, Iterator, Mapping, Sequence
from statistics import fmean, median

from msgspec.structs import replace

from scoring.items import MILLISECONDS, elapsed_of, read_seconds
from scoring.json_values import parse_path
from scoring.proposal.columns import (
    MOST_SECONDS,
    TIMES,
    Assigned,
    are_moments,
    assign,
    candidates,
    is_prose,
    title_of,
)
from scoring.proposal.json_fields import JsonField, find_calls, find_ui, flatten, objects_in
from scoring.proposal.model import Ends, MeasureGuess, PayloadGuess, Reason, Sample
from scoring.proposal.not_run import is_none
from scoring.proposal.numbers import find_measures, says_error
from scoring.proposal.sample import Facts, facts_of
from scoring.rubric import WHOLE_RECORD, normalise_header
from scoring.text import is_blank, number
from texts import words

MAX_PATHS = 4  # of an answer
_LEAST_SHARE = 0.5  # of the objects, that have a message
_NEARLY = 0.9  # of the rows with both times, that end no earlier than they start
_FIELDS = {
    "message": "response",
    "error": "error",
    "seconds": "response_seconds",
    "milliseconds": "latency_ms",
}


PAYLOAD_FIELDS = frozenset(_FIELDS.values())  # that a payload has in place of columns


def payload_of_records(
    sample: Sample,
    columns: Sequence[Facts],
    assigned: dict[str, Assigned],
    others: Sequence[Assigned] = (),
    no_error: Assigned | None = None,
) -> PayloadGuess:
    """What the records of a JSON file hold; the record itself is the payload.

    others: columns that are no measures. no_error: texts that are errors only where there is no answer.
    """
    fields = sample.fields or ()
    _drop_other_answers(assigned, fields)
    guess = _guess(WHOLE_RECORD, fields, columns, sample.rows, assigned)
    unused = {one.facts.header for one in others}
    if no_error is not None and (errors := tuple(_errors_without_answer(columns, assigned, no_error.facts))):
        guess = replace(guess, paths={**guess.paths, "error": errors})
    return replace(guess, measures=tuple(one for one in guess.measures if one.path not in unused))


def _errors_without_answer(columns: Sequence[Facts], assigned: Mapping[str, Assigned], texts: Facts) -> Iterator[str]:
    """Paths of errors beside `texts`, and that to those of `texts` where what holds the answer is not there."""
    yield from (one.header for _, one, _ in candidates(columns, "error") if one.at != texts.at and is_prose(one))
    path = f"$[{assigned['response'].facts.header.partition('.')[0]}=].{texts.header}"
    if parse_path(path):
        yield path


def look_into(sample: Sample, facts: Facts) -> PayloadGuess:
    """What the objects in a column hold."""
    return guess_payload(title_of(facts.header), objects_in([row[facts.at] for row in sample.rows]))


def guess_payload(title: str, objects: Sequence[Mapping[str, object]]) -> PayloadGuess:
    """What the fields of objects mean, by their names and values."""
    flat = flatten(objects)
    columns = [facts_of(at, path, [row[at] for row in flat.rows]) for at, path in enumerate(flat.paths)]
    found = assign(columns, {"raw_json": None})
    _drop_other_answers(found, flat.fields)
    return _guess(title, flat.fields, columns, flat.rows, found)


def _drop_other_answers(found: dict[str, Assigned], fields: Sequence[JsonField]) -> None:
    """An expected answer that is only where no answer is is an answer by another name."""
    if "response" in found and "expected" in found:
        at = {field.path: field.at for field in fields}
        if not at[found["response"].facts.header] & at[found["expected"].facts.header]:
            del found["expected"]


def _guess(
    title: str,
    fields: tuple[JsonField, ...],
    columns: Sequence[Facts],
    rows: Sequence[Sequence[str]],
    found: Mapping[str, Assigned],
) -> PayloadGuess:
    """rows: texts of `columns`, one of each object. found: the column of each field."""
    paths: dict[str, tuple[str, ...]] = {
        key: (found[field].facts.header,) for key, field in _FIELDS.items() if field in found
    }
    if "response" in found:
        taken = {one.facts.at for one in found.values()}
        paths["message"] = _message_paths(found["response"].facts.header, fields, columns, taken)
    paths |= {
        key: (_but_zero(*paths[key]),)
        for key, field in _FIELDS.items()
        if field in TIMES and zero_times(rows, found, field)
    }
    ui = find_ui(fields)
    answers = {facts.at for facts in columns if facts.header in paths.get("message", ())}
    measures = find_measures(rows, columns, found)
    return PayloadGuess(
        title=title,
        rows=len(rows),
        fields=fields,
        paths=paths | ({"ui": (ui,)} if ui else {}),
        calls=find_calls(fields),
        measures=tuple(replace(one, path=one.title) for one in measures),
        messages=tuple(row[at] for row in rows for at in answers if row[at]),
        times=times_of(found),
        beside=beside_no_answer(rows, columns, found, answers, measures),
    )


def beside_no_answer(
    rows: Sequence[Sequence[str]],
    columns: Sequence[Facts],
    found: Mapping[str, Assigned],
    answers: Container[int],
    measures: Sequence[MeasureGuess],
) -> Reason | None:
    """Which times and scores of rows without an answer or with an error change a mean, as they count; None without any.

    answers: places of the columns that have the answer.
    """
    error = found.get("error")
    failed = [
        all(is_none(row[one.at]) for one in columns if one.at in answers)
        or (error is not None and says_error(row[error.facts.at]))
        for row in rows
    ]
    titles = {one.title for one in measures if one.scale is not None or one.is_better_higher}
    timed = ((found[field].facts, _time) for field in TIMES if field in found)
    means: list[str] = []
    for facts, read in (*timed, *((facts, number) for facts in columns if title_of(facts.header) in titles)):
        cells = [(read(row[facts.at]), has_failed) for row, has_failed in zip(rows, failed, strict=True)]
        every = [value for value, _ in cells if value is not None]
        answered = [value for value, has_failed in cells if value is not None and not has_failed]
        if answered and (mean := _shown(every)) != (other := _shown(answered)):
            means.append(f"{facts.header} {mean} → {other}")
    return Reason("failed-count", {"means": ", ".join(means)}) if means else None


def _shown(values: Sequence[float]) -> str:
    """Their mean, with four digits."""
    return f"{float(f'{fmean(values):.4g}'):.12g}"


def _time(cell: str) -> float | None:
    """An amount of time above 0, in seconds if it names its unit; 0 is what a tool writes for a call that failed."""
    found = read_seconds(cell)
    return found if isinstance(found, float) and found > 0 else None


def _message_paths(
    first: str, fields: Sequence[JsonField], columns: Sequence[Facts], taken: Container[int]
) -> tuple[str, ...]:
    """The likeliest path of the answer, and those that have it where this one has not.

    A path into an object comes before the object, which would be shown as JSON. taken: columns of fields.
    """
    at = {field.path: field.at for field in fields}
    others = [facts.header for _, facts, _ in candidates(columns, "response") if facts.at not in taken]
    inside = [path for path in others if path.startswith(f"{first}.")]
    paths = [*inside, first]
    covered = frozenset[int]().union(*(at[path] for path in paths))
    for path in others:
        if path not in paths and len(paths) < MAX_PATHS and at[path] - covered:
            paths.append(path)
            covered |= at[path]
    return tuple(paths)


def zero_times(rows: Sequence[Sequence[str]], assigned: Mapping[str, Assigned], field: str) -> int:
    """How many rows have a time of 0 and no answer: what a tool writes for a call that failed at once."""
    time, answer = assigned.get(field), assigned.get("response")
    if time is None or answer is None:
        return 0
    return sum(number(row[time.facts.at]) == 0 and is_blank(row[answer.facts.at]) for row in rows)


def _but_zero(path: str) -> str:
    """The path to the values there that are not 0; the path itself where its last name cannot be in a condition."""
    parent, _, last = path.rpartition(".")
    other = f"{parent or '$'}[{last}!=0].{last}"
    return other if parse_path(path) and parse_path(other) else path


def times_of(assigned: Mapping[str, Assigned]) -> tuple[float, ...]:
    """How long answers took, in seconds, by the column that has it; () without one."""
    if "response_seconds" in assigned:
        return assigned["response_seconds"].facts.seconds
    if "latency_ms" in assigned:
        facts = assigned["latency_ms"].facts
        return tuple(value / MILLISECONDS for value in facts.numbers) or facts.seconds  # with a unit each
    return ()


def find_ends(sample: Sample, columns: Sequence[Facts]) -> Ends | None:
    """Two columns of times whose names differ by start and end: `started_at`, `ended_at`; None without such a pair."""
    times = [facts for facts in columns if facts.filled and are_moments(facts) and parse_path(facts.header)]
    starts = {rest: facts for facts in times for rest in _without("start", facts.header)}
    for end in times:
        start = next((starts[rest] for rest in _without("end", end.header) if rest in starts), end)
        both = [(row[start.at], row[end.at]) for row in sample.rows if row[start.at] and row[end.at]]
        found = [elapsed_of([[one] for one in pair], is_sum=False) for pair in both]
        took = tuple(one for one in found if isinstance(one, float))
        is_most = len(took) >= max(_NEARLY * len(both), _LEAST_SHARE * len(sample.rows))
        if start is not end and took and is_most and 0 < median(took) <= MOST_SECONDS:
            return Ends(title_of(start.header), title_of(end.header), took)
    return None


def _without(kind: str, header: str) -> Iterator[str]:
    """What is left of a name without a word for the start or the end, for each such word that it has."""
    name = normalise_header(header)
    return (name.replace(word, "*", 1) for word in words("ends")[kind] if word in name)


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
    paths = payload.paths.get("message", ())
    covered = frozenset[int]().union(*(field.at for field in payload.fields if field.path in paths))
    return payload.rows > 0 and len(covered) >= _LEAST_SHARE * payload.rows


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
