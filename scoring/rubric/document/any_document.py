"""A rubric document of which nobody said what it is: one of a profile, or a rubric of levels by itself."""

from __future__ import annotations

from collections.abc import Sequence

from scoring.problems import RubricError
from scoring.rubric.document.levels import LevelDocument, read_levels, refuse_levels
from scoring.rubric.document.read import Reading, read_fitting
from scoring.rubric.model import RUBRICS, Rubric

NOTHING_UNDERSTOOD = "rubric-nothing-understood"


def read_any(text: str, *, source: str, bases: Sequence[Rubric]) -> Reading | LevelDocument:
    """Read a document against the base of which it says most, else as a rubric of levels.

    Raises RubricError; of a table that is meant as levels, with what is missing in it.
    """
    try:
        return read_fitting(text, source=source, bases=bases)
    except RubricError as error:
        if not is_not_understood(error):
            raise
        levels = read_levels(text, source=source)
        if levels is None:
            refuse_levels(text, source=source)
            raise
        return levels


def says_levels_alone(reading: Reading | LevelDocument) -> bool:
    """Is this a rubric of levels, and nothing else?"""
    if isinstance(reading, LevelDocument):
        return True
    return {table.role for table in reading.understood} == {RUBRICS}


def is_not_understood(error: RubricError) -> bool:
    """Was there nothing at all to be read?"""
    return {problem.code for problem in error.problems} == {NOTHING_UNDERSTOOD}
