"""The name of a profile, and the file names that its document speaks for, from the name of one file."""

from __future__ import annotations

import re
import unicodedata
from pathlib import PurePath

_LONGEST = 40  # characters of a profile's name
_ANY_NAME = "agent"
# What changes from run to run at the end of a name: dates, times, numbers, "run", "v2".
_RUN = re.compile(r"(?:[ _.()\-]*(?:[0-9]+|run|round|v[0-9]+|final|copy|회차|차))+[ _.()\-]*$", re.IGNORECASE)
_SPECIAL = re.compile(r"[\[\]*?!\\/]|[^\w .()\-가-힣]")


def profile_of(file_name: str) -> str:
    """A name for the profile of a file: its ASCII letters and digits, without what changes from run to run."""
    stem = unicodedata.normalize("NFKD", _base(file_name)).casefold()
    name = re.sub("[^a-z0-9]+", "-", stem).strip("-")[:_LONGEST].strip("-")
    return name or _ANY_NAME


def title_of_file(file_name: str) -> str:
    """A title for reports: the name of the file without what changes from run to run; "" where nothing is left."""
    title = " ".join(re.sub(r"[_\W]+", " ", unicodedata.normalize("NFC", _base(file_name))).split())
    return title if title.isprintable() else ""


def patterns_of(file_name: str, extensions: tuple[str, ...]) -> tuple[str, ...]:
    """Patterns of files like this one: the same beginning, each of the extensions. The file itself always matches."""
    name = PurePath(file_name)
    base = _base(file_name)
    start = _SPECIAL.sub("?", unicodedata.normalize("NFC", base))
    suffix = name.suffix.lower()
    ordered = (suffix, *(extension for extension in extensions if extension != suffix))
    return tuple(f"{start}*{extension}" for extension in ordered)


def _base(file_name: str) -> str:
    """The name without extension and without what changes; whole where nothing else is left."""
    stem = PurePath(file_name).stem
    return _RUN.sub("", stem) or stem
