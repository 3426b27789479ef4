"""What of a file could not be decided, and what was without being sure; `model.UNSURE` has what scores depend on."""

from collections import Counter, defaultdict
from collections.abc import Container, Iterator, Mapping, Sequence

from scoring.items import is_no_answer
from scoring.proposal.columns import (
    TIMES,
    Assigned,
    is_unassessed,
    names_milliseconds,
    names_no_unit,
    other_times,
    says_passing,
    scales_of,
    stand_in,
    title_of,
)
from scoring.proposal.model import Choice, MeasureGuess, NotRun, PayloadGuess, Question, Reason, Sample, ScoreKind
from scoring.proposal.not_run import find_equal, find_errors, find_unanswered, is_none, where_path
from scoring.proposal.numbers import GRADES, NONE, Score, says_error, show_scale
from scoring.proposal.payloads import zero_times
from scoring.proposal.repeats_and_tracks import Repeats, find_kinds
from scoring.proposal.sample import Facts
from scoring.rubric import WHOLE_RECORD
from scoring.text import is_blank, normalise

_OF_ITEMS = frozenset({"question", "response", "expected", "query_id", "error", *GRADES})
MOST_SHOWN = 3  # values


def find_doubts(
    sample: Sample,
    score: Score,
    repeats: Repeats,
    assigned: Mapping[str, Assigned],
    objects: Sequence[PayloadGuess],
    *,
    columns: Sequence[Facts],
    measures: Sequence[MeasureGuess],
    untimed: Reason | None,
    agents: Facts | None,
    not_run: Sequence[NotRun],
    no_error: Reason | None,
    beside: Reason | None,
    choices: Sequence[Choice],
) -> Iterator[Reason]:
    """What could not be decided, and what was decided without being sure.

    untimed: why there are no times. agents: the column of several that answered the same questions.
    not_run: what is left out, and said so. no_error: why a column named after errors is none. beside: which numbers
    count although there is no answer. choices: what a person has not decided.
    """
    if sample.below:
        yield Reason("header-below", {"cells": ", ".join(sample.below[:MOST_SHOWN])})
    if sample.left_out:
        yield Reason("rows-left-out", {"rows": str(sample.left_out)})
    yield from _of_equal_rows(sample)
    yield from _of_records(sample, columns, assigned)
    yield from _of_grades(sample, score, assigned, measures)
    yield from _of_verdicts(score, assigned, {word for one in not_run for word in one.words})
    yield from _of_limits(score, assigned, choices)
    if no_error is not None:
        yield no_error
    if "query_id" not in assigned:
        yield _of_no_ids(sample, assigned.get("question"))
    yield from _of_retries(sample, assigned, score)
    yield from _of_labels("agents-mixed", agents)
    yield from _of_labels("kinds-mixed", find_kinds(sample, columns, assigned))
    if repeats.doubt is not None:
        yield repeats.doubt
    used = {title_of(one.facts.header) for one in assigned.values()} | {WHOLE_RECORD}
    for one in objects:
        if one.title not in used:
            yield Reason("objects-unused", {"column": one.title})
    yield from _of_times(sample, columns, assigned, untimed)
    if beside is not None:
        yield beside


def _of_equal_rows(sample: Sample) -> Iterator[Reason]:
    counted = Counter(map(tuple, sample.rows))
    if rows := len(sample.rows) - len(counted):
        first = next(cells for cells, n in counted.items() if n > 1)
        shown = ", ".join([cell for cell in first if cell][:MOST_SHOWN])
        yield Reason("rows-equal", {"rows": str(rows), "cells": shown})


def _of_no_ids(sample: Sample, question: Assigned | None) -> Reason:
    """What to do without query IDs: where questions recur, by whether they were asked again or are only alike."""
    if question is None:
        return Reason("no-ids")
    asked = Counter(normalise(row[question.facts.at]) for row in sample.rows if not is_blank(row[question.facts.at]))
    again = [times for times in asked.values() if times > 1]
    column = {"column": question.facts.header}
    if not again:
        return Reason("no-ids-question", column)
    return Reason("questions-recur", column | {"questions": str(len(again)), "rows": str(sum(again))})


