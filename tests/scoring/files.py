"""Input files made in memory, and the shipped rubric to score them by."""

import csv
import io
import json
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from config import claiming, shipped_rubrics
from scoring.items.file_scorer import score_file
from scoring.items.spool.part_file import Part, encode_stored, open_stored
from scoring.problems import InputError, Problem
from scoring.results.merging import merge
from scoring.results.model import SetResult
from scoring.rubric.model import Rubric

HEADER = (
    "Run ID", "Item ID", "Query ID", "Track", "질의", "기대결과", "카테고리", "방/반복", "응답", "오류",
    "LLM 상태", "LLM 점수", "LLM 코멘트", "Raw JSON",
)  # fmt: skip


@cache
def resume_rubric() -> Rubric:
    """The shipped `resume-agent` document."""
    return next(rubric for rubric in shipped_rubrics() if rubric.profile == "resume-agent")


def payload(message: object = "지원자는 12명입니다.", seconds: object = 4.2, **fields: Any) -> str:
    """A Raw JSON cell."""
    return json.dumps({"assistantMessage": message, "responseTimeSec": seconds, **fields}, ensure_ascii=False)


def row(**cells: str) -> list[str]:
    """A row under HEADER; keyword names are the headers with `_` for space and `/` (`방_반복`, `Raw_JSON`)."""
    values = {
        "Run ID": "run-1", "Query ID": "Q-1", "Track": "Track 1", "질의": "지원자 수 알려줘", "방/반복": "1/1",
        "응답": "지원자는 12명입니다.", "Raw JSON": payload(),
    }  # fmt: skip
    names = {name.replace(" ", "_").replace("/", "_"): name for name in HEADER}
    values |= {names[name]: value for name, value in cells.items()}
    return [values.get(name, "") for name in HEADER]


def csv_text(rows: Iterable[Sequence[str]], *, header: Sequence[str] = HEADER, delimiter: str = ",") -> str:
    """Rows under a header, as a CSV export writes them (lines end with CRLF)."""
    out = io.StringIO(newline="")
    writer = csv.writer(out, delimiter=delimiter)
    writer.writerow(header)
    writer.writerows(rows)
    return out.getvalue()


def score_bytes(data: bytes, name: str = "resume_agent_x.csv", rubric: Rubric | None = None) -> Part:
    """The part of a file with these bytes."""
    return score_file(io.BytesIO(data), name=name, rubric=rubric or resume_rubric())


def score_shipped(path: Path, language: str = "ko") -> SetResult:
    """The set of one file, scored by the shipped rubric that claims its name. language: of its document."""
    rubric = claiming(path.name, shipped_rubrics(language))
    assert rubric is not None
    with path.open("rb") as stream:
        return merge([(path.name, score_file(stream, name=path.name, rubric=rubric))], rubric)


def score_rows(*rows: Sequence[str], header: Sequence[str] = HEADER) -> Part:
    """The part of a CSV file with these rows."""
    return score_bytes(csv_text(rows, header=header).encode())


def places(scored: Part | SetResult) -> list[Problem]:
    """The places of every finding, the worst first."""
    return [place for finding in scored.findings for place in finding.places]


def counted(part: Part) -> dict[str, int]:
    """How often each kind of finding was met."""
    return {finding.code: finding.count for finding in part.findings}


def refusal(part: Part) -> Problem:
    """The one reason why this part was refused."""
    assert part.refused, part.problems
    assert part.items == []
    return part.problems[0]


def problem_of(error: InputError) -> Problem:
    """The one problem of an error."""
    (problem,) = error.problems
    return problem


def stored(part: Part) -> Part:
    """The part as it is read back from its file."""
    return open_stored(io.BytesIO(stored_bytes(part)), Part)


def stored_bytes(part: Part) -> bytes:
    """The bytes of its file."""
    return b"".join(encode_stored(part))
