"""The column that says how good the answers are, with its scale or points, and further numbers of a file.

Further numbers are no score and no time: tokens, cost, steps.
"""

import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from itertools import chain, count
from typing import NamedTuple

from msgspec.structs import replace

from scoring.items import SAMPLED_KEYS, NoError
from scoring.proposal.columns import (
    FINE_WORDS,
    NO_WORDS,
    Assigned,
    candidates,
    is_prose,
    is_status_of_call,
    is_sure,
    levels_of,
    levels_of_scale,
    levels_of_words,
    passing,
    says_passing,
    scales_of,
    title_of,
    unread_grades,
)
from scoring.proposal.model import Answers, Choice, LevelGuess, MeasureGuess, Question, Reason, ScoreKind
from scoring.proposal.names import (
    is_among_scores,
    is_better_lower,
    is_final,
    is_http_status,
    is_kind,
    is_limit,
    is_named_apart,
    is_of_execution,
    is_of_request,
    is_of_whole,
    is_outcome,
    is_overlap,
    is_truth,
    is_untruth,
    is_verdict,
    may_be_verdict,
    says_right,
)
from scoring.proposal.sample import FEW_VALUES, MOST, Facts
from scoring.rubric import USUAL_SCALE, Scale, is_reserved, normalise_header
from scoring.text import is_blank, normalise, number
from texts import words

GRADES = ("llm_score", "intent_verdict")
NONE = "-"  # the option that takes no column
MAX_MEASURES, MAX_SCORES = 12, 50
_LONGEST_NAME = 40
_LEAST_SHARE = 0.3  # of the rows that have one
_FEWEST_NUMBERS = 3  # different ones of a column whose name says nothing
_WON = re.compile("krw|원")
_USAGE = re.compile("(?:usage|tokens?)[^.]*[.]")  # above the name
_NAMED = re.compile(r"\[\w+=([^\]]+)\]")  # of a list, the objects of one name
_VALUES = frozenset({"score", "value"})
_TRUTH = Scale(0, 1)
_NO_ERROR = NoError((*FINE_WORDS, *NO_WORDS, *words("scoring")["no_error"]))
_TRUTHS = {word for step in words("ladders")["two-steps"] for word in step.split() if len(word) > 1}
_DOLLAR = re.compile("cost|price|usd|[$]|비용|요금")


class Score(NamedTuple):
    """How good answers are. passing: points from which on an item passes.

    unsure: the column whose scale cannot be told, which is not used; None where there is no such column. unread: one of
    scores or levels whose cells are none that are known, where nothing else says how good answers are, or which says
    whether they are right; beside a number, a verdict that does not decide; beside a success of all, a score that is
    low for some. others_right: further columns that say whether answers are right, and not of the same ones. limits:
    the different passing limits beside a number.
    """

    kind: ScoreKind
    scale: Scale
    levels: tuple[LevelGuess, ...]
    passing: float
    choices: tuple[Choice, ...]
    unsure: Assigned | None = None
    unread: Facts | None = None
    others_right: tuple[Facts, ...] = ()
    limits: tuple[float, ...] = ()

    @property
    def field(self) -> str:
        """The field of the column that says so."""
        return "llm_score" if self.kind is ScoreKind.NUMBER else "intent_verdict"

    def fails(self, cell: str) -> bool:
        """Does the cell of that column say that the answer does not pass? A word without points says nothing."""
        found = normalise(cell)
        if self.kind is ScoreKind.NUMBER:
            return not is_blank(found) and (number(found) or 0.0) < self.passing
        return any(level.name == found.casefold() and level.points < self.passing for level in self.levels)


