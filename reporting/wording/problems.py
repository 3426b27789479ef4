"""Problems in plain words: where, what is wrong, what to do.

`파일 14행 '열': '값' … . 고치는 법. [code]`. Texts come from files and are cleaned; the caller escapes
for its format. docs/errors.md lists every code.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from string import Formatter
from typing import NamedTuple

from reporting.wording.catalogue import LANGUAGES, Texts, texts
from reporting.wording.display import clean, excerpt
from reporting.wording.system import in_words
from scoring.problems import Problem

SOURCE_CHARS = 120
FOUND_CHARS = 80
VALUE_CHARS = 400
_CODE = re.compile("`[^`|]+`")
_ROLE_CODES = frozenset(
    {
        "rubric-table-missing",
        "rubric-tables-differ",
        "rubric-status-without-points",
        "rubric-copy-differs",
        "rubric-band-only-missing",
        "rubric-band-no-missing",
        "rubric-condition-missing",
    }
)
_LISTS = {"missing-columns": "found", "records-lack-columns": "found", "records-not-found": "value"}  # may be empty


class ProblemText(NamedTuple):
    """place: `파일 14행 '열'`; what and fix: one sentence or more, with full stops; code: as in docs/errors.md."""

    place: str
    what: str
    fix: str
    code: str


@cache
def code_spans() -> re.Pattern[str]:
    """Pieces in backticks of our own texts; none contains text from a file."""
    prefixes = ("what.", "finding.", "fix.")
    texts_of_codes = (text for named in LANGUAGES.values() for key, text in named.items() if key.startswith(prefixes))
    spans = {span for text in texts_of_codes for span in _CODE.findall(text)}
    own = {span.format() for span in spans if not any(name for _, name, _, _ in Formatter().parse(span))}
    return re.compile("|".join(map(re.escape, sorted(own, key=len, reverse=True))))


def describe(problem: Problem, language: str = "ko") -> str:
    """One line: place, what is wrong, what to do, code. Raises KeyError for a language without texts."""
    text = explain(problem, language)
    place = f"{text.place}: " if text.place else ""
    return f"{place}{text.what} {text.fix} [{text.code}]"


def explain(problem: Problem, language: str = "ko") -> ProblemText:
    """The same in its pieces. Raises KeyError for a language without texts."""
    t = texts(language)
    what, fix = TEXTS[language].get(problem.code) or (t("problem.unknown"), t("problem.unknown-fix"))
    facts = facts_of(problem, t)
    return ProblemText(
        place=_place(problem, t), what=sentence(what, facts), fix=sentence(fix, facts), code=clean(problem.code)
    )


class Facts(dict[str, str]):
    """Facts by name. One that a problem does not carry shows as `?`: a text must never fail."""

    def __missing__(self, name: str) -> str:
        return "?"


def row_text(problem: Problem, t: Texts) -> str:
    """`14행`; of JSON `14번째 줄` and `14번째 레코드`. The problem has a row."""
    row = str(problem.row)
    return t(f"problem.at-{problem.row_unit or 'row'}", row=row, line=row)


def facts_of(problem: Problem, t: Texts) -> Facts:
    """The facts of a problem as people read them, by name."""
    facts = Facts({name: _fact(problem.code, value, t) for name, value in problem.values.items()})
    if "reason" in facts:
        facts["reason"] = in_words(facts["reason"], t)
    facts.setdefault("paths", ", ".join(facts[name] for name in ("first", "second") if name in facts))
    facts["value"] = excerpt(problem.found, FOUND_CHARS)
    facts["column"] = excerpt(problem.column or "", FOUND_CHARS)
    name = _LISTS.get(problem.code)
    if name is not None and not facts.get(name, "?"):
        facts[name] = t("problem.none")
    return facts


def sentence(text: str, facts: Facts) -> str:
    """A text of the catalogue with its facts and a full stop."""
    return text.format_map(facts) + "."


def _of(t: Texts) -> dict[str, tuple[str, str]]:
    fixes = t.starting("fix.")
    whats = {**t.starting("finding."), **t.starting("what.")}
    return {code: (whats[code], fixes[code]) for code in fixes}


# Language -> code -> (what, fix), each without its full stop.
TEXTS: Mapping[str, Mapping[str, tuple[str, str]]] = {language: _of(texts(language)) for language in LANGUAGES}


def _fact(code: str, value: str, t: Texts) -> str:
    """A fact as people read it: slugs are worded, everything else is shown as it is."""
    key = f"fact.{code}.{value}"
    if not t.has(key) and code in _ROLE_CODES:
        key = f"role.{value}"
    if t.has(key):
        return t(key)
    return excerpt(value, VALUE_CHARS)


def _place(problem: Problem, t: Texts) -> str:
    pieces = [excerpt(problem.source, SOURCE_CHARS)]
    row, line = str(problem.row), str(problem.line)
    if problem.line is not None and problem.row is not None and problem.line != problem.row:
        pieces.append(t("problem.at-row-and-line", row=row, line=line))
    elif problem.row is not None:
        pieces.append(row_text(problem, t))
    elif problem.line is not None:
        pieces.append(t("problem.at-line", line=line))
    if problem.column is not None:
        pieces.append(f"'{excerpt(problem.column, FOUND_CHARS)}'")
    return " ".join(piece for piece in pieces if piece)
