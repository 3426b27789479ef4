"""Scores of a map: those that its keys are in a file, in place of the one that a document declares.

`scores.*.value` is the value of every key of `scores`, `metrics[name=*].score` that of every object of a list by its
name, the column `*` that of every column of numbers (docs/rubrics.md#scores). Which keys there are is found out for
each file, and a set has those of all its files.

Which keys can be scores is told by the words of their names (`ruled-out` in `texts/data/words.toml`).
"""

import re
from collections.abc import Container, Iterable, Iterator, Sequence
from functools import cache

from msgspec.structs import replace

from scoring.json_values import ANY_KEY, Having, Path, Step, as_text, find_values, having_step, name_step, parse_path
from scoring.rubric.fields import SCORE_PREFIX, Better, Measure, ScoreRule, is_score
from scoring.rubric.model import Rubric
from scoring.text import normalise
from texts import words

MAX_SCORES = 50  # of a document, and of a set
MATCH = "match"  # the name of a score that is not declared as one
RESERVED = frozenset({"total", "seconds", "answered", MATCH})  # and what begins with `pass`
SCORE_OF_ANY_KEY = f"{SCORE_PREFIX}{ANY_KEY}"
_STEP = re.compile(r"(?:^|\.)\*(?=[.\[]|$)|\[(?P<by>[^.\[\]=*]+)=\s*\*\s*\]")
_SIGNS = re.compile(r"\W+")
_LONGEST_NAME = 60


def is_map_path(path: str) -> bool:
    """Has this path the place of a key, and one alone?"""
    return sum(map(is_any, parse_path(path) or ())) == 1 and len(_STEP.findall(path)) == 1


def is_any(step: Step) -> bool:
    """Does a step of a path stand for every key?"""
    return step.text == ANY_KEY and not step.is_not if isinstance(step, Having) else step == ANY_KEY


def is_reserved(name: str) -> bool:
    """Is something else called so where figures are named?"""
    return name in RESERVED or name.startswith("pass")


def map_of(rubric: Rubric) -> Measure | None:
    """What stands for the scores of a map; None for a document without one, and for a rubric of `with_keys`."""
    return next((one for one in rubric.measures if one.name == SCORE_OF_ANY_KEY), None)


def keys_in(payload: object, paths: Iterable[str], declared: Container[str] = ()) -> Iterator[str]:
    """The keys of the maps of a payload that may have a score. paths: as a document declares them.

    declared: paths of scores that the document has itself, whose keys are none.
    """
    for written in paths:
        path = parse_path(written)
        assert path is not None
        at = next(index for index, step in enumerate(path) if is_any(step))
        for key, value in _entries(find_values(payload, path[:at]), path[at]):
            if _may_be_score(value, path[at + 1 :]) and at_key(written, key) not in declared:
                yield key


def _entries(values: Iterable[object], step: Step) -> Iterator[tuple[str, object]]:
    """What a map has under its keys, or a list under the names of its objects."""
    for value in values:
        if not isinstance(step, Having):
            yield from value.items() if isinstance(value, dict) else ()
        elif isinstance(value, list):
            yield from ((as_text(one[step.name]), one) for one in value if isinstance(one, dict) and step.name in one)


def _may_be_score(value: object, rest: Path) -> bool:
    """Does what is below a key fit the path: something that has parts where it goes on, and nothing such at its end?"""
    if not rest or not isinstance(value, dict):
        return isinstance(value, dict | list) is bool(rest)
    return not any(isinstance(one, dict | list) for one in find_values(value, rest))


def with_keys(rubric: Rubric, keys: Iterable[str]) -> Rubric:
    """The rubric with a score for each of these keys in place of its map, as many as there may be; else as it is.

    A score is called as its key is, in lower case and with `-` for signs and spaces; a name that is taken has a number
    behind it, one that means something else `score-` before it.
    """
    declared = map_of(rubric)
    if declared is None:
        return rubric
    at = rubric.measures.index(declared)
    others = (*rubric.measures[:at], *rubric.measures[at + 1 :])
    taken = {_folded(one.name) for one in others}
    room = MAX_SCORES - sum(is_score(one.name) for one in others)
    made: list[Measure] = []
    for key in keys:
        score = _of_key(declared, key, taken) if len(made) < room else None
        if score is not None:
            taken.add(_folded(score.name))
            made.append(score)
    weight = rubric.weights.get(SCORE_OF_ANY_KEY)
    weights = {name: one for name, one in rubric.weights.items() if name != SCORE_OF_ANY_KEY}
    weights |= {one.key: weight for one in made} if weight is not None else {}
    return replace(rubric, measures=(*others[:at], *made, *others[at:]), weights=weights)


