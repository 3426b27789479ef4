"""The bytes of a text file on their way to lines: encoding, hash, and what no text file holds.

A file is read once; only one that turns out not to be UTF-8 is read a second time. Bytes that decode as CP949 may be
GBK, Shift-JIS, EUC-JP or Big5: in Korean text of any kind, nine syllables of ten are among the 300 most frequent ones.
Measured shares of frequent ones are 93 to 98 % for Korean and at most 7 % for the others.
"""

from __future__ import annotations

import codecs
import hashlib
import io
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, BinaryIO, NamedTuple, Never

from scoring.problems import InputError, Problem, refused
from scoring.reading.file_type import ByteSigns, is_binary, refuse_foreign

_FREQUENT = frozenset(
    "가각간감값강같개거건검것게격결경계고공과관구국권규그근글급기김까꼴꾸끝나남내너널넣년누뉴는능니다단답당대더데덱델도동되된됩두둘뒤드든들등디따때또라래랜러런레렉려"
    "력령로록료루룹류르른를름리릭린림링마막만많말맞매머메면명모목못무문미민밋바박반받방배백버번범법베변별병보복본볼봄부분붙뷰브블비빈빠사산상새색생서석선설성세션소속"
    "솔송수숙순숫스습시식신실십쓰쓸아안않알암았앞야어업없었에여역연열영예오올옵와요용우운워원위유윤율으은을음응의이인일읽임입있자작잘장재저적전절점접정제젝젯져조존종"
    "주준줄중줘증지진질집째쪽차참창찾채처철체초최추축출치카칸커코콘크클키타태택터턴테텍토통트파판패퍼페평포폴표프필하한할함합항해했행향현형혜호홍화확환활황회희"
)
# Hangul, single Jamo (but those of chats, such as ㅋㅋ and ㅠㅠ) and Hanja.
_LETTERS = re.compile("[가-힣一-鿿豈-\ufaffㄱ-ㅆㅈㅊㅌㅍㅏ-ㅛㅝ-ㅟㅢㅣ]")
_KANA = re.compile("[ぁ-ゖァ-ヺ]")
_LEAST_LETTERS = 4  # fewer say nothing
_LEAST_SHARE = 0.25
_ENOUGH_LETTERS = 2_000
_SAMPLE_BLOCK = 1 << 16
_LEAST_KANA = 0.2
_HANGUL_IN_LATIN_1 = re.compile("(?:[\xb0-\xc8][\xa1-\xfe]){2,}")  # two syllables of KS X 1001 and more
_LEAST_SHARE_IN_LATIN_1 = 0.5
_JAPANESE = (("shift_jis", "Shift-JIS"), ("euc_jp", "EUC-JP"))
_OTHERS = "GBK, Big5"


def other_encoding(stream: BinaryIO) -> str:
    """The encodings that a file in CP949 more likely is in, for display; "" when it is Korean text."""
    stream.seek(0)
    data, letters = _sample(iter(lambda: stream.read(_SAMPLE_BLOCK), b""))
    frequent = sum(letter in _FREQUENT for letter in letters)
    if len(letters) < _LEAST_LETTERS or frequent >= len(letters) * _LEAST_SHARE:
        return ""
    for codec, shown in _JAPANESE:
        text = codecs.getincrementaldecoder(codec)("replace").decode(data)
        if len(_KANA.findall(text)) >= len(letters) * _LEAST_KANA:
            return shown
    return _OTHERS


def is_korean_in_latin_1(text: str) -> bool:
    """Was Korean text in CP949 read as Latin-1 or Windows-1252: `¾È³çÇÏ¼¼¿ä`?"""
    runs = _HANGUL_IN_LATIN_1.findall(text)
    syllables = "".join(runs).encode("latin-1").decode("cp949")
    frequent = [syllable for syllable in syllables if syllable in _FREQUENT]
    # One syllable again and again is a sign that was repeated: `°°°°`.
    return len(set(frequent)) > 1 and len(frequent) >= len(syllables) * _LEAST_SHARE_IN_LATIN_1


