"""A sample of a file -> what a rubric document for it should say, with the reason of each guess.

Nothing is asked here: `Proposal.open_choices` says what a person could decide better, each with its default.
"""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from pathlib import PurePath
from statistics import median

from scoring.proposal.columns import (
    FINE_WORDS,
    NO_WORDS,
    Assigned,
    assign,
    candidates,
    is_prose,
    likely_answers,
    misfits,
    object_answers,
    scales_of,
    title_of,
    twice_named,
    unclear_times,
    unread_times,
)
from scoring.proposal.doubts import MOST_SHOWN, find_doubts
from scoring.proposal.json_fields import JsonField, nested_answers, nested_results
from scoring.proposal.model import (
    Answers,
    Choice,
    ColumnGuess,
    Ends,
    NoAnswer,
    NotRun,
    PayloadGuess,
    Proposal,
    Question,
    Reason,
    Sample,
    ScoreKind,
    Seconds,
)
from scoring.proposal.names import is_counterpart, is_http_status, is_numbered_answer, likely_meanings
from scoring.proposal.not_run import find_no_answer, find_not_run
from scoring.proposal.numbers import (
    GRADES,
    NONE,
    Score,
    answer_of,
    blames_answers,
    copies,
    find_measures,
    find_score,
    is_of_call,
    kinds_of_faults,
    with_other_names,
)
from scoring.proposal.payloads import (
    PAYLOAD_FIELDS,
    beside_no_answer,
    choose_payload,
    find_ends,
    look_into,
    payload_of_records,
    times_of,
)
from scoring.proposal.repeats_and_tracks import Repeats, find_agents, find_repeats, names_of_tracks
from scoring.proposal.sample import Facts, facts_of, share_of_hangul
from scoring.rubric import WHOLE_RECORD, normalise_header
from scoring.text import number
from texts import words

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
    unsure: Assigned | None,
    ends: Ends | None = None,
    no_error: Assigned | None = None,
) -> tuple[ColumnGuess, ...]:
    """Every column of the file, in its order.

    twice: names that several columns have. is_compared: are rounds compared? Then a row needs its question and round.
    messages: paths of the answer in a JSON file. unsure: a score without a scale that is known.
    no_error: texts that only say why answers did not pass.
    """
    by_place = {facts.at: ("response", Reason("named")) for facts in columns if facts.header in messages}
    by_place |= {one.facts.at: (field, one.reason) for field, one in assigned.items()}
    odd = misfits(columns, assigned)
    answered, has_status = answer_of(assigned), any(is_http_status(name) for name in sample.header)
    facts_at = {facts.at: facts for facts in columns}
    same = copies(sample.rows, columns)
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
        if ends is not None and not field and title_of(name) == ends.end:
            reason = Reason("ends-answer", {"start": ends.start})
        if not field and at in same:
            reason = Reason("copy", {"column": same[at]})
        elif not field and at in odd:
            cells = [word for word in facts.values if number(word) is None] if odd[at] == "llm_score" else []
            is_partly = bool(facts.numbers) and bool(cells)
            reason = Reason("misfit-cells", {"cells": ", ".join(cells[:MOST_SHOWN])}) if is_partly else Reason("misfit")
            field = odd[at]
        if at not in by_place and facts.unclear:
            reason = Reason("two-numbers", {"cell": facts.unclear})
        if field in GRADES and at not in by_place and is_of_call(name, answered, has_status=has_status):
            field, reason = "", Reason("of-request")
        if unsure is not None and unsure.facts.at == at:
            field, reason = "llm_score", Reason("scale-open")
        if no_error is not None and no_error.facts.at == at:
            field, reason = "error", Reason("blames")
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


_LONGEST = 40  # characters of a profile's name
_ANY_NAME = "agent"
# What changes from run to run at the end of a name: dates, times, numbers, "run", "v2".
_RUN = re.compile(r"(?:[ _.()\-]*(?:[0-9]+|run|round|v[0-9]+|final|copy|회차|차))+[ _.()\-]*$", re.IGNORECASE)
_SPECIAL = re.compile(r"[\[\]*?!\\/]|[^\w .()\-가-힣]")
# Upper ends of bands of seconds: of one tool, of several, of minutes. The first that reaches the median is used.
_LADDERS = ((5.0, 8.0, 10.0, 15.0, 20.0), (20.0, 30.0, 40.0, 50.0, 60.0), (60.0, 120.0, 180.0, 240.0, 300.0))
_MARKER = "@check"
_MUCH, _LITTLE = 0.9, 0.1  # share of Hangul in texts of one language


