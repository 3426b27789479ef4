"""Does an answer lead where it was expected to: addresses compared by key, then by path."""

from __future__ import annotations

import re
import string
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from scoring.rubric.rules import AddressRule
from scoring.text import normalise

_MARK = "://"
_SCHEME = string.ascii_letters + string.digits + "+.-"
_NO_START = string.digits + "+.-"  # a scheme starts with a letter
_HOST = re.compile(r"[^/?#]*")
_END = re.compile(r"""[\s"'<>`,;]""")
_MAX_FOUND = 1_000


class Address(NamedTuple):
    """path: without origin, query and closing slash, "" when there is none. key: value of the key, "" without."""

    path: str
    key: str


class Reach(NamedTuple):
    """How near an answer came: "same-key", "same-path", "neither", or "missing" when nothing was expected."""

    outcome: str
    points: float


def reach(expected: str, payload: object, rule: AddressRule) -> Reach:
    """The best of every expected address against every address of the payload."""
    wanted = expected_addresses(expected, rule.key)
    if not wanted:
        return Reach("missing", rule.missing)
    offered = [read_address(text, rule.key) for text in field_texts(payload, rule.field)]
    if {address.key for address in wanted} & {address.key for address in offered} - {""}:
        return Reach("same-key", rule.same_key)
    if {address.path for address in wanted} & {address.path for address in offered} - {""}:
        return Reach("same-path", rule.same_path)
    return Reach("neither", rule.neither)


def expected_addresses(text: str, key: str) -> list[Address]:
    """Every address of a text that names the key: `/plan/list?dataKey=A`, or `dataKey=A` alone."""
    addresses = []
    for word in filter(None, _END.split(normalise(text))):
        address = read_address(word, key)
        if address.key:
            addresses.append(address)
    return addresses


def read_address(text: str, key: str) -> Address:
    """Path and key of one address; escapes and case count as they stand."""
    text = _without_origin(normalise(text))
    before, mark, query = text.partition("?")
    found = _parameter(query if mark else text, key)
    path = before.partition("#")[0].rstrip("/") if mark or not found else ""
    return Address(path, found)


def _without_origin(text: str) -> str:
    """The text without its first `scheme://host`."""
    behind = 0
    while (at := text.find(_MARK, behind)) >= 0:
        scheme = text[behind:at]
        scheme = scheme[len(scheme.rstrip(_SCHEME)) :].lstrip(_NO_START)
        behind = at + len(_MARK)
        if scheme:
            host = _HOST.match(text, behind)
            return text[: at - len(scheme)] + text[host.end() if host else behind :]
    return text


def field_texts(value: object, field: str) -> Iterator[str]:
    """Texts of every field of this name at any depth, at most 1,000."""
    left = [value]
    found = 0
    while left and found < _MAX_FOUND:
        value = left.pop()
        if isinstance(value, dict):
            text = value.get(field)
            if isinstance(text, str) and text.strip():
                found += 1
                yield text
            left += value.values()
        elif isinstance(value, list):
            left += value


def _parameter(query: str, key: str) -> str:
    return next(_values(re.split(r"[&#]", query), key), "")


def _values(parts: Iterable[str], key: str) -> Iterator[str]:
    for part in parts:
        name, equals, value = part.partition("=")
        if equals and name.strip() == key and value.strip():
            yield value.strip()
