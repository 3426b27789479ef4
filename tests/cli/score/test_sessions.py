"""Conversations from a file to every page, in both languages."""

import csv
import io
import json
import re
from pathlib import Path
from typing import Any

import msgspec
import pytest

from reporting.data import Report
from tests.cli.place import Place
from tests.reporting.data.test_report_json import violations
from tests.reporting.seen import embedded_data
from tests.sessions import DOCUMENT, Row, chat_text, turn

ROOT = Path(__file__).parents[3]
HOSTILE = "=<b>|*[S3](x)"


@pytest.fixture
def chats(place: Place, monkeypatch: pytest.MonkeyPatch) -> Place:
    """A working directory in which the profile with sessions is known."""
    place.file("rubrics/chat-agent.md", DOCUMENT)
    monkeypatch.setenv("SCOREWATCH_RUBRICS", "rubrics")
    return place


def _rows() -> list[Row]:
    return [
        turn("bye", "S1", "3"), turn("greet", "S1", "1"), turn("book", "S1", "2", level="0"),
        turn("pay", "S2", "1"), turn("sign", "S2", "2", level="0", track="Track 2"),
        turn("ask", HOSTILE, "1", level="0"),
        turn("alone", ""),
    ]  # fmt: skip


def _score(place: Place, *rows: Row, name: str = "a", **changes: str) -> tuple[str, Path]:
    place.file(f"chat_{name}.csv", chat_text(rows))
    ran = place.score(f"chat_{name}.csv", "--out", "out", "-v", "--language", changes.get("language", "en"))
    assert ran.code == 0, ran
    return ran.out, place.root / f"out/chat_{name}"


def _report(folder: Path) -> dict[str, Any]:
    content: dict[str, Any] = json.loads((folder / "report.json").read_bytes())
    return content


def _csv(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(path.read_text(encoding="utf-8-sig"), newline="")))


def test_the_report_says_how_many_sessions_pass_and_where_the_others_fail(chats: Place) -> None:
    out, folder = _score(chats, *_rows())
    text = (folder / "report.md").read_text(encoding="utf-8")
    section = text.partition("Sessions\n")[2].partition("\n## ")[0]
    assert "Sessions: 3. Passed: 1/3 = 33.3% (1.7–93.7%). A session passes when its last turn passes." in section
    assert "Items without a session, which belong to no conversation: 1." in section
    assert "| Round 1 (1/1) | 1/3 = 33.3% (1.7–93.7%) | 1/2 = 50.0% (0.3–99.7%) | 0/1 = 0.0% |" in section
    failing = [line for line in section.splitlines() if "failed" in line]
    assert failing[0].startswith(
        "| S2 | Round 1 (1/1) | Track 2 | 2 (of 2) | sign | sign? | OK | 1 passed → 2 failed |"
    )
    assert len(failing) == 2
    assert "1 of 3 sessions pass: 33.3% (1.7–93.7%)." in text.splitlines()[2]
    assert "sessions passed 1/3 = 33.3% (1.7–93.7%)" in out


def test_korean_reports_say_the_same(chats: Place) -> None:
    out, folder = _score(chats, *_rows(), language="ko")
    text = (folder / "report.md").read_text(encoding="utf-8")
    section = text.partition("대화(세션)\n")[2].partition("\n## ")[0]
    assert "세션 3개 가운데 통과 1/3 = 33.3% (1.7–93.7%). 마지막 턴이 통과한 세션이 통과입니다." in section
    assert "| S2 | 1회차 (1/1) | Track 2 | 2 (2턴 중) | sign | sign? | 정상 | 1 통과 → 2 실패 |" in section
    assert "세션 통과 1/3 = 33.3% (1.7–93.7%)" in out


def test_every_turn_may_have_to_pass(chats: Place) -> None:
    chats.file("rubrics/chat-agent.md", DOCUMENT.replace("pass: last", "pass: every"))
    _, folder = _score(chats, *_rows())
    sessions = _report(folder)["sessions"]
    assert sessions["rule"] == "every"
    assert [one["session"] for one in sessions["failing"]] == ["S1", "S2", HOSTILE]
    assert "1 passed → 2 failed → 3 passed" in (folder / "report.md").read_text(encoding="utf-8")


