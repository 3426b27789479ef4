"""Problems in plain words: where, what is wrong, what to do.

`파일 14행 '열': '값' … . 고치는 법. [code]`. Texts come from files and are cleaned; the caller escapes
for its format. docs/errors.md lists every code.

So is said what sets look like the rounds of one run, with the command that puts them together.
"""

import errno
import os
import re
import shlex
from collections.abc import Sequence
from functools import cache
from string import Formatter
from typing import NamedTuple

from reporting.wording.display import clean, count, excerpt, system_reason
from scoring import Problem
from scoring.sets import shown
from texts import LANGUAGES, Texts, codes, fill, texts

_NOT_REGULAR = "not a regular file"  # of `scoring.reading.regular_file`
_BEFORE, _AFTER = r"(?:^|(?<=[:.\]] )|(?<=\())", r"(?=$|[:)]|, )"


def reason_of(error: OSError, t: Texts) -> str:
    """The system's reason for an error and the file, in the language of `t`."""
    return in_words(system_reason(error), t)


def in_words(reason: str, t: Texts) -> str:
    """A text that holds a reason of the system, with the reason in the language of `t`.

    Only whole reasons are translated, `No space left on device` or `reports: No space left on device`. What the table
    does not have stays as it is.
    """
    return _reasons().sub(lambda found: t(f"system.{_codes()[found.group()]}"), reason)


@cache
def _codes() -> dict[str, str]:
    """The system's words -> the rest of a key of the catalogue."""
    names = texts().starting("system.")
    known = {os.strerror(getattr(errno, name)): name for name in names if hasattr(errno, name)}
    return {**known, _NOT_REGULAR: "not-regular"}


@cache
def _reasons() -> re.Pattern[str]:
    longest_first = sorted(_codes(), key=len, reverse=True)
    return re.compile(f"{_BEFORE}(?:{'|'.join(map(re.escape, longest_first))}){_AFTER}")


SOURCE_CHARS = 120
FOUND_CHARS = 80
VALUE_CHARS = 400
_DIAGNOSED = frozenset({"reason", "diagnosis"})  # facts that may be why a text is no JSON
_CODE = re.compile("`[^`|]+`")


class ProblemText(NamedTuple):
    """place: `파일 14행 '열'`; what and fix: one sentence or more, with full stops; code: as in docs/errors.md."""

    place: str
    what: str
    fix: str
    code: str


@cache
def code_spans() -> re.Pattern[str]:
    """Pieces in backticks of our own texts; none contains text from a file."""
    prefixes = ("what.", "finding.", "fix.", "index.", "problem.", "summary.")
    entries = [entry for language in LANGUAGES for entry in texts(language).entries.items()]
    texts_of_codes = (text for key, text in entries if key.startswith(prefixes))
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
    what = t.named("what", problem.code) or t.named("finding", problem.code) or t("problem.unknown")
    fix = t.named("fix", problem.code) or t("problem.unknown-fix")
    facts = facts_of(problem, t)
    told = sentence(what, facts)
    if problem.times > 1:
        told = f"{told} {t('problem.alike', n=count(problem.times - 1))}"
    return ProblemText(place=_place_text(problem, t), what=told, fix=sentence(fix, facts), code=clean(problem.code))


def in_short(problem: Problem, t: Texts) -> str:
    """What is wrong and what to do in a few words, for one line of a terminal; "" for a code that leaves no set out."""
    return t.named("short", problem.code).format_map(facts_of(problem, t))


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
    facts = Facts({name: _fact(problem.code, name, value, t) for name, value in problem.values.items()})
    if "reason" in facts:
        facts["reason"] = in_words(facts["reason"], t)
    facts.setdefault("paths", ", ".join(facts[name] for name in ("first", "second") if name in facts))
    facts["value"] = excerpt(problem.found, FOUND_CHARS)
    facts["column"] = excerpt(problem.column or "", FOUND_CHARS)
    known = codes().get(problem.code)
    if known is not None and known.may_be_empty and not facts[known.may_be_empty]:
        facts[known.may_be_empty] = t("problem.none")
    return facts


def sentence(text: str, facts: Facts) -> str:
    """A text of the catalogue with its facts and a full stop."""
    return fill(text, facts) + "."


def _fact(code: str, name: str, value: str, t: Texts) -> str:
    """A fact as people read it: slugs are worded, everything else is shown as it is."""
    key = f"fact.{code}.{value}"
    if not t.has(key) and code in codes() and codes()[code].roles:
        key = f"role.{value}"
    elif not t.has(key) and name in _DIAGNOSED:
        key = f"diagnosis.{value}"
    return t(key) if t.has(key) else excerpt(value, VALUE_CHARS)


def _place_text(problem: Problem, t: Texts) -> str:
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


MOST_GROUPED = 10  # sets that a command names
_NAME_CHARS = 120


def apart_problem(names: Sequence[str]) -> Problem:
    """What is to be said of each of these sets."""
    values = {"sets": ", ".join(map(shown, names)), "n": count(len(names)), "command": group_command(names)}
    return Problem(code="rounds-apart", source="", values=values)


def group_command(names: Sequence[str]) -> str:
    """The command that puts sets together; what cannot be shown whole is not part of one."""
    command = " ".join(["scorewatch group", *map(shlex.quote, names)])
    is_whole = len(names) <= MOST_GROUPED and all(excerpt(shown(name), _NAME_CHARS) == name for name in names)
    return command if is_whole and len(command) <= VALUE_CHARS else "scorewatch group SET…"