def _sample(blocks: Iterable[bytes]) -> tuple[bytes, list[str]]:
    """The bytes up to where enough letters were found, and the letters that CP949 makes of them."""
    decoder = codecs.getincrementaldecoder("cp949")("replace")
    data, letters = bytearray(), list[str]()
    for block in blocks:
        found = _LETTERS.findall(decoder.decode(block))
        letters += found
        if found:
            data += block
        if len(letters) >= _ENOUGH_LETTERS:
            break
    return bytes(data), letters


if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

_BLOCK = 1 << 20
_HEAD = 1 << 16
_END_MARKS = 512  # bytes: CP/M filled its last block of 128 characters with them
_BOMS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))


class NotThisEncodingError(Exception):
    """The file is not in the encoding it was opened with; open it again with `next_encoding`.

    problem: where this encoding failed, for the case that the next one fails as well. offset: of that byte.
    """

    def __init__(self, next_encoding: str, problem: Problem, offset: int) -> None:
        super().__init__(next_encoding, problem, offset)
        self.next_encoding = next_encoding
        self.problem = problem
        self.offset = offset

    def likelier(self, problems: tuple[Problem, ...]) -> tuple[Problem, ...]:
        """Of the two failures the one that tells more: the encoding that got further is the one that was meant."""
        then = problems[0]
        if then.code == "not-decodable":
            return problems if int(then.values["offset"]) > self.offset else (self.problem,)
        is_garbled = then.code == "missing-columns" and self.problem.row != 1
        return (self.problem,) if is_garbled else problems


class LineLimit(NamedTuple):
    """Most bytes without a line break, and the code of the refusal of more."""

    size: int
    code: str


class Span(NamedTuple):
    """Some bytes of a file, from `start` to before `end`; None: to its last one."""

    start: int = 0
    end: int | None = None


WHOLE = Span()