def _of_retries(sample: Sample, assigned: Mapping[str, Assigned], score: Score) -> Iterator[Reason]:
    """Whether only what failed was asked again: then the last row of each question may be the one that counts."""
    query = assigned.get("query_id")
    if query is None or "session" in assigned:
        return
    rows: defaultdict[str, list[Sequence[str]]] = defaultdict(list)
    for row in sample.rows:
        rows[normalise(row[query.facts.at])].append(row)
    earlier = [row for asked in rows.values() for row in asked[:-1]]
    is_once = any(len(asked) == 1 for asked in rows.values())
    if earlier and is_once and all(_has_failed(row, assigned, score) for row in earlier):
        yield Reason("retries", {"column": query.facts.header, "rows": str(len(earlier))})


def _has_failed(row: Sequence[str], assigned: Mapping[str, Assigned], score: Score) -> bool:
    """Has the row an error, no answer, or one that does not pass?"""
    cell = {field: row[one.facts.at] for field, one in assigned.items()}
    is_empty = "response" in cell and is_none(cell["response"])
    return is_empty or says_error(cell.get("error", "")) or score.fails(cell.get(score.field, ""))


def _of_labels(code: str, labels: Facts | None) -> Iterator[Reason]:
    """Of which agents or kinds the rows are, where that may be several."""
    if labels is not None:
        named = [name for name, _ in labels.values.most_common(MOST_SHOWN)]
        path = where_path(title_of(labels.header)) or labels.header
        values = {"column": labels.header, "agents": ", ".join(named), "path": path, "first": named[0]}
        yield Reason(code, values)


def _of_records(sample: Sample, columns: Sequence[Facts], assigned: Mapping[str, Assigned]) -> Iterator[Reason]:
    """Which list and which column it was hard to choose."""
    if sample.others:
        yield Reason("lists-alike", {"list": sample.records, "others": ", ".join(sample.others)})
    answer = assigned.get("response")
    if answer is not None and answer.reason.code == "longest-text":
        yield Reason("answer-guessed", {"column": answer.facts.header})
    if answer is not None and answer.reason.code == "answers-several":
        yield Reason("answers-alike", {"column": answer.facts.header, **answer.reason.values})
    if (unanswered := find_unanswered(sample, columns, assigned)) is not None:
        yield Reason("answered-otherwise", {"column": unanswered[0].header, "rows": str(unanswered[1])})
    cells = [] if answer is None else [row[answer.facts.at] for row in sample.rows]
    if hollow := [cell for cell in cells if not is_blank(cell) and is_no_answer(cell)]:
        yield Reason("answers-hollow", {"rows": str(len(hollow)), "text": hollow[0].strip()})
    if errors := find_errors(sample, assigned):
        yield Reason("answers-errors", {"rows": str(len(errors)), "text": errors[0]})
    if (text := find_equal(sample, assigned)) and answer is not None:
        yield Reason("answers-equal", {"rows": str(answer.facts.filled), "text": text})
    if odd := _other_records(sample, assigned):
        yield Reason("records-other", {"rows": str(odd)})


def _of_grades(
    sample: Sample, score: Score, assigned: Mapping[str, Assigned], measures: Sequence[MeasureGuess]
) -> Iterator[Reason]:
    """What says how good answers are, and what passes."""
    if score.unsure is not None:
        numbers = score.unsure.facts.numbers
        values = {"column": score.unsure.facts.header, "low": f"{min(numbers):g}", "high": f"{max(numbers):g}"}
        yield Reason("scale-unknown", values | {"scales": ", ".join(map(show_scale, scales_of(score.unsure.facts)))})
    elif score.others_right:
        named = ", ".join(facts.header for facts in score.others_right)
        yield Reason("truths-differ", {"column": assigned[score.field].facts.header, "others": named})
    elif score.kind is ScoreKind.NONE:
        named = ", ".join(measure.title for measure in measures if measure.scale is not None)
        if score.unread is not None:
            examples = ", ".join(list(score.unread.values)[:MOST_SHOWN])
            code = "verdict-unnamed" if says_passing(score.unread) else "score-misfit"
            yield Reason(code, {"column": score.unread.header, "values": examples})
        unscaled = ", ".join(measure.label for measure in measures if measure.is_unscaled)
        if named:
            yield Reason("no-pass", {"scores": named})
        elif unscaled and score.unread is None:
            yield Reason("scores-unscaled", {"scores": unscaled})
        elif score.unread is None:
            yield Reason("no-score")
    if sample.late:
        late = {"rows": str(len(sample.rows)), "scores": ", ".join(sample.late[:MOST_SHOWN])}
        yield Reason("scores-late", late)


