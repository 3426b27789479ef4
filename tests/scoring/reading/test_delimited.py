"""Text files: encodings, delimiters, quoting, damage (spec §0)."""

import hashlib
import io

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.items import score_file
from scoring.problems import InputError
from scoring.reading import delimited
from scoring.reading.delimited import FIELD_LIMIT, DelimitedTable
from scoring.reading.text_source import LineLimit, NotThisEncodingError
from tests.examples import examples
from tests.scoring.files import HEADER, csv_text, payload, places, problem_of, refusal, resume_rubric, row, score_bytes

TEXT = csv_text([row(Query_ID="Q-1"), row(Query_ID="Q-2", 방_반복="2/1"), row(Query_ID="Q-3", 질의="한 줄\n두 줄")])
ENCODED = {
    "utf-8": TEXT.encode(),
    "utf-8-sig": TEXT.encode("utf-8-sig"),
    "utf-16-le": b"\xff\xfe" + TEXT.encode("utf-16-le"),
    "utf-16-be": b"\xfe\xff" + TEXT.encode("utf-16-be"),
    "cp949": TEXT.encode("cp949"),
}


@pytest.mark.parametrize("encoding", ENCODED)
def test_encodings_give_the_same_items(encoding: str) -> None:
    data = ENCODED[encoding]
    part = score_bytes(data)
    assert part.encoding == encoding
    assert part.items == score_bytes(ENCODED["utf-8"]).items
    assert (part.sha256, part.size) == (hashlib.sha256(data).hexdigest(), len(data))


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("quote", ["", '"'], ids=["plain", "quoted"])
def test_mark_that_stands_there_twice_is_read_as_one(encoding: str, quote: str) -> None:
    text = TEXT.replace("Run ID", f"{quote}Run ID{quote}", 1)
    codec = encoding.removesuffix("-sig")
    part = score_bytes(("\ufeff\ufeff" + text).encode(codec))
    assert (part.encoding, part.items) == (encoding, score_bytes(ENCODED["utf-8"]).items)
    refused = score_bytes(("\ufeff\ufeff" + text).encode(codec) + '"가"x,'.encode(codec))
    assert (refusal(refused).code, refusal(refused).row) == ("bad-quoting", 5)


@pytest.mark.parametrize("delimiter", [",", "\t", ";"])
@pytest.mark.parametrize("directive", [False, True])
def test_delimiter_is_the_one_that_gives_the_required_columns(delimiter: str, directive: bool) -> None:
    text = csv_text([row(Query_ID="Q-1", 카테고리="a;b\tc,d")], delimiter=delimiter)
    if directive:
        text = f"sep={delimiter}\r\n{text}"
    part = score_bytes(text.encode("utf-8-sig"))
    assert part.delimiter == delimiter
    assert part.rows == 1
    assert part.items[0].row == 2
    assert part.items[0].category == "a;b\tc,d"


def test_sep_line_is_obeyed_even_for_another_sign() -> None:
    part = score_bytes(("sep=|\n" + csv_text([row()], delimiter="|")).encode())
    assert (part.delimiter, len(part.items)) == ("|", 1)


def test_line_ends_of_every_system() -> None:
    plain = score_bytes(TEXT.replace("한 줄\n두 줄", "한 줄").encode()).items
    for end in ("\n", "\r", "\r\n"):
        text = TEXT.replace("한 줄\n두 줄", "한 줄").replace("\r\n", end)
        assert score_bytes(text.encode()).items == plain
        assert score_bytes(text.removesuffix(end).encode()).items == plain


def test_rows_are_numbered_as_a_spreadsheet_does() -> None:
    part = score_bytes(csv_text([row(질의="한 줄\n두 줄\n세 줄"), row(), [], row(), ["x"]]).encode())
    assert [item.row for item in part.items] == [2, 3, 5]
    assert (part.rows, part.blank_rows, part.unusable_rows) == (5, 1, 1)
    assert [place.row for place in places(part)] == [6]