def profile_of(file_name: str) -> str:
    """A name for the profile of a file: its ASCII letters and digits, without what changes from run to run."""
    stem = unicodedata.normalize("NFKD", _base(file_name)).casefold()
    name = re.sub("[^a-z0-9]+", "-", stem).strip("-")[:_LONGEST].strip("-")
    return name or _ANY_NAME


def title_of_file(file_name: str) -> str:
    """A title for reports: the name of the file without what changes from run to run; "" where nothing is left."""
    title = " ".join(re.sub(r"[_\W]+", " ", unicodedata.normalize("NFC", _base(file_name))).split())
    return title if title.isprintable() else ""


def patterns_of(file_name: str, extensions: tuple[str, ...]) -> tuple[str, ...]:
    """Patterns of files like this one: the same beginning, each of the extensions. The file itself always matches."""
    name = PurePath(file_name)
    base = _base(file_name)
    start = _SPECIAL.sub("?", unicodedata.normalize("NFC", base))
    suffix = name.suffix.lower()
    ordered = (suffix, *(extension for extension in extensions if extension != suffix))
    return tuple(f"{start}*{extension}" for extension in ordered)


def _base(file_name: str) -> str:
    """The name without extension and without what changes; whole where nothing else is left."""
    stem = PurePath(file_name).stem
    return _RUN.sub("", stem) or stem


class NoProposalError(Exception):
    """No document can be written for the file. reason: why."""

    def __init__(self, reason: Reason) -> None:
        super().__init__(reason)
        self.reason = reason


