"""`scorewatch score --rubric`: what a document scores, and why it is refused."""

import pytest

from tests.cli.place import Place
from tests.inner import SHIPPED_FOLDER
from tests.paths import ROOT

TABLES = """## 의도 충족

| 상태 | 의도 충족 |
| --- | ---: |
| ok | 3 |
| partial | 2 |
| error | 0 |
| empty | 0 |
"""


def test_tables_only_replace_those_of_the_claiming_profile(place: Place) -> None:
    place.file("in/resume_agent_a.csv")
    place.file("mine.md", TABLES)
    code, printed = place.json("in", "--rubric", "mine.md")
    assert code == 0
    assert printed["sets"][0]["headline"]["metrics"]["intent"] == 3.0
    assert printed["sets"][0]["key"] != place.json("in")[1]["sets"][0]["key"]


def test_a_full_document_scores_what_is_named_and_what_it_claims(place: Place) -> None:
    shipped = (SHIPPED_FOLDER / "resume-agent.md").read_text("utf-8")
    place.file("mine.md", shipped.replace("profile: resume-agent", "profile: mine").replace("resume_agent_", "mine_"))
    place.file("in/resume_agent_a.csv")
    place.file("in/mine_b.csv")
    code, printed = place.json("in", "--rubric", "mine.md")
    assert (code, [entry["set"] for entry in printed["sets"]]) == (0, ["mine_b"])
    assert printed["unclaimed"] == ["resume_agent_a.csv"]
    code, printed = place.json("in/resume_agent_a.csv", "--rubric", "mine.md")
    assert (code, [entry["profile"] for entry in printed["sets"]]) == (0, ["mine"])


def test_the_name_of_a_profile_stands_for_its_document_unless_a_file_has_it(place: Place) -> None:
    place.file("any.csv")
    code, printed = place.json("any.csv", "--rubric", "resume-agent")
    assert (code, [entry["profile"] for entry in printed["sets"]]) == (0, ["resume-agent"])
    ran = place.score("any.csv", "--rubric", "nope")
    assert (ran.code, "[rubric-profile-unknown]" in ran.err, "resume-agent" in ran.err) == (2, True, True)
    place.file("in/resume_agent_a.csv")
    place.file("resume-agent", TABLES)
    assert place.json("in", "--rubric", "resume-agent")[1]["sets"][0]["headline"]["metrics"]["intent"] == 3.0


def test_a_wrong_document_is_refused_with_its_place(place: Place) -> None:
    place.file("in/resume_agent_a.csv")
    place.file("mine.md", TABLES.replace("| ok | 3 |", "| ok | 셋 |"))
    ran = place.score("in", "--rubric", "mine.md")
    assert ran.code == 1
    assert "mine.md" in ran.err
    assert "셋" in ran.err


LEVELS = """# Levels

| Level | Name | Criteria |
|---|---|---|
| 1 | bad | wrong |
| 2 | good | right |
"""
LEVEL_FAULTS = {
    "no-criteria-column": ("| Level | Name |\n|---|---|\n| 1 | a |\n| 2 | b |\n", 3, "rubric-level-no-criteria"),
    "no-rows": ("| Level | Name | Criteria |\n|---|---|---|\n", 1, "rubric-levels-few"),
    "words": (
        "| Level | Name | Criteria |\n|---|---|---|\n| one | a | x |\n| two | b | y |\n",
        3,
        "rubric-level-number",
    ),
    "names": (
        "| Level | Name | Criteria |\n|---|---|---|\n| 1 | 2 | x |\n| 2 | 1 | y |\n",
        3,
        "rubric-level-name-number",
    ),
}
ANSWERS = "question,answer,level\r\nq,a,1\r\n"


@pytest.mark.parametrize("file", ["other.csv", "rubrics_score_en_a.csv"])
@pytest.mark.parametrize("fault", LEVEL_FAULTS)
def test_a_wrong_table_of_levels_is_refused_itself(place: Place, fault: str, file: str) -> None:
    table, line, code = LEVEL_FAULTS[fault]
    place.file("mine.md", f"# R\n\n{table}")
    place.file(file, ANSWERS)
    ran = place.score(file, "--rubric", "mine.md")
    assert ran.code == 1
    assert f"mine.md {line + 2}번째 줄" in ran.err
    assert f"[{code}]" in ran.err
    assert "[not-claimed]" not in ran.out + ran.err
    ran = place.run("rubric", "check", "mine.md")
    assert (ran.code, f"[{code}]" in ran.out) == (1, True)


def test_only_a_rubric_of_levels_scores_a_file_that_nobody_claims(place: Place) -> None:
    place.file("other.csv", ANSWERS)
    place.file("levels.md", LEVELS)
    code, printed = place.json("other.csv", "--rubric", "levels.md")
    assert (code, [entry["profile"] for entry in printed["sets"]]) == (0, ["rubrics-score"])
    place.file("intent.md", (ROOT / "tests/seeds/000.txt").read_text("utf-8"))
    ran = place.score("other.csv", "--rubric", "intent.md")
    assert ran.code == 1
    assert "h-recruit" in ran.out
    assert "h_recruit_*.csv" in ran.out
    assert "[rubric-other-profile]" in ran.out
    place.file("prose.md", "# Nothing\n\nTo be read.\n")
    ran = place.score("other.csv", "--rubric", "prose.md")
    assert (ran.code, "[rubric-fits-none]" in ran.out) == (1, True)


@pytest.mark.parametrize("options", [(), ("--set", "all")])
def test_a_file_that_the_document_does_not_fit_stops_no_other(place: Place, options: tuple[str, ...]) -> None:
    place.file("resume_agent_a.csv")
    place.file("rubrics_score_b.csv", ANSWERS)
    place.file("mine.md", TABLES)
    files = ("resume_agent_a.csv", "rubrics_score_b.csv")
    code, printed = place.json(*files, "--rubric", "mine.md", *options)
    assert (code, [entry["profile"] for entry in printed["sets"]]) == (1, ["resume-agent"])
    unfit = printed["problems"][0]
    assert (unfit["code"], unfit["source"]) == ("rubric-unfit", "rubrics_score_b.csv")
    assert "rubrics-score" in unfit["text"]
    assert "mine.md" in unfit["text"]


def test_a_document_beside_a_file_that_no_profile_takes_is_named_with_the_command(place: Place) -> None:
    rows = "id,question,answer,rating\n1,How?,A long answer is here,5\n2,Why?,Another answer is here,2\n"
    place.file("support-bot.csv", rows)
    place.file("README.md", "# No rubric document\n")
    assert place.run("rubric", "new", "support-bot.csv", "--yes").code == 0
    command = "scorewatch score support-bot.csv --rubric support-bot.md"
    ran = place.score("support-bot.csv", "--language", "en")
    assert (ran.code, ran.out) == (1, f"– support-bot.csv not scored: use `{command}`\n")
    assert place.score(*command.split()[2:]).code == 0
    place.file("a folder of runs/support-bot-2026-11-02.csv", rows)
    command = "scorewatch score 'a folder of runs/support-bot-2026-11-02.csv' --rubric support-bot.md"
    ran = place.score("a folder of runs/support-bot-2026-11-02.csv", "--language", "en")
    assert ran.out.splitlines()[0].endswith("…")
    assert f"`{command}`" in ran.out
    assert "[document-beside]" in ran.out
