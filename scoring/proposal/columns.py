"""Which column of a foreign file is which field: by its name, and by whether its cells fit; scales and levels of it."""

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from statistics import fmean
from typing import NamedTuple

from scoring.items import MILLISECONDS
from scoring.proposal.model import LevelGuess, Reason
from scoring.proposal.names import (
    is_among_scores,
    is_beside_scores,
    is_better_lower,
    is_declared,
    is_of_request,
    is_percentage,
    is_time,
    is_total,
    is_untruth,
    likely_meanings,
    may_be_answer,
    scale_of_name,
)
from scoring.proposal.sample import FEW_VALUES, Facts
from scoring.rubric import USUAL_SCALE, Scale, ScoreRule, Spelling, normalise_header, words_of
from scoring.text import is_blank, normalise, visible
from texts import words

MAX_ROUNDS = 50
LONGEST_TITLE = 200  # characters
FINE_WORDS = frozenset(
    {"ok", "success", "succeeded", "successful", "completed", "complete", "done", "finished", "200"}
    | {"성공", "정상", "완료"}
)
NO_WORDS = frozenset(
    {"false", "no", "n", "f", "x", "0", "아니오", "거짓"}
)  # of a column that asks whether something failed
_FAILED_WORDS = frozenset(
    {"error", "failed", "failure", "timeout", "timed_out", "cancelled", "canceled", "aborted", "exception"}
    | {"실패", "오류", "에러"}
)
_PASSED_WORDS = frozenset({"pass", "passed", "통과", "합격"})
_SEVERITIES = frozenset({"debug", "default", "info", "notice", "warn", "warning", "error", "fatal", "critical"})
_MANY = 50  # different texts of a column that groups answers
_SHORT, _LABEL = 80, 40  # characters of identifiers and of labels, on average
_MILLISECONDS_FROM = 200.0  # whole numbers of this median and more are no seconds
MOST_SECONDS = 3600.0
_MANY_SECONDS = 20.0
_DATE_DIGITS = 6
_LEAST_SHARE = 0.3  # of the rows
_LITTLE = 0.05  # of a mean
_LEAST_NINES, _FAR = 999, 2
_MOSTLY = 0.8  # of the numbers
_OFTEN = frozenset({"llm_score", "intent_verdict", "query_id"})
_LONG = 20  # characters of an answer, on average, where no name says that it is one
_SHORT_GRADE = 12  # characters of a score or level, on average
_DIGIT = re.compile("[0-9]")
TIMES = ("response_seconds", "latency_ms")
_LETTER_GRADES = ("grade", "rating", "level", "등급", "학점", "평점")
_SECONDS_NAME = re.compile(r"sec|초|\(s\)|(?:time|duration|latency|elapsed)s$")
_MILLISECONDS_NAME = re.compile(r"ms\)?$|milli|밀리초")
_OTHER_UNITS = frozenset({"us", "usec", "micros", "microseconds", "ns", "nanos", "nanoseconds"})
_OTHER_UNITS |= {"min", "mins", "minute", "minutes", "h", "hour", "hours", "분"}
_MICROSECONDS = re.compile("[µμ]s")
STATUS_NAMES = frozenset({"status", "state", "상태", "statusmessage"})

# The order in which fields take their columns.
ORDER = (
    *("raw_json", "error", "intent_verdict", "llm_score", "response_seconds", "latency_ms", "session"),
    *("turn", "round", "query_id"),
    *("item_id", "run_id", "question", "response", "expected", "llm_comment", "track", "category", "llm_model"),
    "executed_at",
)
_WORD_RANK = 1_000  # a word of a name comes after every whole name


class Assigned(NamedTuple):
    """A column of a field and why."""

    facts: Facts
    reason: Reason


def title_of(header: str) -> str:
    """The header as a document can name it, "" where none can: it is blank, too long or not printable."""
    title = " ".join(visible(header).split())
    if not normalise_header(title) or len(title) > LONGEST_TITLE or not title.isprintable():
        return ""
    return title


def twice_named(headers: Sequence[str]) -> set[str]:
    """Headers, in the form in which they are compared, that several columns have."""
    names = [normalise_header(header) for header in headers if not is_blank(header)]
    return {name for name in names if names.count(name) > 1}