class TextSource:
    """A text file, opened at its start, or at that of a span.

    encoding: how it is read. bom: its byte-order marks. head: the first bytes, marks included. head_text: their text.
    meter: all bytes read so far.
    """

    def __init__(
        self,
        stream: BinaryIO,
        *,
        line_limit: LineLimit | None,
        encoding: str = "",
        is_json: bool = False,
        span: Span = WHOLE,
    ) -> None:
        """stream: seekable, at any place. encoding: forces a codec. span: what is read as lines.

        Raises InputError for a file that is no text.
        """
        stream.seek(0)
        self.head = stream.read(_HEAD)
        stream.seek(0)
        refuse_foreign(self.head)
        self.bom, self.encoding = _encoding(self.head, encoding)
        self._stream = stream
        end = _end_of_text(stream, self.codec)
        is_wide = self.encoding.startswith("utf-16")
        has_signs = not is_wide and self.encoding != "cp949"  # they are signs in UTF-8
        signs = ByteSigns(error_values=is_wide, damage=not has_signs, is_json=is_json)
        self.meter = ByteMeter(stream, signs, allows_nul=is_wide, end=end, line_limit=line_limit, span=span)
        self._file = io.BufferedReader(self.meter, buffer_size=_BLOCK)
        if not span.start:
            self._file.read(len(self.bom))
        self.head_text = self.head[len(self.bom) :].decode(self.codec, errors="replace")
        # Binary lines decoded one by one cost a fifth less than a text file object.
        self._needs_decoder = ("\n" not in self.head_text and "\r" in self.head_text) or self.encoding.startswith(
            "utf-16"
        )

    @property
    def has_lines(self) -> bool:
        """Does every line end with the byte of a line feed, which is nothing else anywhere?"""
        return not self._needs_decoder

    @property
    def codec(self) -> str:
        """The encoding without what it says of marks."""
        return self.encoding.removesuffix("-sig")

    def lines(self) -> Iterator[str]:
        """The lines, each with its line break. Raises UnicodeDecodeError, and InputError as the meter does."""
        if self._needs_decoder:
            return io.TextIOWrapper(self._file, self.codec, newline="")
        if self.encoding == "cp949":
            return (line.decode("cp949") for line in self._file)
        return map(bytes.decode, self._file)

    def utf8_lines(self) -> Iterator[bytes]:
        """The lines in UTF-8; those of a file in UTF-8 are not decoded here. Raises as `lines`."""
        if self.codec == "utf-8" and not self._needs_decoder:
            return iter(self._file)
        return map(str.encode, self.lines())

    def utf8_text(self) -> bytes:
        """Everything in UTF-8; a file in UTF-8 is not decoded here. Raises as `lines`."""
        data = self._file.read()
        return data if self.codec == "utf-8" else data.decode(self.codec).encode()

    def likely_head(self) -> str:
        """The first bytes as text, by the encoding that a look further down would have ended at."""
        body = self.head[len(self.bom) :]
        if self.codec == "utf-8" and not self.bom:
            try:
                return codecs.getincrementaldecoder("utf-8")().decode(body)
            except UnicodeDecodeError:
                return body.decode("cp949", errors="replace")
        return self.head_text

    def refuse_other_encoding(self) -> None:
        """Raise InputError for text of another encoding that happens to be valid CP949."""
        at = self._stream.tell()
        encoding = other_encoding(self._stream)
        self._stream.seek(at)
        if encoding:
            raise InputError((refused("encoding-not-read", encoding=encoding),))

    def raise_undecodable(self, error: UnicodeDecodeError, place: Callable[..., Problem]) -> Never:
        """Raise what bytes that are no text mean. place: a problem of this code with these facts, its row if known."""
        self.meter.drain()
        offset, at_end = _first_undecodable(self._stream, len(self.bom), self.codec)
        problem = place("cut-character" if at_end else "not-decodable", offset=str(offset), encoding=self.codec)
        if problem.row is None:
            problem = replace(problem, line=_line_of(self._stream, offset, self.codec))
        if self.codec == "utf-8" and not at_end and not self.bom:
            raise NotThisEncodingError("cp949", problem, offset) from error
        raise InputError((problem,)) from None


class ByteMeter(io.RawIOBase):
    """The file's bytes on their way through: hashed, counted, and watched for what no text file holds.

    signs: looks at all bytes. end: offset from which on they are hashed and counted, but not handed on; None: all are
    handed on. size: offset of the next byte. tail: the last two bytes.
    """

    def __init__(
        self,
        stream: BinaryIO,
        signs: ByteSigns,
        *,
        allows_nul: bool,
        end: int | None,
        line_limit: LineLimit | None,
        span: Span = WHOLE,
    ) -> None:
        """span: what is read. stream: at any place where it is not read from its start."""
        super().__init__()
        if span.start:
            stream.seek(span.start)
        self._stop = sys.maxsize if span.end is None else span.end
        self._stream = stream
        self._end = end
        self._line_limit = line_limit
        self.has_withheld = False
        self.allows_nul = allows_nul
        self.hash = hashlib.sha256()
        self.signs = signs
        self.size = span.start
        self.tail = b""
        self._since_line_break = 0

    def readable(self) -> bool:
        """Always: the interface of raw streams asks."""
        return True

    def readinto(self, buffer: WriteableBuffer, /) -> int:
        """Read as raw streams do. Raises InputError for bytes that no text file holds, and for an endless line."""
        view = memoryview(buffer)
        block = self._stream.read(min(len(view), self._stop - self.size))
        if not block:
            return 0
        view[: len(block)] = block
        start = self.size
        self.size += len(block)
        self.hash.update(block)
        self.signs.look_at(block)
        if self._end is not None and self.size > self._end:
            handed_on = max(self._end - start, 0)
            if not block[handed_on:].strip(b"\x1a\0"):  # else it has grown since
                self.has_withheld = True
                block = block[:handed_on]
        self.tail = (self.tail + block[-2:])[-2:]
        if not self.allows_nul:
            if (at := block.find(b"\0")) >= 0:
                if is_binary(block):
                    raise InputError((refused("binary-file"),))
                line = _line_of(self._stream, start + at, "ascii")
                raise InputError((refused("nul-byte", line=line, offset=str(start + at)),))
            self._measure_line(block)
        return len(block)

    def drain(self) -> None:
        """Read on to the end of the file."""
        buffer = bytearray(_BLOCK)
        while self.readinto(buffer):
            pass

    def _measure_line(self, block: bytes) -> None:
        if self._line_limit is None:
            return
        line_break = block.rfind(b"\n")
        self._since_line_break = self._since_line_break + len(block) if line_break < 0 else len(block) - line_break
        if self._since_line_break > self._line_limit.size:
            raise InputError((refused(self._line_limit.code, limit=f"{self._line_limit.size >> 20}"),))


