"""What the name of a column or a path rules out, and the scale that it declares or usually has.

Words and ranges are in `texts/data/words.toml`. Nothing here looks at the values of a file.
"""

import re
from collections.abc import Iterator
from functools import cache, lru_cache

from scoring.json_values import Having, parse_path
from scoring.rubric import Scale, Spelling, has_word, is_lower_better, meanings, normalise_header, words_of
from texts import words

_IDENTITIES = frozenset(
    {"query_id", "item_id", "run_id", "session", "turn", "round", "other", "llm_model", "executed_at"}
)
_GRADES = frozenset({"llm_score", "intent_verdict"})
_TIMES = frozenset({"response_seconds", "latency_ms"})
_OF_GRADERS = frozenset({*_TIMES, "llm_model", "query_id"})  # that a judge or an evaluator has, too
_REMARK = re.compile(r"\s*\([^()]*\)\s*$")
_WHETHER = re.compile(r"(?:\s*여부|[ _]flag)$", re.IGNORECASE)  # behind what is true or false
_SCORE = "score"
_APART = frozenset(
    {
        "scores",
        "metrics",
        "evaluations",
        "feedback",
        "annotations",
        "eval",
        "evals",
        "grades",
        "assessments",
        "checks",
        "graders",
    }
    | {"v1", "v2"}
)
_TRUTHS = frozenset(
    {"pass", "passed", "success", "succeeded", "successful", "correct", "solved", "resolved"}
    | {"성공", "통과", "합격", "해결", "해결여부"}
    | {"정답여부", "성공여부", "합격여부", "통과여부", "정오", "정오여부", "정오판정", "정답유무", "맞음", "o/x", "ox"}
    | {"적합여부"}
)
_UNTRUTHS = frozenset({"fail", "failed", "incorrect", "wrong", "unsuccessful", "오답", "실패", "불합격", "틀림"})
_ASKS = frozenset({"is", "has"})
_WHOLE_TRUTHS = frozenset(
    {"match", "matched", "ismatch", "matchesexpected", "executionaccuracy", "taskcompleted"}
    | {"pass/fail", "p/f", "합격/불합격", "성공/실패", "적합/부적합", "정답/오답"}
)  # `exact_match` is one score of several
_VERDICTS = frozenset(
    {"verdict", "judgement", "judgment", "assessment", "passfail"}
    | {"판정", "판정결과", "채점", "채점결과", "합격여부", "통과여부", "최종판정", "최종판단"}
)
_STATUS_CODES = frozenset({"statuscode", "httpstatus", "httpcode", "responsecode"})
_VALUES = frozenset(
    {"score", "value", "scores", "metrics", "v1", "v2"}
)  # say nothing of what is scored below another name
_NUMBER = r"([0-9]{1,4}(?:\.[0-9]{1,2})?)"
# `(1-5)`, `[0~100]`, `1 to 5`; `out of 10`, `/5`, `10점 만점`; `(%)`.
_DECLARED = re.compile(rf"[(\[]\s*{_NUMBER}\s*(?:점)?\s*(?:-|–|~|∼|～|to)\s*{_NUMBER}\s*(?:점)?\s*[)\]]", re.IGNORECASE)
_FROM_TO = re.compile(rf"\b{_NUMBER}[ _]to[ _]{_NUMBER}\b", re.IGNORECASE)
_OUT_OF = re.compile(rf"(?:out[ _]of[ _]|/\s?){_NUMBER}\s*[)\]]?$|{_NUMBER}\s*점\s*(?:만점|[)\]]\s*$)", re.IGNORECASE)
# `(1=best, 6=worst)`, `lower is better`.
_LOWEST_IS_BEST = re.compile(
    r"\b[01]\s*[=:][^0-9]*[1-9][0-9]*\s*[=:]\s*(?:very\s|매우\s)?(?:worst|bad|poor|최저|최하|나쁨)"
    "|(?:lower|less) is better|낮을수록",
    re.IGNORECASE,
)
_NUMBERED = re.compile("(.+?)(?:[ _-]?[1-9]|[ _-][ab])")
_SHARE_OF_HUNDRED = re.compile(r"[(\[]\s*%\s*[)\]]|%$")


def likely_meanings(header: str) -> Iterator[Spelling]:
    """What `scoring.rubric.meanings` finds, without what the name itself rules out.

    An expected answer, an ID, an event or a message of a provider is no answer; success of a request or of a part, as
    the choice of a tool, is no level; a number of which less is better is no score.
    """
    ruled_out = _ruled_out(header)
    plain = header
    if _is_chosen(header) or '["' in header or ("/" in _parted(header)[0] and not any(meanings(header))):
        plain = ".".join(name.replace(" ", "_") for name in _names(header))
    yield from (one for one in meanings(plain.rstrip("?!. ")) if not ruled_out(one))


