"""`scorewatch score`: what it prints, which settings it reads, what it imports, and that its bytes are the same."""

import json
import os
import re
import shutil
import subprocess
import sys

import pytest

from cli.score import ScoreSettings, load_score_settings
from config import Settings
from tests.cli.place import Place, rows, tree
from tests.paths import ROOT

QUEUE_MODULES = {
    "celery",
    "kombu",
    "redis",
    "watchdog",
    "valkey",
    "billiard",
    "pydantic_settings",
    "pydantic",
    "structlog",
}
DOCUMENT_MODULES = {"yaml", "markdown_it"}  # for a document that somebody names


# Output forms


def test_quiet_prints_problems_only(place: Place) -> None:
    place.file("in/resume_agent_a.csv")
    assert place.score("in", "--quiet", "--out", "out").out == ""
    place.file("in/resume_agent_b.csv", "")
    ran = place.score("in", "--quiet")
    assert ran.out.splitlines()[0].startswith("resume_agent_b: ")
    assert len(ran.out.splitlines()) == 1


def test_json_says_everything(place: Place) -> None:
    place.file("in/resume_agent_a.csv")
    code, printed = place.json("in", "--out", "out")
    status = json.loads((place.root / "out/resume_agent_a/status.json").read_bytes())
    (entry,) = printed["sets"]
    assert code == 0
    assert {name: entry[name] for name in ("set", "state", "key", "profile", "headline", "inputs")} == {
        name: status[name] for name in ("set", "state", "key", "profile", "headline", "inputs")
    }
    assert entry["folder"] == "out/resume_agent_a"
    assert printed["index"] == "out/index.md"


def test_large_files_say_how_far_they_are(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cli.score.screen.LARGE_BYTES", 1000)
    place.file("resume_agent_a.csv", rows(*(f"Q{number}" for number in range(9000))))
    ran = place.score("resume_agent_a.csv")
    assert ran.code == 0
    shares = [int(share) for share in re.findall(r"(?m)^resume_agent_a.csv: (\d+)% 읽음$", ran.err)]
    assert len(shares) == len(ran.err.splitlines()) > 1
    assert shares == sorted(shares)
    assert shares[-1] == 100
    assert place.score("resume_agent_a.csv", "--json").err == ""


def test_a_terminal_gets_a_line_per_set_and_a_progress_bar(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cli.score.screen.LARGE_BYTES", 1000)
    place.file("in/resume_agent_[red]a.csv", rows(*(f"Q{number}" for number in range(3000))))
    place.file("in/resume_agent_b.csv", "")
    monkeypatch.setattr("cli.score.screen._is_terminal", lambda _: True)
    ran = place.score("in", "--out", "out")
    first, second, *_ = ran.out.splitlines()
    assert first == "✓ resume_agent_[red]a 3,000문항 응답 성공 100.0% (100–100)"
    assert second == "✗ resume_agent_b 읽지 못함: 빈 파일 (내보내기가 끝난 파일로 바꾸세요)"
    assert "% 읽음" not in ran.err


def test_the_total_stands_in_the_line(place: Place) -> None:
    place.file("in/h_recruit_a.csv", (ROOT / "tests/cases/h_full/h_recruit_h_full.csv").read_text("utf-8-sig"))
    line = place.score("in", "-v").out.splitlines()[1]
    total = place.json("in")[1]["sets"][0]["headline"]["metrics"]["total"]
    assert line.startswith(f"  종합 점수 {total:.2f} (")


def test_log_lines_go_to_standard_output_when_asked_for(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    place.file("in/resume_agent_a.csv")
    place.file("in/resume_agent_b.csv", "")
    ran = place.score("in", "missing.csv", "--log", "json")
    assert ran.code == 2
    ran = place.score("in", "--log", "json")
    first, second = map(json.loads, ran.out.splitlines())
    assert (ran.code, ran.err) == (1, "")
    assert (first["event"], first["set"], first["state"], first["items"]) == ("scored", "resume_agent_a", "report", 2)
    assert (second["set"], second["state"], second["findings"]) == ("resume_agent_b", "problem", {"empty-file": 1})
    monkeypatch.setenv("SCOREWATCH_LOG", "json")
    assert [json.loads(line)["event"] for line in place.score("in").out.splitlines()] == ["scored", "scored"]
    assert len(json.loads(place.score("in", "--json").out)["sets"]) == 2
    monkeypatch.setattr("cli.commands.options.is_terminal", lambda: True)  # people read it
    assert place.score("in").out.startswith("✓ resume_agent_a 2문항 ")
    assert json.loads(place.score("in", "--log", "json").out.splitlines()[0])["event"] == "scored"
    ran = place.score("in", "--log", "json", "--json")
    assert (ran.code, "--json과 --log json은 함께 쓸 수 없습니다." in ran.err) == (2, True)
    assert not (place.root / ".scorewatch").exists()


# Settings and start-up


def test_defaults_are_those_of_the_service() -> None:
    defaults = Settings()
    assert ScoreSettings()._asdict() == {name: getattr(defaults, name) for name in ScoreSettings._fields}


def test_settings_are_read_where_there_are_any(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    assert load_score_settings() == ScoreSettings()
    place.file("scorewatch.toml", 'ignore = ["draft*"]\n')
    assert load_score_settings().ignore == ("draft*",)
    monkeypatch.setenv("SCOREWATCH_IGNORE", "x*")
    assert load_score_settings().ignore == ("x*",)
    monkeypatch.setenv("SCOREWATCH_LANGAUGE", "ko")
    ran = place.score(place.file("resume_agent_a.csv"))
    assert ran.code == 2
    assert "SCOREWATCH_LANGAUGE" in ran.err


def test_score_imports_no_queue_no_observer_and_no_document_reader(place: Place) -> None:
    place.file("in/resume_agent_a.csv")
    script = (
        "import sys, cli.main\n"
        "code = cli.main.main(['score', 'in', '--out', 'out'])\n"
        "print(sorted({name.partition('.')[0] for name in sys.modules}))\n"
        "sys.exit(code)\n"
    )
    environment = {name: value for name, value in os.environ.items() if not name.startswith("SCOREWATCH_")}
    ran = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, env=environment, encoding="utf-8"
    )
    imported = set(eval(ran.stdout.splitlines()[-1]))  # noqa: S307 -- our own list
    assert imported & (QUEUE_MODULES | DOCUMENT_MODULES) == set()
    assert "click" in imported


def test_the_same_input_anywhere_gives_the_same_bytes(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    place.file("in/resume_agent_a.csv", rows("Q1", "Q1@2/1", "Q2"))
    shutil.copytree(place.root / "in", place.root / "other/copy")
    assert place.score("in", "--out", "out").code == 0
    monkeypatch.chdir(place.root / "other")
    assert place.score("copy", "--out", "elsewhere").code == 0
    assert tree(place.root / "out") == tree(place.root / "other/elsewhere")
