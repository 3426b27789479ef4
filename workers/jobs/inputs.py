"""Input files in tasks: where they are, and the reasons for which an attempt at a set is given up.

Paths are relative to the watched folder, percent-escaped, and never lead outside of it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from scoring.problems import TransientError
from scoring.sets.plan import unescape_path


class GiveUpError(TransientError):
    """The attempt ends without a result; the watcher asks again later.

    kind: "unreadable", "outside", "changed", "vanished", "storage", "no-plan", "no-part", "no-rubric", "engine",
    "judge", "judge-model", "failure".
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