@pytest.mark.parametrize(
    ("data", "code"),
    [
        pytest.param(b"", "empty-file", id="empty"),
        pytest.param(b"\r\n \n", "empty-file", id="only-white-space"),
        pytest.param(b"\xef\xbb\xbf", "empty-file", id="only-bom"),
        pytest.param(b"\xef\xbb\xbf\r\n", "empty-file", id="only-bom-and-line-break"),
        pytest.param(b"\xff\xfe", "empty-file", id="only-utf-16-bom"),
        pytest.param(csv_text([]).encode(), "header-only", id="header-only"),
        pytest.param(csv_text([[], [""] * 14, ["nan"] * 14]).encode(), "header-only", id="only-blank-rows"),
        pytest.param(csv_text([["x"], row(Query_ID="")]).encode(), "no-usable-rows", id="no-usable-row"),
        pytest.param(b"PK\x03\x04" + b"x" * 100, "zip-as-text", id="zip"),
        pytest.param(b"\xd0\xcf\x11\xe0" + b"\0" * 100, "zip-as-text", id="old-excel"),
        pytest.param(bytes(range(256)) * 20, "binary-file", id="noise"),
        pytest.param(TEXT.encode() + b"\0", "nul-byte", id="nul-at-the-end"),
        pytest.param(TEXT.encode() + b'"Q"x,', "bad-quoting", id="text-behind-a-quote"),
        pytest.param(csv_text([row(질의="한 줄|두 줄")]).replace("|", "\r").encode(), "bad-line-end", id="lone-cr"),
        pytest.param(TEXT.replace("\r\n", "\n\r").encode(), "bad-line-end", id="lf-cr"),
        pytest.param(TEXT.encode() + b'Q,"x', "open-quote", id="open-quote"),
        pytest.param(csv_text([row()], header=[*HEADER[:-1], "Query_ID"]).encode(), "duplicate-column", id="twice"),
        pytest.param(TEXT.encode() + b"\xff\xfe\xff,", "not-decodable", id="no-encoding"),
        pytest.param("вопрос,ответ\r\nда,нет\r\n".encode("cp1251"), "not-decodable", id="cp1251"),
    ],
)
def test_file_is_refused(data: bytes, code: str) -> None:
    part = score_bytes(data)
    assert refusal(part).code == code
    assert (part.sha256, part.size) == (hashlib.sha256(data).hexdigest(), len(data))


def test_zero_byte_is_refused_with_its_line_and_the_rest_of_the_file_is_hashed() -> None:
    behind = b"x" * (3 << 20)  # more than is read at a time
    data = TEXT.encode() + b"Q\n" * 3 + b"a\0b\n" + behind
    part = score_bytes(data)
    problem = refusal(part)
    line = TEXT.count("\n") + 4
    assert (problem.code, problem.line, problem.values) == ("nul-byte", line, {"offset": str(data.index(0))})
    assert (part.sha256, part.size) == (hashlib.sha256(data).hexdigest(), len(data))


@pytest.mark.parametrize(
    ("data", "code", "values"),
    [
        pytest.param(TEXT.encode("utf-16-le"), "encoding-not-read", {"encoding": "UTF-16 LE"}, id="bare-utf-16-le"),
        pytest.param(TEXT.encode("utf-16-be"), "encoding-not-read", {"encoding": "UTF-16 BE"}, id="bare-utf-16-be"),
        pytest.param(TEXT.encode("utf-32-le"), "encoding-not-read", {"encoding": "UTF-32 LE"}, id="bare-utf-32-le"),
        pytest.param(TEXT.encode("utf-32-be"), "encoding-not-read", {"encoding": "UTF-32 BE"}, id="bare-utf-32-be"),
        pytest.param(TEXT.encode("utf-32"), "encoding-not-read", {"encoding": "UTF-32 LE"}, id="utf-32-with-bom"),
        pytest.param(b"\x1f\x8b\x08" + bytes(40), "archive-as-text", {"kind": "gzip"}, id="gzip"),
        pytest.param(b"7z\xbc\xaf\x27\x1c" + bytes(40), "archive-as-text", {"kind": "7z"}, id="7z"),
        pytest.param(b"Rar!\x1a\x07\x01\x00" + bytes(40), "archive-as-text", {"kind": "rar"}, id="rar"),
        pytest.param(b"%PDF-1.7\n", "document-as-text", {"kind": "pdf"}, id="pdf"),
        pytest.param(
            "\ufeff\r\n <html><body><table><tr><td>Query ID".encode(), "document-as-text", {"kind": "html"}, id="html"
        ),
        pytest.param("<meta charset=euc-kr><TABLE>가".encode("cp949"), "document-as-text", {"kind": "html"}, id="tags"),
        pytest.param("<html>".encode("utf-16"), "web-page", {"kind": "other"}, id="html-in-utf-16"),
    ],
)
def test_what_is_no_table_is_named_for_what_it_is(data: bytes, code: str, values: dict[str, str]) -> None:
    problem = refusal(score_bytes(data))
    assert (problem.code, problem.values) == (code, values)


def test_text_in_angle_brackets_is_no_page() -> None:
    assert refusal(score_bytes(b"<Query ID>,<Track>\n1,2\n")).code == "missing-columns"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp949", "utf-16"])
