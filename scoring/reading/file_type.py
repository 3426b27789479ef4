"""What the bytes of a file show before any row is read: that it is no table, and rare patterns in it.

A file under a text name may be empty, an archive, a document or of another encoding (docs/scoring.md#refused-files).
Only the first bytes are looked at; every finding is a refusal. Cells are searched for damage only where a rare pattern
of bytes occurs somewhere in the file. A web page may have been saved under the name of a result file: a login, an
error, or another page.
"""

import codecs
import re

import re2

from scoring.problems import InputError, Problem, refused
from scoring.text import cut

_PAGE = re.compile(r"<(?:!doctype\s+html|html|head|body)\b", re.IGNORECASE)
_TABLE = re.compile(r"<table\b", re.IGNORECASE)
_TITLE = re.compile(r"<title[^>]*>\s*([^<]*?)\s*</title|<h1[^>]*>\s*([^<]*?)\s*</h1", re.IGNORECASE)
_XML_ERROR = re.compile(r"<(?:\w+:)?Error\b[^>]*>.*?<(?:\w+:)?Code>\s*([^<]*?)\s*<", re.IGNORECASE | re.DOTALL)
_PASSWORD = re.compile(r"""type\s*=\s*["']?password""", re.IGNORECASE)
_LOGIN = re.compile(
    r"log[\s_-]?[io]n|sign[\s_-]?[io]n|logon|single sign|\bsso\b|saml|oauth|session expired"
    r"|로그인|로그 인|인증이 필요|본인 ?인증|세션이 만료|세션 만료|ログイン|登录|登入",
    re.IGNORECASE,
)
_ERROR = re.compile(
    r"\b(?:4\d\d|5\d\d)\b|error|forbidden|denied|unauthori[sz]ed|not found|unavailable|gateway|expired"
    r"|오류|에러|권한이 없|찾을 수 없|점검 ?중|접근이 거부|만료",
    re.IGNORECASE,
)


def web_page(text: str) -> Problem | None:
    """What a file that starts with this text is, None where it is no web page, or one that holds a table."""
    if (failed := _XML_ERROR.search(text)) is not None:
        return _page("error", failed[1])
    if _PAGE.search(text) is None:
        return None
    has_password = _PASSWORD.search(text) is not None
    if not has_password and _TABLE.search(text):
        return None
    title = next((one for match in _TITLE.finditer(text) for one in match.groups() if one), "")
    if has_password or _LOGIN.search(text):
        return _page("login", title)
    return _page("error" if _ERROR.search(title or text) else "other", title)


def _page(kind: str, title: str) -> Problem:
    return refused("web-page", found=cut(" ".join(title.split())) or "—", kind=kind)


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
# Each pattern starts with a literal: re2 finds one in half a hundredth of the time that scoring takes, `bytes.find` of
# several bytes in a twentieth; of a single byte it is as fast.
_OF_DAMAGE = tuple(map(re2.compile, (rb"\?\?", rb"\\u(?:fffd|FFFD)", "\ufffd".encode())))  # lost, replaced ones
_OF_LATIN_LETTERS = b"\xc3"  # in UTF-8, the first byte of à to ÿ: no Korean text has it
# In JSON, escaped as well: any of them, and the letters that the other two of `is_damaged` look for.
_OF_DAMAGE_IN_JSON = (
    re2.compile(rb"\?\?"),
    re2.compile(rb"(?i)fffd"),
    re2.compile("\ufffd".encode()),
    re2.compile(rb"u00[b-fB-F]"),
)
_OF_ERROR_VALUES = re2.compile(
    rb"#(?:N|REF!|DIV/0!|VALUE!|SPILL!|CALC!|GETTING_D|FIELD!|BLOCKED!|CONNECT!|UNKNOWN!|BUSY!|EXTERNAL!|PYTHON!)"
)
_LONGEST_SIGN = 10
# Error values, formulas, and rows or columns that are hidden; some programs write `hidden="false"` on every row.
_OF_CELLS = tuple(
    map(
        re2.compile,
        (rb't="e"', rb"t='e'", rb"<f>", rb"<f ", rb":f>", rb":f ", rb"(?:hidden|zeroHeight)=[\"'](?:1|true)"),
    )
)
_LONGEST_TAG = 16
_NEGATIVE = b"v>-"


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
        refuse_web_page(text if codec else _page_text(body))
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


def refuse_web_page(text: str) -> None:
    """Raise InputError for a page that is no table under another name. text: the start of markup."""
    if (problem := web_page(text)) is not None:
        raise InputError((problem,))


def _page_text(head: bytes) -> str:
    """The text of a page, whose last character may be cut."""
    try:
        return codecs.getincrementaldecoder("utf-8")().decode(head)
    except UnicodeDecodeError:
        return head.decode("cp949", errors="replace")


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


class ByteSigns:
    """What the bytes so far give a reason to search the cells for; True from the start where bytes tell nothing.

    A cell without any sign in its bytes is never damaged, so that it does not matter which bytes were read before it.
    error_values: error values of Excel. damage: characters that were replaced or lost, UTF-8 that was read as Latin-1.
    """

    def __init__(self, *, error_values: bool = False, damage: bool = False, is_json: bool = False) -> None:
        self.error_values = error_values
        self.damage = damage
        self._of_damage = _OF_DAMAGE_IN_JSON if is_json else _OF_DAMAGE
        self._tail = b""

    def look_at(self, block: bytes) -> None:
        """Search the next bytes, and what is partly in the ones before."""
        self._search(self._tail + block[:_LONGEST_SIGN])
        self._search(block)
        self._tail = block[-_LONGEST_SIGN:]

    def _search(self, data: bytes) -> None:
        self.error_values = self.error_values or _OF_ERROR_VALUES.search(data) is not None
        self.damage = (
            self.damage
            or data.find(_OF_LATIN_LETTERS) >= 0
            or any(literal.search(data) is not None for literal in self._of_damage)
        )


class SheetSigns:
    """Whether a member of a workbook, read block by block, may hold error values, formulas or hidden rows.

    has_negative: may it hold a negative number?
    """

    def __init__(self) -> None:
        self.found = self.has_negative = False
        self._tail = b""

    def look_at(self, block: bytes) -> None:
        """Search the next bytes."""
        edge = self._tail + block[:_LONGEST_TAG]
        self.found = self.found or any(sign.search(data) is not None for sign in _OF_CELLS for data in (block, edge))
        self.has_negative = self.has_negative or _NEGATIVE in block or _NEGATIVE in edge
        self._tail = block[-_LONGEST_TAG:]