def assign(columns: Sequence[Facts], chosen: Mapping[str, Facts | None]) -> dict[str, Assigned]:
    """The column of each field that has one. chosen: columns that a person chose, None for a field without one."""
    assigned = {field: Assigned(facts, Reason("chosen")) for field, facts in chosen.items() if facts is not None}
    for is_whole in (True, False):
        for field in ORDER:
            if field in assigned or field in chosen:
                continue
            taken = {one.facts.at for one in assigned.values()}
            found = [entry for entry in candidates(columns, field) if entry[1].at not in taken]
            found = [entry for entry in found if (entry[0] < _WORD_RANK) is is_whole]
            if found:
                _, facts, reason = found[0]
                assigned[field] = Assigned(facts, reason)
    if "session" not in assigned:
        assigned.pop("turn", None)
    return assigned


def candidates(columns: Sequence[Facts], field: str) -> list[tuple[int, Facts, Reason]]:
    """The columns whose name may mean the field and whose cells fit it, with a rank, the likeliest first."""
    found = []
    graded = _graded(columns) if field in TIMES else frozenset()
    for facts in columns:
        if facts.header.rpartition(".")[0] in graded:
            continue
        for spelling in likely_meanings(facts.header):
            if (
                spelling.field == field
                and (facts.filled or field == "error")
                and _FITS[field](facts)
                and _is_likely(spelling, facts)
            ):
                rank = spelling.rank + (0 if spelling.is_whole else _WORD_RANK)
                found.append((rank, facts, Reason("named" if spelling.is_whole else "named-partly")))
                break
        else:
            if field == "llm_score" and _declares_scale(facts):
                found.append((_WORD_RANK, facts, Reason("named-scale")))
    return sorted(found, key=lambda entry: (*_rank(field, entry), -entry[1].filled, entry[1].at))


def _graded(columns: Sequence[Facts]) -> frozenset[str]:
    """Paths of single scores: a time beside one is how long grading took, as in `metrics.tone`."""
    parents = (facts.header.rpartition(".")[0] for facts in columns if is_among_scores(facts.header))
    return frozenset(parent for parent in parents if "." in parent)


def _rank(field: str, candidate: tuple[int, Facts, Reason]) -> tuple[bool, bool, int]:
    """Of times under longer names the one of the whole answer comes first: `total latency`."""
    rank, facts, _ = candidate
    is_part = rank >= _WORD_RANK
    return is_part, is_part and field in TIMES and not is_total(facts.header), rank


def _declares_scale(facts: Facts) -> bool:
    """Numbers under a name that says their scale, as `How helpful was it? (1-5)`, or is that of a known score."""
    scale = scale_of_name(facts.header) if facts.has_numbers and not is_beside_scores(facts.header) else None
    is_graded = scale is not None and not (is_better_lower(facts.header) or is_of_request(facts.header))
    return is_graded and facts.share >= _LEAST_SHARE and scale is not None and _holds(scale, facts)


def _is_likely(spelling: Spelling, facts: Facts) -> bool:
    """Is it more than a name: `answer length` and `usage.output` have numbers, and are no answer.

    A score, a word of a name and an ID have to be filled often enough.
    """
    if facts.share < _LEAST_SHARE and (not spelling.is_whole or spelling.field in _OFTEN):
        return False
    if spelling.field == "intent_verdict" and is_status_of_call(facts):
        return False
    if spelling.field == "error" and not spelling.is_whole and facts.has_numbers:
        return False
    if spelling.field == "response" and not spelling.is_whole and len(facts.values) <= FEW_VALUES < facts.filled:
        return is_prose(facts)
    is_text = spelling.field in {"response", "expected"}
    return not (is_text and facts.has_numbers and (not spelling.is_whole or "." in facts.header))


def is_status_of_call(facts: Facts) -> bool:
    """A status that never says that something passed."""
    is_status = words_of(facts.header)[-1:] == ["status"]
    return is_status and not any(value.casefold() in _PASSED_WORDS for value in facts.values)