@pytest.mark.parametrize("delimiter", [",", "\t", ";"])
@pytest.mark.parametrize(
    ("above", "at_row", "at_line"),
    [
        pytest.param("\r\n", 2, 2, id="blank-line"),
        pytest.param("지원자 관리 에이전트 결과\r\n\r\n", 3, 3, id="title-and-blank-line"),
        pytest.param('"두 줄\r\n제목"\r\n', 2, 3, id="title-of-two-lines"),
        pytest.param("Run 12, exported\r\n", 2, 2, id="ascii-title"),
    ],
)
def test_header_below_the_first_row_is_refused_with_its_row(
    above: str, at_row: int, at_line: int, delimiter: str, encoding: str
) -> None:
    data = (above + csv_text([row()], delimiter=delimiter)).encode(encoding)
    problem = refusal(score_bytes(data))
    assert (problem.code, problem.row, problem.line) == ("header-not-first", at_row, at_line)
    assert problem.values == {"above": str(at_row - 1)}


def test_header_below_the_first_row_names_the_columns_that_it_lacks() -> None:
    header = [name for name in HEADER if name != "응답"]
    part = score_bytes(("결과\n" + csv_text([], header=header)).encode())
    assert [(problem.code, problem.row) for problem in part.problems] == [
        ("header-not-first", 2),
        ("missing-columns", 2),
    ]
    assert part.problems[1].values == {"missing": "응답", "found": ", ".join(header)}


def test_row_with_a_few_of_the_words_is_no_header() -> None:
    part = score_bytes(("제목\n질의,응답,오류\n" + "x,y,z\n" * 3).encode())
    assert [(problem.code, problem.row) for problem in part.problems] == [("missing-columns", 1)]


@pytest.mark.parametrize("sign", ["|", "^", "~"])
def test_other_delimiter_is_named_not_taken(sign: str) -> None:
    problem = refusal(score_bytes(csv_text([row()], delimiter=sign).encode("cp949")))
    assert (problem.code, problem.row, problem.found) == ("other-delimiter", 1, sign)


@pytest.mark.parametrize("encoding", ENCODED)
@pytest.mark.parametrize("marks", [1, 100])
def test_dos_end_mark_behind_the_last_line_is_no_row(encoding: str, marks: int) -> None:
    codec = encoding.removesuffix("-sig")
    data = ENCODED[encoding] + ("\x1a" * marks).encode(codec)
    part = score_bytes(data)
    assert part.items == score_bytes(ENCODED["utf-8"]).items
    assert (part.rows, part.unusable_rows, part.counts["end-mark"], part.problems) == (3, 0, 1, ())
    assert (part.sha256, part.size) == (hashlib.sha256(data).hexdigest(), len(data))


def test_dos_end_mark_elsewhere_is_what_it_was() -> None:
    text = csv_text([row(), ["\x1a"], row(Query_ID="Q-2")])
    part = score_bytes(text.encode() + b"\x1a")
    assert (part.rows, len(part.items), part.unusable_rows) == (3, 2, 1)
    assert refusal(score_bytes(text.encode().removesuffix(b"\r\n") + b"\x1a")).code == "bad-quoting"
    assert refusal(score_bytes(csv_text([]).encode() + b"\x1a")).code == "header-only"


def test_what_grows_behind_an_end_mark_is_not_withheld() -> None:
    class Growing(io.BytesIO):
        """Its end seems to lie in front of the last row."""

        def seek(self, offset: int, whence: int = io.SEEK_SET, /) -> int:
            if whence == io.SEEK_END:
                return super().seek(len(first))
            return super().seek(offset, whence)

    first = csv_text([row()]).encode() + b"\x1a"
    second = csv_text([row(Query_ID="Q-2")]).encode().partition(b"\r\n")[2]
    part = score_file(Growing(first + second), name="resume_agent_x.csv", rubric=resume_rubric())
    assert (part.rows, part.size) == (2, len(first + second))


def test_missing_columns_are_all_named_with_those_found() -> None:
    header = [name for name in HEADER if name not in {"방/반복", "Raw JSON"}]
    problem = refusal(score_bytes(csv_text([], header=header).encode()))
    assert problem.values == {"missing": "방/반복, Raw JSON", "found": ", ".join(header)}


def test_undecodable_place_is_named_by_offset_and_row() -> None:
    good = csv_text([row(), row()]).encode()
    problem = refusal(score_bytes(good + "run-1,가".encode() + b"\x80\xff,\r\n"))
    assert (problem.code, problem.row) == ("not-decodable", 4)
    assert problem.values["offset"] == str(len(good) + len("run-1,가".encode()))


def test_undecodable_cp949_is_named_by_its_own_place() -> None:
    good = csv_text([row(), row()]).encode("cp949")
    problem = refusal(score_bytes(good + "run-1,가".encode("cp949") + b"\xff\xff,\r\n"))
    assert (problem.code, problem.row, problem.values["encoding"]) == ("not-decodable", 4, "cp949")