def propose(
    sample: Sample, *, file_name: str, extensions: tuple[str, ...], profile: str = "", answers: Answers | None = None
) -> Proposal:
    """What a document for the file says, as far as its rows tell.

    profile: its name, "" for one after the file. answers: what a person decided. Raises NoProposalError.
    """
    answers = answers or {}
    if sample.below and not any(any(likely_meanings(header)) for header in sample.header):
        raise NoProposalError(Reason("header-elsewhere", {"cells": ", ".join(sample.below[:MOST_SHOWN])}))
    if not sample.rows:
        raise NoProposalError(Reason("no-rows", {"rows": str(sample.left_out)}))
    twice = twice_named(sample.header)
    columns = [
        facts_of(at, header, [row[at] for row in sample.rows])
        for at, header in enumerate(sample.header)
        if title_of(header) and normalise_header(header) not in twice
    ]
    if not columns:
        raise NoProposalError(_no_columns(sample, twice))
    assigned = assign(columns, _chosen(columns, answers))
    is_table = sample.fields is None
    objects = tuple(look_into(sample, facts) for facts in columns if facts.has_objects) if is_table else ()
    payload = choose_payload(objects, columns, assigned)
    answer = _answer(sample.rows, columns, assigned, sample.fields or ())
    not_run = find_not_run(sample, columns, assigned)
    score = find_score(sample.rows, columns, assigned, answers)
    blamed = blames_answers(sample.rows, assigned, score)
    kinds = 0 if blamed else kinds_of_faults(sample.rows, assigned)
    no_error = assigned.pop("error") if blamed or kinds else None
    if no_error is not None and (other := _other_error(sample.rows, columns, assigned, no_error.facts)) is not None:
        assigned["error"] = other
    repeats = find_repeats(sample, columns, assigned)
    _set_query(assigned, repeats)
    unsure = () if score.unsure is None else (score.unsure,)
    measures = find_measures(sample.rows, columns, assigned, unsure) if is_table else ()
    if not is_table:
        payload = payload_of_records(sample, columns, assigned, unsure, no_error)
        objects = (payload,)
    times = times_of(assigned) or (() if payload is None else payload.times)
    ends = None if times else find_ends(sample, columns)
    times = times if ends is None else ends.times
    untimed = None if times else _untimed(columns, assigned)
    texts = _texts(sample, assigned, payload)
    no_answer = find_no_answer(texts, assigned)
    hangul = share_of_hangul(texts)
    every_measure = with_other_names((*measures, *(() if payload is None else payload.measures)))
    name = profile or profile_of(file_name)
    beside = (
        beside_no_answer(sample.rows, columns, assigned, {assigned["response"].facts.at}, measures)
        if payload is None
        else payload.beside
    )
    choices = sorted(
        (
            *(*answer, *score.choices, *_of_runs(not_run)),
            *(*_of_no_answer(no_answer), *_of_rounds(repeats), *_of_passing(score)),
        ),
        key=_importance,
    )
    open_choices = tuple(choice for choice in choices if choice.question not in answers)
    return Proposal(
        profile=name,
        title=title_of_file(file_name) or name,
        files=patterns_of(file_name, extensions),
        rows=len(sample.rows),
        columns=column_guesses(
            sample,
            columns,
            assigned,
            twice=twice,
            is_compared=repeats.is_compared,
            messages=() if is_table or payload is None else payload.paths.get("message", ()),
            unsure=score.unsure,
            ends=ends,
            no_error=no_error,
        ),
        score=score.kind,
        scale=score.scale,
        levels=score.levels,
        pass_points=None if score.kind is ScoreKind.NONE and score.unsure is None else _points(answers, score),
        has_unsure_score=score.unsure is not None,
        has_rounds=repeats.is_compared,
        seconds=_seconds(times),
        is_hangul=hangul > _LITTLE or not texts,
        is_latin=hangul < _MUCH,
        fine_words=_fine_words(assigned),
        tracks=names_of_tracks(assigned["track"].facts) if "track" in assigned else (),
        records=sample.records,
        key=sample.key,
        ends=ends,
        payload=payload,
        objects=objects,
        measures=every_measure,
        has_checks=payload is not None and _has_checks(assigned),
        no_answer=() if answers.get(Question.NO_ANSWER) == NONE else no_answer,
        not_run=() if answers.get(Question.NOT_RUN) == NONE else not_run,
        doubts=tuple(
            find_doubts(
                sample,
                score,
                repeats,
                assigned,
                objects,
                columns=columns,
                measures=every_measure,
                untimed=untimed,
                agents=find_agents(sample, columns, assigned),
                no_error=None
                if no_error is None
                else Reason(
                    "error-blames" if blamed else "error-kinds",
                    {"column": no_error.facts.header, "rows": str(blamed or kinds)},
                ),
                not_run=() if answers.get(Question.NOT_RUN) == NONE else not_run,
                beside=beside,
                choices=open_choices,
            )
        ),
        open_choices=open_choices,
    )


def _no_columns(sample: Sample, twice: set[str]) -> Reason:
    if twice:
        named = next(header for header in sample.header if normalise_header(header) in twice)
        return Reason("columns-twice", {"column": named})
    return Reason("no-columns")


def _chosen(columns: Sequence[Facts], answers: Answers) -> dict[str, Facts | None]:
    """The columns that a person chose, by field."""
    by_title = {title_of(facts.header): facts for facts in columns}
    chosen: dict[str, Facts | None] = {}
    if Question.ANSWER in answers:
        chosen["response"] = by_title.get(answers[Question.ANSWER])
    if Question.ROUND in answers:
        chosen["round"] = by_title.get(answers[Question.ROUND])
    if Question.SCORE in answers:
        facts = by_title.get(answers[Question.SCORE])
        is_word = facts is not None and not scales_of(facts)
        chosen |= {"llm_score": None if is_word else facts, "intent_verdict": facts if is_word else None}
    return chosen


def _set_query(assigned: dict[str, Assigned], repeats: Repeats) -> None:
    """Take the column of questions that the rounds tell; it is no ID of the rows then."""
    assigned.pop("query_id", None)
    if repeats.query is not None:
        for field in [field for field, one in assigned.items() if one.facts.at == repeats.query.facts.at]:
            del assigned[field]
        assigned["query_id"] = repeats.query


