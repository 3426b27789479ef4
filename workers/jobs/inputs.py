"""Paths of input files in tasks: relative to the watched folder, percent-escaped, and never outside of it."""

from __future__ import annotations

import os
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
