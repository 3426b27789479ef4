"""Labels an answer and signs what it shows, for comparison between rounds (docs/scoring.md#labels-and-signatures).

A hash identifies what a grader reads of an item, so that two runs tell an equal answer from another one. Items keep
their texts cut for display; the hash is made of whole texts (docs/report-schema.md#text_hash).
"""

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from scoring.json_values import Path, as_text, find_values, is_nothing, parse_path
from scoring.payloads import values_at
from scoring.rubric import LabelRule, LabelWords, Scale, SignatureRule, Status
from scoring.text import CellMemo, compared_bytes, compared_text, compared_texts, is_blank, normalise

_PLAIN = re.compile(r"[\w.:/+-]+")
_SIGNATURE_CHARACTERS = 900


class Agreement(NamedTuple):
    """Shares of the most frequent label and signature among n rounds; None for a single round."""

    n: int
    ratio_label: float | None
    ratio_signature: float | None
    score: float


class Labeller:
    """Labels messages by the words of a rule."""

    def __init__(self, rule: LabelRule) -> None:
        self._rule = rule
        self._names = {name.casefold(): name for name in rule.names}
        self._first = _normalised(rule.first)
        self._most = _normalised(rule.most)

    def named(self, text: str) -> str:
        """The label that a recorded text names in any case, "" when it is none of the rule's."""
        return self._names.get(normalise(text).casefold(), "")

    def of(self, status: Status, message: str) -> str:
        """The label by status, else by the words of the message."""
        if status in self._rule.status_labels:
            return self._rule.status_labels[status]
        text = normalise(message)
        for label, words in self._first:
            if any(word in text for word in words):
                return label
        counts = [sum(map(text.count, words)) for _, words in self._most]
        most = max(counts, default=0)
        return self._most[counts.index(most)][0] if most else self._rule.otherwise


class Signer:
    """Signs payloads by the keys of a rule."""

    def __init__(self, rule: SignatureRule) -> None:
        self._rule = rule
        self._keys = tuple((key, _path(key)) for key in (*rule.keys, *rule.beside))
        self._beside = tuple((field, _path(field)) for field in rule.beside)

    def of(self, payload: dict[str, object] | None, items: Sequence[object], *, is_invalid: bool = False) -> str:
        """The signature of a payload with these UI items (see `ui_items`), which is the same in any order of them."""
        if is_invalid:
            return self._rule.invalid
        if not items:
            return self._rule.empty
        signed = Counter(_fields_text(item_field(item, self._keys)) for item in items)
        parts = [text if n == 1 else f"{text} ×{n}" for text, n in sorted(signed.items())]
        around = _fields_text((name, find_values(payload, path)) for name, path in self._beside)
        return " | ".join([*parts, around] if around != _NO_FIELDS else parts)


_NO_FIELDS = "()"


def ui_items(payload: dict[str, object], paths: Iterable[Path]) -> list[object]:
    """UI items of a payload, at the first of the paths that has a value: elements that hold something of its list.

    An object is one item.
    """
    items: list[object] = []
    for value in values_at(payload, paths):
        if isinstance(value, dict):
            items.append(value)
        elif isinstance(value, list):
            items += [element for element in value if element is not False and not is_nothing(element)]
    return items


def item_field(item: object, keys: Iterable[tuple[str, Path]]) -> Iterable[tuple[str, list[object]]]:
    """Values of a UI item by key: below `uiValue` first, else at the top."""
    inner = item.get("uiValue") if isinstance(item, dict) else None
    for name, path in keys:
        yield name, find_values(inner, path) or find_values(item, path)


def agreement(
    labels: Sequence[str], signatures: Sequence[str], *, scale: Scale, single: float, parts: tuple[int, int] = (1, 1)
) -> Agreement:
    """Agreement of the rounds of one query; one label and one signature per round, any order.

    scale: its highest points are those of full agreement, its lowest of none; single: points when there is one round.
    parts: of the label and of the signature in the score.
    """
    n = len(labels)
    if n < 2:
        return Agreement(n, None, None, single)
    by_label, by_signature = _most_frequent(labels), _most_frequent(signatures)
    of_label, of_signature = parts
    score = scale.at(of_label * by_label + of_signature * by_signature, (of_label + of_signature) * n)
    return Agreement(n, by_label / n, by_signature / n, min(max(score, scale.lowest), scale.highest))


def _most_frequent(values: Iterable[str]) -> int:
    return max(Counter(values).values())


def _normalised(entries: Iterable[LabelWords]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    return tuple((entry.label, tuple(map(normalise, entry.words))) for entry in entries)


def _path(text: str) -> Path:
    path = parse_path(text)
    assert path is not None, text
    return path


def _fields_text(fields: Iterable[tuple[str, list[object]]]) -> str:
    """`formType=ACTION value.nodeId=6127`. Different fields never give the same text; blank values are left out."""
    texts = []
    for name, values in fields:
        text = as_text(values[0]) if values else ""
        if not is_blank(text):
            texts.append(f"{name}={text if _PLAIN.fullmatch(text) else json.dumps(text, ensure_ascii=False)}")
    return " ".join(texts) or _NO_FIELDS


def bounded(signature: str) -> str:
    """A long signature is cut; a hash of the whole keeps it apart from others."""
    if len(signature) <= _SIGNATURE_CHARACTERS:
        return signature
    digest = hashlib.sha256(signature.encode(errors="replace")).hexdigest()
    return f"{signature[:_SIGNATURE_CHARACTERS]}… #{digest[:16]}"


_DIGITS = 16


class WholeTexts(NamedTuple):
    """Columns of uncut texts, one entry per item. shown: UI items, `setting` and `filterType`, see `Payload`."""

    question: Sequence[str]
    expected: Sequence[str]
    answer: Sequence[str]
    shown: Sequence[bytes]
    error: Sequence[str]


class TextHasher:
    """Hashes the texts of the items of one file. Questions, expected results and errors recur, and are kept in mind."""

    def __init__(self) -> None:
        self._known = CellMemo(_compared)

    def hashes(self, whole: WholeTexts) -> list[str]:
        """16 hex digits of SHA-256 for each item, over its texts as they are compared, a line each.

        A blank text is an empty line.
        """
        question, expected, error = (
            map(self._known.__getitem__, texts) for texts in (whole.question, whole.expected, whole.error)
        )
        answer = map(_encoded, compared_texts(["" if is_blank(text) else text for text in whole.answer]))
        shown = compared_bytes(whole.shown)
        return [
            hashlib.sha256(b"\n".join(texts)).hexdigest()[:_DIGITS]
            for texts in zip(question, expected, answer, shown, error, strict=True)
        ]


def _compared(text: str) -> bytes:
    return b"" if is_blank(text) else _encoded(compared_text(text))


def _encoded(text: str) -> bytes:
    return text.encode(errors="surrogatepass")