def _answer(
    rows: Sequence[Sequence[str]],
    columns: Sequence[Facts],
    assigned: dict[str, Assigned],
    fields: Sequence[JsonField],
) -> list[Choice]:
    """Where no name says which column holds the answers, the longest text is taken. Raises NoProposalError.

    fields: of the records of a JSON file.
    """
    if several := _numbered_answers(columns, assigned):
        return _one_of(several, assigned)
    if "response" in assigned or "raw_json" in assigned:
        return _other_answers(rows, columns, assigned)
    if (came := _counterpart(columns, assigned)) is not None:
        assigned["response"] = Assigned(came, Reason("named-partly"))
        return []
    texts = [*object_answers(columns), *likely_answers(columns, assigned)]
    error = assigned.get("error")
    if not texts and error is not None and error.facts.is_full:
        raise NoProposalError(
            Reason("all-failed", {"column": title_of(error.facts.header), "rows": str(error.facts.rows)})
        )
    if not texts and (nested := nested_answers(fields)):
        raise NoProposalError(Reason("answers-nested", {"path": nested}))
    if not texts and (nested := nested_results(fields)):
        command = f"`jq -c '.{nested}[]' FILE`"
        raise NoProposalError(Reason("records-nested", {"path": nested, "command": command}))
    if not texts:
        names = ", ".join(title_of(facts.header) for facts in columns)
        raise NoProposalError(Reason("no-answers", {"columns": names}))
    assigned["response"] = Assigned(texts[0], Reason("longest-text"))
    options = tuple(title_of(facts.header) for facts in texts)
    return [Choice(question=Question.ANSWER, default=options[0], options=options)] if len(options) > 1 else []


def _other_answers(
    rows: Sequence[Sequence[str]], columns: Sequence[Facts], assigned: dict[str, Assigned]
) -> list[Choice]:
    """Where the names of several columns make them answers, as of two models, one has to be chosen.

    That is where the same word of their names does, or where another one has other texts in the same rows.
    """
    one = assigned.get("response")
    if one is None or one.reason.code == "chosen":
        return []
    named = candidates(columns, "response")
    rank = next((rank for rank, facts, _ in named if facts.at == one.facts.at), 0)
    taken = {found.facts.at for found in assigned.values()}
    options = [
        facts
        for found, facts, _ in named
        if (one.reason.code == "named-partly" and found == rank and facts.share >= _MUCH * one.facts.share)
        or (facts.at not in taken and _names_answer(facts) and _differ(rows, one.facts, facts))
    ]
    options = [one.facts, *(facts for facts in options if facts.at != one.facts.at)]
    return _one_of(options, assigned) if len(options) > 1 else []


def _names_answer(facts: Facts) -> bool:
    """Is there a word for an answer in the name, and not only `result` or `message`? A path has others to try."""
    name = normalise_header(facts.header)
    return "." not in name and any(word in name for word in words("column-words")["response"])


def _differ(rows: Sequence[Sequence[str]], one: Facts, other: Facts) -> bool:
    """Have most rows different texts of several words in both?"""
    both = [(row[one.at].strip(), row[other.at].strip()) for row in rows]
    differ = sum(bool(text) and bool(also) and not (text in also or also in text) for text, also in both)
    return is_prose(one) and is_prose(other) and 2 * differ > len(both)


def _counterpart(columns: Sequence[Facts], assigned: Mapping[str, Assigned]) -> Facts | None:
    """The one column that has what came in place of what was expected; None without one."""
    taken, expected = {one.facts.at for one in assigned.values()}, assigned.get("expected")
    if expected is None:
        return None
    found = [
        facts
        for facts in columns
        if facts.at not in taken and facts.filled and is_counterpart(facts.header, expected.facts.header)
    ]
    return found[0] if len(found) == 1 else None


def _numbered_answers(columns: Sequence[Facts], assigned: Mapping[str, Assigned]) -> list[Facts]:
    """The answers of two agents to a question, `output_1` and `output_2`, where no column beside them holds one."""
    one = assigned.get("response")
    if "raw_json" in assigned or (one is not None and (one.reason.code == "chosen" or "." not in one.facts.header)):
        return []
    found = [facts for facts in columns if is_numbered_answer(facts.header) and not facts.has_numbers and facts.filled]
    return found if len(found) == 2 else []  # more may be the choices of a question


