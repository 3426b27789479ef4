"""`scorewatch review`: a sheet goes out and comes back, and its grades count until they are taken back."""

import csv
import io
import json
import os
import random
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from reporting.store import ReviewShelf
from tests.cli.place import AsMade, Place, rows, tree
from tests.reporting.document.embedded import FIRST, values
from tests.reporting.seen import Seen, embedded_data

SET = "resume_agent_week"
CELLS = tuple(f"Q{number}@{at}/1" for at in (1, 2, 3) for number in range(82))


@pytest.fixture(scope="module")
def inputs() -> str:
    """82 questions in 3 rounds, every answer recorded as 4; some answers are different."""
    header, *lines = rows(*CELLS).splitlines()
    graded = [line.replace("3명,,,,,", f"{number}명,,,4,,") for number, line in enumerate(lines)]
    return "\r\n".join([header, *graded, ""])


@pytest.fixture(scope="module")
def make_week(inputs: str) -> Callable[[Place], object]:
    def make(place: Place) -> None:
        place.file(f"docs/test-result/{SET}.csv", inputs)
        assert _score(place).code == 0

    return make


@pytest.fixture
def week(place: Place, as_made: AsMade, make_week: Callable[[Place], object]) -> Place:
    return as_made(place, make_week)


def _score(place: Place) -> Any:
    return place.score("docs/test-result", "--out", "docs/reports")


def _report(place: Place) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((place.root / "docs/reports" / SET / "report.json").read_bytes())
    return found


def _out(place: Place, name: str, reviewer: str = "김검수", *more: str) -> Path:
    path = place.root / name
    ran = place.run("review", SET, "--for", reviewer, "-o", path, *more)
    assert (ran.code, ran.err) == (0, "")
    return path


