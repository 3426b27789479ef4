"""What the report says of the document by which it was scored."""

import re

from msgspec.structs import replace

from scoring.results import merge
from scoring.rubric import Rubric, Track
from tests.reporting.shown import report_md
from tests.scoring.files import csv_text, resume_rubric, row, score_bytes


def basis(rubric: Rubric, language: str = "ko") -> tuple[str, dict[str, str]]:
    """Edition of the document, and the rules by title."""
    part = score_bytes(csv_text([row()]).encode(), rubric=rubric)
    report = report_md(merge([("a.csv", part)], rubric), language=language)
    lines = re.findall(r"^- (.*)$", report.partition("\n## ")[2].partition("\n## ")[0], re.MULTILINE)
    edition = lines[-1].replace("\\", "").partition(" (")[2].partition("SHA-256")[0]
    return edition, dict(line.split(": ", 1) for line in lines[:-1])


def test_file_and_edition_of_the_document_are_beside_its_digest() -> None:
    assert basis(resume_rubric())[0] == "resume-agent.md, "
    assert basis(replace(resume_rubric(), edition="26-02-25"))[0] == "resume-agent.md, 26-02-25, "
    assert basis(replace(resume_rubric(), document=""))[0] == ""


def test_what_the_tracks_are_is_a_rule_of_the_report() -> None:
    tracks = (Track(number=1, meaning="단일 필터", items=55), Track(number=3, items=23))
    _, rules = basis(replace(resume_rubric(), tracks=tracks))
    assert rules["Track"] == "Track 1: 단일 필터 (회차마다 55문항) · Track 3: — (회차마다 23문항)"
    assert "Tracks" not in basis(replace(resume_rubric(), tracks=()), "en")[1]
