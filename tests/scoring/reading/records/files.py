"""JSON files made in memory, and documents to score them by."""

import json
from collections.abc import Iterable, Mapping, Sequence

from scoring.rubric import Rubric
from scoring.rubric.document import parse_rubric
from tests.scoring.files import HEADER

DOCUMENT = """---
profile: answers
title: Answers
files: [answers_*]
{keys}columns:
  - {{ name: query_id, title: id }}
  - {{ name: question, title: question, aliases: [prompt]{question} }}
  - {{ name: response, title: answer, aliases: [response]{response}, required: true }}
  - {{ name: rubric_level, title: level{level} }}
metrics:
  rubrics:
    headings: [levels]
    sources: [column]
---

## Levels

| Level | Name | Criteria |
| ---: | --- | --- |
| 1 | Good | Right |
| 0 | Bad | Wrong |
"""


def answers_rubric(*, keys: str = "", question: str = "", response: str = "", level: str = "") -> Rubric:
    """A document of levels. keys: lines of the front matter; the others: paths of a column, as YAML in brackets."""
    paths = {
        name: f", paths: [{value}]" if value else ""
        for name, value in (("question", question), ("response", response), ("level", level))
    }
    return parse_rubric(DOCUMENT.format(keys=keys, **paths), source="answers.md")


def lines(*records: object, ensure_ascii: bool = False) -> bytes:
    """One JSON text a line; a text or bytes is a line as it is."""
    return b"".join(_line(record, ensure_ascii) + b"\n" for record in records)


def records_of(rows: Iterable[Sequence[str]], header: Sequence[str] = HEADER) -> list[dict[str, object]]:
    """Rows of a table as records."""
    return [dict(zip(header, row, strict=True)) for row in rows]


def answer(**fields: object) -> Mapping[str, object]:
    """A record of `answers_rubric`."""
    return {"id": "Q-1", "question": "How many?", "answer": "Twelve", "level": 1} | fields


def _line(record: object, ensure_ascii: bool) -> bytes:
    if isinstance(record, bytes):
        return record
    return (record if isinstance(record, str) else json.dumps(record, ensure_ascii=ensure_ascii)).encode()