def test_json_has_the_shares_and_the_lines_of_items(chats: Place) -> None:
    _, folder = _score(chats, *_rows())
    report, items = _report(folder), _csv(folder / "items.csv")
    published = json.loads((ROOT / "docs/report.schema.json").read_bytes())
    assert list(violations(report, published, published)) == []
    msgspec.json.decode((folder / "report.json").read_bytes(), type=Report)
    sessions = report["sessions"]
    assert [(group["key"], group["set"]["passed"], group["set"]["n"]) for group in sessions["groups"]] == [
        ("all", 1, 3), ("1", 1, 2), ("2", 0, 1)
    ]  # fmt: skip
    (first, _) = sessions["failing"]
    assert [items[line]["query_id"] for line in first["turns"]] == ["pay", "sign"]
    assert items[first["first_failing"]]["query_id"] == "sign"
    shown = [(item["session"], item["turn"]) for item in items]
    assert shown == [
        ("S1", "3"), ("S1", "1"), ("S1", "2"), ("S2", "1"), ("S2", "2"), (f"'{HOSTILE}", "1"), ("", "")
    ]  # fmt: skip


def test_pages_show_the_turns_of_a_conversation_in_order(chats: Place) -> None:
    _, folder = _score(chats, *_rows())
    page = next((folder / "rounds").rglob("track-1.md")).read_text(encoding="utf-8")
    rows = [line.split(" | ")[:2] for line in page.splitlines() if line.startswith("| ") and "---" not in line][1:]
    assert [row[1] for row in rows[:4]] == ["S1 · 1", "S1 · 2", "S1 · 3", "S2 · 1"]
    data = json.loads(embedded_data((folder / "report.html").read_text(encoding="utf-8")))
    strings, more = data["strings"], data["more"]
    # As in items.js: 11 fields, the facets, points and rules of the metrics, what a judge said, then further fields.
    at = 11 + len(data["facets"]) + 2 * len(data["metrics"]) + len(data["judged"])
    told = strings[data["items"][0][at + more.index("Turns of the session")]]
    assert told.splitlines() == ["1. [OK] greet? → Yes.", "2. [OK] book? → Yes.", "3. [OK] bye? → Yes."]
    titles = ("Session", "Turn", "Turns of the session")
    assert {data["items"][6][at + more.index(title)] for title in titles} <= {-1, strings.index("")}


def test_texts_of_sessions_are_no_markup(chats: Place) -> None:
    _, folder = _score(chats, *_rows())
    for name in ("report.md", "report.html", "rounds/1-1/track-1.md"):
        assert "<b>|" not in (folder / name).read_text(encoding="utf-8")
    assert "[S3](x)" not in (folder / "report.md").read_text(encoding="utf-8")


def test_long_lists_are_cut_and_counted(chats: Place) -> None:
    rows = [turn(f"q{at}", "long", str(at), level="0") for at in range(1, 20)]
    rows += [turn(f"p{at}", f"S{at}", "1", level="0") for at in range(60)]
    _, folder = _score(chats, *rows)
    section = (folder / "report.md").read_text(encoding="utf-8").partition("Sessions that do not pass\n")[2]
    assert "→ 12 failed → 7 more |" in section
    assert len(re.findall("^[|] S[0-9]+ [|]", section.partition("\n## ")[0], flags=re.MULTILINE)) == 49
    assert len(_report(folder)["sessions"]["failing"]) == 61


def test_files_without_sessions_have_no_word_of_them(chats: Place) -> None:
    out, folder = _score(chats, turn("a", ""), turn("b", ""))
    assert "session" not in out
    assert "sessions" not in _report(folder)
    assert "Sessions" not in (folder / "report.md").read_text(encoding="utf-8")
    assert [item["session"] for item in _csv(folder / "items.csv")] == ["", ""]
    code, content = chats.json("chat_a.csv", "--out", "other")
    assert (code, "sessions" in content["sets"][0]) == (0, False)


def test_json_of_the_command_has_the_share(chats: Place) -> None:
    chats.file("chat_a.csv", chat_text(_rows()))
    _, content = chats.json("chat_a.csv", "--out", "out")
    assert content["sets"][0]["sessions"] | {"interval": None} == {
        "passed": 1, "n": 3, "left_out": 0, "value": 1 / 3, "interval": None
    }  # fmt: skip


def test_two_runs_with_sessions_are_compared_turn_by_turn(chats: Place) -> None:
    rows = [turn("greet", session, "1") for session in ("S1", "S2")]
    _score(chats, *rows, name="one")
    _score(chats, rows[0], turn("greet", "S2", "1", level="0", answer="No."), name="two")
    ran = chats.run("compare", "out/chat_one", "out/chat_two", "--json")
    compared = json.loads(ran.out)
    assert (compared["shared"], compared["like_with_like"]) == (2, True)
    assert [entry["query_id"] for entry in compared["now_fails"]] == ["greet, S2"]


def test_the_document_is_shown_with_its_rule(chats: Place) -> None:
    ran = chats.run("rubric", "show", "chat-agent", "--language", "en")
    assert "sessions: A session passes when its last turn passes." in ran.out
