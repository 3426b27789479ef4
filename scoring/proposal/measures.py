"""Further numbers of a file that are no score and no time: tokens, cost, steps."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain, count
from typing import NamedTuple

from scoring.proposal.columns import Assigned, candidates, title_of
from scoring.proposal.facts import Facts
from scoring.proposal.model import MeasureGuess
from scoring.rubric.fields import normalise_header

MAX_MEASURES = 12
_LONGEST_NAME = 40
_LEAST_SHARE = 0.3  # of the rows that have one
_FEWEST_NUMBERS = 3  # different ones of a column whose name says nothing
_WON = re.compile("krw|원")
_USAGE = re.compile("(?:usage|tokens?)[^.]*[.]")  # above the name
_DOLLAR = re.compile("cost|price|usd|[$]|비용|요금")


class _Kind(NamedTuple):
    """What a name says of its numbers. decimals: None for as many as they need."""

    pattern: re.Pattern[str]
    unit: str
    decimals: int | None


# By the name in the form in which headers are compared; the first that is found in it.
_KINDS = (
    _Kind(re.compile("token|토큰"), "tokens", 0),
    _Kind(_DOLLAR, "USD", 4),
    _Kind(
        re.compile(r"^(?:num|n|number(?:of)?)?(?:steps?|turns?|toolcalls?|calls|actions?)(?:count)?$|단계수|호출수"),
        "",
        0,
    ),
)


def find_measures(columns: Sequence[Facts], assigned: Mapping[str, Assigned]) -> tuple[MeasureGuess, ...]:
    """Columns of numbers that no field has. Those whose name says nothing are doubtful.

    Further columns of scores are measures of which larger values are better.
    """
    taken = {one.facts.at for one in assigned.values()}
    scores = {facts.at for _, facts, _ in candidates(columns, "llm_score")}
    found: list[MeasureGuess] = []
    for facts in columns:
        if facts.at in taken or not facts.has_numbers or facts.share < _LEAST_SHARE or len(found) == MAX_MEASURES:
            continue
        kind = _kind(facts)
        is_score = kind is None and facts.at in scores
        if kind is None and not is_score and len(set(facts.numbers)) < _FEWEST_NUMBERS:
            continue
        found.append(
            MeasureGuess(
                name=_name(title_of(facts.header)),
                title=title_of(facts.header),
                unit="" if kind is None else kind.unit,
                decimals=None if kind is None or (kind.decimals == 0 and not facts.are_whole) else kind.decimals,
                is_better_higher=is_score,
                is_doubtful=kind is None and not is_score,
            )
        )
    return with_other_names(found)


def with_other_names(measures: Iterable[MeasureGuess]) -> tuple[MeasureGuess, ...]:
    """The measures, those with the name of an earlier one with a number behind it."""
    named: dict[str, MeasureGuess] = {}
    for one in measures:
        names = chain((one.name,), (f"{one.name}-{number}" for number in count(2)))
        name = next(name for name in names if name not in named)
        named[name] = replace(one, name=name)
    return tuple(named.values())


def _kind(facts: Facts) -> _Kind | None:
    name = normalise_header(facts.header.rpartition(".")[2])
    kind = next((one for one in _KINDS if one.pattern.search(name)), None)
    if kind is None and _USAGE.search(normalise_header(facts.header)):
        kind = _KINDS[0]
    return (
        kind._replace(unit="KRW", decimals=None)
        if kind is not None and kind.unit == "USD" and _WON.search(name)
        else kind
    )


def _name(title: str) -> str:
    """A name of lower case letters, digits and `-`."""
    last = title.rpartition(".")[2]
    divided = re.sub("([a-z])([A-Z])", r"\1-\2", last).casefold()
    return re.sub("[^a-z0-9]+", "-", divided).strip("-")[:_LONGEST_NAME].strip("-") or "measure"
