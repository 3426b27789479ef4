"""The first rows of a file whose columns are not known: any delimiter, encoding and kind of file."""

import io
from itertools import repeat

import pytest

from scoring.problems import InputError
from scoring.proposal import sample
from scoring.proposal.sample import read_sample
from tests.attacks import workbook

ROWS = [["id", "질문", "답변"], ["1", "무엇, 어디?", "여기; 저기"], ["2", "누구?", ""]]


def sample_of(text: str, encoding: str = "utf-8", name: str = "x.csv") -> list[list[str]]:
    sample = read_sample(io.BytesIO(text.encode(encoding)), name)
    return [list(sample.header), *(list(row) for row in sample.rows)]


@pytest.mark.parametrize("name", ["x.csv", "X.TSV"])
@pytest.mark.parametrize("sign", [",", ";", "\t"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp949", "utf-16"])
def test_cells_are_divided_as_the_file_does(sign: str, encoding: str, name: str) -> None:
    text = "".join(sign.join(f'"{cell}"' for cell in row) + "\r\n" for row in ROWS)
    assert sample_of(text, encoding, name) == ROWS


def test_a_line_that_names_the_delimiter_is_no_row() -> None:
    assert sample_of("sep=;\r\nid;output\r\n1;a,b\r\n") == [["id", "output"], ["1", "a,b"]]


def test_a_comma_in_a_title_divides_nothing() -> None:
    assert sample_of("time, s;size\n1,5;2\n3;4\n") == [["time, s", "size"], ["1,5", "2"], ["3", "4"]]


def test_a_single_column() -> None:
    assert sample_of("answer\nyes\nno\n") == [["answer"], ["yes"], ["no"]]


def test_short_rows_are_filled_up_and_long_ones_left_out() -> None:
    sample = read_sample(io.BytesIO(b"a,b,c\n1,2,3\n4\n1,2,3,4\n\n5,6,7\n"), "x.csv")
    assert list(map(list, sample.rows)) == [["1", "2", "3"], ["4", "", ""], ["5", "6", "7"]]
    assert sample.left_out == 1


def test_only_the_first_rows_are_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    data = b"a,b\n" + b"".join(repeat(b"1,2\n", sample.MAX_ROWS + 5))
    assert len(read_sample(io.BytesIO(data), "x.csv").rows) == sample.MAX_ROWS
    monkeypatch.setattr(sample, "MAX_CHARACTERS", 10)
    assert len(read_sample(io.BytesIO(data), "x.csv").rows) == 6  # the row that goes beyond is the last one


def test_a_workbook() -> None:
    cells = ('<c t="inlineStr"><is><t>id</t></is></c><c t="inlineStr"><is><t>output</t></is></c>', "<c><v>1</v></c>")
    data = "".join(f"<row>{row}</row>" for row in cells)
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    sheet = f'<worksheet xmlns="{main}"><sheetData>{data}</sheetData></worksheet>'
    sample = read_sample(io.BytesIO(workbook(sheet, f'<sst xmlns="{main}"/>')), "x.xlsx")
    assert ([*sample.header], [*map(list, sample.rows)]) == (["id", "output"], [["1", ""]])


@pytest.mark.parametrize(
    ("data", "name", "code"),
    [
        (b"", "x.csv", "empty-file"),
        (b"PK\x03\x04", "x.csv", "zip-as-text"),
        (b"a,b\n\xff\xfe,\x81\n", "x.csv", "not-decodable"),
        (b"a\tb\n1\t\x00\n", "x.tsv", "nul-byte"),
        (b"question,answer" + b",c" * 16_383 + b"\nq,a\n", "x.csv", "too-many-columns"),
        (b"a", "x.xls", "unknown-extension"),
        (b"a", "x.xlsx", "bad-spreadsheet"),
    ],
)
def test_a_file_that_cannot_be_read_is_refused_as_by_score(data: bytes, name: str, code: str) -> None:
    with pytest.raises(InputError) as refusal:
        read_sample(io.BytesIO(data), name)
    assert [problem.code for problem in refusal.value.problems] == [code]
