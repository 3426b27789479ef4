"""Lines of a document that state rules beside its tables of points: words, priority, consistency (docs/rubrics.md).

A line is read where it can be, and known where it says what runs anyway. Any other one that looks like a rule is named:
who edits it expects other scores.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import msgspec
from msgspec.structs import replace

from scoring.json_values import parse_path
from scoring.rubric.document.tables import RawTable
from scoring.rubric.model import Rubric, RuleLine
from scoring.rubric.points import Status
from scoring.rubric.rules import AgreementRule
from scoring.text import cut, normalise
from texts import words

KNOWN_RULES = frozenset(words("rules")["known"])


_STATUS = "|".join(Status)
_START, _END = "(?<![A-Za-z_])", "(?![A-Za-z_])"  # of a word that a particle may follow
_STATUSES = re.compile(rf"{_START}({_STATUS}){_END}", re.IGNORECASE)
_CHAIN = re.compile(rf"{_START}(?:{_STATUS}){_END}(?:\s*(?:>|→|->|≻|,|/)\s*(?:{_STATUS}){_END})+", re.IGNORECASE)
_PRIORITY = re.compile(r"우선\s*순위|우선\s*순서|판정\s*순서|priority|precedence", re.IGNORECASE)
_WORDS = re.compile(
    r"(?:키워드|핵심어|단어|낱말|문구|표현|key\s?words?|words?|phrases?)"
    r"(?:\s*(?:포함|중 하나|contains?|includes?|any of))?\s*[:：]\s*(.+)",
    re.IGNORECASE | re.DOTALL,
)
_OF_WORDS = re.compile(r"키워드|핵심어|key\s?words?", re.IGNORECASE)
_ABOUT_RULES = re.compile(r"라벨링|label+ing|일관성|consistency|signature|시그니처", re.IGNORECASE)
_SIGNS_OF_A_RULE = re.compile(
    rf"{_START}(?:{_STATUS}|pass|fail|mismatch|ratio[ab]?|signature|(?:intent_)?label|assistantMessage|dataUIList){_END}"
    r"|오류|에러|문구|키워드|비율|일치|쌍|[=×*/]",
    re.IGNORECASE,
)
_FORMULA = re.compile(r"(?:consistency|일관성 점수|일관성|score|점수)\s*=\s*\S", re.IGNORECASE)
_CLASSES = re.compile(r"\btrack\s*[0-9][^.]*(?:단일|복수|다중|single|multi)", re.IGNORECASE)
_SHARES = re.compile(r"[0-9]+\s*:\s*[0-9]+\s*(?:비율|ratio)|(?:비율|ratio)\s*[0-9]+\s*:\s*[0-9]+", re.IGNORECASE)
_REMARK = re.compile(r"\s*\([^()]*\)")
_SINGLE = re.compile(r"n\s*<\s*2[^=]*=\s*([0-9.]+)", re.IGNORECASE)
_NUMBER = re.compile(r"[0-9]+(?:\.[0-9]+)?")
_EMPTY = re.compile(r"signature\s*=\s*(\S+)", re.IGNORECASE)
_PAIRS = re.compile(r"(pass\s*/\s*pass|fail\s*/\s*fail)\s*[:：]\s*(?:둘 다|both)\s+(.+)", re.IGNORECASE)
_CONNECTORS = re.compile(r"또는|이거나|혹은|\bor\b|[,/\s]", re.IGNORECASE)
_HALVES = re.compile(r"\(\(ratioa\+ratiob\)/2\)\*([0-9.]+)")
_ONE = re.compile(r"(ratio[ab])\*([0-9.]+)")
_WEIGHTED = re.compile(r"\(([0-9.]+)\*(ratio[ab])\+([0-9.]+)\*(ratio[ab])\)\*([0-9.]+)")
_PARTS = 100  # of a weight: two decimals


class Line(NamedTuple):
    """line: in the document, from 1. text: plain. labels: what stands above it. cells: of a row of a table."""

    line: int
    text: str
    labels: tuple[str, ...] = ()
    cells: tuple[str, ...] = ()

    @property
    def status(self) -> Status | None:
        """The status that the line above its list names."""
        found = (normalise(label).casefold() for label in self.labels)
        return next((Status(label) for label in found if label in set(Status)), None)


class RuleLines(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """rubric: with what was read. read, unread: the lines that changed it, and those that nothing reads."""

    rubric: Rubric
    read: tuple[RuleLine, ...]
    unread: tuple[RuleLine, ...]


def lines_of(tables: Iterable[RawTable], paragraphs: Iterable[tuple[int, str]]) -> list[Line]:
    """The lines that may state a rule, in order. tables: those that say nothing else."""
    rows = [
        Line(
            row.line, row.text or " | ".join(filter(None, row.cells)), table.labels, () if table.is_list else row.cells
        )
        for table in tables
        for row in table.rows
    ]
    return sorted([*rows, *(Line(line, text) for line, text in paragraphs)])


def read_rules(rubric: Rubric, lines: Iterable[Line], *, may_change: bool) -> RuleLines:
    """Read the lines that state rules. may_change: else the rules are declared elsewhere, and lines repeat them."""
    declared = rubric
    read: list[RuleLine] = []
    unread: list[RuleLine] = []
    for line in lines:
        changed = _changed(rubric, line, is_first=rubric.partial_words == declared.partial_words)
        told = RuleLine(line=line.line, text=cut(line.text))
        if changed is None:
            if _looks_like_a_rule(line) and _folded(line.text) not in KNOWN_RULES:
                unread.append(told)
        elif changed != rubric:
            (read if may_change else unread).append(told)
            rubric = changed if may_change else rubric
    return RuleLines(rubric=rubric, read=tuple(read), unread=tuple(unread))


def _changed(rubric: Rubric, line: Line, *, is_first: bool) -> Rubric | None:
    """The rubric with what a line states; None where it states nothing that is read."""
    readers: Sequence[Callable[[], Rubric | None]] = (
        lambda: _with_words(rubric, line, is_first=is_first),
        lambda: _with_order(rubric, line),
        lambda: _with_pairs(rubric, line),
        lambda: _with_agreement(rubric, line),
    )
    return next((found for read in readers if (found := read()) is not None), None)


def _looks_like_a_rule(line: Line) -> bool:
    text = line.text
    if _PRIORITY.search(text) and _STATUSES.search(text):
        return True
    if _OF_WORDS.search(text) and _WORDS.search(text):
        return True
    if any(sign.search(text) for sign in (_FORMULA, _CLASSES, _SHARES)):
        return True
    is_about_rules = any(_ABOUT_RULES.search(label) for label in line.labels)
    return is_about_rules and not _is_status_alone(line) and _SIGNS_OF_A_RULE.search(text) is not None


def _is_status_alone(line: Line) -> bool:
    """Does the line only name a status, above a list about it?"""
    return normalise(line.text).casefold() in set(Status)


def _with_words(rubric: Rubric, line: Line, *, is_first: bool) -> Rubric | None:
    """Words of a partial answer. is_first: they replace those in force; a second line adds to them."""
    found = _WORDS.fullmatch(normalise(line.text))
    if found is None or line.status is not Status.PARTIAL:
        return None
    words = tuple(dict.fromkeys(filter(None, (word.strip(" `'\"“”‘’") for word in re.split("[,·、]", found[1])))))
    if set(words) == set(rubric.partial_words) or not words:
        return rubric if words else None
    return replace(rubric, partial_words=words if is_first else tuple(dict.fromkeys((*rubric.partial_words, *words))))


def _with_order(rubric: Rubric, line: Line) -> Rubric | None:
    if not _PRIORITY.search(line.text) or (chain := _CHAIN.search(line.text)) is None:
        return None
    order = tuple(Status(name.casefold()) for name in _STATUSES.findall(chain[0]))
    if sorted(order) != sorted(Status) or len(_STATUSES.findall(line.text)) > len(order):
        return None
    return replace(rubric, status_order=() if order == tuple(Status) else order)


def _with_pairs(rubric: Rubric, line: Line) -> Rubric | None:
    """Statuses that pass in a pair of rounds; those that fail are the others."""
    found = _PAIRS.fullmatch(normalise(line.text))
    if found is None:
        return None
    named = {Status(name.casefold()) for name in _STATUSES.findall(found[2])}
    if not named or _CONNECTORS.sub("", _STATUSES.sub("", found[2])):
        return None
    passes = named if found[1].casefold().startswith("pass") else set(Status) - named
    if not passes or passes == set(Status):
        return None
    ordered = tuple(status for status in Status if status in passes)
    return rubric if set(rubric.pass_statuses) == passes else replace(rubric, pass_statuses=ordered)


def _with_agreement(rubric: Rubric, line: Line) -> Rubric | None:
    """What a table of consistency by label and signature says."""
    rule, cells = rubric.agreement, line.cells
    if rule is None or len(cells) < 2:
        return None
    subject, value = _folded(cells[0]), cells[1]
    changed: AgreementRule | None = None
    if subject.startswith("signature"):
        changed = _with_keys(rule, value)
    elif subject.startswith("intentlabel"):
        changed = rule if {name.strip().casefold() for name in value.split(",")} == _labels(rule) else None
    elif _folded(_NUMBER.sub("#", value)) in KNOWN_RULES and (single := _SINGLE.search(value)):
        points = float(single[1].rstrip("."))
        changed = replace(rule, single=points) if 0 <= points <= rubric.scale else None
    elif "datauilist" in subject and (empty := _EMPTY.fullmatch(normalise(value))):
        changed = replace(rule, signature=replace(rule.signature, empty=empty[1]))
    elif _FORMULA.search(value):
        changed = _with_formula(rule, value, rubric.scale)
    return None if changed is None else replace(rubric, agreement=changed)


def _labels(rule: AgreementRule) -> set[str]:
    return {name.casefold() for name in rule.label.names}


def _with_keys(rule: AgreementRule, text: str) -> AgreementRule | None:
    keys = [key.strip() for key in _REMARK.sub("", text).split(",")]
    if not all(re.fullmatch(r"[\w.\[\]*]+", key) and parse_path(key) for key in keys) or len(set(keys)) < len(keys):
        return None
    signature = rule.signature
    if set(keys) == {*signature.keys, *signature.beside}:
        return rule
    beside = tuple(key for key in keys if key in signature.beside)
    own = tuple(key for key in keys if key not in signature.beside)
    return replace(rule, signature=replace(signature, keys=own, beside=beside))


def _with_formula(rule: AgreementRule, text: str, scale: float) -> AgreementRule | None:
    """The shares of label and signature in the score; None for a formula of another form."""
    plain = re.sub(r"\s", "", _REMARK_OF_CLAMP.sub("", normalise(text)).casefold()).replace("×", "*")
    written = plain.partition("=")[2].strip("`")
    weights = _weights(written)
    if weights is None or weights[2] != scale:
        return None
    parts = (round(weights[0] * _PARTS), round(weights[1] * _PARTS))
    if sum(parts) != _PARTS or min(parts) < 0:
        return None
    return replace(rule, parts=(1, 1) if parts[0] == parts[1] else parts)


_REMARK_OF_CLAMP = re.compile(r"\([0-9.]+\s*[~–-]\s*[0-9.]+\s*clamp\)", re.IGNORECASE)


def _weights(written: str) -> tuple[float, float, float] | None:
    """Weight of the label, of the signature, and the factor."""
    if (found := _HALVES.fullmatch(written)) is not None:
        return 0.5, 0.5, float(found[1])
    if (found := _ONE.fullmatch(written)) is not None:
        return (1.0, 0.0, float(found[2])) if found[1] == "ratioa" else (0.0, 1.0, float(found[2]))
    if (found := _WEIGHTED.fullmatch(written)) is not None and found[2] != found[4]:
        weights = {found[2]: float(found[1]), found[4]: float(found[3])}
        return weights["ratioa"], weights["ratiob"], float(found[5])
    return None


def _folded(text: str) -> str:
    """The form in which lines are compared: without case, marks and white space."""
    return re.sub(r"[\s`*_]", "", normalise(text)).casefold()