def _read(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8-sig", newline="") as stream:
        return list(csv.DictReader(stream))


def _write(path: Path, found: list[dict[str, str]], codec: str = "utf-8-sig") -> None:
    out = io.StringIO(newline="")
    writer = csv.DictWriter(out, list(found[0]))
    writer.writeheader()
    writer.writerows(found)
    path.write_bytes(out.getvalue().encode(codec))


def _filled(path: Path, grades: list[str], **cells: str) -> None:
    """Fill the first rows with these grades."""
    found = _read(path)
    for one, grade in zip(found, grades, strict=False):
        one.update({"검수 점수": grade, **cells})
    _write(path, found)


def test_the_same_report_gives_the_same_bytes(week: Place) -> None:
    for suffix in ("xlsx", "csv"):
        one, two = _out(week, f"a.{suffix}"), _out(week, f"b.{suffix}")
        assert one.read_bytes() == two.read_bytes()
    kim, lee = _read(_out(week, "k.csv")), _read(_out(week, "l.csv", "이검수"))
    assert [one["scorewatch-key"] for one in kim] == [one["scorewatch-key"] for one in lee]


def test_a_sheet_has_what_a_person_needs(week: Place) -> None:
    path = _out(week, "a.xlsx")
    book = openpyxl.load_workbook(path)
    sheet = book["검수"]
    head = [cell.value for cell in sheet[1]]
    assert head == [
        "Query ID", "회차", "Track", "질의", "기대결과", "응답", "오류", "지금 점수", "지금 코멘트", "고른 까닭",
        "검수자", "검수 점수", "검수 코멘트", "원인", "@check", "scorewatch-key",
    ]  # fmt: skip
    assert sheet.column_dimensions["P"].hidden
    assert sheet.max_row == 1 + 45  # 15 random questions; nothing looks odd
    (rule,) = sheet.data_validations.dataValidation
    assert rule.type == "list"
    assert not sheet.protection.sheet
    assert "안내" in book.sheetnames
    assert [cell.data_type for row in sheet.iter_rows() for cell in row if cell.data_type == "f"] == []
    blind = [cell.value for cell in openpyxl.load_workbook(_out(week, "b.xlsx", "김", "--blind"))["검수"][1]]
    assert [title for title in head if title not in blind] == ["지금 점수", "지금 코멘트", "고른 까닭"]


def test_a_sheet_reads_as_plain_words(place: Place) -> None:
    """Lines of their own, points as numbers, why a row is there, what grades mean, and no sign of a file format."""
    header, line = rows("Q@1/1").splitlines()
    fails = line.replace("3명,,", ",TimeoutError,").replace("지원자는 3명입니다.", "").replace("1/1", "2/1")
    answers = line.replace("3명,,,,,", ",,,4,,").replace("지원자는 3명입니다.", "첫 줄\\n- 둘째 줄")
    lines = [one.replace(",Q,", f",Q{at},") for at in range(20) for one in (answers, fails)]
    place.file(f"docs/test-result/{SET}.csv", "\r\n".join([header, *lines, ""]))
    _score(place)
    found = _read(_out(place, "a.csv", "김검수", "--n", "36"))
    book = openpyxl.load_workbook(_out(place, "a.xlsx", "김검수", "--n", "36"))
    sheet = book["검수"]
    cells = [["" if text is None else str(text) for text in row] for row in sheet.iter_rows(values_only=True)]
    assert [list(one.values()) for one in found] == cells[1:]
    assert (list(found[0])[-2], cells[0][-2]) == ("check", "@check")  # which a spreadsheet would run in CSV
    assert {one["응답"] for one in found} == {"첫 줄\n- 둘째 줄", ""}
    assert Counter(one["고른 까닭"] for one in found) == {
        "무작위로 뽑음": 30,
        "답을 받지 못함, 회차마다 결과가 다름": 5,
        "회차마다 결과가 다름": 1,
    }
    assert {cell.value for cell in sheet["H"][1:]} == {4, 0}
    (rule,) = sheet.data_validations.dataValidation
    between = "기준 문서에 뜻이 없습니다. 위아래 점수에 견주어 매깁니다."
    meanings = ["5: 답변 상태: 정상", "4: 답변 상태: 보완 요청", f"3, 2, 1: {between}", "0: 답변 상태: 빈 응답, 오류"]
    assert rule.prompt.splitlines() == meanings
    guide = list(book["안내"].iter_rows(values_only=True))
    assert ("3, 2, 1", between) in guide
    assert [title for title, _ in guide[-5:]] == [f"쓰는 법 {step}" for step in range(1, 6)]


@pytest.mark.parametrize(
    ("queries", "arguments", "said"),
    [
        (82, ("--n", "30"), ("무작위 질의 10개", "15개를 모두 매겨야 나옵니다. 45행", "30개부터 나옵니다. 180행")),
        (82, ("--n", "60"), ("무작위 질의 15개", "30개부터 나옵니다. 180행")),
        (82, ("--n", "180"), ("무작위 질의 30개",)),
        (
            20,
            ("--n", "0"),
            (
                "무작위 질의 20개",
                "이 세트의 질의는 그보다 적습니다",
            ),
        ),
    ],
)
def test_it_says_how_many_rows_a_corrected_figure_takes(
    place: Place, queries: int, arguments: tuple[str, ...], said: tuple[str, ...]
) -> None:
    place.file(
        f"docs/test-result/{SET}.csv", rows(*(f"Q{at}@{number}/1" for at in range(queries) for number in (1, 2, 3)))
    )
    _score(place)
    lines = place.run("review", SET, "--for", "김", *arguments).out.splitlines()
    assert len(lines) == len(said)
    assert all(part in line for part, line in zip(said, lines, strict=True))


def test_a_report_whose_items_were_edited_is_refused_with_the_line(week: Place) -> None:
    items = week.root / "docs/reports" / SET / "items.csv"
    lines = items.read_text(encoding="utf-8-sig").splitlines(keepends=True)
    lines[4] = lines[4].replace(",", ";", 1)
    items.write_text("".join(lines), encoding="utf-8-sig", newline="")
    ran = week.run("review", SET, "--for", "김")
    assert ran.code == 2
    assert f"{SET}/items.csv 5행" in ran.err


def test_an_unchanged_file_changes_nothing_and_says_nothing_is_wrong(week: Place) -> None:
    before = tree(week.root / "docs/reports")
    for suffix in ("xlsx", "csv"):
        _out(week, f"docs/test-result/review.{suffix}")
    ran = _score(week)
    assert (ran.code, ran.err) == (0, "")
    assert tree(week.root / "docs/reports") == before


def test_grades_count_wherever_the_file_lies_and_go_with_it(week: Place) -> None:
    before = _report(week)
    path = _out(week, "docs/test-result/어떤 이름.csv")
    _filled(path, ["1"] * 12, 원인="검색 누락")
    ran = _score(week)
    assert "행 45개 = 반영 12 + 빈칸 33 + 쓰지 않음 0" in ran.out
    graded = _report(week)
    assert graded["key"] != before["key"]
    assert graded["headline"]["metrics"]["intent"] == pytest.approx(4 - 12 * 3 / 246)
    assert graded["reviews"]["items"] == 12
    lines = [
        json.loads(line)
        for line in (week.root / "docs/reports" / SET / "reviews.jsonl").read_text("utf-8").splitlines()
    ]
    assert {(one["old"], one["old_origin"], one["counted"], one["reviewer"], one["cause"]) for one in lines} == {
        (4.0, "recorded", 1.0, "김검수", "검색 누락")
    }
    moved = week.root / "docs/reports" / SET / "x.csv"
    path.rename(moved)  # the same grades at another place
    _score(week)
    assert _report(week)["key"] == graded["key"]
    moved.unlink()
    _score(week)
    assert _report(week)["key"] == before["key"]
    assert "reviews" not in _report(week)
    assert not (week.root / "docs/reports" / SET / "reviews.jsonl").exists()


def test_pages_say_who_graded_and_what_was_there_before(week: Place) -> None:
    path = _out(week, "docs/test-result/r.csv")
    _filled(path, ["1"] * 45, **{"검수 코멘트": "근거가 없음"})
    _score(week)
    folder = week.root / "docs/reports" / SET
    report = (folder / "report.md").read_text(encoding="utf-8")
    assert "누가 매겼나" in report
    assert "사람 기준으로 1.00" in report
    assert "사람 기준으로 1.00" in (folder / "summary.md").read_text(encoding="utf-8")
    assert "사람 기준으로 1.00" in (folder / "summary.html").read_text(encoding="utf-8")
    trusted = (
        "믿을 수 있나: 그대로 쓸 수 있습니다. 246행 중 246행을 썼습니다. 45문항의 점수는 사람이 매겼습니다(김검수)."
    )
    assert trusted in (folder / "summary.md").read_text(encoding="utf-8").replace("**", "")
    pages = "".join(page.read_text(encoding="utf-8") for page in (folder / "rounds").rglob("*.md"))
    assert pages.count("사람이 고침: 4 → 1 · 김검수 · 전에는 기록된 점수 · 근거가 없음") == 45
    assert "4 → 1 · 김검수" in (folder / "report.html").read_text(encoding="utf-8")
    items = list(csv.DictReader(io.StringIO((folder / "items.csv").read_text(encoding="utf-8-sig"))))
    graded = [one for one in items if one["reviewed_by"]]
    assert {(one["before_intent"], one["before_intent_source"], one["intent_source"]) for one in graded} == {
        ("4", "recorded", "reviewed")
    }


@pytest.mark.parametrize(
    ("grade", "sentence"),
    [
        ("1", "답은 그대로이고 사람이 12문항의 점수를 바꿨습니다: 의도 충족 4.00 → 3.85"),
        ("4", "답과 점수는 그대로이고 사람이 검수한 문항만 달라졌습니다."),
    ],
)
def test_the_page_of_changes_says_that_people_graded_the_same_answers(week: Place, grade: str, sentence: str) -> None:
    _filled(_out(week, "docs/test-result/r.csv"), [grade] * 12)
    _score(week)
    for name in ("changes.html", "changes.md"):
        page = (week.root / "docs/reports" / SET / name).read_text(encoding="utf-8").replace("\\", "")
        assert sentence in page
        assert not [words for words in ("배제할 수 없습니다", "달라진 질의가 없습니다", "0.00 ~") if words in page]


def test_the_front_page_of_a_pinned_run_with_the_same_inputs_has_no_chance_in_it(week: Place, inputs: str) -> None:
    """The pinned run is the same file under another name, and people graded some answers of each, not all alike."""
    week.file("docs/test-result/yore/resume_agent_yore.csv", inputs)
    assert _score(week).code == 0
    assert week.run("bless", "yore/resume-agent").code == 0
    assert (
        week.run("review", "yore/resume-agent", "--for", "박검수", "-o", week.root / "docs/test-result/yore.csv").code
        == 0
    )
    _filled(week.root / "docs/test-result/yore.csv", ["3"] * 45)
    _filled(_out(week, "docs/test-result/r.csv"), ["1"] * 45)
    _score(week)
    folder = week.root / "docs/reports" / SET
    text = (folder / "summary.md").read_text(encoding="utf-8")
    assert "답은 그대로이고 사람이" in text
    assert not [words for words in ("우연", "배제할 수 없습니다", "나빠졌습니다") if words in text]
    index = (week.root / "docs/reports/index.md").read_text(encoding="utf-8")
    assert not [
        line for line in index.splitlines() if line.startswith(f"| [{SET}]") and ("▼" in line or ") – |" in line)
    ]


def test_a_comparison_says_who_graded_and_what_was_there_before(week: Place) -> None:
    """The same line as in the report, beside the answer of the run that a person graded."""
    source = week.root / f"docs/test-result/{SET}.csv"
    _filled(_out(week, "docs/test-result/r.csv"), ["1"] * 7, **{"검수 코멘트": "=근거가 </script> 없음"}, 원인="검색")
    _score(week)
    reports = week.root / "docs/reports"
    assert week.run("compare", source, reports / SET, "--out", week.root / "made").code == 0
    data = json.loads(embedded_data((week.root / "made/compare.html").read_text(encoding="utf-8")))
    line = "4 → 1 · 김검수 · 전에는 기록된 점수 · 검색 · =근거가 </script> 없음"
    column = FIRST + len(data["facets"]) + 2 * len(data["metrics"]) + data["judged"].index("사람이 고침")
    report = json.loads(embedded_data((reports / SET / "report.html").read_text(encoding="utf-8")))
    assert line in report["strings"]
    told = [(*values(data, row, "side"), data["strings"][row[column]]) for row in data["items"] if row[column] >= 0]
    assert [one for one in told if one[1]] == 7 * [("after", line)]


def test_the_front_page_says_how_many_reviewed_items_are_no_part_of_the_change(week: Place, inputs: str) -> None:
    week.file("docs/test-result/resume_agent_yore.csv", inputs.replace("245명", "마흔 명"))
    assert _score(week).code == 0
    assert week.run("bless", "resume_agent_yore").code == 0
    sentence = "한쪽에서만 사람이 매긴 7문항은 변화에서 뺐습니다."
    folder = week.root / "docs/reports" / SET
    assert sentence not in (folder / "summary.md").read_text(encoding="utf-8")
    _filled(_out(week, "docs/test-result/r.csv"), ["1"] * 7)
    _score(week)
    assert sentence in json.loads((folder / "compare.json").read_bytes())["sentence"]
    # Beside the change, and in the line to hand on, which the page has once more to copy.
    assert (folder / "summary.md").read_text(encoding="utf-8").count(sentence) == 2
    assert sentence in "".join(Seen((folder / "summary.html").read_text(encoding="utf-8")).lines)


def test_merge_show_and_withdraw(week: Place) -> None:
    before = _report(week)
    path = _out(week, "back.csv")
    _filled(path, ["0", "9", "3"])
    ran = week.run("review", "--merge", path)
    assert ran.code == 1
    assert ran.out.count("행 45개 = 반영 2 + 빈칸 42 + 쓰지 않음 1") == 1
    assert "'9'" in ran.err
    assert "3행" in ran.err
    assert "검수 점수" in ran.err
    assert _report(week)["reviews"]["items"] == 2
    shown = week.run("review", "--show")
    assert "반영 2" in shown.out
    week.run("review", "--withdraw", "김검수")
    assert _report(week)["key"] == before["key"]
    assert (week.root / "docs/reports" / SET / "back.csv.withdrawn").exists()
    assert week.run("review", "--show").out == "검수 파일이 없습니다.\n"


def test_merging_writes_through_no_link_and_reads_no_pipe(week: Place) -> None:
    path = _out(week, "kim.csv")
    _filled(path, ["1", "1"])
    place, outside = week.root / "docs/reports" / SET / "kim.csv", week.root / "elsewhere.csv"
    place.symlink_to(outside)
    assert week.run("review", "--merge", path).code == 0
    assert not outside.exists()
    assert place.read_bytes() == path.read_bytes()
    place.unlink()
    os.mkfifo(place)
    ran = week.run("review", "--merge", path)
    assert ran.code == 2
    assert "kim.csv" in ran.err


def test_a_set_that_was_renamed_keeps_its_grades(week: Place) -> None:
    path = _out(week, "docs/test-result/r.csv")
    _filled(path, ["1"] * 5)
    _score(week)
    folder = week.root / "docs/test-result"
    (folder / f"{SET}.csv").rename(folder / "resume_agent_other.csv")
    _score(week)
    renamed = json.loads((week.root / "docs/reports/resume_agent_other/report.json").read_bytes())
    assert renamed["reviews"]["items"] == 5
    assert renamed["headline"] == _report(week)["headline"]


def test_a_stale_row_is_named_and_ends_with_one(week: Place, inputs: str) -> None:
    path = _out(week, "docs/test-result/r.csv")
    _filled(path, ["1"] * 2)
    week.file(f"docs/test-result/{SET}.csv", inputs.replace("명", "분"))
    ran = _score(week)
    assert ran.code == 1
    assert ran.out.count("[review-stale]") == 2
    assert "r.csv 2행 '검수 점수'" in ran.out
    assert "쓰지 않음 2" in ran.out
    index = (week.root / "docs/reports/index.md").read_text()
    assert "검수 파일에서 쓰지 않은 점수 (2)" in index
    assert "r.csv 3행" in index
    assert "쓰지 않음 2" in week.run("review", "--show").out


def test_a_key_and_a_report_have_nothing_of_grades_that_are_not_used(week: Place) -> None:
    before = {path: path.read_bytes() for path in (week.root / "docs/reports" / SET).glob("report.*")}
    path = _out(week, "docs/test-result/r.csv")
    _filled(path, ["99", "=1", "매우 좋음"])
    ran = _score(week)
    assert (ran.code, ran.out.count("[review-grade]"), ran.out.count("[review-formula]")) == (1, 2, 1)
    assert {path: path.read_bytes() for path in before} == before
    assert "r.csv" in (week.root / "docs/reports/index.md").read_text()
    _filled(path, ["99", "3"])
    _score(week)
    one = _report(week)["key"]
    _filled(path, ["", "3", ""])
    assert _score(week).code == 0
    assert _report(week)["key"] == one != json.loads(before[week.root / "docs/reports" / SET / "report.json"])["key"]
    assert "r.csv" not in (week.root / "docs/reports/index.md").read_text()


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [("resume-agent|", "other-profile|", "review-profile"), (SET, "resume_agent_gone", "review-nowhere")],
)
def test_a_row_of_another_profile_or_of_no_set_is_refused_with_its_cell(
    week: Place, old: str, new: str, code: str
) -> None:
    path = _out(week, "docs/test-result/r.csv")
    _filled(path, ["1", "2"])
    found = _read(path)
    found[0]["scorewatch-key"] = found[0]["scorewatch-key"].replace(old, new).replace("|Q", "|X")
    _write(path, found)
    for ran in (_score(week), week.run("review", "--show")):
        assert ran.code == 1
        assert "반영 1 + 빈칸 43 + 쓰지 않음 1\n" in ran.out
        assert "r.csv 2행 '검수 점수'" in ran.out + ran.err
        assert f"[{code}]" in ran.out + ran.err


