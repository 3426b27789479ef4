"""Rubric documents as they are shipped and as they came, and what a changed one is refused with."""

import pytest
from msgspec.structs import replace

from reporting.wording import describe
from scoring.problems import Problem, RubricError, Severity
from scoring.rubric.document.found import Ignored
from scoring.rubric.document.read import Reading, parse_rubric
from scoring.rubric.model import Rubric
from tests.inner import SHIPPED_FOLDER
from tests.paths import ROOT
from texts import codes

SEEDS = ROOT / "tests" / "seeds"
SHIPPED = (SHIPPED_FOLDER / "resume-agent.md").read_text(encoding="utf-8")
SEED_000 = (SEEDS / "000.txt").read_text(encoding="utf-8")
SEED_002 = (SEEDS / "002.txt").read_text(encoding="utf-8")
BASE = parse_rubric(SHIPPED, source="resume-agent.md")
SINGLE, MULTI = BASE.latency_classes


def line_of(text: str, wanted: str) -> int:
    """1-based line of the only line that holds `wanted`."""
    lines = [number for number, line in enumerate(text.split("\n"), start=1) if wanted in line]
    assert len(lines) == 1, (wanted, lines)
    return lines[0]


def rules_of(rubric: Rubric) -> Rubric:
    """The rubric without what only tells which document it is from, and what its tracks are."""
    return replace(rubric, document="", edition="", tracks=())


def tables_ignored(reading: Reading) -> list[Ignored]:
    """The tables that were not read, without lists and names of the front matter."""
    return [unused for unused in reading.ignored if unused.reason in {"not-points", "other-bands"}]


def replaced(text: str, old: str, new: str) -> str:
    assert text.count(old) == 1, (old, text.count(old))
    return text.replace(old, new)


def problems_of(text: str, base: Rubric | None = None) -> list[Problem]:
    with pytest.raises(RubricError) as refused:
        parse_rubric(text, source="문서.md", base=base)
    for problem in refused.value.problems:
        # Every fact that the text of a code asks for is there: a missing one would show as "?".
        assert problem.code == "rubric-yaml" or "?" not in describe(problem)
        assert f"[{problem.code}]" in describe(problem)
        assert problem.code in codes()
    return list(refused.value.problems)


def places(text: str, base: Rubric | None = None) -> list[tuple[str, int | None, str]]:
    problems = problems_of(text, base)
    assert all(problem.source == "문서.md" and problem.severity is Severity.REFUSED for problem in problems)
    return [(problem.code, problem.line, problem.found) for problem in problems]