def _of_key(declared: Measure, key: str, taken: set[str]) -> Measure | None:
    """The score of a key; None for one that no path can name."""
    rule = declared.score
    assert isinstance(rule, ScoreRule)
    paths = tuple(at_key(path, key) for path in declared.paths)
    title = normalise(key)
    if not title or not all(map(parse_path, paths)):
        return None
    name = _SIGNS.sub("-", title.casefold())[:_LONGEST_NAME].strip("-")
    name = f"score-{name}".strip("-") if not name or not name[0].isalpha() or is_reserved(name) else name
    first = f"{SCORE_PREFIX}{name}" if rule.has_points else name
    number, named = 1, first
    while _folded(named) in taken:
        number += 1
        named = f"{first}-{number}"
    reasons = tuple(at_key(path, key) for path in rule.reason_paths)
    reason = rule.reason_column and at_key(rule.reason_column, key)
    others = tuple(at_key(path, key) for path in rule.other_columns)
    score = replace(
        rule, key=key, maps=declared.paths, reason_paths=reasons, reason_column=reason, other_columns=others
    )
    better = Better.LOWER if rule.by_name and is_lower_better(words_of(title)) else declared.better
    column = key if declared.column == ANY_KEY else declared.column and at_key(declared.column, key)
    return replace(declared, name=named, title=title, column=column, paths=paths, better=better, score=score)


def _folded(name: str) -> str:
    """The form in which names are told apart: in CSV files `-` is `_`."""
    return name.replace("-", "_")


def at_key(path: str, key: str) -> str:
    """A path with a key in place of any."""
    found = _STEP.search(path)
    assert found is not None
    step = name_step(key) if found["by"] is None else having_step(found["by"].strip(), key)
    return f"{path[: found.start()]}{step}{path[found.end() :]}".removeprefix(".")


def keys_of(rubric: Rubric) -> tuple[str, ...]:
    """The keys of maps that a rubric of `with_keys` has scores of."""
    return tuple(one.score.key for one in rubric.measures if isinstance(one.score, ScoreRule) and one.score.key)


def own_paths(measures: Sequence[Measure]) -> frozenset[str]:
    """The paths of those among these measures that a document declares one by one."""
    each = (one for one in measures if not (isinstance(one.score, ScoreRule) and one.score.key))
    return frozenset(path for one in each for path in one.paths)


def maps_of(measures: Sequence[Measure]) -> tuple[str, ...]:
    """The paths of the map whose keys are scores among these measures, as the document declares them."""
    return next((one.score.maps for one in measures if isinstance(one.score, ScoreRule) and one.score.key), ())


_PIECES = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[가-힣]+|[0-9]+")
_HANGUL = re.compile("[가-힣]")


def words_of(name: str) -> list[str]:
    """`answerScore_2` -> answer, score, 2; case counts for none of them."""
    return [piece.casefold() for piece in _PIECES.findall(name)]


def has_word(found: Sequence[str], kind: str) -> bool:
    """Is any of these words in the list? Hangul has no spaces in names: parts count."""
    listed = _listed(kind)
    return any(
        word in listed or (_HANGUL.match(word) is not None and any(len(one) > 1 and one in word for one in listed))
        for word in found
    )


def is_lower_better(found: Sequence[str]) -> bool:
    """Do the words of a name say that less is better: hallucination, toxicity, risk, and none that turns it round?"""
    return has_word(found, "lower") and not any(word in _listed("lower-undone") for word in found)


@cache
def _listed(kind: str) -> frozenset[str]:
    return frozenset(words("ruled-out")[kind])
