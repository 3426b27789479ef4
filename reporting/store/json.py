"""JSON as it is written to disk: readable, deterministic, and inert in a terminal."""

from __future__ import annotations

import re
from inspect import cleandoc
from typing import Any

import msgspec

# JSON escapes the control characters below U+0020 itself; these are raw text to it, but not to a terminal.
_STEERING = re.compile("[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]")


def encode_json(value: object) -> bytes:
    """Indented JSON of structs, dataclasses and plain values, ending in a line break.

    Control and bidi characters are written as `\\uXXXX`: the values are the same, the display is harmless.
    """
    compact = msgspec.json.encode(value)
    indented = msgspec.json.format(compact, indent=1)
    if compact.decode().isprintable():  # has no such character; the search for them takes long
        return indented + b"\n"
    text = indented.decode()
    return _STEERING.sub(lambda match: f"\\u{ord(match[0]):04x}", text).encode() + b"\n"


def published_schema(made: dict[str, Any]) -> dict[str, object]:
    """A JSON Schema (2020-12) of structs, with their docstrings without indentation."""
    for definition in made["$defs"].values():
        if "description" in definition:  # Python 3.13 takes it out itself, earlier ones do not
            definition["description"] = cleandoc(definition["description"])
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **made}
