"""`scorewatch rubric new`: from a file of another agent to a document that scores it, without code."""

import csv
import io
import json
import os
import re
import shutil
from pathlib import Path

import pytest

from config import shipped_rubrics
from scoring.rubric import Rubric
from scoring.rubric.document import parse_rubric
from tests.attacks import workbook
from tests.cli.place import Place, Run
from tests.paths import ROOT

FOREIGN = ROOT / "tests" / "samples" / "foreign"
HELPDESK = "helpdesk_2026-11-02.csv"
TRAVEL = "travel_agent.jsonl"
TUTOR = "수학선생_1차.tsv"
HANGUL = re.compile("[가-힣]")
SMALL = "id,output,rating\n1,an answer,5\n2,another one,2\n"
UNSURE = "id,output,score\n1,an answer,4\n2,another one,2\n"


def given(place: Place, name: str) -> Path:
    shutil.copy(FOREIGN / name, place.root)
    return place.root / name


def new(place: Place, *arguments: object) -> Run:
    return place.run("rubric", "new", *arguments)


def document(path: Path) -> Rubric:
    return parse_rubric(path.read_text(encoding="utf-8"), source=path.name)


@pytest.mark.parametrize(
    ("name", "profile", "language", "scored"),
    [
        (HELPDESK, "helpdesk", "en", "Scored: 12 items, passed 8/12"),
        (TUTOR, "agent", "ko", "채점해 본 결과: 36문항, 통과 23/36"),
        (TRAVEL, "travel-agent", "en", "Scored: 12 items, passed 8/12"),
    ],
)
def test_a_foreign_file_is_scored_by_its_document(
    place: Place, name: str, profile: str, language: str, scored: str
) -> None:
    file = given(place, name)
    ran = new(place, file, "--language", language)
    assert (ran.code, ran.err) == (0, "")
    assert scored in ran.out
    path = place.root / f"{profile}.md"
    assert place.run("rubric", "check", path, "--language", language).code == 0
    ran = place.score(file, "--rubric", path, "--out", place.root / "reports", "--language", language)
    assert ran.code == 0
    (report,) = (place.root / "reports").glob("*/report.md")
    assert "8 of 12 items pass" in report.read_text(encoding="utf-8") or language == "ko"


@pytest.mark.parametrize(("name", "profile"), [(HELPDESK, "helpdesk"), (TRAVEL, "travel-agent")])
def test_an_english_document_for_an_english_file_has_no_korean_word(place: Place, name: str, profile: str) -> None:
    ran = new(place, given(place, name), "--language", "en")
    assert not HANGUL.search(ran.out)
    assert not HANGUL.search((place.root / f"{profile}.md").read_text(encoding="utf-8"))


def test_what_was_understood_is_printed_for_each_column(place: Place) -> None:
    ran = new(place, given(place, HELPDESK), "--language", "en")
    lines = ran.out.splitlines()
    assert lines[0].endswith("helpdesk_2026-11-02.csv: looked at 12 rows")
    assert "  Case ID → query ID (by its name, 100.0%)" in lines
    assert "  Latency (s) → response time (s) (by its name, 100.0%)" in lines
    assert "  Reviewer → — (only shown, 25.0%)" in lines


def test_the_next_commands_are_those_that_work(place: Place) -> None:
    file = place.file("a b;c.csv", SMALL)
    ran = new(place, file.name, "--language", "en")
    first, second = ran.out.splitlines()[-2:]
    assert first == "  scorewatch rubric check a-b-c.md"
    assert second == "  scorewatch score 'a b;c.csv' --rubric a-b-c.md --out docs/reports"


