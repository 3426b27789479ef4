"""Problems in plain Korean: where, what is wrong, what to do.

`파일 14행 '열': '값' … . 고치는 법. [code]`. Texts come from files and are cleaned; the caller escapes
for its format. docs/errors.md lists every code.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from reporting.display import clean, excerpt
from reporting.problem_text_checks import CHECK_TEXTS
from reporting.problem_text_input import FACTS, INPUT_TEXTS
from reporting.problem_text_rubric import RUBRIC_FACTS, RUBRIC_TEXTS
from scoring.problems import Problem

SOURCE_CHARS = 120
FOUND_CHARS = 80
VALUE_CHARS = 400
_UNKNOWN = ("알 수 없는 문제입니다", "이 줄을 그대로 Scorewatch 담당자에게 알려 주세요")

TEXTS: Mapping[str, Mapping[str, tuple[str, str]]] = {"ko": {**INPUT_TEXTS, **CHECK_TEXTS, **RUBRIC_TEXTS}}
_FACTS: Mapping[str, Mapping[str, Mapping[str, str]]] = {"ko": {**FACTS, **RUBRIC_FACTS}}


class ProblemText(NamedTuple):
    """place: `파일 14행 '열'`; what and fix: one sentence or more, with full stops; code: as in docs/errors.md."""

    place: str
    what: str
    fix: str
    code: str


def describe(problem: Problem, language: str = "ko") -> str:
    """One line: place, what is wrong, what to do, code. Raises KeyError for a language without texts."""
    text = explain(problem, language)
    place = f"{text.place}: " if text.place else ""
    return f"{place}{text.what} {text.fix} [{text.code}]"


def explain(problem: Problem, language: str = "ko") -> ProblemText:
    """The same in its pieces. Raises KeyError for a language without texts."""
    what, fix = TEXTS[language].get(problem.code, _UNKNOWN)
    names = _FACTS[language].get(problem.code, {})
    facts = _Facts({name: names.get(value) or excerpt(value, VALUE_CHARS) for name, value in problem.values.items()})
    facts.setdefault("paths", ", ".join(facts[name] for name in ("first", "second") if name in facts))
    facts["value"] = excerpt(problem.found, FOUND_CHARS)
    facts["column"] = excerpt(problem.column or "", FOUND_CHARS)
    return ProblemText(
        place=_place(problem), what=_sentence(what, facts), fix=_sentence(fix, facts), code=clean(problem.code)
    )


class _Facts(dict[str, str]):
    """A fact that a problem does not carry shows as `?`: a text must never fail."""

    def __missing__(self, name: str) -> str:
        return "?"


def _place(problem: Problem) -> str:
    pieces = [excerpt(problem.source, SOURCE_CHARS)]
    if problem.row is not None:
        pieces.append(f"{problem.row}행")
    if problem.line is not None and problem.line != problem.row:
        pieces.append(f"({problem.line}번째 줄)" if problem.row is not None else f"{problem.line}번째 줄")
    if problem.column is not None:
        pieces.append(f"'{excerpt(problem.column, FOUND_CHARS)}'")
    return " ".join(piece for piece in pieces if piece)


def _sentence(text: str, facts: _Facts) -> str:
    return text.format_map(facts) + "."