def test_grades_of_a_set_that_is_nowhere(week: Place) -> None:
    path = _out(week, "docs/test-result/r.csv")
    found = _read(path)
    for one in found[:2]:
        one["검수 점수"] = "1"
        one["scorewatch-key"] = one["scorewatch-key"].replace(SET, "gone").replace("|Q", "|X")
    _write(path, found)
    ran = _score(week)
    assert ran.code == 1
    assert "gone" in ran.out + ran.err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["review"], "review SET"),
        (["review", SET], "--for"),
        (["review", "nothing", "--for", "김"], "nothing"),
        (["review", SET, "--for", "김", "--metric", "latency"], "intent"),
        (["review", SET, "--for", "김", "-o", "a.pdf"], ".xlsx"),
        (["review", SET, "--for", "김", "--show"], "--withdraw"),
        (["review", "--merge"], "--merge FILE"),
        (["review", "--merge", f"docs/test-result/{SET}.csv"], "scorewatch-key"),
        (["review", SET, "--for", "김", "-o", f"docs/reports/{SET}/items.csv"], "items.csv"),
    ],
)
def test_what_is_no_use(week: Place, arguments: list[str], said: str) -> None:
    ran = week.run(*arguments)
    assert ran.code == 2
    assert said in ran.err


def _edits(found: list[dict[str, str]], chance: random.Random) -> tuple[list[dict[str, str]], dict[str, str]]:
    """The sheet as a person may leave it, and the grades that she gave by key."""
    for one in found:
        grade = chance.choice(["", "", "", "0", "1", "2", "3", "4", "5", "3.0", " 2 "])
        one["검수 점수"] = grade
        one["검수 코멘트"] = chance.choice(["", "틀림", "줄\n바꿈", '따옴표 " 쉼표 ,', "=1+1", "탭\t"])
        one["질의"] = chance.choice([one["질의"], "고쳐 적은 질문", ""])
    chance.shuffle(found)
    found = found[: chance.randrange(1, len(found) + 1)]
    if chance.random() < 0.3:  # sorted
        title = chance.choice(["Query ID", "검수 점수", "회차"])
        found.sort(key=lambda one: one[title])
    given = {one["scorewatch-key"]: one["검수 점수"].strip() for one in found if one["검수 점수"].strip()}
    titles = list(found[0])
    chance.shuffle(titles)
    return [{title: one[title] for title in titles} for one in found], given


