"""Packed files, bytes to bytes: what is in a `.gz`, a `.zip` with one file, or an `.eval` log (docs/rubrics.md#packed).

Nothing is written to a disk. Sizes are those that come out, whatever the file says of them.
"""

from __future__ import annotations

import gzip
import io
import re
import sys
import zlib
from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, BinaryIO, NamedTuple

from scoring.problems import InputError, Problem, refused
from scoring.reading.regular_file import path_of
from scoring.text import cut

if TYPE_CHECKING:
    import zipfile
    from zipfile import BadZipFile as ZstdError
elif sys.version_info >= (3, 14):  # Inspect packs its logs by Zstandard, which older ones do not read
    import zipfile

    from compression.zstd import ZstdError
else:
    try:
        from backports.zstd import ZstdError, zipfile
    except ImportError:
        import zipfile
        from zipfile import BadZipFile as ZstdError

PACKED_EXTENSIONS = (".zip", ".gz", ".eval")
PACKED_LIMIT = 512 << 20  # bytes that come out, and that go in
MAX_MEMBERS = 100_000
_BLOCK = 1 << 20
# Zstandard unpacks all of what was read at once, up to 32,768 times as much. BZIP2 and LZMA make gigabytes of one
# kilobyte so, and no tool packs by them.
_METHODS = {zipfile.ZIP_STORED: _BLOCK, zipfile.ZIP_DEFLATED: _BLOCK, 93: 1 << 12}
_OUT = re.compile(r"^[/\\]|^[A-Za-z]:|(?:^|[/\\])\.\.(?:[/\\]|$)")
_SYSTEM = ("__macosx/", ".ds_store")  # what macOS adds
_HEADER, _STARTED, _SAMPLES = "header.json", "_journal/start.json", "samples/"


_DAMAGED = (
    *(zipfile.BadZipFile, ZstdError, gzip.BadGzipFile, zlib.error),
    *(EOFError, ValueError, RuntimeError, KeyError),
)


class _Contents(io.BytesIO):
    """What is inside. name: the path of the packed file, None without one; what belongs to it lies beside it."""

    def __init__(self, data: bytes, name: str | None) -> None:
        super().__init__(data)
        self.name = name


class Unpacked(NamedTuple):
    """stream: of what is inside. name: of that, by whose extension it is read."""

    stream: BinaryIO
    name: str


def is_packed(name: str) -> bool:
    """Is it, by its extension, a file in which another one is packed?"""
    return name.lower().endswith(PACKED_EXTENSIONS)


def unpacked(stream: BinaryIO, name: str) -> Unpacked:
    """What is in a packed file; any other one as it is.

    Raises InputError for a damaged or protected one, one with several files or with another packed one, one that leads
    out of its folder, and one that is larger than PACKED_LIMIT.
    """
    if not is_packed(name):
        return Unpacked(stream, name)
    inside = _inside(stream, name)
    if is_packed(inside.name):
        raise InputError((refused("unknown-extension", found=cut(inside.name)),))
    return inside


def _inside(stream: BinaryIO, name: str) -> Unpacked:
    if stream.seek(0, io.SEEK_END) > PACKED_LIMIT:
        raise InputError((_too_large(),))
    stream.seek(0)
    path = path_of(stream)
    try:
        if name.lower().endswith(".gz"):
            with gzip.GzipFile(fileobj=stream) as inside:
                return Unpacked(_Contents(_read(partial(inside.read, _BLOCK), 0), path), name[: -len(".gz")])
        with zipfile.ZipFile(stream) as archive:
            if name.lower().endswith(".eval"):
                return Unpacked(_Contents(_log(archive), path), f"{name}.json")
            member = _only(archive)
            return Unpacked(_Contents(_contents(archive, member, 0), path), member.filename)
    except NotImplementedError:  # a way of packing that Python does not know
        raise _refusal("method") from None
    except _DAMAGED as error:
        raise _refusal("damaged", error=str(error)) from None


def _log(archive: zipfile.ZipFile) -> bytes:
    """The log of Inspect in one document: its header, and its samples as that of a `.json` log has them."""
    members = {member.filename: member for member in _members(archive)}  # of a sample written again the last one
    samples = [member for name, member in members.items() if name.startswith(_SAMPLES)]
    if _HEADER not in members:
        raise _refusal(reason="unfinished" if _STARTED in members else "no-log")
    total = 0
    texts = []
    for member in (members[_HEADER], *samples):
        texts.append(_contents(archive, member, total).strip())
        total += len(texts[-1])
    header, *of_samples = texts
    rest = header[1:].lstrip()
    return b'{"samples":[%b]%b%b' % (b",".join(of_samples), b"" if rest[:1] == b"}" else b",", rest)


def _only(archive: zipfile.ZipFile) -> zipfile.ZipInfo:
    """The one file of an archive."""
    members = [
        member
        for member in _members(archive)
        if not member.is_dir()
        and not member.filename.lower().startswith(_SYSTEM[0])
        and not member.filename.lower().endswith(_SYSTEM[1])
    ]
    if len(members) != 1:
        raise InputError((refused("packed-several", n=str(len(members))),))
    return members[0]


def _members(archive: zipfile.ZipFile) -> list[zipfile.ZipInfo]:
    members = archive.infolist()
    if len(members) > MAX_MEMBERS:
        raise InputError((_too_large(),))
    if any(member.flag_bits & 1 for member in members):
        raise _refusal("encrypted")
    if (slip := next((member for member in members if _OUT.search(member.orig_filename)), None)) is not None:
        raise InputError((refused("packed-outside", found=cut(slip.orig_filename)),))
    return members


def _contents(archive: zipfile.ZipFile, member: zipfile.ZipInfo, before: int) -> bytes:
    """All bytes of a member. before: those that came out already. Raises NotImplementedError for other methods."""
    if member.compress_type not in _METHODS:
        raise NotImplementedError
    with archive.open(member) as inside:
        return _read(partial(inside.read, _METHODS[member.compress_type]), before)


def _read(read: Callable[[], bytes], before: int) -> bytes:
    """All that comes out, block by block. before: bytes that came out already."""
    return b"".join(_blocks(read, before))


def _blocks(read: Callable[[], bytes], size: int) -> Iterator[bytes]:
    while block := read():
        size += len(block)
        if size > PACKED_LIMIT:
            raise InputError((_too_large(),))
        yield block


def _too_large() -> Problem:
    return refused("packed-too-large", limit=str(PACKED_LIMIT >> 20))


def _refusal(reason: str, **values: str) -> InputError:
    return InputError((Problem(code="packed-unreadable", values={"reason": reason, **values}),))