def test_a_name_that_begins_with_a_dash_is_no_option_of_the_next_commands(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(place.root)
    place.file("-mine.csv", SMALL)
    *_, check, score = new(place, "--yes", "--", "-mine.csv").out.splitlines()
    assert check == "  scorewatch rubric check mine.md"
    assert score == "  scorewatch score ./-mine.csv --rubric mine.md --out docs/reports"


def test_what_cannot_be_told_is_said_and_left_as_a_comment(place: Place) -> None:
    ran = new(place, place.file("bot.csv", "output,score\nan answer,high\nanother one,unclear\n"), "--language", "en")
    assert "Not sure:" in ran.out
    assert "  The values of 'score' (such as high, unclear) cannot be read as points or levels" in ran.out
    assert "  score → — (its cells do not match its name, 100.0%)" in ran.out
    text = (place.root / "bot.md").read_text(encoding="utf-8")
    assert "\n  # - { name: llm_score, title: score } # score: its cells do not match its name" in text
    assert "\n  # intent: {" in text
    uncommented = text.replace("  # intent: {", "  intent: {").replace("```\n", "")
    rubric = parse_rubric(uncommented, source="bot.md")  # what the comment says to do
    assert rubric.verdict is not None
    assert rubric.verdict.is_judged


def test_a_document_is_replaced_only_when_asked_for(place: Place) -> None:
    file = place.file("bot_1.csv", SMALL)
    (place.root / "bot.md").write_text("mine", encoding="utf-8")
    ran = new(place, file, "--language", "en")
    assert (ran.code, ran.out) == (1, "")
    assert "bot.md already exists. Use another name with --profile, or replace it with --force." in ran.err
    assert (place.root / "bot.md").read_text(encoding="utf-8") == "mine"
    assert new(place, file, "--force").code == 0
    assert document(place.root / "bot.md").profile == "bot"


def test_a_profile_of_another_document_of_the_folder_is_refused(place: Place) -> None:
    file = place.file("bot_1.csv", SMALL)
    new(place, file)
    (place.root / "bot.md").rename(place.root / "renamed.md")
    ran = new(place, file, "--language", "en")
    assert ran.code == 1
    assert "Profile bot is already in renamed.md." in ran.err
    assert not (place.root / "bot.md").exists()


def test_the_document_goes_into_the_folder_in_use(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    (place.root / "rubrics").mkdir()
    monkeypatch.setenv("SCOREWATCH_RUBRICS", "rubrics")
    file = place.file("bot_2026-01-02.csv", SMALL)
    assert new(place, file).code == 0
    assert document(place.root / "rubrics" / "bot.md").files == ("bot*.csv", "bot*.tsv", "bot*.xlsx")
    assert place.score(file).code == 0  # by its name alone
    assert new(place, file, "--out", "elsewhere", "--profile", "other").code == 0
    assert document(place.root / "elsewhere" / "other.md").profile == "other"


@pytest.mark.parametrize("language", ["ko", "en"])
def test_a_file_of_a_shipped_profile_gets_a_copy_of_its_document(place: Place, language: str) -> None:
    file = place.file("resume_agent_x.csv")
    ran = new(place, file, "--language", language)
    of_language = ROOT / "config" / "rubrics" / ("en/resume-agent.md" if language == "en" else "resume-agent.md")
    assert (place.root / "resume-agent.md").read_bytes() == of_language.read_bytes()
    assert f"`scorewatch score {file}`" in ran.out
    shipped, copied = (
        place.run("score", file, *rubric, "--language", language).out
        for rubric in ((), ("--rubric", "resume-agent.md"))
    )
    assert shipped == copied


def test_a_document_from_the_file_alone_has_another_name(place: Place) -> None:
    file = place.file("resume_agent_x.csv")
    ran = new(place, file, "--profile", "mine", "--language", "en")
    assert "Files of this name belong to profile resume-agent." in ran.out
    assert document(place.root / "mine.md").profile == "mine"


def test_a_file_that_only_has_the_name_of_a_tool_gets_a_document_of_its_own(place: Place) -> None:
    ran = new(
        place, place.file("helm_x.csv.jsonl", '{"question": "Q", "answer": "an answer"}\n' * 2), "--language", "en"
    )
    assert "Files of this name belong to profile helm." in ran.out
    assert document(place.root / "helm-x-csv.md").profile not in {rubric.profile for rubric in shipped_rubrics()}


@pytest.mark.parametrize("name", ["Bot", "a b", "-a", "", "ä"])
def test_a_wrong_profile_name_is_refused(place: Place, name: str) -> None:
    ran = new(place, place.file("bot.csv", SMALL), "--profile", name, "--language", "en")
    assert (ran.code, list(place.root.glob("*.md"))) == (2, [])
    assert f"--profile: '{name}' cannot be the name of a profile." in ran.err


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("x.csv", "a,A\n1,2\n", "several columns are called 'a'"),
        ("x.csv", "id,score\n1,2\n", "no column holds answers. Columns: id, score."),
        ("x.csv", "id,output\n", "no row has as many cells as the header"),
        ("x.csv", "", "[empty-file]"),
        ("x.pdf", "%PDF", "[unknown-extension]"),
    ],
)
def test_why_no_document_can_be_written(place: Place, name: str, text: str, said: str) -> None:
    ran = new(place, place.file(name, text), "--language", "en")
    assert (ran.code, list(place.root.glob("*.md"))) == (1, [])
    assert said in ran.err


