"""Sheets of questions: what a profile is asked, and since when (docs/questions.md)."""

from typing import TYPE_CHECKING

from scoring.door import door

if TYPE_CHECKING:
    from scoring.questions.sheet import QuestionSheet, Questions, read_sheet
else:
    __getattr__ = door(__name__)