def likely_answers(columns: Sequence[Facts], assigned: Mapping[str, Assigned]) -> list[Facts]:
    """Columns of text that no field has, the longest texts first: one of them may hold the answers."""
    taken = {one.facts.at for one in assigned.values()}
    texts = [
        facts
        for facts in columns
        if facts.at not in taken and not facts.has_numbers and facts.mean_length >= _LONG and is_prose(facts)
        if facts.share >= _LEAST_SHARE and may_be_answer(facts.header)
    ]
    return sorted(texts, key=lambda facts: (-facts.mean_length, facts.at))


def is_prose(facts: Facts) -> bool:
    """Have most texts several words?"""
    return 2 * sum(" " in value for value in facts.values) > len(facts.values)


def object_answers(columns: Sequence[Facts]) -> list[Facts]:
    """Columns of JSON objects whose name means the answer."""
    return [
        facts
        for facts in columns
        if facts.has_objects and any(spelling.field == "response" for spelling in likely_meanings(facts.header))
    ]


def misfits(columns: Sequence[Facts], assigned: Mapping[str, Assigned]) -> dict[int, str]:
    """Columns whose name means a field that no column has, because the cells do not fit: at -> field."""
    taken = {one.facts.at for one in assigned.values()}
    found: dict[int, str] = {}
    for facts in columns:
        if facts.at in taken or counts_failures(facts):
            continue
        other = "response_seconds" if names_milliseconds(facts) else ""
        whole = [one.field for one in likely_meanings(facts.header) if one.is_whole and one.field != other]
        for field in whole:
            if field in _FITS and field not in assigned and facts.filled and not _FITS[field](facts):
                found.setdefault(facts.at, field)
    return found


def unread_grades(columns: Sequence[Facts], assigned: Mapping[str, Assigned]) -> list[Facts]:
    """Columns named after scores or levels whose short cells look like some, and cannot be read as such."""
    odd = misfits(columns, assigned)
    return [
        facts
        for facts in columns
        if odd.get(facts.at)
        in ({"llm_score"} if facts.has_numbers and not is_untruth(facts.header) else {"llm_score", "intent_verdict"})
        and facts.share >= _LEAST_SHARE
        and facts.mean_length <= _SHORT_GRADE
        and not is_status_of_call(facts)
        and any(
            _DIGIT.search(value) or levels_of_words([value]) or _levels_of_letters(facts, [value])
            for value in facts.values
        )
    ]


def other_times(columns: Sequence[Facts], assigned: Mapping[str, Assigned]) -> list[Facts]:
    """Further columns that may be the time an answer took and say another one; none beside a total."""
    taken = next((assigned[field] for field in TIMES if field in assigned), None)
    if taken is None or is_total(taken.facts.header):
        return []
    found = {facts.at: (field, facts) for field in TIMES for _, facts, _ in candidates(columns, field)}
    means = {at: _mean_seconds(*one) for at, one in found.items()}
    own = means.get(taken.facts.at, 0.0)
    return [found[at][1] for at, mean in means.items() if abs(mean - own) > _LITTLE * own]


def stand_in(facts: Facts) -> float | None:
    """The number of nines, as 999, that stands far above every other time of the column; None without one."""
    highest, *others = sorted(set(facts.seconds), reverse=True) or [0.0]
    is_nines = highest >= _LEAST_NINES and set(f"{highest:.0f}") == {"9"} and highest == int(highest)
    return highest if is_nines and others and highest > _FAR * others[0] else None


def _mean_seconds(field: str, facts: Facts) -> float:
    is_bare = field == "latency_ms" and facts.numbers
    return fmean(facts.seconds) / (MILLISECONDS if is_bare else 1) if facts.seconds else 0.0


def unclear_times(columns: Sequence[Facts], assigned: Mapping[str, Assigned]) -> Facts | None:
    """The column named after a time whose cells can be two numbers each; None without one."""
    odd = misfits(columns, assigned)
    return next((facts for facts in columns if odd.get(facts.at) in TIMES and facts.unclear), None)


def unread_times(columns: Sequence[Facts]) -> Facts | None:
    """The column whose name says that it is a time, and that is none of answers as far as can be told; None without."""
    return next((facts for facts in columns if facts.filled and is_time(facts.header)), None)