def may_be_answer(header: str) -> bool:
    """May a column of texts under a name that says nothing else be what the agent wrote?"""
    names = _names(header)
    given = any(has_word(words_of(name), "given") for name in names)
    given = given or any(one.field == "error" and one.is_whole for name in names[:-1] for one in meanings(name))
    return not given and not _ruled_out(header)(Spelling("response", False, 0))


def is_counterpart(header: str, expected: str) -> bool:
    """Is this what came, beside what was expected: `actual_result` beside `expected_result`, or `gold_decision`?"""
    *above, last = _names(header)
    *above_expected, other = _names(expected)
    kept = [word for word in words_of(last) if not has_word([word], "actual")]
    wanted = [word for word in words_of(other) if not has_word([word], "wanted")]
    return above == above_expected and bool(kept) and kept == wanted and last != other


def is_numbered_answer(header: str) -> bool:
    """Is this one of several answers to a question, by its name: `output_1`, `answer_a`?"""
    found = _NUMBERED.fullmatch(header.casefold())
    return found is not None and any(one.field == "response" and one.is_whole for one in likely_meanings(found[1]))


def is_better_lower(header: str) -> bool:
    """Does the name say that less is better: hallucination, toxicity, risk, distance, loss?"""
    return is_lower_better(words_of(_subject(header))) or _LOWEST_IS_BEST.search(header) is not None


def is_of_whole(header: str) -> bool:
    """Is a score under this name about the whole answer, and not about one aspect of it, as its tone?"""
    *above, last = _names(header)
    is_apart = _is_chosen(header) or any(normalise_header(name) in _APART for name in above)
    if above and normalise_header(last) == _SCORE and not is_apart:
        return True  # `data.score`, and not `scores.tone.score`
    subject = _subject(header)
    name = _REMARK.sub("", subject)
    if normalise_header(name) in _whole_scores():
        return True
    *before, noun = words_of(subject) or [""]
    is_aspect = has_word(before[-1:], "aspect") or is_overlap(header)
    return normalise_header(noun) in _whole_scores() and not is_aspect


def is_overlap(header: str) -> bool:
    """Does the name say how much of an expected answer is repeated, as BLEU does? It passes nothing by itself."""
    return has_word(words_of(_subject(header)), "overlap")


def is_named_apart(header: str) -> bool:
    """Is this a score among others, by its name in a list or below another name?"""
    return len(_names(header)) > 1


def is_among_scores(header: str) -> bool:
    """Does the name stand below one of scores, as `evals[metric=tone].value`, and of no time, cost or rank?"""
    above, found = _names(header)[:-1], words_of(_subject(header))
    is_below = any(word in _APART for name in above for word in words_of(name))
    is_named = _is_chosen(header) or any(one.field in _GRADES for one in likely_meanings(header))
    is_named = is_named or any(words_of(name)[-1:] == ["scores"] for name in above)  # a map of them
    return is_below and is_named and not (has_word(found, "quantity") or has_word(found, "unscored"))


def is_http_status(header: str) -> bool:
    """Is this the status of a call?"""
    return is_of_request(header) or normalise_header(_names(header)[-1]) in _STATUS_CODES


def is_agent(header: str) -> bool:
    """Does the name say which agent or model answered?"""
    *above, last = _names(header)
    is_of_it = has_word(words_of(last), "identity") or has_word(words_of(last), "called")
    is_named = any(normalise_header(name) in _agents() for name in (last, *(above[-1:] if is_of_it else ())))
    return is_named or any(one.field == "llm_model" and one.is_whole for one in likely_meanings(header))


def is_time(header: str) -> bool:
    """Does the name say that this is a time, of whatever it is?"""
    return any(one.field in _TIMES for one in meanings(header))


def is_kind(header: str) -> bool:
    """Does the name end in a word for a kind: error type, 오류 유형?"""
    return normalise_header(_names(header)[-1]).endswith(tuple(words("kinds")["names"]))


def is_final(header: str) -> bool:
    """Does the name say that nothing comes after it: final verdict, 최종 판정?"""
    return any(word in normalise_header(_names(header)[-1]) for word in words("final")["words"])


def is_total(header: str) -> bool:
    """Does the name say that this is all of it: total latency, end-to-end time?"""
    return has_word(words_of(_names(header)[-1]), "total")


