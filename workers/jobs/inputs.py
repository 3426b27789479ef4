"""Inputs of tasks: what a message may ask, where files are, and why an attempt at a set is given up.

A message may ask only what the watcher sends, whoever wrote it (docs/limits.md). Paths are relative to the watched
folder, percent-escaped, and never lead outside of it.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from scoring import ScorewatchError, TransientError
from scoring.sets import unescape_path

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


class GiveUpError(TransientError):
    """The attempt ends without a result; the watcher asks again later.

    kind: "unreadable", "outside", "changed", "vanished", "storage", "no-plan", "no-part", "no-rubric", "engine",
    "judge", "judge-budget", "judge-model", "failure".
    """

    def __init__(self, kind: str, detail: str) -> None:
        super().__init__(kind, detail)
        self.kind = kind
        self.detail = detail

    def __str__(self) -> str:
        return f"{self.kind}: {self.detail}"


@contextmanager
def reading(path: str) -> Iterator[None]:
    """Raise GiveUpError for an input that cannot be read, or a full disk while it is scored. path: as in its plan."""
    try:
        yield
    except GiveUpError:
        raise
    except TransientError as error:
        raise GiveUpError("storage", str(error)) from error
    except OSError as error:
        kind = "vanished" if isinstance(error, FileNotFoundError) else "unreadable"
        raise GiveUpError(kind, f"{path}: {error.strerror or error}") from error


@contextmanager
def storing() -> Iterator[None]:
    """Raise GiveUpError for what cannot be written to the folder of reports."""
    try:
        yield
    except GiveUpError:
        raise
    except (OSError, TransientError) as error:
        reason = error.strerror if isinstance(error, OSError) else ""
        raise GiveUpError("storage", reason or str(error)) from error


def locate(watch: Path, escaped: str) -> str:
    """Real path of an input, links resolved. Raises GiveUpError("outside") when it leaves the watched folder."""
    path = unescape_path(escaped)
    root = os.path.realpath(watch)
    if not path or path.startswith("/") or "\0" in path:
        raise GiveUpError("outside", escaped)
    real = os.path.realpath(f"{root}/{path}")
    if not real.startswith(root + os.sep):
        raise GiveUpError("outside", escaped)
    return real