def names_no_unit(facts: Facts) -> bool:
    """Are these bare numbers too large for most answers in seconds, under a name without a unit?"""
    is_bare = len(facts.numbers) == facts.filled and facts.are_whole
    return is_bare and facts.middle >= _MANY_SECONDS and not _SECONDS_NAME.search(normalise_header(facts.header))


def names_milliseconds(facts: Facts) -> bool:
    """Does the name of the column say the unit?"""
    return _MILLISECONDS_NAME.search(normalise_header(facts.header)) is not None


def is_in_milliseconds(facts: Facts) -> bool:
    """Are these whole numbers too large for seconds?"""
    return facts.are_whole and len(facts.numbers) == facts.filled and facts.middle >= _MILLISECONDS_FROM


def are_moments(facts: Facts) -> bool:
    """Has every cell the digits of a date?"""
    return all(len(_DIGIT.findall(value)) >= _DATE_DIGITS for value in facts.values)


def _is_error(facts: Facts) -> bool:
    """A column named after a status has to hold words that are known; any other one holds what it is named after.

    Numbers are no reason: promptfoo's `failureReason` is 1 where an assertion failed.
    """
    if facts.has_numbers and words_of(facts.header)[-1:] == ["reason"]:
        return False
    words = {value.casefold().replace(" ", "_") for value in facts.values}
    is_status = normalise_header(facts.header) in STATUS_NAMES
    return not is_status or (words <= FINE_WORDS | _FAILED_WORDS and bool(words & FINE_WORDS))


def _is_in_other_unit(facts: Facts) -> bool:
    """Does the name end in a unit that no document has?"""
    return words_of(facts.header)[-1:][0] in _OTHER_UNITS or _MICROSECONDS.search(facts.header) is not None


def _is_seconds(facts: Facts) -> bool:
    name = normalise_header(facts.header)
    if not facts.has_times or facts.middle > MOST_SECONDS or _is_in_other_unit(facts) or names_milliseconds(facts):
        return False
    return bool(_SECONDS_NAME.search(name)) or not is_in_milliseconds(facts)


def _is_milliseconds(facts: Facts) -> bool:
    if names_milliseconds(facts) and facts.has_times and not facts.numbers:
        return True  # each has its own unit
    is_named = names_milliseconds(facts) or is_in_milliseconds(facts)
    return facts.has_numbers and min(facts.numbers) >= 0 and is_named and not _is_in_other_unit(facts)


def _is_round(facts: Facts) -> bool:
    return len(facts.values) <= MAX_ROUNDS and facts.mean_length <= _LABEL


def _is_session(facts: Facts) -> bool:
    """Several values, at least one of which several rows have: the turns of one conversation."""
    return 1 < len(facts.values) < facts.filled and facts.mean_length <= _SHORT


def _is_severity(facts: Facts) -> bool:
    """Are these the levels of a log?"""
    return {value.casefold() for value in facts.values} <= _SEVERITIES


def _is_kind(facts: Facts) -> bool:
    return len(facts.values) <= FEW_VALUES and facts.mean_length <= _LABEL and not facts.has_objects


_FITS: Mapping[str, Callable[[Facts], bool]] = {
    "raw_json": lambda facts: facts.has_objects,
    "error": _is_error,
    "intent_verdict": lambda facts: bool(levels_of(facts)),
    "llm_score": lambda facts: bool(scales_of(facts)),
    "response_seconds": _is_seconds,
    "latency_ms": _is_milliseconds,
    "round": _is_round,
    "query_id": lambda facts: facts.mean_length <= _SHORT and not facts.has_objects,
    "item_id": lambda facts: facts.is_unique and facts.mean_length <= _SHORT,
    "session": _is_session,
    "turn": lambda facts: facts.has_numbers,
    "run_id": lambda facts: facts.mean_length <= _SHORT,
    "question": lambda facts: not facts.has_numbers,
    "response": lambda facts: not facts.has_objects,
    "expected": lambda facts: facts.filled > 0,
    "llm_comment": lambda facts: not facts.has_numbers,
    "track": lambda facts: len(facts.values) > 1 and _is_kind(facts) and not _is_severity(facts),
    "category": lambda facts: len(facts.values) <= _MANY and facts.mean_length <= _SHORT,
    "llm_model": lambda facts: len(facts.values) <= _MANY and facts.mean_length <= _SHORT and not facts.has_numbers,
    "executed_at": are_moments,
}


