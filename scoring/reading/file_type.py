"""What a file under a text name is when it is no table: empty, archive, document, of another encoding.

See docs/scoring.md#refused-files. Looks at the first bytes only; every finding is a refusal.
"""

from __future__ import annotations

import codecs
import re

from scoring.problems import InputError, Problem

_SPREADSHEETS = {b"PK\x03\x04": "zip", b"PK\x05\x06": "zip", b"\xd0\xcf\x11\xe0": "ole"}
_ARCHIVES = {
    b"\x1f\x8b": "gzip",
    b"7z\xbc\xaf\x27\x1c": "7z",
    b"Rar!\x1a\x07": "rar",
    b"\xfd7zXZ\x00": "xz",
    b"\x28\xb5\x2f\xfd": "zstd",
}
_DOCUMENTS = {
    b"%PDF": "pdf",
    b"{\\rtf": "rtf",
    b"\x89PNG": "image",
    b"\xff\xd8\xff": "image",
    b"GIF87a": "image",
    b"GIF89a": "image",
    b"SQLite format 3\x00": "sqlite",
    b"PAR1": "parquet",
}
_KINDS = {"zip-as-text": _SPREADSHEETS, "archive-as-text": _ARCHIVES, "document-as-text": _DOCUMENTS}
_BINARIES = (b"\x7fELF", b"MZ\x90\x00")
_MARKUP = re.compile(r"<(?:!doctype|\?xml|html|head|body|meta|style|table|tr|workbook)\b", re.IGNORECASE)
_MARKUP_WITHIN = 4096  # characters
_BOMS = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_WIDE = ("utf-32-le", "utf-32-be", "utf-16-le", "utf-16-be")
_SEPARATORS = re.compile(r"[,\t;|]")
_ASCII = re.compile(r"[ -~]")
_ASCII_SHARE = 0.1  # of noise read as UTF-16 it is 0.002; Korean tables with JSON have a third and more
_CONTROLS = bytes({*range(9), *range(14, 32), 127} - {0x1A, 0x1B, 0x1E})
_BINARY_LEAST = 8  # a stray control character does not make a text binary
_BINARY_SHARE = 0.01


def refuse_foreign(head: bytes) -> None:
    """Raise InputError when a file that starts with `head` is no text in an encoding that is read, or an empty one."""
    bom, codec = next(((bom, codec) for bom, codec in _BOMS if head.startswith(bom)), (b"", ""))
    body = head[len(bom) :]
    text = body.decode(codec or "ascii", errors="replace")
    if not text.strip():
        raise _refusal("empty-file")
    if codec.startswith("utf-32"):
        raise _refusal("encoding-not-read", encoding=_shown(codec))
    _refuse_kind(head)
    if is_markup(text):
        raise _refusal("document-as-text", kind="html")
    if codec.startswith("utf-16"):
        return
    if b"\0" in body and (wide := _wide_encoding(body)):
        raise _refusal("encoding-not-read", encoding=_shown(wide))
    if is_binary(head):
        raise _refusal("binary-file")


def is_binary(data: bytes) -> bool:
    """Are there more control characters than stray ones?"""
    controls = len(data) - len(data.translate(None, _CONTROLS))
    return controls > _BINARY_LEAST + len(data) * _BINARY_SHARE


def _refuse_kind(head: bytes) -> None:
    """By the sign that other kinds of files start with."""
    for code, kinds in _KINDS.items():
        for magic, kind in kinds.items():
            if head.startswith(magic):
                raise _refusal(code, kind=kind)
    if head.startswith(_BINARIES):
        raise _refusal("binary-file")


def is_markup(text: str) -> bool:
    """Is this the start of an HTML or XML page, as web systems hand it out under the name of a spreadsheet?"""
    start = text[:_MARKUP_WITHIN].lstrip()
    return start.startswith("<") and _MARKUP.search(start) is not None


def _wide_encoding(body: bytes) -> str:
    """The UTF-16 or UTF-32 that makes a table of the bytes, "" when none does."""
    found = {}
    for codec in _WIDE:
        try:
            text = codecs.getincrementaldecoder(codec)().decode(body)
        except UnicodeDecodeError:
            continue
        ascii_count = len(_ASCII.findall(text))
        if "\0" not in text and _SEPARATORS.search(text) and ascii_count >= len(text) * _ASCII_SHARE:
            found[codec] = ascii_count
    return max(found, key=lambda codec: found[codec], default="")


def _shown(codec: str) -> str:
    return codec.upper().replace("-LE", " LE").replace("-BE", " BE")


def _refusal(code: str, **values: str) -> InputError:
    return InputError((Problem(code=code, values=values),))