def _of_verdicts(score: Score, assigned: Mapping[str, Assigned], left_out: Container[str]) -> Iterator[Reason]:
    """Which words of the verdict decide nothing, and which verdict does not decide."""
    if score.kind is ScoreKind.NUMBER and score.unread is not None:
        examples = ", ".join(list(score.unread.values)[:MOST_SHOWN])
        used = assigned["llm_score"].facts.header if "llm_score" in assigned else ""
        yield Reason("verdict-unused", {"column": score.unread.header, "values": examples, "used": used})
    if score.kind is not ScoreKind.WORD:
        return
    if score.unread is not None:
        yield Reason(
            "success-of-all", {"column": assigned["intent_verdict"].facts.header, "score": score.unread.header}
        )
    facts, levels = assigned["intent_verdict"].facts, {level.name for level in score.levels}
    others = [word for word in facts.values if word.casefold() not in levels and word not in left_out]
    for code, found in (
        ("words-unassessed", [word for word in others if is_unassessed(word)]),
        ("words-unknown", [word for word in others if not is_unassessed(word)]),
    ):
        if found:
            rows = str(sum(facts.values[word] for word in found))
            yield Reason(code, {"column": facts.header, "words": ", ".join(found), "rows": rows})


def _of_limits(score: Score, assigned: Mapping[str, Assigned], choices: Sequence[Choice]) -> Iterator[Reason]:
    """From which points on an answer passes, where the file does not say it, and which score might decide as well."""
    if score.field not in assigned:
        return
    column = assigned[score.field].facts.header
    if len(score.limits) > 1:
        low, high = f"{min(score.limits):g}", f"{max(score.limits):g}"
        yield Reason("limits-differ", {"column": column, "low": low, "high": high})
    named = {NONE, *(title_of(one.header) for one in (score.unread, *score.others_right) if one is not None)}
    for choice in choices:
        others = ", ".join(one for one in choice.options if one not in {choice.default, *named})
        if choice.question is Question.PASSES and not score.limits:
            yield Reason("pass-guessed", {"column": column, "points": choice.default})
        elif choice.question is Question.SCORE and score.kind is ScoreKind.NUMBER and others:
            yield Reason("score-chosen", {"column": column, "others": others})


def _other_records(sample: Sample, assigned: Mapping[str, Assigned]) -> int:
    """Records of a JSON file with none of question, answer, score and ID, where others have them: no items."""
    places = [one.facts.at for field, one in assigned.items() if field in _OF_ITEMS]
    if sample.fields is None or not places:
        return 0
    return sum(not any(row[at] for at in places) for row in sample.rows)


def _of_times(
    sample: Sample, columns: Sequence[Facts], assigned: Mapping[str, Assigned], untimed: Reason | None
) -> Iterator[Reason]:
    """Why there are no times, and how those that there are were read."""
    if untimed is not None:
        yield untimed
    if others := other_times(columns, assigned):
        taken = next(assigned[field].facts.header for field in TIMES if field in assigned)
        yield Reason("times-alike", {"column": taken, "others": ", ".join(facts.header for facts in others)})
    for field in TIMES if sample.fields is None else ():
        if rows := zero_times(sample.rows, assigned, field):
            yield Reason("times-zero", {"column": assigned[field].facts.header, "rows": str(rows)})
    for facts in (assigned[field].facts for field in TIMES if field in assigned):
        if (found := stand_in(facts)) is not None:
            values = {"column": facts.header, "value": f"{found:.0f}", "rows": str(facts.seconds.count(found))}
            yield Reason("times-stand-in", values)
    milliseconds = assigned.get("latency_ms")
    if milliseconds is not None and not names_milliseconds(milliseconds.facts):
        yield Reason("milliseconds", {"column": milliseconds.facts.header})
    seconds = assigned.get("response_seconds")
    if seconds is not None and names_no_unit(seconds.facts):
        values = {"column": seconds.facts.header, "median": f"{seconds.facts.middle:g}"}
        yield Reason("seconds-assumed", values)
