"""Parts of made files and of the cases found in use."""

from config import claiming, shipped_rubrics
from scoring.items.spool.part_file import Part
from scoring.rubric import Rubric
from tests.paths import ROOT
from tests.scoring.files import (
    score_bytes,
)

CASES = ROOT / "tests" / "cases_found"


def part_of(name: str) -> Part:
    """The part of a file of tests/cases_found."""
    path = CASES / name
    return score_bytes(path.read_bytes(), path.name, rubric_of(path.name))


def rubric_of(name: str) -> Rubric:
    rubric = claiming(name, shipped_rubrics())
    assert rubric is not None
    return rubric


def answers(*lines: str, name: str = "rubrics_score_en.csv", encoding: str = "utf-8") -> Part:
    """The part of a file of answers with these lines."""
    return score_bytes("".join(f"{line}\r\n" for line in lines).encode(encoding), name, rubric_of(name))
