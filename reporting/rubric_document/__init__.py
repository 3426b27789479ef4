"""A proposal becomes a rubric document."""

from typing import TYPE_CHECKING

from scoring.door import door

if TYPE_CHECKING:
    from reporting.rubric_document.document import field_name, reason_text, write_document
else:
    __getattr__ = door(__name__)