def test_a_file_that_is_not_there(place: Place) -> None:
    ran = new(place, "none.csv", "--language", "en")
    assert ran.code == 1
    assert "[unreadable]" in ran.err


def test_problems_of_scoring_are_said(place: Place) -> None:
    ran = new(place, place.file("bot.csv", SMALL + "3,a,b,c,d\n"), "--language", "en")
    assert ran.code == 1  # as `score` ends: a row was left out
    assert "1 rows with more or fewer cells than the header" in ran.out
    assert "[cell-count]" in ran.out
    assert document(place.root / "bot.md").profile == "bot"


class TestOnATerminal:
    @pytest.fixture(autouse=True)
    def terminal(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("cli.commands.rubric_new._is_terminal", lambda: True)

    def type(self, monkeypatch: pytest.MonkeyPatch, *lines: str) -> None:
        monkeypatch.setattr("sys.stdin", io.StringIO("".join(f"{line}\n" for line in lines)))

    @pytest.mark.parametrize("typed", [("",), ("4",)])
    def test_enter_takes_the_defaults(
        self, place: Place, monkeypatch: pytest.MonkeyPatch, typed: tuple[str, ...]
    ) -> None:
        file = given(place, TUTOR)
        new(place, file, "--yes", "--profile", "by-default")
        self.type(monkeypatch, *typed)
        assert new(place, file, "--profile", "asked").code == 0
        default, asked = ((place.root / f"{name}.md").read_text("utf-8") for name in ("by-default", "asked"))
        guessed = [line for line in default.split("\n") if "흔한 기준인 4점 이상" in line]
        assert len(guessed) == 2  # at the top and beside the metrics; what was answered is no guess
        kept = [line for line in default.split("\n") if line not in guessed]
        assert asked.split("\n") == [line.replace("profile: by-default", "profile: asked") for line in kept]

    def test_at_most_three_questions_are_asked(self, place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
        text = "id,machine,A,B,points,grade,mark\n" + "".join(
            f"q{at % 2},m{at // 2},{'text ' * 9},{'words ' * 9},{at + 1},{at},{at}\n" for at in range(4)
        )
        self.type(monkeypatch, "2", "3", "1")
        ran = new(place, place.file("bot.csv", text), "--language", "en")
        assert re.findall(r"Wh[^?]*\?", ran.out) == [
            "Which column holds the answers?",
            "Which column holds the score?",
            "What is the scale of the score?",
        ]
        rubric = document(place.root / "bot.md")
        named = {column.name: column.title for column in rubric.columns}
        assert (named["response"], named["llm_score"], rubric.points) == ("A", "grade", (0, 5))

    @pytest.mark.parametrize(("typed", "scored"), [("", "3 items, passed 1/3"), ("2", "4 items, passed 1/4")])
    def test_runs_that_never_took_place_are_asked_for(
        self, place: Place, monkeypatch: pytest.MonkeyPatch, typed: str, scored: str
    ) -> None:
        self.type(monkeypatch, typed, "")
        ran = new(place, place.file("bot.csv", NOT_RUN), "--language", "en")
        assert "as not run?\n  1) status: pending\n  2) none\n" in ran.out
        assert f"Scored: {scored}" in ran.out

    def test_another_answer_than_one_of_the_options_is_asked_for_again(
        self, place: Place, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        self.type(monkeypatch, "9", "x", "²", "2", "12", "-1", "2.5")
        ran = new(place, place.file("bot.csv", UNSURE), "--language", "en")
        assert ran.out.count("Enter one of the numbers.") == 3
        assert ran.out.count("Enter a number from 0 to 5.") == 2
        rubric = document(place.root / "bot.md")
        assert (rubric.scale, rubric.recorded_range) == (5, (0, 5))
        assert rubric.pass_points is not None
        assert rubric.pass_points.points == 2.5

    def test_the_end_of_the_input_writes_nothing(self, place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
        self.type(monkeypatch)
        assert new(place, place.file("bot.csv", SMALL)).code == 1
        assert not list(place.root.glob("*.md"))

    def test_yes_asks_nothing(self, place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
        self.type(monkeypatch)
        ran = new(place, place.file("bot.csv", SMALL), "--yes")
        assert (ran.code, "?" in ran.out) == (0, False)


NOT_RUN = "id,output,rating,status\n1,an answer,5,success\n2,another one,2,success\n3,,,error\n4,,,pending\n"


@pytest.mark.parametrize(
    ("language", "said", "scored"),
    [
        ("en", "1 rows were not run: 'status' is pending", "Scored: 3 items, passed 1/3"),
        ("ko", "'status'의 값이 pending인 1행은 실행되지 않았습니다.", "채점해 본 결과: 3문항, 통과 1/3"),
    ],
)
@pytest.mark.parametrize("kind", ["csv", "jsonl"])
def test_runs_that_never_took_place_are_left_out_and_the_document_says_so(
    place: Place, kind: str, language: str, said: str, scored: str
) -> None:
    rows = list(csv.DictReader(io.StringIO(NOT_RUN)))
    text = NOT_RUN if kind == "csv" else "".join(f"{json.dumps(row)}\n" for row in rows)
    ran = new(place, place.file(f"bot.{kind}", text), "--language", language)
    assert ran.code == 0
    written = (place.root / "bot.md").read_text(encoding="utf-8")
    assert f"# {said}" in written
    assert "\nwhere: { status: { not: [pending] } } # " in written
    assert said in ran.out
    assert scored in ran.out
    assert "[records-not-selected]" in ran.out


def test_numbers_with_commas_are_read_as_whole_ones_or_named(place: Place) -> None:
    text = 'id,output,latency_ms,total_tokens\n1,an answer,"11,084","3,338"\n2,another one,820,75\n'
    ran = new(place, place.file("bot.csv", text), "--language", "en")
    assert "latency_ms → — (numbers such as '11,084' can be read in two ways, 100.0%)" in ran.out
    assert "'latency_ms' has the time an answer took, but '11,084' can be 11.084 or 11084" in ran.out
    assert "column: total_tokens, unit: tokens, decimals: 0 }" in (place.root / "bot.md").read_text(encoding="utf-8")
    assert "[measure-unusable]" not in ran.out
    ran = new(place, place.root / "bot.csv", "--language", "ko", "--force")
    assert "'11,084'처럼 두 가지 수로 읽히는 칸이 있음" in ran.out
    assert "'11,084'는 11.084일 수도 11084일 수도 있어" in ran.out


INSPECT = {
    "eval": {"task": "qa", "model": "m"},
    "samples": [
        {"id": 1, "epoch": 1, "input": "How?", "target": "So", "scores": {"match": {"value": "C", "answer": "So"}}},
        {"id": 2, "epoch": 1, "input": "Why?", "target": "No", "scores": {"match": {"value": "I", "answer": "So"}}},
    ],
}


@pytest.mark.parametrize(
    ("language", "said"),
    [("en", "Its columns fit profile inspect, too (2 of 2 required)."), ("ko", "열은 inspect 프로필과도")],
)
def test_a_shipped_document_that_reads_the_file_under_another_name_is_said(
    place: Place, language: str, said: str
) -> None:
    file = place.file("2026-05-11_qa.json", json.dumps(INSPECT))
    ran = new(place, file, "--language", language)
    assert said in ran.out
    assert f"`scorewatch score {file} --rubric inspect`" in ran.out
    assert place.score(file, "--rubric", "inspect").code == 0


def test_a_document_that_needs_one_column_is_said_where_its_list_is_in_the_file(place: Place) -> None:
    """So that `results.json` of promptfoo is read by its document."""
    records = [{"success": at > 0, "response": {"output": f"answer {at}"}} for at in range(2)]
    ran = new(place, place.file("r.json", json.dumps({"results": {"results": records}})), "--language", "en")
    assert f"`scorewatch score {place.root / 'r.json'} --rubric promptfoo`" in ran.out
    ran = new(place, place.file("other.json", json.dumps({"runs": records})), "--language", "en")
    assert "Its columns fit profile" not in ran.out


@pytest.mark.parametrize("file", ["bot.csv", "inspect_x.json"])
def test_a_file_of_no_tool_and_one_that_is_claimed_name_no_other_document(place: Place, file: str) -> None:
    text = "key,output,rating\n1,an answer,5\n2,another one,2\n" if file == "bot.csv" else json.dumps(INSPECT)
    ran = new(place, place.file(file, text), "--language", "en")
    assert "Its columns fit profile" not in ran.out


def test_a_workbook_is_scored_by_its_document(place: Place) -> None:
    cells = [["id", "output", "rating"], ["a", "an answer", "5"], ["b", "another one", "2"]]
    written = [[f'<c t="inlineStr"><is><t>{cell}</t></is></c>' for cell in row] for row in cells]
    rows = "".join(f"<row>{''.join(row)}</row>" for row in written)
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    sheet = f'<worksheet xmlns="{main}"><sheetData>{rows}</sheetData></worksheet>'
    file = place.root / "bot.xlsx"
    file.write_bytes(workbook(sheet, f'<sst xmlns="{main}"/>'))
    ran = new(place, file, "--language", "en")
    assert (ran.code, "Scored: 2 items, passed 1/2" in ran.out) == (0, True)
    assert place.score(file, "--rubric", place.root / "bot.md").code == 0


def test_a_score_without_a_known_scale_is_a_comment_and_ends_with_1(place: Place) -> None:
    ran = new(place, place.file("bot.csv", UNSURE), "--yes", "--language", "en")
    assert (ran.code, ran.err) == (1, "")
    assert "  score → — (a score, not used: its scale cannot be told, 100.0%)" in ran.out
    assert "one file does not tell which scale they are on (1-5, 0-5, 1-10, 0-10)" in ran.out
    assert "Something that scores depend on could not be told." in ran.out
    text = (place.root / "bot.md").read_text(encoding="utf-8")
    assert parse_rubric(text, source="bot.md").verdict is None
    for line in ("  - { name: llm_score", "pass_points: {", "  intent: {"):
        text = text.replace(f"{'  # ' if line.startswith(' ') else '# '}{line.strip()}", line)
    rubric = parse_rubric(text.replace("```\n", ""), source="bot.md")  # what the comments say to do
    assert (rubric.points, rubric.has_column("llm_score"), rubric.pass_points is not None) == ((1, 5), True, True)


@pytest.mark.parametrize(("column", "code"), [("note,fine\n", 1), ("passed,yes\n", 0)])
def test_file_in_which_nothing_says_what_passes_ends_with_1(place: Place, column: str, code: int) -> None:
    name, cell = column.split(",", 1)
    file = place.file("bot.csv", f"id,output,{name}\n1,an answer,{cell}2,another one,{cell}")
    ran = new(place, file, "--yes", "--language", "en")
    assert (ran.code, ran.err) == (code, "")
    assert ("Nothing says whether an answer passes" in ran.out) is (code == 1)
    assert "could not be told" not in ran.out


def test_scores_of_which_none_decides_what_passes_end_with_1(place: Place) -> None:
    scores = "id,output,faithfulness,answer_relevancy\n1,an answer,0.4,0.5\n2,another one,0.2,0.75\n"
    ran = new(place, place.file("bot.csv", scores), "--yes", "--language", "en")
    assert (ran.code, ran.err) == (1, "")
    assert "none says whether an answer passes as a whole" in ran.out
    assert "Something that scores depend on could not be told." in ran.out


def test_a_document_opens_with_what_was_understood(place: Place) -> None:
    new(place, given(place, HELPDESK), "--language", "en")
    head = (place.root / "helpdesk.md").read_text(encoding="utf-8").split("profile:")[0]
    assert "# The question is in 'User question'." in head
    assert "# What the agent answered is in 'Model answer'." in head
    assert "# The score is in 'Rating', from 1 to 5; an item passes at 4 or more." in head


def test_what_is_no_file_is_refused(place: Place) -> None:
    os.mkfifo(place.root / "x.csv")
    ran = new(place, place.root / "x.csv", "--language", "en")
    assert (ran.code, "[unreadable]" in ran.err) == (1, True)


def test_the_document_may_be_named(place: Place) -> None:
    (place.root / "small.csv").write_text(SMALL)
    ran = new(place, "small.csv", "--out", "kept/mine.md")
    assert (ran.code, ran.err) == (0, "")
    assert document(place.root / "kept/mine.md").profile == "small"


def test_the_time_between_two_columns_is_scored(place: Place) -> None:
    day = "2026-01-01T00:00:0"
    rows = f"1,an answer,y,{day}0Z,{day}3Z\n2,another one,n,{day}0Z,{day}1Z\n"
    ran = new(place, place.file("bot.csv", f"id,output,passed,started_at,ended_at\n{rows}"), "--language", "en")
    assert (ran.code, ran.err) == (0, "")
    assert "ended_at → — (the time from 'started_at' to it is the response time, 100.0%)" in ran.out
    assert "Response speed 5.00" in ran.out
    text = (place.root / "bot.md").read_text(encoding="utf-8")
    assert "\npayload:\n  seconds: { between: [started_at, ended_at] } # time from start to end\n" in text