def is_limit(header: str) -> bool:
    """Does the name say that an answer passes from this number on?"""
    return normalise_header(_REMARK.sub("", _names(header)[-1])) in _limits()


def is_outcome(header: str) -> bool:
    """Does the name end in a word for success or a status?"""
    return has_word(words_of(_WHETHER.sub("", _names(header)[-1]))[-1:], "outcome")


def is_of_request(header: str) -> bool:
    """Is this the success of a call, or its status, and not that of the answer?"""
    *above, last = map(words_of, _names(header))
    return is_outcome(header) and any(has_word(found, "request") for found in (*above, last))


def is_of_execution(header: str) -> bool:
    """Is this whether what the agent wrote could be run, as `execute_success`, and not whether it is right?"""
    return is_outcome(header) and has_word(words_of(_names(header)[-1]), "execution")


def is_beside_scores(header: str) -> bool:
    """Does the name end in a word for what goes with a score and is none: its threshold, weight, version?"""
    return has_word(words_of(_REMARK.sub("", _names(header)[-1]))[-1:], "unscored")


def is_truth(header: str) -> bool:
    """Does the name of a column of true and false say that the answer is right: passed, correct, task_success?"""
    found, whole = words_of(_names(header)[-1]), normalise_header(header)
    return (
        any(one.field == "intent_verdict" for one in likely_meanings(header))
        and (any(word in _TRUTHS for word in (*found, whole)) or whole in _WHOLE_TRUTHS)
        and not has_word(found, "unscored")
        and not is_untruth(header)
    )


def is_untruth(header: str) -> bool:
    """Does the name of a column of true and false say that the answer is not right: failed, is_incorrect, 오답여부?"""
    *above, last = _names(header)
    is_other = any(has_word(words_of(name), kind) for name in above for kind in ("request", "part", "whole-run"))
    return _denies(last) and not is_other


def says_right(header: str) -> bool:
    """Does the name say that the answer is right, or that it is not?"""
    return is_truth(header) or is_untruth(header)


def may_be_verdict(header: str) -> bool:
    """May a column of `pass` and `fail` under this name be about the whole answer, and not about a part or a call?"""
    ruled_out = _ruled_out(header)(Spelling("intent_verdict", False, 0))
    ruled_out = ruled_out or any(has_word(words_of(name), "stage") for name in _names(header))
    return not (ruled_out or is_http_status(header) or is_among_scores(header))


def is_verdict(header: str) -> bool:
    """Is a column by this name about nothing but what passed and what failed?"""
    return normalise_header(_REMARK.sub("", _names(header)[-1])) in _VERDICTS


def scale_of_name(header: str) -> Scale | None:
    """The scale that a name declares, as `rating (1-5)` does, or usually has; None where it says none."""
    if found := _DECLARED.search(header) or _FROM_TO.search(header):
        low, high = map(float, found.groups())
        return Scale(low, high) if 0 <= low < high else None
    if found := _OUT_OF.search(header.strip()):
        high = float(next(filter(None, found.groups())))
        return Scale(0, high) if high >= 1 else None
    if _SHARE_OF_HUNDRED.search(header.strip()):
        return Scale(0, 100)
    names = _names(header)
    for name in (header, *reversed(names), *reversed(words_of(names[-1]))):
        if (scale := _ranges().get(normalise_header(name))) is not None:
            return scale
    return None


def is_percentage(header: str) -> bool:
    """Does the name say per cent?"""
    return _SHARE_OF_HUNDRED.search(header.strip()) is not None


def is_declared(header: str) -> bool:
    """Does the name itself say the scale?"""
    return any(pattern.search(header.strip()) for pattern in (_DECLARED, _FROM_TO, _OUT_OF, _SHARE_OF_HUNDRED))