_TOPS = (5.0, 10.0, 100.0)
_MOST_TOPS = 2  # that are likely: numbers up to 5 may be of 5 or of 10
_PASS_SHARE = 0.6  # of the scale, as 3 of 5
_FEWEST = 2  # points of a scale with a band for each
_LEVELS = ("good", "partly", "bad")


def _named_scale(facts: Facts) -> Scale | None:
    """The scale that the name says. Fractions of 1 under `(%)` are shares, as Excel keeps percentages."""
    named = scale_of_name(facts.header)
    are_shares = not facts.are_whole and all(0 <= value <= 1 for value in facts.numbers)
    return Scale(0, 1) if are_shares and is_percentage(facts.header) else named


def scales_of(facts: Facts) -> tuple[Scale, ...]:
    """Scales that hold every number of the column, the likeliest first; () where none does.

    A column of whole numbers without any 0 is taken to start at 1. The scale of the name comes first.
    """
    if not facts.has_numbers:
        return ()
    low, high = min(facts.numbers), max(facts.numbers)
    named = _named_scale(facts)
    first = (named,) if named is not None and _holds(named, facts) else ()
    if low < 0 or high > _TOPS[-1]:
        return first
    tops = [1.0] if high <= 1 else []
    tops += [top for top in _TOPS if top >= high]
    starts_at_one = facts.are_whole and low >= 1
    scales = [
        Scale(low, top)
        for top in tops[:_MOST_TOPS]
        for low in ((1.0, 0.0) if starts_at_one and 1 < top < _TOPS[-1] else (0.0,))
    ]
    return tuple(dict.fromkeys((*first, *scales)))


def is_sure(facts: Facts) -> bool:
    """Can the scale be told: by the name, or because the numbers leave one of the usual scales?

    A scale that the name only usually has must not be contradicted: whole points from 1 on reach its top. Fractions of
    1 are shares, and above 10 there is 100 alone; a few whole numbers may be of any scale.
    """
    named = _named_scale(facts)
    if named is not None:
        is_reached = named.highest in {1.0, _TOPS[-1]} or max(facts.numbers) == named.highest
        return _holds(named, facts) and (is_declared(facts.header) or is_reached)
    is_share = max(facts.numbers) <= 1 and not facts.are_whole
    return is_share or len(scales_of(facts)) == 1


def _holds(scale: Scale, facts: Facts) -> bool:
    """Are the numbers on the scale? Of a declared one a few may be outside, which are not used and named."""
    rule = ScoreRule(lowest=scale.lowest, highest=scale.highest)
    inside = sum(rule.on_scale(value) is not None for value in facts.numbers)
    return inside >= (_MOSTLY if is_declared(facts.header) else 1) * len(facts.numbers)


def levels_of(facts: Facts) -> tuple[LevelGuess, ...]:
    """Points of the words of a column; where most say that something passed or failed, the others have none.

    Under a name as `failed`, `true` has none of the points; what only some cells say at all, and all of them alike, is
    nothing there: the others may have passed.
    """
    found = levels_of_words(facts.values) or _levels_of_letters(facts, facts.values)
    found = found or (levels_of_words(_verdicts_in(facts)) if says_passing(facts) else ())
    if not is_untruth(facts.header):
        return found
    found = _levels_turned(facts.values) or found
    said = {word.casefold() for word in facts.values}
    return found if facts.is_full or len({level.points for level in found if level.name in said}) > 1 else ()


def _levels_turned(values: Iterable[str]) -> tuple[LevelGuess, ...]:
    """Points of words for yes and no that say whether something failed; () where there is another word."""
    truths = words("verdicts")["truths"]
    named = {word.casefold() for word in values if not is_unassessed(word)}
    pairs = [pair for pair in zip(truths[::2], truths[1::2], strict=True) if not named.isdisjoint(pair)]
    if not named <= {word for pair in pairs for word in pair}:
        return ()
    best = tuple(LevelGuess(no, USUAL_SCALE.highest) for _, no in pairs)
    return best + tuple(LevelGuess(yes, USUAL_SCALE.lowest) for yes, _ in pairs)


