"""Sets of a profile with measures, which no shipped document has."""

import csv
import io
import json
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import NamedTuple

from scoring.items.spool import Part
from scoring.items import score_file
from scoring.results import merge
from scoring.results import SetResult
from scoring.rubric.document import parse_rubric
from scoring.rubric import Rubric

DOCUMENT = Path(__file__).parent / "measured-agent.md"
HEADER = ("Query ID", "round", "Track", "question", "error", "total_tokens", "Saved", "Raw JSON")
NAME = "measured_agent_x.csv"


class Row(NamedTuple):
    """A row of a file. cost, steps: of the payload; None leaves the field out."""

    query_id: str
    round: str = "1/1"
    track: str = "1"
    error: str = ""
    tokens: str = ""
    saved: str = ""
    cost: object = None
    steps: tuple[object, ...] | None = None

    def cells(self) -> list[str]:
        """As the file has them."""
        payload: dict[str, object] = {"assistantMessage": "12", "responseTimeSec": 1.5}
        payload |= {} if self.cost is None else {"usage": {"cost": self.cost}}
        payload |= {} if self.steps is None else {"steps": [{"n": n} for n in self.steps]}
        question = f"question {self.query_id}"
        kept = (self.query_id, self.round, self.track, question, self.error, self.tokens, self.saved)
        return [*kept, json.dumps(payload)]


@cache
def measured_rubric() -> Rubric:
    """The rubric of the document beside this file."""
    return parse_rubric(DOCUMENT.read_text(encoding="utf-8"), source=DOCUMENT.name)


def measured_csv(rows: Iterable[Row], *, header: Iterable[str] = HEADER, delimiter: str = ",") -> bytes:
    """A file with these rows."""
    out = io.StringIO(newline="")
    writer = csv.writer(out, delimiter=delimiter)
    writer.writerow(header)
    writer.writerows(row.cells() for row in rows)
    return out.getvalue().encode()


def measured_part(data: bytes, rubric: Rubric | None = None) -> Part:
    """The part of a file."""
    return score_file(io.BytesIO(data), name=NAME, rubric=rubric or measured_rubric())


def measured_set(*rows: Row, rubric: Rubric | None = None) -> SetResult:
    """The set of one file."""
    return merge([(NAME, measured_part(measured_csv(rows), rubric))], rubric or measured_rubric())


# Two rounds of three queries in two tracks. Q-3 fails in the second round and still costs something.
EXAMPLE = (
    Row("Q-1", "1/1", "1", tokens="1,000", saved="2.5", cost=0.01, steps=(1, 2)),
    Row("Q-2", "1/1", "1", tokens="3000", saved="-1", cost="0.03 USD"),
    Row("Q-3", "1/1", "2", tokens="", saved="", cost=None),
    Row("Q-1", "2/1", "1", tokens="2000 tokens", saved="0", cost=0.02, steps=()),
    Row("Q-2", "2/1", "1", tokens="2000", saved="4", cost=0.05, steps=(4,)),
    Row("Q-3", "2/1", "2", "timeout", tokens="500", saved="", cost=0.09),
)