def test_utf8_with_one_bad_byte_is_not_read_as_garbled_cp949() -> None:
    data = csv_text([row(응답="가")]).encode()
    at = data.index("가,".encode())
    problem = refusal(score_bytes(data[: at + 2] + data[at + 3 :]))
    assert (problem.code, problem.row, problem.values["encoding"]) == ("not-decodable", 2, "utf-8")


def test_utf16_that_ends_inside_a_character_is_refused() -> None:
    assert refusal(score_bytes(ENCODED["utf-16-le"] + b"\x00")).code == "cut-character"


def test_every_cut_inside_a_quoted_cell_is_refused() -> None:
    """Cut at every byte of the last record's Raw JSON cell, the last cell of the file (spec §0)."""
    text = csv_text(
        [row(), row(Query_ID="Q-2", Raw_JSON=payload("선택 \"가\" 'b'", dataUIList=[{"uiValue": {"a": "나"}}]))]
    )
    data = text.encode("utf-8-sig")
    start = data.rindex(b',"{') + len(b',"')
    end = data.rindex(b'}"')
    for cut in range(start, end + 1):
        part = score_bytes(data[:cut])
        assert part.refused, data[:cut][-40:]
        assert part.problems[0].code in {"open-quote", "cut-character"}
        assert part.problems[0].row == 3
    assert len(score_bytes(data[: end + 2]).items) == 2


def test_whole_file_without_a_last_line_break_is_scored() -> None:
    text = csv_text([row(Raw_JSON='{"assistantMessage": "cut by the exporter')]).removesuffix("\r\n") + "\n"
    assert score_bytes(text.encode()).items[0].why == "payload:truncated"
    assert len(score_bytes(csv_text([row()]).removesuffix("\r\n").encode()).items) == 1


def test_cells_of_several_megabytes_are_read() -> None:
    big = payload("가" * 2_000_000)
    (item,) = score_bytes(csv_text([row(Raw_JSON=big)]).encode()).items
    assert item.message.endswith("…")
    assert len(item.message.encode()) <= 4096


def test_cell_over_the_limit_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(delimited, "FIELD_LIMIT", 1000)
    problem = refusal(score_bytes(csv_text([row(), row(응답="x" * 1001)]).encode()))
    assert (problem.code, problem.row) == ("cell-too-large", 3)
    monkeypatch.undo()
    assert FIELD_LIMIT >= 16 * 1024 * 1024


def test_line_that_never_ends_is_refused_before_it_fills_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(delimited, "_LINE_LIMIT", LineLimit(2 << 20, "cell-too-large"))
    assert refusal(score_bytes(csv_text([]).encode() + b"x" * (4 << 20))).code == "cell-too-large"


def test_text_that_looks_like_the_end_mark_ends_nothing() -> None:
    mark = delimited._SENTINEL
    part = score_bytes(csv_text([[mark], row(Query_ID=mark), [mark]]).encode())
    assert (part.rows, len(part.items), part.unusable_rows) == (3, 1, 2)


def test_other_encoding_is_asked_for_only_when_utf8_fails() -> None:
    with pytest.raises(NotThisEncodingError) as caught:
        DelimitedTable(io.BytesIO(ENCODED["cp949"]), resume_rubric().columns)
    assert caught.value.next_encoding == "cp949"
    with pytest.raises(InputError) as refused:
        list(DelimitedTable(io.BytesIO(TEXT.encode() + b"\xff,"), resume_rubric().columns, encoding="cp949").rows())
    assert problem_of(refused.value).code == "not-decodable"


CELLS = st.text(alphabet=st.characters(exclude_categories=["Cc", "Cs"]) | st.sampled_from("\n\r\t,;\"' "), max_size=12)


@settings(max_examples=examples(60))
@given(st.lists(st.lists(CELLS, min_size=2, max_size=4), min_size=1, max_size=5), st.sampled_from([",", "\t", ";"]))
def test_rows_come_back_as_they_were_written(rows: list[list[str]], delimiter: str) -> None:
    columns = resume_rubric().columns
    text = csv_text(rows, header=HEADER, delimiter=delimiter)
    table = DelimitedTable(io.BytesIO(text.encode("utf-8-sig")), columns)
    assert list(table.rows()) == rows


@settings(max_examples=examples(150))
@given(st.binary(max_size=60), st.integers(0, len(TEXT.encode())))
def test_any_bytes_in_a_file_are_scored_or_refused(junk: bytes, at: int) -> None:
    data = TEXT.encode()
    part = score_bytes(data[:at] + junk + data[at:])
    assert part.size == len(data) + len(junk)
    assert part.refused == (not part.items)
    assert not part.refused or part.problems