def counts_failures(facts: Facts) -> bool:
    """Is it how many failed, under a name as `failed`, and not whether something did?"""
    return facts.has_numbers and is_untruth(facts.header) and not set(facts.numbers) <= {0.0, 1.0}


def says_passing(facts: Facts) -> bool:
    """Do most cells that say anything say `pass`, `불합격` or the like?"""
    said = sum(facts.values[word] for word in _verdicts_in(facts))
    held = sum(times for word, times in facts.values.items() if is_unassessed(word))
    return said > facts.filled - held - said


def _verdicts_in(facts: Facts) -> list[str]:
    return [word for word in facts.values if word.casefold() in words("verdicts")["words"]]


def is_unassessed(word: str) -> bool:
    """Does the word say that nothing was assessed, as `blocked` or `보류`?"""
    plain = _plain(word.casefold())
    return not plain or plain in (*words("unassessed")["words"], *words("not-run")["words"])


def _levels_of_letters(facts: Facts, values: Iterable[str]) -> tuple[LevelGuess, ...]:
    """Points of values of a column that are letters, which count under a name of grades."""
    is_graded = any(word in facts.header.casefold() for word in _LETTER_GRADES)
    return levels_of_words(values, ladder="letters") if is_graded else ()


def levels_of_words(values: Iterable[str], *, ladder: str = "") -> tuple[LevelGuess, ...]:
    """Points of the words of a column, from best to worst; () where some word is in no list of words.

    A word that says that nothing was assessed, as `blocked`, has none where others have.

    ladder: the list that is looked into, "" for all but letters, which may as well be the choices of a question. The
    best word scores the whole scale, the worst nothing, and the others lie between them at equal distances.
    """
    named = list(dict.fromkeys(value.casefold() for value in values))
    named = [word for word in named if not is_unassessed(word)]
    if not 0 < len(named) <= FEW_VALUES:
        return ()
    ladders = words("ladders")
    for listed in (ladders[ladder],) if ladder else [rungs for name, rungs in ladders.items() if name != "letters"]:
        steps = [step.split() for step in listed]
        places = [next((at for at, step in enumerate(steps) if _plain(word) in step), None) for word in named]
        known = [place for place in places if place is not None]
        if len(known) < len(named):
            continue
        missing = {0, len(steps) - 1} - set(known)  # a file in which nothing failed names no word for it
        rungs = [(place, word) for place, word in zip(known, named, strict=True)]
        rungs += [(place, next(one for one in steps[place] if one not in named)) for place in missing]
        last = len(steps) - 1
        return tuple(
            LevelGuess(word, round(USUAL_SCALE.highest * (last - place) / last, 2)) for place, word in sorted(rungs)
        )
    return ()


def is_not_run(word: str) -> bool:
    """Does the word say that a run never took place, or has not ended: pending, skipped?"""
    return _plain(normalise(word).casefold()) in words("not-run")["words"]


def levels_of_scale(scale: Scale) -> tuple[LevelGuess, ...]:
    """Three levels over a scale, for items that a status or a judge gives one."""
    middle = (scale.lowest + scale.highest) / 2
    return tuple(
        LevelGuess(name, points, name)
        for name, points in zip(_LEVELS, (scale.highest, middle, scale.lowest), strict=True)
    )


def passing(scale: Scale, *, are_whole: bool) -> float:
    """Points at which an item passes: 60 % of the scale, rounded up where all points are whole numbers."""
    points = scale.lowest + _PASS_SHARE * (scale.highest - scale.lowest)
    return float(math.ceil(round(points, 6))) if are_whole else round(points, 2)


def bands_of(scale: Scale, edges: Sequence[float]) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Upper ends of bands, ascending, and the points of each band and of what is beyond, from the highest down.

    A scale of few whole points has a band for each, and so fewer of the edges, of which the last one stays.
    """
    width = scale.highest - scale.lowest
    if width == int(width) and _FEWEST <= width < len(edges):
        edges = (*edges[: int(width) - 1], edges[-1])
    steps = len(edges)
    return tuple(edges), tuple(round(scale.highest - width * step / steps, 4) for step in range(steps + 1))


def _plain(word: str) -> str:
    return "_".join(word.replace("-", " ").replace("_", " ").split())
