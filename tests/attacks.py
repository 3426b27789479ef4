"""Small input files that ask for much: of memory, of comparisons, or of patience. Made here, never kept."""

import csv
import io
import json
import zipfile
from collections.abc import Iterable, Sequence

CHECK_HEADER = ("Query ID", "방/반복", "응답", "Raw JSON", "accuracyChecks")
_SHEET = (
    '<?xml version="1.0" encoding="UTF-8"?>'
    '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>'
)
_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"


def many_checks(*, elements: int = 7_000, checks: int = 100, wanted: int = 120) -> bytes:
    """A CSV of one row: a long list in the payload, and checks that compare each element with a long list each."""
    payload = {"assistantMessage": "답", "dataUIList": [{"uiValue": {"ids": [n % 10 for n in range(elements)]}}]}
    listed = [
        {"path": "dataUIList[*].uiValue.ids[*]", "op": "in", "value": [10 + n % 90 for n in range(wanted)]}
        for _ in range(checks)
    ]
    return csv_bytes(CHECK_HEADER, [("Q-1", "1/1", "답", compact(payload), compact(listed))])


def many_schemas(leaf: dict[str, object], values: list[object], *, size: int = 150_000) -> bytes:
    """A CSV of that many bytes whose rows each have a short schema of many places, and a list for it."""
    places: dict[str, object] = {"a0": leaf}
    for n in range(1, 8):
        places[f"a{n}"] = {"allOf": [{"$ref": f"#/$defs/a{n - 1}"}] * 2}
    schema = {"$defs": places, "items": {"$ref": "#/$defs/a7"}}
    payload = {"assistantMessage": "답", "dataUIList": [{"uiValue": {"ids": values}}]}
    check = [{"path": "dataUIList[0].uiValue.ids", "op": "json_schema", "value": schema}]
    row = ("Q", "1/1", "답", compact(payload), compact(check))
    rows = size // len(csv_bytes(CHECK_HEADER, [row]))
    return csv_bytes(CHECK_HEADER, [(f"Q-{n}", *row[1:]) for n in range(rows)])


def many_places(*, elements: int = 20_000, checks: int = 1_000) -> bytes:
    """A CSV of one row whose marked checks look at every UI item of a long list, in every place of the profile."""
    payload = {"assistantMessage": "답", "dataUIList": [{"a": n % 7} for n in range(elements)]}
    marked = "\n".join(f"@check a={7 + n % 3}" for n in range(checks))
    header = ("Query ID", "방/반복", "응답", "Raw JSON", "기대결과")
    return csv_bytes(header, [("Q-1", "1/1", "답", compact(payload), marked)])


def blank_lines(size: int = 5_000_000) -> bytes:
    """A CSV of one row and nothing but line breaks below it."""
    return csv_bytes(CHECK_HEADER, [("Q-1", "1/1", "답", '{"assistantMessage":"답"}', "")]) + b"\n" * size


def repeated_string(*, rows: int = 8_000, characters: int = 30_000, columns: Sequence[str] = CHECK_HEADER) -> bytes:
    """A workbook with one long text that every row names: small on disk and in its XML, large when it is read."""
    strings = [*columns, "Q", "1/1", "가" * characters]
    shared = "".join(f"<si><t>{text}</t></si>" for text in strings)
    head = _row(1, range(len(columns)))
    last = len(strings) - 1
    body = "".join(_row(number, (last - 2, last - 1, last, last)) for number in range(2, rows + 2))
    return workbook(f"{_SHEET}{head}{body}</sheetData></worksheet>", f'<sst xmlns="{_MAIN}">{shared}</sst>')


def workbook(sheet: str, strings: str) -> bytes:
    """An XLSX file of one sheet with this XML and these shared strings."""
    members = {
        "[Content_Types].xml": f'<Types xmlns="{_PACKAGE}/content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        '<Default Extension="xml" ContentType="application/xml"/></Types>',
        "_rels/.rels": f'<Relationships xmlns="{_PACKAGE}/relationships"><Relationship Id="rId1" '
        f'Type="{_OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'<workbook xmlns="{_MAIN}" xmlns:r="{_OFFICE}"><sheets>'
        '<sheet name="Sheet1" sheetId="1" r:id="rId1"/></sheets></workbook>',
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{_PACKAGE}/relationships">'
        f'<Relationship Id="rId1" Type="{_OFFICE}/worksheet" Target="worksheets/sheet1.xml"/>'
        f'<Relationship Id="rId2" Type="{_OFFICE}/sharedStrings" Target="sharedStrings.xml"/></Relationships>',
        "xl/sharedStrings.xml": strings,
        "xl/worksheets/sheet1.xml": sheet,
    }
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, text in members.items():
            archive.writestr(name, text)
    return out.getvalue()


def csv_bytes(header: Sequence[str], rows: Iterable[Sequence[str]]) -> bytes:
    """A CSV file in UTF-8."""
    out = io.StringIO(newline="")
    writer = csv.writer(out)
    writer.writerow(header)
    writer.writerows(rows)
    return out.getvalue().encode()


def rewritten(data: bytes, was: bytes, becomes: bytes) -> bytes:
    """The workbook with other bytes in the XML of its sheet and its shared texts."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            is_meant = name in {"xl/sharedStrings.xml", "xl/worksheets/sheet1.xml"}
            new.writestr(name, old.read(name).replace(was, becomes) if is_meant else old.read(name))
    return out.getvalue()


def with_member(data: bytes, name: str, content: bytes) -> bytes:
    """The workbook with a further member."""
    out = io.BytesIO(data)
    with zipfile.ZipFile(out, "a") as archive:
        archive.writestr(name, content)
    return out.getvalue()


def compact(value: object) -> str:
    """JSON without spaces."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _row(number: int, strings: Iterable[int]) -> str:
    cells = "".join(
        f'<c r="{chr(65 + column)}{number}" t="s"><v>{index}</v></c>' for column, index in enumerate(strings)
    )
    return f'<row r="{number}">{cells}</row>'