def _as_csv(found: list[dict[str, str]], chance: random.Random, path: Path) -> Path:
    out = io.StringIO(newline="")
    writer = csv.DictWriter(out, list(found[0]), delimiter=chance.choice(",;\t"))
    writer.writeheader()
    for one in found:
        writer.writerow(one)
        if chance.random() < 0.1:
            writer.writerow({})
    path = path.with_suffix(".csv")
    path.write_bytes(out.getvalue().encode(chance.choice(["utf-8", "utf-8-sig", "cp949", "utf-16"])))
    return path


def _as_workbook(found: list[dict[str, str]], chance: random.Random, path: Path) -> Path:
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.append(list(found[0]))
    for at, one in enumerate(found, start=2):
        for column, (title, text) in enumerate(one.items(), start=1):
            cell = sheet.cell(row=at, column=column)
            is_number = title == "검수 점수" and text.strip() and chance.random() < 0.7
            cell.value = float(text) if is_number else text
            if not is_number:
                cell.data_type = "s"
        sheet.row_dimensions[at].hidden = chance.random() < 0.2
    path = path.with_suffix(".xlsx")
    book.save(path)
    return path


def _given(path: Path) -> dict[str, str]:
    """What is read back, by key."""
    shelf = ReviewShelf()
    assert shelf.take(path)
    (file,) = shelf.found.values()
    assert (file.refused, file.problems) == ((), ())
    assert file.rows == len(file.grades) + file.blank
    return {str(one.key): one.grade for one in file.grades}


