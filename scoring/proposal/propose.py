"""A sample of a file -> what a rubric document for it should say, with the reason of each guess.

Nothing is asked here: `Proposal.open_choices` says what a person could decide better, each with its default.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from statistics import median
from typing import NamedTuple

from scoring.proposal.claims import patterns_of, profile_of, title_of_file
from scoring.proposal.columns import (
    FINE_WORDS,
    Assigned,
    assign,
    candidates,
    is_in_milliseconds,
    likely_answers,
    misfits,
    title_of,
    twice_named,
)
from scoring.proposal.facts import Facts, facts_of, share_of_hangul
from scoring.proposal.model import (
    Answers,
    Choice,
    ColumnGuess,
    LevelGuess,
    Proposal,
    Question,
    Reason,
    Sample,
    Scale,
    ScoreKind,
    Seconds,
)
from scoring.proposal.repeats import Repeats, find_repeats
from scoring.proposal.scales import (
    WORD_SCALE,
    is_sure,
    levels_of_scale,
    levels_of_words,
    passing,
    scales_of,
)
from scoring.rubric.fields import normalise_header
from scoring.text import is_blank, number

NONE = "-"  # the option that takes no column
# Upper ends of bands of seconds: of one tool, of several, of minutes. The first that reaches the median is used.
_LADDERS = ((5.0, 8.0, 10.0, 15.0, 20.0), (20.0, 30.0, 40.0, 50.0, 60.0), (60.0, 120.0, 180.0, 240.0, 300.0))
_MILLISECONDS = 1000.0
_MUCH, _LITTLE = 0.9, 0.1  # share of Hangul in texts of one language


class NoProposalError(Exception):
    """No document can be written for the file. reason: why."""

    def __init__(self, reason: Reason) -> None:
        super().__init__(reason)
        self.reason = reason


class _Score(NamedTuple):
    """How good answers are: the column and what it gives."""

    kind: ScoreKind
    scale: Scale
    levels: tuple[LevelGuess, ...]
    are_whole: bool
    choices: tuple[Choice, ...]


def propose(
    sample: Sample, *, file_name: str, extensions: tuple[str, ...], profile: str = "", answers: Answers | None = None
) -> Proposal:
    """What a document for the file says, as far as its rows tell.

    profile: its name, "" for one after the file. answers: what a person decided. Raises NoProposalError.
    """
    answers = answers or {}
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
    answer = _answer(columns, assigned)
    score = _score(columns, assigned, answers)
    repeats = find_repeats(sample, columns, assigned)
    _set(assigned, "query_id", repeats.query)
    if "item_id" in assigned and repeats.query is not None and assigned["item_id"].facts.at == repeats.query.facts.at:
        del assigned["item_id"]
    texts = _texts(sample, assigned)
    hangul = share_of_hangul(texts)
    wanted = passing(score.scale, are_whole=score.are_whole)
    name = profile or profile_of(file_name)
    return Proposal(
        profile=name,
        title=title_of_file(file_name) or name,
        files=patterns_of(file_name, extensions),
        rows=len(sample.rows),
        columns=_guesses(sample, columns, assigned, twice, _required(assigned, repeats)),
        score=score.kind,
        scale=score.scale,
        levels=score.levels,
        pass_points=None if score.kind is ScoreKind.NONE else _points(answers, score.scale, wanted),
        has_rounds=repeats.is_compared,
        seconds=_seconds(assigned),
        is_hangul=hangul > _LITTLE or not texts,
        is_latin=hangul < _MUCH,
        fine_words=_fine_words(assigned),
        doubts=tuple(_doubts(sample, score, repeats, assigned)),
        open_choices=tuple(
            _open(answers, (*answer, *score.choices, *_of_rounds(repeats), *_of_passing(score, wanted)))
        ),
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


def _set(assigned: dict[str, Assigned], field: str, one: Assigned | None) -> None:
    assigned.pop(field, None)
    if one is not None:
        assigned[field] = one


def _answer(columns: Sequence[Facts], assigned: dict[str, Assigned]) -> list[Choice]:
    """Where no name says which column holds the answers, the longest text is taken. Raises NoProposalError."""
    if "response" in assigned or "raw_json" in assigned:
        return []
    texts = likely_answers(columns, assigned)
    if not texts:
        names = ", ".join(title_of(facts.header) for facts in columns)
        raise NoProposalError(Reason("no-answers", {"columns": names}))
    assigned["response"] = Assigned(texts[0], Reason("longest-text"))
    options = tuple(title_of(facts.header) for facts in texts)
    return [Choice(question=Question.ANSWER, default=options[0], options=options)] if len(options) > 1 else []


def _score(columns: Sequence[Facts], assigned: dict[str, Assigned], answers: Answers) -> _Score:
    """The column that says how good answers are; of several a number goes before words."""
    taken = {one.facts.at for field, one in assigned.items() if field not in {"llm_score", "intent_verdict"}}
    named = [*candidates(columns, "llm_score"), *candidates(columns, "intent_verdict")]
    options = list(dict.fromkeys(title_of(facts.header) for _, facts, _ in named if facts.at not in taken))
    chosen = assigned.get("llm_score") or assigned.get("intent_verdict")
    choices: list[Choice] = []
    if chosen is not None and len(options) > 1:
        default = title_of(chosen.facts.header)
        choices.append(Choice(question=Question.SCORE, default=default, options=(*options, NONE)))
    if chosen is None:
        return _Score(ScoreKind.NONE, WORD_SCALE, (), True, tuple(choices))
    if "llm_score" not in assigned:
        return _Score(ScoreKind.WORD, WORD_SCALE, levels_of_words(chosen.facts.values), True, tuple(choices))
    assigned.pop("intent_verdict", None)
    scales = scales_of(chosen.facts)
    shown = tuple(map(show_scale, scales))
    if not is_sure(chosen.facts) and len(scales) > 1:
        choices.append(Choice(question=Question.SCALE, default=shown[0], options=shown))
    answer = answers.get(Question.SCALE, shown[0])
    scale = scales[shown.index(answer)] if answer in shown else scales[0]
    return _Score(ScoreKind.NUMBER, scale, levels_of_scale(scale), chosen.facts.are_whole, tuple(choices))


def show_scale(scale: Scale) -> str:
    """`1-5`."""
    return f"{scale.lowest:g}-{scale.highest:g}"


def _points(answers: Answers, scale: Scale, default: float) -> float:
    points = number(answers.get(Question.PASSES, ""))
    return points if points is not None and scale.lowest <= points <= scale.highest else default


def _of_rounds(repeats: Repeats) -> list[Choice]:
    if not repeats.others:
        return []
    options = tuple(title_of(facts.header) for facts in repeats.others)
    return [Choice(question=Question.ROUND, default=NONE, options=(*options, NONE))]


def _of_passing(score: _Score, wanted: float) -> list[Choice]:
    return [] if score.kind is ScoreKind.NONE else [Choice(question=Question.PASSES, default=f"{wanted:g}")]


def _open(answers: Answers, choices: Iterable[Choice]) -> Iterable[Choice]:
    return (choice for choice in choices if choice.question not in answers)


def _seconds(assigned: Mapping[str, Assigned]) -> Seconds | None:
    in_seconds, in_milliseconds = assigned.get("response_seconds"), assigned.get("latency_ms")
    if in_seconds is not None:
        seconds = in_seconds.facts.seconds
    elif in_milliseconds is not None:
        seconds = tuple(value / _MILLISECONDS for value in in_milliseconds.facts.numbers)
    else:
        return None
    middle = median(seconds)
    edges = next((ladder for ladder in _LADDERS if ladder[-1] >= middle), _LADDERS[-1])
    return Seconds(median=middle, most=max(seconds), edges=edges)


def _fine_words(assigned: Mapping[str, Assigned]) -> tuple[str, ...]:
    error = assigned.get("error")
    if error is None:
        return ()
    return tuple(sorted({value.casefold() for value in error.facts.values if value.casefold() in FINE_WORDS}))


def _texts(sample: Sample, assigned: Mapping[str, Assigned]) -> list[str]:
    """What the agent wrote, of the column or, without one, of the payloads."""
    one = assigned.get("response") or assigned.get("raw_json")
    return [] if one is None else [row[one.facts.at] for row in sample.rows if not is_blank(row[one.facts.at])]


def _guesses(
    sample: Sample,
    columns: Sequence[Facts],
    assigned: Mapping[str, Assigned],
    twice: set[str],
    required: set[str],
) -> tuple[ColumnGuess, ...]:
    by_place = {one.facts.at: (field, one.reason) for field, one in assigned.items()}
    odd = misfits(columns, assigned)
    facts_at = {facts.at: facts for facts in columns}
    guesses = []
    for at, header in enumerate(sample.header):
        facts = facts_at.get(at)
        if facts is None:
            code = "twice" if normalise_header(header) in twice and title_of(header) else "unnameable"
            guesses.append(ColumnGuess(title="", header=header, field="", reason=Reason(code), filled=0.0))
            continue
        field, reason = by_place.get(at, ("", _unused(facts)))
        if not field and at in odd:
            field, reason = odd[at], Reason("misfit")
        guesses.append(
            ColumnGuess(
                title=title_of(header),
                header=header,
                field=field,
                reason=reason,
                filled=facts.share,
                is_doubtful=at in odd and at not in by_place,
                is_required=field in required and at in by_place,
            )
        )
    return tuple(guesses)


def _required(assigned: Mapping[str, Assigned], repeats: Repeats) -> set[str]:
    """Columns that a file must have: of what is compared, and one that has the answers."""
    answer = "raw_json" if "raw_json" in assigned else "response"
    return {answer, "query_id", "round"} if repeats.is_compared else {answer}


def _unused(facts: Facts) -> Reason:
    return Reason("shown") if facts.filled else Reason("blank")


def _doubts(sample: Sample, score: _Score, repeats: Repeats, assigned: Mapping[str, Assigned]) -> Iterable[Reason]:
    if sample.left_out:
        yield Reason("rows-left-out", {"rows": str(sample.left_out)})
    if score.kind is ScoreKind.NONE:
        yield Reason("no-score")
    if "query_id" not in assigned:
        yield Reason("no-ids")
    if repeats.doubt is not None:
        yield repeats.doubt
    if "response_seconds" not in assigned and "latency_ms" not in assigned:
        yield Reason("no-seconds")
    elif "latency_ms" in assigned and is_in_milliseconds(assigned["latency_ms"].facts):
        yield Reason("milliseconds", {"column": assigned["latency_ms"].facts.header})
