"""Rubric documents, from Markdown to a rubric."""

from typing import TYPE_CHECKING

from scoring.door import door

if TYPE_CHECKING:
    from scoring.rubric.document.levels import LevelDocument, show_number
    from scoring.rubric.document.profile import is_profile_name
    from scoring.rubric.document.read import MAX_DOCUMENT, Reading, is_not_understood, parse_rubric, read_any
    from scoring.rubric.document.read import says_levels_alone
else:
    __getattr__ = door(__name__)