def _numbers(given: dict[str, str]) -> dict[str, float]:
    return {key: float(grade) for key, grade in given.items()}


@pytest.mark.parametrize("sheets", [200, pytest.param(2_000, marks=[pytest.mark.slow, pytest.mark.timeout(300)])])
def test_edited_sheets_lose_no_grade_and_invent_none(week: Place, sheets: int) -> None:
    base = _read(_out(week, "base.csv"))[:12]
    for number in range(sheets):
        chance = random.Random(number)
        found, given = _edits([dict(one) for one in base], chance)
        if not given:
            found[0]["검수 점수"] = "1"
            given = {found[0]["scorewatch-key"]: "1"}
        save = _as_workbook if number % 10 == 0 else _as_csv
        path = save(found, chance, week.root / f"edited-{number}")
        assert _numbers(_given(path)) == _numbers(given), number
        path.unlink()


@pytest.mark.parametrize("out", [("--out", "docs/reports"), ()])
def test_a_file_that_is_named_itself_keeps_the_grades_beside_it(week: Place, out: tuple[str, ...]) -> None:
    _filled(_out(week, "docs/test-result/kim.csv"), ["1"] * 12)
    _score(week)
    graded = _report(week)
    line = "kim.csv: 행 45개 = 반영 12 + 빈칸 33 + 쓰지 않음 0"
    ran = week.score(f"docs/test-result/{SET}.csv", *out)
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.count(line) == 1
    assert _report(week)["key"] == graded["key"]
    assert (week.root / "docs/reports" / SET / "reviews.jsonl").exists()
    assert line in week.run("review", "--show").out
    week.file("gate.toml", '[gate]\nrules = ["reviewed >= 4%"]\n')
    assert week.score(f"docs/test-result/{SET}.csv", "--gate", "--gate-file", "gate.toml", *out).code == 0