def find_score(
    rows: Sequence[Sequence[str]], columns: Sequence[Facts], assigned: dict[str, Assigned], answers: Answers
) -> Score:
    """The column that says how good answers are.

    Whether an answer passed or is right goes before a number, whose passing points could only be guessed; a number
    whose scale is known before words, and words before a number whose scale is not.
    """
    taken = {one.facts.at for field, one in assigned.items() if field not in GRADES}
    answer = answer_of(assigned)
    has_status = any(is_http_status(facts.header) for facts in columns)
    has_truth = any(is_truth(facts.header) and not is_of_execution(facts.header) for facts in columns)
    named = {
        field: [
            one
            for one in candidates(columns, field)
            if one[1].at not in taken and not is_of_call(one[1].header, answer, has_status=has_status)
            if not (has_truth and is_of_execution(one[1].header))
        ]
        for field in GRADES
    }
    options = list(dict.fromkeys(title_of(facts.header) for found in named.values() for _, facts, _ in found))
    has_limit = any(is_limit(facts.header) for facts in columns)
    _settle(assigned, named, answers, has_limit=has_limit)
    number, word = assigned.get("llm_score"), assigned.get("intent_verdict")
    odd = [one for one in unread_grades(columns, assigned) if not is_of_call(one.header, answer, has_status=has_status)]
    chosen = number or word
    choices: list[Choice] = []
    if chosen is not None and len(options) > 1:
        default = title_of(chosen.facts.header)
        choices.append(Choice(question=Question.SCORE, default=default, options=(*options, NONE)))
    is_right = [one for one in odd if says_right(one.header)]
    if is_right and Question.SCORE not in answers and (chosen is None or not says_right(chosen.facts.header)):
        chosen, odd = None, is_right
    if chosen is None:
        for field in GRADES:
            assigned.pop(field, None)
        passes = passing(USUAL_SCALE, are_whole=True)
        unread = next(iter((*odd, *_verdicts_beside(columns, assigned))), None)
        return Score(ScoreKind.NONE, USUAL_SCALE, (), passes, tuple(choices), unread=unread)
    worded = {
        facts.at
        for _, facts, reason in named["intent_verdict"]
        if reason.code == "named" and levels_of_words(facts.values) and not is_untruth(facts.header)
    }
    verdicts = _verdicts_beside(columns, assigned, worded)
    if number is None:
        levels, passes = levels_of(chosen.facts), passing(USUAL_SCALE, are_whole=True)
        others = () if Question.SCORE in answers else _others_right(rows, chosen.facts, named["intent_verdict"])
        if not (others or is_final(chosen.facts.header) or Question.SCORE in answers):
            others = _that_differ(rows, chosen.facts, verdicts)
        low = None if Question.SCORE in answers else _low_score(chosen.facts, named["llm_score"])
        return Score(ScoreKind.WORD, USUAL_SCALE, levels, passes, tuple(choices), others_right=others, unread=low)
    assigned.pop("intent_verdict", None)
    scales = scales_of(number.facts)
    shown = tuple(map(show_scale, scales))
    is_known = is_sure(number.facts)
    if not is_known:
        choices.append(Choice(question=Question.SCALE, default=shown[0], options=shown))
    answer = answers.get(Question.SCALE, shown[0])
    scale = scales[shown.index(answer)] if answer in shown else scales[0]
    limits = _limits(columns, number.facts.header, scale)
    untruths = [one for one in named["intent_verdict"] if is_untruth(one[1].header)]
    score = Score(
        kind=ScoreKind.NUMBER,
        scale=scale,
        levels=levels_of_scale(scale),
        passing=limits[0] if len(limits) == 1 else passing(scale, are_whole=number.facts.are_whole),
        choices=tuple(choices),
        unread=None if Question.SCORE in answers else next(verdicts, None),
        limits=limits,
        others_right=() if Question.SCORE in answers else _others_right(rows, number.facts, untruths),
    )
    if is_known or Question.SCALE in answers:
        return score
    del assigned["llm_score"]
    return score._replace(kind=ScoreKind.NONE, unsure=number)


def blames_answers(rows: Sequence[Sequence[str]], assigned: Mapping[str, Assigned], score: Score) -> int:
    """How many texts of errors stand beside answers that did not pass, where they may only say why.

    That is where most do, or where the comment says each that stands beside an answer; 0 elsewhere. An error that the
    answer repeats is one.
    """
    error, answer, graded = (assigned.get(field) for field in ("error", "response", score.field))
    if error is None or answer is None or graded is None or not is_prose(error.facts):
        return 0
    blamed = sum(
        not is_blank(row[answer.facts.at])
        and row[error.facts.at] not in row[answer.facts.at]
        and score.fails(row[graded.facts.at])
        for row in rows
        if not is_blank(row[error.facts.at])
    )
    return blamed if 2 * blamed > error.facts.filled or _are_comments(rows, assigned) else 0