class _RuledOut:
    def __init__(self, header: str) -> None:
        names = _names(header)
        self._last = words_of(names[-1])
        self._all = [word for name in names for word in words_of(name)]
        self._is_event = any(has_word([word], "events") for name in names[:-1] for word in words_of(name))
        self._is_event = self._is_event or has_word(self._last[:1], "events")
        self._is_wanted = has_word(self._all, "wanted") or _is_before(("correct", "right", "true"), self._last)
        self._is_identity = has_word(self._last[-1:], "identity")
        self._is_lower = is_better_lower(header)
        self._is_given = has_word(self._last[-1:], "held") and any(
            has_word(words_of(name), "source") for name in names[:-1]
        )
        self._is_unscored = has_word(self._last, "unscored") or is_limit(header)
        self._is_of_request = is_of_request(header)
        self._is_apart = any(word in _APART for name in names[:-1] for word in words_of(name))
        self._is_of_agent = any(normalise_header(name) in _agents() for name in names[:-1])
        self._is_of_grader = has_word(self._last, "grader")
        self._is_of_run = has_word(self._last[:-1], "whole-run")
        self._is_of_stage = has_word(self._all, "stage")
        self._is_of_part = has_word(self._last, "part")
        self._is_denied_of_other = _denies(names[-1]) and not is_untruth(header)
        self._is_of_something = has_word(self._last[-1:], "other") or self._last[-1:] in _nouns()

    def __call__(self, spelling: Spelling) -> bool:
        field, is_part = spelling.field, not spelling.is_whole
        if self._is_event and field in {"response", "error", *_GRADES}:
            return True
        if field == "response":
            is_other = self._is_wanted or self._is_identity or self._is_given
            return is_other or (is_part and self._is_of_something)
        if field in _GRADES:
            other = self._is_lower or self._is_of_request or (self._is_unscored and field == "llm_score")
            other = other or self._is_denied_of_other
            return other or (is_part and (self._is_wanted or self._is_of_part))
        if field == "expected" and (self._is_apart or self._is_of_agent or (is_part and self._is_of_part)):
            return True  # `eval.tone.label` is what a grader says, `provider.label` which agent it is
        if field in _OF_GRADERS and is_part and self._is_of_grader:
            return True
        if field in _TIMES:
            return self._is_of_stage or (is_part and (self._is_of_run or self._is_identity))
        if field == "error":
            return is_part and has_word(self._last[-1:], "other")
        return is_part and self._is_identity and field not in _IDENTITIES


_ruled_out = lru_cache(maxsize=4096)(_RuledOut)


def _names(header: str) -> list[str]:
    """The names of a path, without places in lists; a header of a table is one."""
    if _is_chosen(header) or '["' in header:
        steps = (step.text if isinstance(step, Having) else step for step in parse_path(header) or ())
        return [name for step in steps if isinstance(step, str) for name in step.split(".") if name] or [header]
    head, remark = _parted(header)
    is_one = " " in head or ("/" in head and any(one.is_whole for one in meanings(header)))  # `pass/fail`
    *above, last = [name for name in ([head] if is_one else re.split("[./]", head)) if name] or [head]
    return [*(name.partition("[")[0] or name for name in above), (last.partition("[")[0] or last) + remark]


def _parted(header: str) -> tuple[str, str]:
    """The name, and what stands in brackets behind it: `채점(O/X)`."""
    found = _REMARK.search(header)
    return (header[: found.start()], found[0]) if found and found.start() else (header, "")


def _is_chosen(header: str) -> bool:
    """Is this a path to the objects of a list that have one name?"""
    return "=" in header and any(isinstance(step, Having) for step in parse_path(header) or ())


def _subject(header: str) -> str:
    """What is scored: the last name, or the one above it where that only says that it is a score."""
    names = _names(header)
    return next((name for name in reversed(names) if normalise_header(name) not in _VALUES), names[-1])


def _denies(name: str) -> bool:
    """`failed`, `is_incorrect`, `not_passed`, `오답여부`."""
    found = [word for word in words_of(_WHETHER.sub("", _REMARK.sub("", name))) if word not in _ASKS]
    is_negated = found[:1] == ["not"] and len(found) == 2 and found[1] in _TRUTHS
    return is_negated or (len(found) == 1 and found[0] in _UNTRUTHS)


def _is_before(adjectives: tuple[str, ...], found: list[str]) -> bool:
    """`correct answer`, and not `answer correct`."""
    return any(word in adjectives for word in found[:-1]) and not any(word in adjectives for word in found[-1:])


@cache
def _whole_scores() -> frozenset[str]:
    return frozenset(map(normalise_header, words("whole-scores")["names"]))


@cache
def _limits() -> frozenset[str]:
    return frozenset(map(normalise_header, words("limits")["names"]))


@cache
def _agents() -> frozenset[str]:
    return frozenset(map(normalise_header, words("agents")["names"]))


@cache
def _nouns() -> list[list[str]]:
    """Last words that name something else than an answer: the score of an answer, whether it is correct."""
    return [[word] for field, listed in words("column-words").items() if field != "response" for word in listed]


@cache
def _ranges() -> dict[str, Scale]:
    ranges: dict[str, Scale] = {}
    for shown, names in words("ranges").items():
        low, high = map(float, shown.split("-"))
        ranges |= {normalise_header(name): Scale(low, high) for name in names}
    return ranges