def test_a_file_elsewhere_has_the_review_files_of_its_own_folder(week: Place, inputs: str) -> None:
    path = week.file(f"elsewhere/{SET}.csv", inputs)
    _filled(_out(week, "elsewhere/kim.csv"), ["1"] * 12)
    _filled(_out(week, "elsewhere.csv", "이검수"), ["1"] * 9)  # above
    (week.root / "elsewhere/deeper").mkdir()
    _filled(_out(week, "elsewhere/deeper/park.csv", "박검수"), ["1"] * 9)
    assert "kim.csv: 행 45개 = 반영 12 " in week.score(path, "--out", "docs/reports").out
    assert _report(week)["reviews"]["reviewers"] == [{"name": "김검수", "n": 12}]


def test_grades_that_were_merged_count_without_a_folder_of_reports(week: Place) -> None:
    path = _out(week, "back.csv")
    _filled(path, ["1"] * 12)
    assert week.run("review", "--merge", path).code == 0
    assert "반영 12 " in week.score(f"docs/test-result/{SET}.csv").out


def test_grades_of_other_sets_beside_a_file_are_not_its_own(week: Place, inputs: str) -> None:
    """They fit its items, but their set is there."""
    other = "resume_agent_other"
    week.file(f"docs/test-result/{other}.csv", inputs)
    path = _out(week, "docs/test-result/kim.csv")
    _filled(path, ["1"] * 12)
    for out in (("--out", "docs/reports"), ()):
        ran = week.score(f"docs/test-result/{other}.csv", *out)
        assert (ran.code, ran.err) == (0, "")
        assert "kim.csv" not in ran.out
    found = _read(path)
    found[0]["scorewatch-key"] = found[0]["scorewatch-key"].replace(SET, other)
    _write(path, found)
    ran = week.score(f"docs/test-result/{other}.csv")
    assert "kim.csv: 행 45개 = 반영 1 + 빈칸 33 + 쓰지 않음 0 (다른 세트의 행 11개)" in ran.out