def _one_of(options: Sequence[Facts], assigned: dict[str, Assigned]) -> list[Choice]:
    """Take the first of the columns, which may as well be another one."""
    names = tuple(dict.fromkeys(title_of(facts.header) for facts in sorted(options, key=lambda facts: facts.at)))
    assigned["response"] = Assigned(options[0], Reason("answers-several", {"others": ", ".join(names)}))
    return [Choice(question=Question.ANSWER, default=title_of(options[0].header), options=names)]


def _other_error(
    rows: Sequence[Sequence[str]], columns: Sequence[Facts], assigned: Mapping[str, Assigned], not_this: Facts
) -> Assigned | None:
    """Another column of errors, which only rows without an answer have; None without one."""
    taken = {not_this.at, *(one.facts.at for one in assigned.values())}
    for _, facts, reason in candidates(columns, "error"):
        answered = any(row[facts.at] and row[assigned["response"].facts.at] for row in rows)
        if facts.at not in taken and facts.filled and not answered:
            return Assigned(facts, reason)
    return None


def _points(answers: Answers, score: Score) -> float:
    points = number(answers.get(Question.PASSES, ""))
    is_on_scale = points is not None and score.scale.lowest <= points <= score.scale.highest
    return points if points is not None and is_on_scale else score.passing


def _of_rounds(repeats: Repeats) -> list[Choice]:
    if not repeats.others:
        return []
    options = tuple(title_of(facts.header) for facts in repeats.others)
    return [Choice(question=Question.ROUND, default=NONE, options=(*options, NONE))]


def _of_runs(not_run: Sequence[NotRun]) -> list[Choice]:
    words = "; ".join(f"{one.path}: {', '.join(one.words)}" for one in not_run)
    return [Choice(question=Question.NOT_RUN, default=words, options=(words, NONE))] if words else []


def _of_no_answer(no_answer: Sequence[NoAnswer]) -> list[Choice]:
    words = ", ".join(map(str, no_answer))
    return [Choice(question=Question.NO_ANSWER, default=words, options=(words, NONE))] if words else []


def _importance(choice: Choice) -> int:
    return list(Question).index(choice.question)


def _of_passing(score: Score) -> list[Choice]:
    """Of two levels the better one passes."""
    is_plain = score.kind is ScoreKind.NONE or len(score.levels) == 2
    return [] if is_plain else [Choice(question=Question.PASSES, default=f"{score.passing:g}")]


def _seconds(times: Sequence[float]) -> Seconds | None:
    if not times:
        return None
    middle = median(times)
    edges = next((ladder for ladder in _LADDERS if ladder[-1] >= middle), _LADDERS[-1])
    return Seconds(median=middle, most=max(times), edges=edges)


def _untimed(columns: Sequence[Facts], assigned: Mapping[str, Assigned]) -> Reason:
    unclear = unclear_times(columns, assigned)
    if unclear is None:
        unread = unread_times(columns)
        if unread is None:
            return Reason("no-seconds")
        return Reason("seconds-unread", {"column": unread.header, "cell": next(iter(unread.values))})
    cell = unclear.unclear
    readings = {"one": cell.replace(",", "."), "other": cell.replace(",", "")}
    return Reason("seconds-two-numbers", {"column": unclear.header, "cell": cell, **readings})


def _fine_words(assigned: Mapping[str, Assigned]) -> tuple[str, ...]:
    error = assigned.get("error")
    if error is None:
        return ()
    named = {value.casefold() for value in error.facts.values}
    is_flag = named <= set(words("verdicts")["truths"])  # `Y` is the error, `N` is none
    return tuple(sorted(named & (FINE_WORDS | NO_WORDS if is_flag else FINE_WORDS)))


def _texts(sample: Sample, assigned: Mapping[str, Assigned], payload: PayloadGuess | None) -> Sequence[str]:
    """What the agent wrote."""
    if payload is not None:
        return payload.messages
    one = assigned.get("response")
    return [] if one is None else [row[one.facts.at] for row in sample.rows]


def _has_checks(assigned: Mapping[str, Assigned]) -> bool:
    """Does any expected answer hold a check?"""
    expected = assigned.get("expected")
    return expected is not None and any(_MARKER in value for value in expected.facts.values)
