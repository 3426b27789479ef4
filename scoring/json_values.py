"""JSON values as text and as numbers, in the one form in which they are compared (docs/scoring.md#check-operators)."""

from __future__ import annotations

import json
from decimal import Decimal, InvalidOperation

from scoring.text import is_blank, normalise, number

_LONGEST_NUMBER = 400


def as_text(value: object) -> str:
    """Text NFC and stripped, `true`/`false`, numbers without `.0`, JSON for the rest; "" for null."""
    if isinstance(value, str):
        return normalise(value)
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return repr(value).removesuffix(".0")
    if isinstance(value, int):
        return str(value)
    return normalise(json.dumps(value, ensure_ascii=False, sort_keys=True))


def is_nothing(value: object) -> bool:
    """null, blank text, `[]` and `{}`."""
    if isinstance(value, str):
        return is_blank(value)
    return value is None or (isinstance(value, list | dict) and not value)


def exact_number(value: object) -> Decimal | None:
    """The exact number of a number or of a text that is one, else None: ids of 17 digits stay apart."""
    if isinstance(value, list | dict) or value is None:
        return None
    text = as_text(value)
    if len(text) > _LONGEST_NUMBER or number(text) is None:
        return None
    try:
        return Decimal(text)
    except InvalidOperation:  # the exponent is too large
        return None


def are_equal(first: object, second: object) -> bool:
    """By value where both are or read as numbers, `true` and "true" alike, else as text."""
    if isinstance(first, bool) or isinstance(second, bool):
        return as_text(first).casefold() == as_text(second).casefold()
    one, other = exact_number(first), exact_number(second)
    if one is not None and other is not None:
        return one == other
    return as_text(first) == as_text(second)