def test_people_who_disagree_are_shown_with_what_each_gave_and_wrote(week: Place) -> None:
    found = _read(_out(week, "docs/test-result/a.csv", "A"))
    _filled(week.root / "docs/test-result/a.csv", ["3", "2"], **{"검수 코멘트": "일부 맞음", "원인": "생성"})
    _filled(_out(week, "docs/test-result/b.csv", "B"), ["1", "2"], **{"검수 코멘트": "근거 없음", "원인": "검색"})
    _score(week)
    report = (week.root / "docs/reports" / SET / "report.md").read_text(encoding="utf-8")
    first, second = [line for line in report.splitlines() if "A: 생성; B: 검색" in line]
    assert "| 1 | A 3, B 1 | A: 생성; B: 검색 | A: 일부 맞음; B: 근거 없음 |" in first
    assert "| 2 | A, B | A: 생성; B: 검색 | A: 일부 맞음; B: 근거 없음 |" in second
    assert {one["Query ID"] in first + second for one in found[:2]} == {True}
    split = "4 → 1 · A 3, B 1 · 전에는 기록된 점수 · A: 생성; B: 검색 · A: 일부 맞음; B: 근거 없음"
    alike = "4 → 2 · A, B · 전에는 기록된 점수 · A: 생성; B: 검색 · A: 일부 맞음; B: 근거 없음"
    folder = week.root / "docs/reports" / SET
    rounds = "".join(page.read_text(encoding="utf-8") for page in (folder / "rounds").rglob("*.md"))
    assert rounds.count(split) == rounds.count(alike) == 1
    names = ("reviewed_by", "reviewed_intent_by", "reviewed_intent_comment", "reviewed_intent_cause")
    page = (folder / "report.html").read_text(encoding="utf-8")
    assert page.count('<li><a href="#graded">누가 매겼나</a></li>') == page.count(' id="graded"') == 1
    data = json.loads(embedded_data(page))
    facets = {facet["name"]: facet["keys"] for facet in data["facets"]}
    assert (facets["preset"][-1], facets["reviewer"]) == ("reviewed", ["A", "B"])
    cells = Counter(tuple(one[name] for name in names) for one in _read(folder / "items.csv"))
    del cells["", "", "", ""]
    comment, cause = "A: 일부 맞음; B: 근거 없음", "A: 생성; B: 검색"
    assert cells == {("A; B", "A 3, B 1", comment, cause): 1, ("A; B", "A, B", comment, cause): 1}
    assert week.run("compare", week.root / f"docs/test-result/{SET}.csv", folder, "--out", week.root / "made").code == 0
    assert {split, alike} < set(data["strings"])
    compared = json.loads(embedded_data((week.root / "made/compare.html").read_text(encoding="utf-8")))
    assert {split, alike} < set(compared["strings"])
    assert "reviewed" in compared["facets"][0]["keys"]


