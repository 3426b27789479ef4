"""Findings in plain words: what, where first, what to do; and as a short phrase with the count.

Texts come from files and are cleaned; the caller escapes for its format.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol

from reporting.wording.display import clean, count, excerpt
from reporting.wording.problems import FOUND_CHARS, SOURCE_CHARS, Facts, describe, facts_of, row_text, sentence
from scoring import MAX_LISTED_PROBLEMS, Finding, Problem, Severity
from texts import Texts, codes, fill, texts

if TYPE_CHECKING:
    from scoring.results import SetResult


MAX_PLACES = 2  # in one line
CHECKLIST = "checklist-unticked"  # the code of a finding that counts lines of the checklist
MAX_PROBLEMS = 3  # of one refused file, likewise
_BRACKETS = re.compile(r" ?\([^()]*\{(?!n\})[^()]*\)|: \{(?!n\})\w+\}")


class Found(Protocol):
    """A finding, as it was found or as a status file has it."""

    @property
    def code(self) -> str:
        """What it is."""

    @property
    def severity(self) -> Severity:
        """How much it takes away from the result."""


def describe_finding(finding: Finding, language: str = "ko", *, with_places: bool = True) -> str:
    """One line: what and how often, the first places, what to do, code. Raises KeyError for an unknown language.

    A finding that refused files is described as the problems of the first file.
    """
    t = texts(language)
    if not t.has(f"finding.{finding.code}"):
        more = finding.count - 1
        line = _of_first_file(finding, language, t)
        return t("finding-more-files", line=line, n=count(more)) if more and with_places else line
    facts = _facts(finding, t)
    places = first_places(finding, t) if with_places else ""
    pieces = [
        sentence(t(f"finding.{finding.code}"), facts),
        *([t("finding-places", places=places)] if places else []),
        sentence(t(f"fix.{finding.code}"), facts),
    ]
    return f"{' '.join(pieces)} [{clean(finding.code)}]"


def _of_first_file(finding: Finding, language: str, t: Texts) -> str:
    places = finding.places or (Problem(code=finding.code),)
    problems = [place for place in places if place.source == places[0].source]
    line = " ".join(describe(problem, language) for problem in problems[:MAX_PROBLEMS])
    more = len(problems) - MAX_PROBLEMS
    return t("finding-more", places=line, n=count(more)) if more > 0 else line


def brief(finding: Finding, t: Texts) -> str:
    """`범위 밖 LLM 점수 3칸`; marked when something was refused, left out or replaced."""
    key = f"brief.{finding.code}"
    if t.has(key):
        phrase = fill(t.entries[key], _facts(finding, t))
    else:
        phrase = t("brief-refused", n=count(finding.count), code=clean(finding.code))
    return phrase if finding.severity is Severity.NOTE else t("brief-error", phrase=phrase)


def brief_of_count(code: str, number: int, severity: Severity, t: Texts) -> str:
    """`brief` where the places of a finding are not known: what it needs of them is left out, with its brackets."""
    text = t.named("brief", code)
    phrase = fill(_BRACKETS.sub("", text), {"n": count(number)}) if text else ""
    phrase = phrase or t("brief-refused", n=count(number), code=clean(code))
    return phrase if severity is Severity.NOTE else t("brief-error", phrase=phrase)


class Numbers(NamedTuple):
    """How many findings there are. data: all but those of the checklist, whose lines are counted by themselves.

    errors: of them those that leave something out. A finding counts once, in however many places.
    """

    data: int
    errors: int


def numbers_of(findings: Iterable[Found]) -> Numbers:
    """The numbers that a report, the board and a line of the console tell."""
    of_data = [found for found in findings if found.code != CHECKLIST]
    return Numbers(len(of_data), sum(found.severity is not Severity.NOTE for found in of_data))


def counted(findings: Iterable[Found], t: Texts) -> str:
    """`3 (오류 1)`, the number of findings of the data; "" for none."""
    data, errors = numbers_of(findings)
    number = count(data) if data else ""
    return t("finding-errors", n=number, errors=count(errors)) if errors else number


def first_places(finding: Finding, t: Texts) -> str:
    """`a.csv LLM 점수 4행 '85', 9행 '7' 외 3`; "" for a finding without places in a file."""
    listed = places_in_files(finding)[:MAX_PLACES]
    shown = ", ".join(_each_place(listed, t))
    more = hidden_places(finding, len(listed))
    return t("finding-more", places=shown, n=count(more)) if shown and more else shown


def places_in_files(finding: Finding) -> tuple[Problem, ...]:
    """The places of a finding that can be shown: those of the set as a whole are left out."""
    return tuple(place for place in finding.places if place.source or place.row is not None or place.found)


def hidden_places(finding: Finding, shown: int) -> int:
    """How many places are not among the first `shown`; one may stand for several cells."""
    is_whole = len(finding.places) < MAX_LISTED_PROBLEMS
    known = sum(place.times for place in finding.places) if is_whole else finding.count
    return max(known - shown, 0)


def place_text(place: Problem, t: Texts) -> str:
    """`a.csv LLM 점수 4행 '85'`."""
    return next(_each_place((place,), t))


def _each_place(places: Sequence[Problem], t: Texts) -> Iterator[str]:
    """One text each; file and column are named where they change."""
    source, column = "", ""
    for place in places:
        pieces = []
        if place.source != source:
            source, column = place.source, ""
            pieces.append(excerpt(source, SOURCE_CHARS))
        if place.column and place.column != column:
            column = place.column
            pieces.append(excerpt(column, FOUND_CHARS))
        if place.row is not None:
            pieces.append(row_text(place, t))
        if t.has(f"place.{place.code}"):
            pieces.append(fill(t.entries[f"place.{place.code}"], facts_of(place, t)))
        elif place.found:
            pieces.append(f"'{excerpt(place.found, FOUND_CHARS)}'")
        yield " ".join(filter(None, pieces))


def _facts(finding: Finding, t: Texts) -> Facts:
    facts = facts_of(finding.places[0], t) if finding.places else Facts()
    facts["n"] = count(finding.count)
    named = [facts_of(place, t)["item"] for place in finding.places if "item" in place.values]
    if named:
        facts["items"] = ", ".join(dict.fromkeys(named))
    return facts


def damage_text(result: SetResult, t: Texts) -> str:
    """`250 of 300 rows could not be used …` where the figure that leads is damaged; "" else."""
    from scoring.results import leading_of  # a program that only reads reports needs no results

    leading = leading_of(result.rubric, result.kinds)
    damage = next((damage for damage in result.damaged if damage.metric == leading), None)
    if damage is None:
        return ""
    found = [finding for finding in result.findings if finding.code in damage.codes]
    rows = sum(finding.count for finding in found if codes()[finding.code].touches == "rows")
    items = len(result.items)
    if rows:
        return t("damaged.rows", lost=count(rows), of=count(items + rows))
    places = [(place.source, place.row) for finding in found for place in finding.places]
    lost = sum(finding.count for finding in found) - (len(places) - len(set(places)))  # a row of two findings is one
    return t("damaged.items", lost=count(min(lost, items)), of=count(items))
