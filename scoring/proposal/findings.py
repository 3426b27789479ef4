"""What is said of each column of a file, and of what could not be decided."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from scoring.proposal.columns import Assigned, misfits, names_milliseconds, title_of
from scoring.proposal.model import ColumnGuess, PayloadGuess, Reason, Sample, ScoreKind
from scoring.proposal.numbers import Score
from scoring.proposal.payloads import PAYLOAD_FIELDS
from scoring.proposal.repeats_and_tracks import Repeats
from scoring.proposal.sample import Facts
from scoring.rubric import WHOLE_RECORD, normalise_header

_RECORD = ColumnGuess(
    header=WHOLE_RECORD,
    title=WHOLE_RECORD,
    field="raw_json",
    reason=Reason("record"),
    filled=1.0,
    is_required=True,
    path=WHOLE_RECORD,
)


def column_guesses(
    sample: Sample,
    columns: Sequence[Facts],
    assigned: Mapping[str, Assigned],
    *,
    twice: set[str],
    is_compared: bool,
    messages: Sequence[str],
) -> tuple[ColumnGuess, ...]:
    """Every column of the file, in its order.

    twice: names that several columns have. is_compared: are rounds compared? Then a row needs its question and round.
    messages: paths of the answer in a JSON file.
    """
    by_place = {facts.at: ("response", Reason("named")) for facts in columns if facts.header in messages}
    by_place |= {one.facts.at: (field, one.reason) for field, one in assigned.items()}
    odd = misfits(columns, assigned)
    facts_at = {facts.at: facts for facts in columns}
    is_table = sample.fields is None
    answer = "raw_json" if "raw_json" in assigned or not is_table else "response"
    required = {answer, *(("query_id", "round") if is_compared else ())}
    guesses = [] if is_table else [_RECORD]
    for at, name in enumerate(sample.header):
        facts = facts_at.get(at)
        if facts is None:
            code = "twice" if normalise_header(name) in twice and title_of(name) else "unnameable"
            guesses.append(ColumnGuess(header=name, title="", field="", reason=Reason(code), filled=0.0))
            continue
        left = "shown" if is_table else "unused"
        field, reason = by_place.get(at, ("", Reason(left if facts.filled else "blank")))
        if not field and at in odd:
            field, reason = odd[at], Reason("misfit")
        guesses.append(
            ColumnGuess(
                header=name,
                title=title_of(name),
                field=field,
                reason=reason,
                filled=facts.share,
                is_doubtful=bool(field) and at not in by_place,
                is_required=at in by_place and field in required,
                path="" if is_table else name,
                is_in_payload=not is_table and at in by_place and field in PAYLOAD_FIELDS,
            )
        )
    return tuple(guesses)


def find_doubts(
    sample: Sample,
    score: Score,
    repeats: Repeats,
    assigned: Mapping[str, Assigned],
    objects: Sequence[PayloadGuess],
    *,
    has_times: bool,
) -> Iterator[Reason]:
    """What could not be decided, and what was decided without being sure."""
    if sample.left_out:
        yield Reason("rows-left-out", {"rows": str(sample.left_out)})
    if score.kind is ScoreKind.NONE:
        yield Reason("no-score")
    if "query_id" not in assigned:
        yield Reason("no-ids")
    if repeats.doubt is not None:
        yield repeats.doubt
    used = {title_of(one.facts.header) for one in assigned.values()} | {WHOLE_RECORD}
    for one in objects:
        if one.title not in used:
            yield Reason("objects-unused", {"column": one.title})
    if not has_times:
        yield Reason("no-seconds")
    milliseconds = assigned.get("latency_ms")
    if milliseconds is not None and not names_milliseconds(milliseconds.facts):
        yield Reason("milliseconds", {"column": milliseconds.facts.header})