@pytest.mark.parametrize(("n", "says"), [("60", False), ("180", True)])
def test_a_range_says_how_often_it_holds(week: Place, n: str, says: bool) -> None:
    path = _out(week, "docs/test-result/a.csv", "김", "--n", n)
    _filled(path, ["1", "4"] * 90)
    _score(week)
    report = (week.root / "docs/reports" / SET / "report.md").read_text(encoding="utf-8")
    assert "사람 기준으로" in report
    assert ("열에 아홉 번쯤" in report) is says


@pytest.mark.parametrize(
    ("grade", "korean", "english"),
    [
        ("1", "평균 3.00점 낮습니다(−3.00 \\~ −3.00; 올림 0, 내림 6,", "3.00 points less on average (−3.00 to −3.00;"),
        ("5", "평균 1.00점 높습니다(1.00 \\~ 1.00; 올림 6, 내림 0,", "1.00 points more on average (1.00 to 1.00;"),
        ("4", "평균으로는 같습니다(0.00 \\~ 0.00; 올림 0, 내림 0,", "the same on average (0.00 to 0.00;"),
    ],
)
def test_the_difference_of_people_has_a_direction(
    week: Place, monkeypatch: pytest.MonkeyPatch, grade: str, korean: str, english: str
) -> None:
    _filled(_out(week, "docs/test-result/a.csv"), [grade] * 6)
    _score(week)
    path = week.root / "docs/reports" / SET / "report.md"
    report = path.read_text(encoding="utf-8")
    assert korean in report
    assert "질의 5개에서 6문항을 사람이 매겼습니다(김검수 6)." in report
    monkeypatch.setenv("SCOREWATCH_LANGUAGE", "en")
    _score(week)
    assert english in path.read_text(encoding="utf-8")
