"""report.xlsx: what it holds, when it is made, and that LibreOffice reads the same."""

import shutil
import subprocess
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
import python_calamine

from reporting.runs import compare_missing
from reporting.store import REPORT_XLSX, SUMMARY_JSON, Destination, KnownSets
from reporting.summary import summarise_missing, write_summary
from scoring.results import merge
from scoring.rubric import Status
from tests.reporting.publishing import publish_report
from tests.reporting.results import make_item, make_result, sha_of
from tests.scoring.judged_sets import SCORES, scores_part

EVIL = '=HYPERLINK("http://e.example")'
RICH = "<r><t>x</t></r>"


def published(out: Path, name: str, *, language: str = "ko") -> Path:
    items = [
        make_item(2, question=EVIL, response=RICH, category="+1"),
        make_item(3, status=Status.ERROR, intent=0.0, accuracy=0.0, stability=0.0, question="x" * 100_000),
        make_item(4, question="둘째\n줄 \u202e\x07"),
    ]
    publish_report(make_result(*items, sha256=sha_of(name)), set_name=name, key=name, out=out, language=language)
    return out / name


def with_workbook(out: Path, *, language: str = "ko") -> Destination:
    return Destination(out=out, language=language, xlsx=True)


def sheets(data: bytes) -> dict[str, list[list[Any]]]:
    book = python_calamine.CalamineWorkbook.from_filelike(BytesIO(data))
    return {name: book.get_sheet_by_name(name).to_python() for name in book.sheet_names}


def test_a_workbook_has_seven_sheets_with_numbers_as_numbers(tmp_path: Path) -> None:
    for name in ("run_260301", "run_260302"):
        published(tmp_path, name)
    destination = with_workbook(tmp_path)
    known = KnownSets(tmp_path)
    compare_missing(destination, known)
    assert summarise_missing(destination, known) == []
    found = sheets((tmp_path / "run_260302" / REPORT_XLSX).read_bytes())
    assert list(found) == ["요약", "지표", "문항", "질의", "비교", "살펴볼 것", "기준"]
    head, *items = found["문항"]
    assert len(head) <= 15
    column = {title: at for at, title in enumerate(head)}
    assert [row[column["질문"]] for row in items] == [EVIL, items[1][column["질문"]], "둘째 ⏎ 줄"]
    assert items[1][column["질문"]].startswith("xxx")
    assert items[0][column["답변"]] == f"{RICH} "
    assert [row[column["상태"]] for row in items] == ["정상", "오류", "정상"]
    assert [row[column["의도 충족"]] for row in items] == [5.0, 0.0, 5.0]
    titles, *lines = found["질의"]
    assert titles[:8] == ["Query ID", "질문", "Track", "카테고리", "문항", "성공한 문항", "회차끼리", "통과"]
    assert "의도 충족" in titles
    assert not [title for title in titles if title.islower()]
    assert {line[7] for line in lines} == {"성공", "실패"}
    assert next(row[column["카테고리"]] for row in items) == "+1"
    figures = {(row[0], row[1]): row for row in found["지표"][1:]}
    rate = figures["전체", "응답 성공률"]
    assert rate[2] == pytest.approx(200 / 3, abs=1e-5)
    assert rate[5] == "%"
    assert rate[6] == rate[7] == pytest.approx(200 / 3, abs=1e-5)
    assert rate[9] == "같음"
    assert found["비교"][1][1] == "run_260301"
    assert ["프로필", "resume-agent"] in found["기준"]
    assert dict(row[:2] for row in found["요약"][1:4])["세트"] == "run_260302"


def test_queries_that_newly_lack_answers_are_among_those_that_changed(tmp_path: Path) -> None:
    for name, answer in (("scores_260301", "답"), ("scores_260302", "")):
        rows = [
            {"id": "Q1", "응답": answer, "등급": "4" if answer else "", "오류": "" if answer else "Timeout"},
            {"id": "Q2", "응답": "답", "등급": "4"},
        ]
        result = merge([("scores.csv", scores_part(rows))], SCORES)
        publish_report(result, set_name=name, key=name, out=tmp_path, language="ko")
    destination, known = with_workbook(tmp_path), KnownSets(tmp_path)
    compare_missing(destination, known)
    summarise_missing(destination, known)
    _, _, *changed = sheets((tmp_path / "scores_260302" / REPORT_XLSX).read_bytes())["비교"]
    assert [row[:2] for row in changed] == [["새로 답 없음", "Q1"]]


def test_it_is_made_again_when_what_it_shows_changes_and_goes_when_it_is_not_asked_for(tmp_path: Path) -> None:
    folder = published(tmp_path, "run_260301")
    plain = Destination(out=tmp_path, language="ko")
    assert write_summary("run_260301", plain)
    assert not (folder / REPORT_XLSX).exists()
    before = (folder / SUMMARY_JSON).read_bytes()
    destination = with_workbook(tmp_path)
    assert write_summary("run_260301", destination)
    data = (folder / REPORT_XLSX).read_bytes()
    stamp = (folder / REPORT_XLSX).stat().st_mtime_ns
    assert write_summary("run_260301", destination)
    assert (folder / REPORT_XLSX).stat().st_mtime_ns == stamp  # it is there already
    (folder / SUMMARY_JSON).unlink()
    assert write_summary("run_260301", destination)
    assert (folder / REPORT_XLSX).read_bytes() == data
    assert write_summary("run_260301", with_workbook(tmp_path, language="en"))
    assert next(iter(sheets((folder / REPORT_XLSX).read_bytes()))) == "Summary"
    assert write_summary("run_260301", plain)
    assert not (folder / REPORT_XLSX).exists()
    assert (folder / SUMMARY_JSON).read_bytes() == before
    assert list((tmp_path / ".scorewatch/tmp").iterdir()) == []


def test_answers_of_another_version_are_not_put_into_it(tmp_path: Path) -> None:
    folder = published(tmp_path, "run_260301")
    items = folder / "items.csv"
    items.write_bytes(items.read_bytes() + b"x")
    assert not write_summary("run_260301", with_workbook(tmp_path))
    assert not (folder / REPORT_XLSX).exists()


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.skipif(shutil.which("soffice") is None, reason="LibreOffice is not installed: nothing else opens the file")
def test_libreoffice_reads_what_was_written(tmp_path: Path) -> None:
    folder = published(tmp_path, "run_260301")
    assert write_summary("run_260301", with_workbook(tmp_path))
    path = tmp_path / "in.xlsx"
    path.write_bytes((folder / REPORT_XLSX).read_bytes())
    home = f"-env:UserInstallation={(tmp_path / 'home').as_uri()}"
    command = ["soffice", home, "--headless", "--convert-to", "xlsx", "--outdir", str(tmp_path / "out"), str(path)]
    subprocess.run(command, check=True, capture_output=True, timeout=240)
    ours, theirs = sheets(path.read_bytes()), sheets((tmp_path / "out/in.xlsx").read_bytes())
    assert list(ours) == list(theirs)
    for name, rows in ours.items():
        for one, other in zip(rows, theirs[name], strict=True):
            width = min(len(one), len(other))
            assert one[:width] == other[:width]
            assert not any(one[width:])
            assert not any(other[width:])