def kinds_of_faults(rows: Sequence[Sequence[str]], assigned: Mapping[str, Assigned]) -> int:
    """How many words of a column as `error type` stand beside answers, where all do: 환각 and 누락 sort faults."""
    error, answer = assigned.get("error"), assigned.get("response")
    if error is None or answer is None or not is_kind(error.facts.header) or len(error.facts.values) > FEW_VALUES:
        return 0
    beside = [row[answer.facts.at] for row in rows if says_error(row[error.facts.at])]
    return 0 if any(map(is_blank, beside)) else len(beside)


def says_error(cell: str) -> bool:
    """Is this more than a word that there is no error?"""
    return bool(_NO_ERROR.error_text(cell))


def _are_comments(rows: Sequence[Sequence[str]], assigned: Mapping[str, Assigned]) -> bool:
    """Is each error beside an answer what its comment says?"""
    comment, places = assigned.get("llm_comment"), [assigned[field].facts.at for field in ("error", "response")]
    beside = [row for row in rows if not any(is_blank(row[at]) for at in places)]
    return comment is not None and all(row[places[0]] in row[comment.facts.at] for row in beside)


def answer_of(assigned: Mapping[str, Assigned]) -> str:
    """The name of the column of answers, "" without one."""
    return assigned["response"].facts.header if "response" in assigned else ""


def is_of_call(header: str, answer: str, *, has_status: bool = False) -> bool:
    """Is this the success of a call: of that which brought the answer, as `result.success` beside `result.text`?

    has_status: is there an HTTP status beside it?
    """
    parent, _, last = header.rpartition(".")
    is_beside = bool(parent) and answer.startswith((f"{parent}.", f"{parent}[")) and is_outcome(last)
    return is_beside or is_of_request(header) or (has_status and is_outcome(header))


def _settle(
    assigned: dict[str, Assigned],
    named: Mapping[str, Sequence[tuple[int, Facts, Reason]]],
    answers: Answers,
    *,
    has_limit: bool,
) -> None:
    """Leave one of number and level, the one that says more surely how good answers are.

    has_limit: does a column say from which number on an answer passes?
    """
    if Question.SCORE in answers:
        return
    words = [Assigned(facts, reason) for _, facts, reason in named["intent_verdict"]]
    numbers = [Assigned(facts, reason) for _, facts, reason in named["llm_score"]]
    if any(is_truth(one.facts.header) and max(one.facts.numbers) > 1 for one in numbers):  # how many passed
        words = [one for one in words if not (is_untruth(one.facts.header) and one.facts.has_numbers)]
    truths = [one for one in words if is_truth(one.facts.header) or _is_passing(one.facts)]
    truths += [one for one in words if is_untruth(one.facts.header) and not is_among_scores(one.facts.header)]
    alone = len(numbers) == 1 and not is_named_apart(numbers[0].facts.header)
    if len({one.facts.at for one in (*words, *numbers)}) > 1:
        words = [
            one
            for one in words
            if one in truths or is_of_whole(one.facts.header) or not is_among_scores(one.facts.header)
        ]
    if not alone:  # aspects say nothing about the whole
        numbers = [one for one in numbers if is_of_whole(one.facts.header)]
    numbers = [one for one in numbers if has_limit or not is_overlap(one.facts.header)]
    truths += [one for one in numbers if is_truth(one.facts.header) and set(one.facts.numbers) <= {0.0, 1.0}]
    truths.sort(key=lambda one: (is_untruth(one.facts.header), one.reason.code == "named-partly", -one.facts.filled))
    sure = [one for one in numbers[:1] if is_sure(one.facts)]  # a further score does not stand for the first
    best = next(iter((*truths, *sure, *words, *numbers)), None)
    for field in GRADES:
        assigned.pop(field, None)
    if best is not None:
        assigned["llm_score" if any(best is one for one in numbers) else "intent_verdict"] = best


def _is_passing(facts: Facts) -> bool:
    """Is it a verdict of the whole, most cells of which say `pass`, `불합격` or the like, whatever its name?

    Below another name it has to be called a verdict: `result.verdict`.
    """
    is_whole = not is_named_apart(facts.header) or (is_verdict(facts.header) and may_be_verdict(facts.header))
    return says_passing(facts) and is_whole


def _limits(columns: Sequence[Facts], score: str, scale: Scale) -> tuple[float, ...]:
    """The numbers of the column beside the score that says from which on an answer passes, where it is on the scale."""
    above = score.rpartition(".")[0]
    for facts in columns:
        if is_limit(facts.header) and facts.header.rpartition(".")[0] == above and facts.has_numbers:
            return tuple(one for one in dict.fromkeys(facts.numbers) if scale.lowest <= one <= scale.highest)
    return ()


