"""Text from files in the front matter and in the comments of a rubric document, where it stays text."""

from __future__ import annotations

import json
import re

from reporting.wording import excerpt

_COMMENT_CHARACTERS = 160
_PLAIN = re.compile(r"[A-Za-z\uac00-\ud7a3][\w./-]*(?: [\w./-]+)*")
_RESERVED = frozenset({"true", "false", "null", "yes", "no", "on", "off", "y", "n"})


def scalar(text: str) -> str:
    """The text as a YAML value: bare where it is plain words, else in double quotes. text: printable, on one line."""
    if _PLAIN.fullmatch(text) and text.casefold() not in _RESERVED:
        return text
    return json.dumps(text, ensure_ascii=False)


def inert(text: str, limit: int = _COMMENT_CHARACTERS) -> str:
    """The text on one line, cut, without any character that a front matter may not hold."""
    shown = excerpt(text, limit)
    return shown if shown.isprintable() else "".join(char if char.isprintable() else "\ufffd" for char in shown)


def listed(texts: tuple[str, ...]) -> str:
    """The texts as a YAML list on one line."""
    return f"[{', '.join(map(scalar, texts))}]"
