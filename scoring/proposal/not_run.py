"""Rows without an answer that do not say so by a blank cell.

Of runs that never took place: `pending` or `skipped` in place of an answer, an error, a score and a time. And with a
word in place of the answer, `-` or `N/A`.
"""

import re
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence

from scoring.items import folded
from scoring.json_values import parse_path
from scoring.proposal.columns import NO_WORDS, STATUS_NAMES, Assigned, candidates, is_not_run, title_of
from scoring.proposal.json_fields import first_step
from scoring.proposal.model import NoAnswer, NotRun, Sample
from scoring.proposal.names import is_outcome, likely_meanings
from scoring.proposal.sample import FEW_VALUES, Facts
from scoring.rubric import normalise_header
from scoring.text import is_blank, normalise
from texts import words

_NOTHING = frozenset({"-", "n/a", "na"})
_LONGEST_ERROR = 200
_ERROR = re.compile(
    r"""\W*(?:(?:[\w.]*(?:error|exception)|오류|에러)\s*[:\])]|error\s+code|traceback\s|time[d ]*-?\s?out\W*$
    |http(?:/[0-9.]+)?\s*(?:error\s*)?[45][0-9]{2}\b
    |[45][0-9]{2}\s+(?:bad|unauthorized|forbidden|not\ found|request|too\ many|internal|service|gateway))""",
    re.IGNORECASE | re.VERBOSE,
)
_CALL_ERROR = re.compile(
    r"\W*(?:(?:agent|api|llm|model|server|request|openai|anthropic|azure)\s+)+(?:call\s+)?error\s*[:(]", re.IGNORECASE
)
_FEWEST_EQUAL, _LONG = 3, 20  # answers, and characters of each
_ANSWERED = {normalise_header(name): kind for kind, names in words("answered").items() for name in names}
_YES_WORDS = frozenset(words("verdicts")["truths"]) - NO_WORDS
_NO_ANSWER = frozenset(map(folded, words("no-answer")["words"]))
_LONGEST = 40  # characters of a word in place of an answer
_NO_FAULT = _NOTHING | NO_WORDS  # a score of 0 was given, a time of 0 was not measured
_OF_RUNS = dict.fromkeys(("response", "raw_json", "llm_score", "intent_verdict"), _NOTHING)
_OF_RUNS |= dict.fromkeys(("error", "response_seconds", "latency_ms"), _NO_FAULT)


def find_not_run(sample: Sample, columns: Sequence[Facts], assigned: Mapping[str, Assigned]) -> tuple[NotRun, ...]:
    """The columns that say so, with the words under which no row has anything of a run."""
    of_runs = {facts.at: _NOTHING for _, facts, _ in candidates(columns, "response")}
    of_runs |= {assigned[field].facts.at: nothing for field, nothing in _OF_RUNS.items() if field in assigned}
    has_run = [any(_says(row[at], nothing) for at, nothing in of_runs.items()) for row in sample.rows]
    return tuple(_found(sample, columns, has_run))


def find_no_answer(answers: Iterable[str], assigned: Mapping[str, Assigned]) -> tuple[NoAnswer, ...]:
    """Answers that are a word for none; not those that are expected of some question."""
    expected = assigned["expected"].facts.values if "expected" in assigned else ()
    known = _NO_ANSWER - set(map(folded, expected))
    short = Counter(normalise(answer) for answer in answers if len(answer) <= _LONGEST)
    return tuple(NoAnswer(*one) for one in short.items() if folded(one[0]) in known and one[0].isprintable())


def is_none(answer: str) -> bool:
    """Is it blank, or a word that there is none?"""
    return is_blank(answer) or folded(normalise(answer)) in _NO_ANSWER


def find_errors(sample: Sample, assigned: Mapping[str, Assigned]) -> list[str]:
    """Answers that are messages of an error, as `Error: 503`, of rows that have none beside them."""
    answer, error = assigned.get("response"), assigned.get("error")
    if answer is None:
        return []
    rows = (row for row in sample.rows if error is None or is_blank(row[error.facts.at]))
    texts = (row[answer.facts.at].strip() for row in rows)
    return [text for text in texts if (len(text) <= _LONGEST_ERROR and _ERROR.match(text)) or _CALL_ERROR.match(text)]


def find_equal(sample: Sample, assigned: Mapping[str, Assigned]) -> str:
    """The text that all answers to several questions are, as a template leaves it; "" where they differ."""
    answer, question = assigned.get("response"), assigned.get("question")
    if answer is None or question is None or len(question.facts.values) < _FEWEST_EQUAL:
        return ""
    texts = {text for row in sample.rows if (text := row[answer.facts.at].strip())}
    text = texts.pop() if len(texts) == 1 and answer.facts.filled >= _FEWEST_EQUAL else ""
    return text if len(text) >= _LONG else ""


def find_unanswered(
    sample: Sample, columns: Sequence[Facts], assigned: Mapping[str, Assigned]
) -> tuple[Facts, int] | None:
    """The column that says of rows with an answer that there is none, and of how many; None without one."""
    places = [assigned[field].facts.at for field in ("response", "error") if field in assigned]
    for facts in columns if "response" in assigned else ():
        kind = _ANSWERED.get(normalise_header(facts.header))
        if kind is None or not {value.casefold() for value in facts.values} <= _YES_WORDS | NO_WORDS:
            continue
        said = NO_WORDS if kind == "names" else _YES_WORDS
        found = [[row[at].strip() for at in places] for row in sample.rows if row[facts.at].strip().casefold() in said]
        if rows := sum(not is_none(answer) and not any(errors) for answer, *errors in found):
            return facts, rows
    return None


def _found(sample: Sample, columns: Sequence[Facts], has_run: Sequence[bool]) -> Iterator[NotRun]:
    for facts in columns:
        path = where_path(title_of(facts.header))
        if len(facts.values) > FEW_VALUES or not path or not _is_status(facts.header):
            continue
        cells = [normalise(row[facts.at]) for row in sample.rows]
        run = {cell for cell, has in zip(cells, has_run, strict=True) if has}
        if words := tuple(word for word in facts.values if is_not_run(word) and word not in run):
            yield NotRun(path, words, sum(cell in words for cell in cells))


def _says(cell: str, nothing: Container[str]) -> bool:
    return not (is_blank(cell) or cell.strip().casefold() in nothing or is_not_run(cell))


def _is_status(header: str) -> bool:
    is_verdict = any(one.field == "intent_verdict" for one in likely_meanings(header))
    return is_verdict or is_outcome(header) or normalise_header(header.rpartition(".")[2]) in STATUS_NAMES


def where_path(title: str) -> str:
    """The title as `where` names it, "" where it cannot."""
    quoted = first_step(title)
    return title if parse_path(title) else quoted if parse_path(quoted) == (title,) else ""
