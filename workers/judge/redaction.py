"""The key of the judge is in no text that is kept, whatever the endpoint writes."""

from __future__ import annotations

REDACTED = "[…]"
_RUN = 8  # characters of the key in a row that no text may hold; a shorter key only as a whole


def redacted(text: str, key: str) -> str:
    """The text with every piece of the key replaced. key: "" for none."""
    if not key:
        return text
    run = min(_RUN, len(key))
    pieces = {key[at : at + run] for at in range(len(key) - run + 1)}
    shown: list[str] = []
    kept = at = 0
    while at + run <= len(text):
        if text[at : at + run] not in pieces:
            at += 1
            continue
        end = at + run
        while text[end - run + 1 : end + 1] in pieces:
            end += 1
        shown += [text[kept:at], REDACTED]
        kept = at = end
    return "".join([*shown, text[kept:]])
