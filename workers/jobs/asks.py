"""What a message may ask of a task: only what the watcher sends, whoever wrote it (docs/limits.md)."""

from __future__ import annotations

from scoring.problems import ScorewatchError

MAX_BUNDLE = 64  # files of one message; the watcher sends 8 at most
MAX_TEXT = 8_192  # characters of a path, a name or a key


class ForgedAskError(ScorewatchError):
    """A message that no watcher sends. It is refused as a whole."""


def bundled_asks(asks: object) -> list[tuple[str, str, str]]:
    """(path, set name, key) of each file of a bundle. Raises ForgedAskError."""
    if not isinstance(asks, list) or not 0 < len(asks) <= MAX_BUNDLE:
        raise ForgedAskError(f"a bundle has 1 to {MAX_BUNDLE} files")
    found = []
    for ask in asks:
        if not isinstance(ask, list) or len(ask) != 3 or not all(map(_is_text, ask)):
            raise ForgedAskError("a file of a bundle is a path, a set name and a key")
        path, set_name, key = ask
        found.append((path, set_name, key))
    return found


def piece_number(number: object) -> int:
    """Number of a piece of a file. Raises ForgedAskError."""
    if type(number) is not int or number < 0:
        raise ForgedAskError("a piece has a number")
    return number


def judged_hashes(hashes: object) -> list[str]:
    """Hashes of the items that a judge is to be asked for. Raises ForgedAskError."""
    if not isinstance(hashes, list) or len(hashes) > MAX_BUNDLE or not all(map(_is_text, hashes)):
        raise ForgedAskError(f"at most {MAX_BUNDLE} hashes of items")
    return hashes


def _is_text(value: object) -> bool:
    return isinstance(value, str) and len(value) <= MAX_TEXT
