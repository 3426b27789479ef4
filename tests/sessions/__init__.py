"""Conversations: a document with sessions, files of it made in memory, and their results."""

import csv
import io
from collections.abc import Mapping, Sequence

from scoring.items.spool import Part
from scoring.results import merge
from scoring.results import SetResult
from scoring.rubric.document import parse_rubric
from scoring.rubric import Rubric
from tests.paths import ROOT
from tests.scoring.files import score_bytes

DOCUMENT = (ROOT / "tests/sessions/chat-agent.md").read_text(encoding="utf-8")
COLUMNS = ("id", "item", "question", "round", "answer", "error", "level", "session", "turn", "track")

Row = Mapping[str, str]


def chat_rubric(*changes: tuple[str, str]) -> Rubric:
    """The document with some of its text replaced."""
    text = DOCUMENT
    for old, new in changes:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    return parse_rubric(text, source="chat-agent.md")


def turn(query: str, session: str, number: str = "", *, level: str = "1", **cells: str) -> Row:
    """A row; level "1" passes, "0" fails, "" takes no part."""
    return {
        "id": query, "question": f"{query}?", "round": "1/1", "answer": "Yes.", "level": level, "session": session,
        "turn": number, "track": "Track 1", **cells,
    }  # fmt: skip


def chat_text(rows: Sequence[Row]) -> str:
    out = io.StringIO(newline="")
    writer = csv.DictWriter(out, COLUMNS, restval="")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


def chat_part(*rows: Row, rubric: Rubric | None = None) -> Part:
    return score_bytes(chat_text(rows).encode(), "chat_a.csv", rubric or chat_rubric())


def chat_set(*rows: Row, rubric: Rubric | None = None) -> SetResult:
    rubric = rubric or chat_rubric()
    return merge([("chat_a.csv", chat_part(*rows, rubric=rubric))], rubric)
