"""What a front page and `tickets.csv` say of known failures, whatever their texts hold."""

import csv
import io
import json
import re
from html import unescape
from pathlib import Path

import pytest

from reporting.index import write_index
from reporting.store import SUMMARY_HTML, SUMMARY_JSON, SUMMARY_MD, TICKETS_CSV, keep_known
from scoring import Problem
from scoring.known import KnownLine, KnownLines, Resolution
from tests.reporting.comparison.runs import HOSTILE
from tests.reporting.seen import Seen
from tests.reporting.summary.test_files import publish, summarise

URL = "https://jira.example/browse/{ticket}"


def line(row: int, **fields: object) -> KnownLine:
    return KnownLine(row=row, **{"resolution": Resolution.KNOWN, **fields})  # type: ignore[arg-type]


def page(out: Path, *lines: KnownLine, problems: tuple[Problem, ...] = (), readable: bool = True) -> str:
    found = KnownLines(name="known.csv", lines=lines, problems=problems, is_readable=readable, ticket_url=URL)
    keep_known(out, found)
    summarise(out, language="en")
    return (out / "run_260302" / SUMMARY_MD).read_text(encoding="utf-8")


def shown_in(out: Path) -> str:
    return "\n".join(Seen((out / "run_260302" / SUMMARY_HTML).read_text(encoding="utf-8")).lines)


@pytest.fixture
def out(tmp_path: Path) -> Path:
    """A run of thirty queries, of which q0 to q6 fail."""
    publish(tmp_path, "run_260302", broken=7)
    return tmp_path


def test_failures_by_ticket_with_a_link_and_the_lines_that_ask_for_something(out: Path) -> None:
    text = page(
        out,
        line(2, query_id="Q-000", ticket="HR 1/2", owner="Kim", until="2027-01-01"),
        line(3, query_id="Q-001", ticket="HR-9", until="2026-03-01", is_overdue=True),
        line(4, query_id="Q-029", ticket="HR-9"),
        line(5, query_id="gone", resolution=Resolution.ACCEPTED, reason="always"),
        problems=(Problem(code="known-blank", source="known.csv", row=6, column="Query ID", values={"or": "pattern"}),),
    )
    link = "[HR 1/2](https://jira.example/browse/HR%201%2F2)"
    assert f"6 failing without a ticket · 1 known ({link}: 1)" in text
    (told,) = [one for one in text.splitlines() if one.startswith("Known failures: ")]
    assert "(Q-029, HR-9)" not in told
    assert told.rstrip().endswith(" · 3 more.")
    page_text = shown_in(out)
    assert ": 1 query, 10 points lost; until 2027-01-01; Kim" in page_text
    assert "known.csv row 3 (Q-001, HR-9) was due on 2026-03-01 and no longer counts." in page_text
    assert "known.csv row 4 (Q-029, HR-9): all rounds pass. Remove this line." in page_text
    assert "known.csv row 5 (gone) matches no failure or query of this set." in page_text
    for one in (told, page_text):
        assert "known.csv row 6 'Query ID'" in one


def test_the_card_on_the_board_counts_them_where_there_is_a_file(out: Path) -> None:
    summarise(out, language="en")
    write_index(out, language="en")
    before = (out / "index.md").read_bytes()
    page(out, line(2, query_id="Q-000", ticket="HR 1/2"))
    write_index(out, language="en")
    for name in ("index.md", "index.html"):
        assert (out / name).read_text(encoding="utf-8").count("6 failing without a ticket · 1 known") == 1
    keep_known(out, None)
    summarise(out, language="en")
    write_index(out, language="en")
    assert (out / "index.md").read_bytes() == before


def test_a_file_that_cannot_be_read_counts_nothing_and_says_why(out: Path) -> None:
    values = {"reason": "Permission denied"}
    text = page(out, problems=(Problem(code="unreadable", source="known.csv", values=values),), readable=False)
    assert "The file cannot be read (Permission denied)." in text
    assert "failing without a ticket" not in text


def test_texts_of_lines_and_errors_are_no_markup_formula_or_address(out: Path) -> None:
    for at, hostile in enumerate((*HOSTILE, "=1+1", "a" * 100_000, "\u202e")):
        text = page(out, line(2, query_id="Q-000", ticket=hostile[:500], owner=hostile, reason=hostile), line(at + 3))
        shown = (out / "run_260302" / SUMMARY_HTML).read_text(encoding="utf-8")
        assert "<img" not in shown.replace("&lt;", "")
        assert "\u202e" not in shown + text
        for address in re.findall(r'href="([^"]*jira[^"]*)"', shown):
            assert re.fullmatch(r"https://jira\.example/browse/[\w.~%-]+", unescape(address), re.ASCII)
        assert len(shown) < 80_000


def test_what_no_line_knows_can_be_copied_and_is_a_row_of_tickets_csv(out: Path) -> None:
    page(out, line(2, query_id="Q-000", ticket="HR-1"))
    shown = (out / "run_260302" / SUMMARY_HTML).read_text(encoding="utf-8")
    (rows,) = [json.loads(unescape(found)) for found in re.findall(r'data-rows="([^"]*)"', shown)]
    cells = (out / "run_260302" / TICKETS_CSV).read_text(encoding="utf-8-sig")
    titles, *tickets = csv.reader(io.StringIO(cells, newline=""))
    assert titles == ["Summary", "Description", "Labels", "Query IDs"]
    (ticket,) = tickets
    assert ticket[3].split(", ") == [f"Q-{number:03}" for number in range(1, 7)]
    copied = [dict(zip(("profile", "query_id", "pattern", "track", "resolution"), row, strict=False)) for row in rows]
    assert all(row["resolution"] == "known" for row in copied)
    known = [
        line(at, query_id=row["query_id"], pattern=row["pattern"], ticket="HR-2") for at, row in enumerate(copied, 2)
    ]
    assert "0 failing without a ticket · 7 known" in page(out, line(99, query_id="Q-000", ticket="HR-1"), *known)


def test_without_the_file_the_pages_are_as_before(out: Path) -> None:
    folder = out / "run_260302"
    summarise(out, language="en")
    before = {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    assert b"known" not in before[SUMMARY_JSON]
    page(out, line(2, query_id="Q-000", ticket="HR-1"))
    changed = {path.name for path in folder.iterdir() if path.is_file() and before.get(path.name) != path.read_bytes()}
    assert changed == {SUMMARY_HTML, SUMMARY_MD, SUMMARY_JSON, TICKETS_CSV}
    keep_known(out, None)
    summarise(out, language="en")
    assert {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()} == before