def _encoding(head: bytes, wanted: str) -> tuple[bytes, str]:
    """The byte-order mark, as often as programs that each put one in front have left it, and the encoding."""
    for bom, encoding in _BOMS:
        if head.startswith(bom):
            times = 1
            while head.startswith(bom, times * len(bom)):
                times += 1
            return bom * times, encoding
    return b"", wanted or "utf-8"


def _end_of_text(stream: BinaryIO, codec: str) -> int | None:
    """Offset of the DOS end-of-file signs after the last line break; None where there are none."""
    size = stream.seek(0, io.SEEK_END)
    stream.seek(max(size - _END_MARKS, 0))
    tail = stream.read(_END_MARKS)
    stream.seek(0)
    mark = "\x1a".encode(codec)
    end = size
    while tail.endswith(mark):
        tail = tail.removesuffix(mark)
        end -= len(mark)
    return end if end < size and tail.endswith(("\n".encode(codec), "\r".encode(codec))) else None


def _line_of(stream: BinaryIO, offset: int, codec: str) -> int:
    """Number of the line that holds the byte at `offset`, from 1. The stream stays at its place."""
    at = stream.tell()
    stream.seek(0)
    decoder = codecs.getincrementaldecoder(codec)(errors="replace")
    line = 1
    while offset > 0 and (block := stream.read(min(offset, _BLOCK))):
        line += decoder.decode(block).count("\n")
        offset -= len(block)
    stream.seek(at)
    return line


def _first_undecodable(stream: BinaryIO, start: int, codec: str) -> tuple[int, bool]:
    """Offset of the first byte that is no `codec` text, and whether the file just ends inside a character."""
    decoder = codecs.getincrementaldecoder(codec)()
    stream.seek(start)
    fed = start
    while True:
        block = stream.read(_BLOCK)
        fed += len(block)
        try:
            decoder.decode(block, final=not block)
        except UnicodeDecodeError as error:
            at_end = not block and error.end >= len(error.object)
            return fed - len(error.object) + error.start, at_end
        if not block:
            return fed, False


class TextTable:
    """A table whose rows come from a text source. `drain` or the last row ends the reading."""

    _source: TextSource

    @property
    def sha256(self) -> str:
        """Hex digest of all bytes read so far."""
        return self._source.meter.hash.hexdigest()

    @property
    def size(self) -> int:
        """Bytes read so far; of a span, the offset in the file up to which it is read."""
        return self._source.meter.size

    @property
    def signs(self) -> ByteSigns:
        """What the bytes read so far give a reason to look for."""
        return self._source.meter.signs

    @property
    def has_end_mark(self) -> bool:
        """Does a DOS end-of-file sign follow the last line? It is withheld from the rows."""
        return self._source.meter.has_withheld

    @property
    def beside(self) -> str:
        """SHA-256 of a second file that is joined; "" where there is none."""
        return ""

    def drain(self) -> None:
        """Read on to the end of the file, so that hash and size are those of the whole."""
        self._source.meter.allows_nul = True
        self._source.meter.drain()