def _verdicts_beside(
    columns: Sequence[Facts], assigned: Mapping[str, Assigned], named: Container[int] = ()
) -> Iterator[Facts]:
    """Columns that no field has, and that look like verdicts by their name or by their words, as `pass` and `fail`.

    named: those whose name and words are known.
    """
    taken = {one.facts.at for one in assigned.values()}
    for facts in columns:
        is_passing = (says_passing(facts) or facts.at in named) and may_be_verdict(facts.header)
        is_passing = is_passing and not is_status_of_call(facts)
        is_named = is_verdict(facts.header) and facts.share >= _LEAST_SHARE
        has_words = not facts.has_numbers and len(facts.values) <= FEW_VALUES
        if facts.at not in taken and (is_named or is_passing) and has_words:
            yield facts


def _others_right(
    rows: Sequence[Sequence[str]], chosen: Facts, words: Iterable[tuple[int, Facts, Reason]]
) -> tuple[Facts, ...]:
    """Columns beside the chosen one that say, too, whether an answer is right, and otherwise of some row."""
    if not is_truth(chosen.header):
        return ()
    others = [facts for _, facts, _ in words if facts.at != chosen.at and says_right(facts.header)]
    return _that_differ(rows, chosen, others)


def _low_score(chosen: Facts, numbers: Iterable[tuple[int, Facts, Reason]]) -> Facts | None:
    """The score of the whole answer that is low in some rows, where the success of all says no difference."""
    if not is_outcome(chosen.header) or len(chosen.values) > 1:
        return None
    for _, facts, _ in numbers:
        if facts.at != chosen.at and is_of_whole(facts.header) and is_sure(facts):
            limit = passing(scales_of(facts)[0], are_whole=facts.are_whole)
            if min(facts.numbers) < limit:
                return facts
    return None


def _that_differ(rows: Sequence[Sequence[str]], chosen: Facts, others: Iterable[Facts]) -> tuple[Facts, ...]:
    """Those that have other points than the chosen column for some row."""
    decided = _points_of(rows, chosen)
    return tuple(
        facts
        for facts in others
        if any(other not in {None, points} for other, points in zip(_points_of(rows, facts), decided, strict=True))
    )


def _points_of(rows: Sequence[Sequence[str]], facts: Facts) -> list[float | None]:
    """The points of each row's word, or of its 1 or 0; None where it has none that is known."""
    points = {level.name: level.points for level in levels_of(facts)}
    points = points or {"1": USUAL_SCALE.highest, "0": USUAL_SCALE.lowest}
    return [points.get(normalise(row[facts.at]).casefold()) for row in rows]


def show_scale(scale: Scale) -> str:
    """`1-5`."""
    return f"{scale.lowest:g}-{scale.highest:g}"


class _Kind(NamedTuple):
    """What a name says of its numbers. decimals: None for as many as they need."""

    pattern: re.Pattern[str]
    unit: str
    decimals: int | None


_TOKENS = _Kind(re.compile("token|토큰"), "tokens", 0)
# By the name in the form in which headers are compared; the first that is found in it.
_KINDS = (
    _Kind(_DOLLAR, "USD", 4),
    _TOKENS,
    _Kind(
        re.compile(
            r"^(?:num|n|number(?:of)?)?(?:steps?|turns?|toolcalls?|calls|actions?|requests)(?:count)?$|단계수|호출수"
        ),
        "",
        0,
    ),
)


def copies(rows: Sequence[Sequence[str]], columns: Sequence[Facts]) -> dict[int, str]:
    """Columns that have all cells of an earlier one and its path, as `result.scores.tone` after `scores.tone`.

    By place, with the header of the earlier one.
    """
    alike: dict[tuple[str, ...], list[str]] = {}
    found: dict[int, str] = {}
    for facts in columns:
        earlier = alike.setdefault(tuple(row[facts.at] for row in rows), [])
        for header in earlier if facts.filled else ():
            if header.endswith(f".{facts.header}") or facts.header.endswith(f".{header}"):
                found.setdefault(facts.at, header)
        earlier.append(facts.header)
    return found


