"""One version of a report as one archive, to be forwarded: pages, answers, rubric document, and a list of hashes.

Every file is one that `report.json`, `compare.json` or `summary.json` names by size and hash, so what is packed belongs
together. Links to what is not in the archive are no links in it. The same version gives the same bytes.
"""

import hashlib
import re
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from posixpath import normpath
from urllib.parse import unquote
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

import msgspec

from reporting.runs import UnreadableRunError, read_report
from reporting.store import (
    BASELINE,
    CHARTS,
    COMPARE_HTML,
    COMPARE_JSON,
    COMPARE_MD,
    ITEMS_CSV,
    REPORT_HTML,
    REPORT_MD,
    REPORT_XLSX,
    STATUS,
    SUMMARY_HTML,
    SUMMARY_JSON,
    SUMMARY_MD,
    FileMark,
    run_key,
)
from scoring.reading import open_named, read_named

HASHES = "SHA256SUMS"
_PAUSES_SECONDS = (0.0, 0.5, 2.0)  # a report that is being published has files of two versions for a moment
_MOMENT = (1980, 1, 1, 0, 0, 0)
_MODE = 0o644 << 16
_UNIX = 3
_BLOCK = 1 << 20
_PAGES = (".html", ".md")
_OF_REPORT = (REPORT_HTML, REPORT_MD, ITEMS_CSV)
_OF_COMPARISON = (COMPARE_HTML, COMPARE_MD)
_OF_SUMMARY = (SUMMARY_HTML, SUMMARY_MD, REPORT_XLSX)
_OUTSIDE_SCRIPTS = re.compile(r"(<script\b.*?</script>|<style\b.*?</style>)", re.DOTALL)
_ANCHOR = re.compile(r'(<a\b[^>]*?) (?:data-)?href="([^"]*)"')
_IN_DATA = re.compile(r'(?<=[{,]"pages":\[)[^\]\\]*(?=\])')  # what a script makes links of; quoted, so without brackets
_IN_MARKDOWN = re.compile(r"(?<!\\)(!?)\[((?:[^\[\]\\\n]|\\.)*)\]\(([^()\s]+)\)")
_ADDRESS = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*:")


class ChangingError(Exception):
    """The files in a folder are not of one version, and were not at the last try either. Names the file."""


class _Marked(msgspec.Struct):
    """What names the files beside it."""

    files: dict[str, FileMark]
    run: str = ""


def pack_report(folder: Path, target: Path, documents: Mapping[str, bytes]) -> list[str]:
    """Write the archive of the report in a folder; names of what is in it, in order.

    target: is written anew. documents: further files by name, such as the rubric document. Raises UnreadableRunError
    where there is no report of this engine, ChangingError when the files stay those of several versions, OSError.
    """
    last: Exception = ChangingError(REPORT_HTML)
    for pause in _PAUSES_SECONDS:
        time.sleep(pause)
        marks = _marks(folder)
        try:
            hashes = _write(folder, target, marks, documents)
        except (ChangingError, FileNotFoundError) as error:
            last = error
            continue
        if _marks(folder) == marks:
            return list(hashes)
    raise ChangingError(str(last))


def _marks(folder: Path) -> dict[str, FileMark]:
    """What belongs to the report as it is now."""
    report, status = read_report(folder), STATUS.read(folder)
    if status is None or status.key != report.key:
        raise UnreadableRunError(folder.name)
    run = run_key(status.key, status.judge_digest)
    charts = tuple(name for name in report.files if name.startswith(f"{CHARTS}/"))
    found = {name: report.files[name] for name in (*_OF_REPORT, *charts) if name in report.files}
    compared, summary = BASELINE.read(folder), _read_marked(folder / SUMMARY_JSON)
    if compared is not None and compared.is_about(status):
        beside = _read_marked(folder / COMPARE_JSON)
        found |= {name: beside.files[name] for name in _OF_COMPARISON if beside is not None and name in beside.files}
    if summary is not None and summary.run == run:
        found |= {name: summary.files[name] for name in _OF_SUMMARY if name in summary.files}
    return found


def _read_marked(path: Path) -> _Marked | None:
    try:
        return msgspec.json.decode(read_named(path), type=_Marked)
    except (OSError, msgspec.DecodeError):
        return None


def _write(folder: Path, target: Path, marks: Mapping[str, FileMark], documents: Mapping[str, bytes]) -> dict[str, str]:
    """Write everything into the archive; hashes of what is in it by name. Raises ChangingError, OSError."""
    names = sorted([*marks, *documents])
    hashes: dict[str, str] = {}
    with ZipFile(target, "w", ZIP_DEFLATED) as archive:
        for name in names:
            if name in documents:
                pieces: Iterator[bytes] = iter([documents[name]])
            elif name.endswith(_PAGES):
                page = b"".join(_read(folder / name, name, marks[name]))
                pieces = iter([without_dead_links(page, name, {*names, HASHES})])
            else:
                pieces = _read(folder / name, name, marks[name])
            hashes[name] = _add(archive, name, pieces)
        lines = "".join(f"{digest}  {name}\n" for name, digest in hashes.items())
        _add(archive, HASHES, iter([lines.encode()]))
    return hashes


def _add(archive: ZipFile, name: str, pieces: Iterator[bytes]) -> str:
    entry = ZipInfo(name, _MOMENT)
    entry.compress_type, entry.external_attr, entry.create_system = ZIP_DEFLATED, _MODE, _UNIX
    digest = hashlib.sha256()
    with archive.open(entry, "w", force_zip64=True) as member:
        for piece in pieces:
            digest.update(piece)
            member.write(piece)
    return digest.hexdigest()


def _read(path: Path, name: str, mark: FileMark) -> Iterator[bytes]:
    """A file in pieces. Raises ChangingError at its end when it is not the one that was named."""
    digest, size = hashlib.sha256(), 0
    with open_named(path) as stream:
        while piece := stream.read(_BLOCK):
            digest.update(piece)
            size += len(piece)
            yield piece
    if (size, digest.hexdigest()) != (mark.size, mark.sha256):
        raise ChangingError(name)


def _living(pages: str, is_dead: Callable[[str], bool]) -> str:
    """Addresses in the data of a page, "" for those that lead outside."""
    found = msgspec.json.decode(f"[{pages}]", type=list[str])
    return ",".join(f'"{"" if is_dead(page) else page}"' for page in found)


def without_dead_links(page: bytes, name: str, names: set[str]) -> bytes:
    """A page whose links to files that are not among the names are texts; in Markdown such an image is its words."""
    text = page.decode(errors="replace")
    folder = name.rpartition("/")[0]

    def is_dead(address: str) -> bool:
        path = unquote(re.split(r"[?#]", address, maxsplit=1)[0])
        return bool(path) and not _ADDRESS.match(address) and normpath(f"{folder}/{path}").lstrip("/") not in names

    if name.endswith(".md"):
        return _IN_MARKDOWN.sub(lambda found: found[2] if is_dead(found[3]) else found[0], text).encode()
    parts = _OUTSIDE_SCRIPTS.split(text)
    parts[1::2] = [_IN_DATA.sub(lambda found: _living(found[0], is_dead), part) for part in parts[1::2]]
    parts[::2] = [_ANCHOR.sub(lambda found: found[1] if is_dead(found[2]) else found[0], part) for part in parts[::2]]
    return "".join(parts).encode()
