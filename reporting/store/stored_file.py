"""Files that are replaced whole, and the small JSON files among them: each has a name, a type and a format.

A reader sees the old content of a file or the new one. What is missing, damaged or of another format reads as None: all
of these files can be made again.
"""

import os
import re
import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress
from inspect import cleandoc
from pathlib import Path
from typing import Any, Generic, TypeVar

import msgspec

from scoring import TransientError
from scoring.reading import NotRegularError, read_named

Content = TypeVar("Content")

_NEW_FILE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
_MAX_BYTES = 1 << 30  # a status of a million files with the longest names is smaller; more is none of these files


class StoredFile(Generic[Content]):
    """A kind of JSON file.

    kind: type of the content. name: in every folder, "" where each has its own. version: the `format_version` of the
    content; None where it has none, or any will do.
    """

    def __init__(self, kind: type[Content], name: str = "", version: int | None = None) -> None:
        self._kind = kind
        self.name = name
        self._version = version

    def read(self, folder: Path | str, *, strict: bool = False) -> Content | None:
        """The content of the file in a folder; None when it is missing, damaged or of another format.

        strict: raise the OSError of a file that cannot be read now, for those that replace or remove what it describes.
        """
        return self.read_at(f"{folder}/{self.name}", strict=strict)

    def read_at(self, path: Path | str, *, strict: bool = False) -> Content | None:
        """The same of a file with another name."""
        try:
            found = msgspec.json.decode(read_named(path, most=_MAX_BYTES), type=self._kind)
        except (FileNotFoundError, NotADirectoryError, NotRegularError, ValueError):
            return None
        except OSError:
            if strict:
                raise
            return None
        return found if self._version in {None, getattr(found, "format_version", None)} else None

    def write(self, folder: Path, content: Content, *, temporary: Path | None = None) -> None:
        """Replace the file in a folder, unless it holds the same. temporary: as `write_atomic`. Raises OSError."""
        path, data = folder / self.name, encode_json(content)
        with suppress(OSError):
            if read_named(path) == data:
                return
        write_atomic(path, data, temporary=temporary)

    def remove(self, folder: Path) -> None:
        """Remove the file from a folder, if it is there. Raises OSError."""
        (folder / self.name).unlink(missing_ok=True)


def write_atomic(
    path: Path, data: bytes | Iterator[bytes], *, temporary: Path | None = None, strict: bool = False
) -> None:
    """Replace the file at `path`: a reader sees the old content or the new one, never a part of it.

    data: at once, or piece by piece. temporary: folder of the unfinished file, on the same file system; the folder of
    `path` by default. strict: content and name are on disk when this returns. Raises OSError; the old file is unchanged
    then.
    """
    unfinished = (temporary or path.parent) / f"{path.name}.{os.getpid()}-{os.urandom(4).hex()}.tmp"
    try:
        write_new(str(unfinished), (data,) if isinstance(data, bytes) else data, strict=strict)
        unfinished.replace(path)
    except (OSError, TransientError):
        with suppress(OSError):
            unfinished.unlink()
        raise
    if strict:
        sync_folder(path.parent)


def write_new(path: str, chunks: Iterable[bytes], *, strict: bool) -> None:
    """Write a file that is not there yet. strict: its content is on disk then. Raises OSError."""
    descriptor = os.open(path, _NEW_FILE, 0o666)  # a report has two dozen files: a stream costs as much as the data
    try:
        for chunk in chunks:
            write_all(descriptor, chunk)
        if strict:
            os.fsync(descriptor)
    finally:
        os.close(descriptor)


def write_all(descriptor: int, data: bytes) -> None:
    """Write all of it; one system call may write less."""
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


def sync_folder(folder: Path) -> None:
    """Wait until the names in the folder are on disk."""
    if sys.platform == "win32":  # folders cannot be opened there; a rename is journalled
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


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