def find_measures(
    rows: Sequence[Sequence[str]],
    columns: Sequence[Facts],
    assigned: Mapping[str, Assigned],
    others: Iterable[Assigned] = (),
) -> tuple[MeasureGuess, ...]:
    """Columns of numbers that no field has, without copies of others. Those whose name says nothing are doubtful.

    Further columns of scores are measures of which larger values are better, unless their name says otherwise. others:
    columns that are none although no field has them.
    """
    taken = {one.facts.at for one in (*assigned.values(), *others)} | copies(rows, columns).keys()
    scores = {facts.at for _, facts, _ in candidates(columns, "llm_score")}
    answer, has_status = answer_of(assigned), any(is_http_status(facts.header) for facts in columns)
    found: list[MeasureGuess] = []
    for facts in columns:
        is_apart = is_among_scores(facts.header)  # a score that few items have is still one
        if facts.at in taken or (facts.share < _LEAST_SHARE and not is_apart):
            continue
        is_truths = _says_whether(facts) and not is_of_call(facts.header, answer, has_status=has_status)
        kind = _kind(facts)
        numbers = (facts.whole_numbers if kind is not None and kind.decimals == 0 else ()) or facts.numbers
        if len(numbers) < MOST * facts.filled and not is_truths:
            continue
        is_score = is_truths or (kind is None and (facts.at in scores or is_apart or is_better_lower(facts.header)))
        if kind is None and not is_score and len(set(numbers)) < _FEWEST_NUMBERS:
            continue
        is_known = is_truths or (is_score and bool(scales_of(facts)) and is_sure(facts))
        alike = [one for one in found if (one.scale is not None) is is_known]
        if len(alike) >= (MAX_SCORES if is_known else MAX_MEASURES):
            continue
        found.append(
            MeasureGuess(
                name=_name(title_of(facts.header), is_score=is_score),
                title=title_of(facts.header),
                unit="" if kind is None else kind.unit,
                decimals=None if kind is None or (kind.decimals == 0 and numbers is facts.numbers) else kind.decimals,
                is_better_higher=is_score and not (is_better_lower(facts.header) or is_untruth(facts.header)),
                is_doubtful=not is_score if kind is None else min(numbers) < 0,  # -1 for what was not counted
                scale=_TRUTH if is_truths else scales_of(facts)[0] if is_known else None,
                is_late=facts.first >= SAMPLED_KEYS,
            )
        )
    return with_other_names(found)


def _says_whether(facts: Facts) -> bool:
    """Is each cell `true`, `pass` or the like, which scores read, under a name of what is right or of a score?"""
    words_of_cells = {value.casefold() for value in facts.values}
    return words_of_cells <= _TRUTHS and (is_truth(facts.header) or is_among_scores(facts.header))


def with_other_names(measures: Iterable[MeasureGuess]) -> tuple[MeasureGuess, ...]:
    """The measures, those with the name of an earlier one with a number behind it."""
    named: dict[str, MeasureGuess] = {}
    for one in measures:
        names = chain((one.name,), (f"{one.name}-{number}" for number in count(2)))
        name = next(name for name in names if name not in named)
        named[name] = replace(one, name=name)
    return tuple(named.values())


def _below_scores(title: str) -> str:
    """The last name of a path, or the one above it where that only says that it is a score: `scores.style.value`."""
    *above, last = title.split(".")
    return above[-1].partition("[")[0] if len(above) > 1 and normalise_header(last) in _VALUES else last


def _kind(facts: Facts) -> _Kind | None:
    name = normalise_header(facts.header.rpartition(".")[2])
    kind = next((one for one in _KINDS if one.pattern.search(name)), None)
    if kind is None and _USAGE.search(normalise_header(facts.header)):
        kind = _TOKENS
    return (
        kind._replace(unit="KRW", decimals=None)
        if kind is not None and kind.unit == "USD" and _WON.search(name)
        else kind
    )


def _name(title: str, *, is_score: bool) -> str:
    """A name of lower case letters, digits and `-`, of a score none that means something else."""
    named = _NAMED.search(title)
    last = named[1] if named else _below_scores(title)
    divided = re.sub("([a-z])([A-Z])", r"\1-\2", last).casefold()
    name = re.sub("[^a-z0-9]+", "-", divided).strip("-")[:_LONGEST_NAME].strip("-")
    if not is_score:
        return name or "measure"
    return f"score-{name}".strip("-") if not name or is_reserved(name) else name
