"""The list of all sets."""

from typing import TYPE_CHECKING

from scoring.door import door

if TYPE_CHECKING:
    from reporting.index.board import REVIEW_CODES
    from reporting.index.write import INDEX_HTML, INDEX_MD, Index, write_index
else:
    __getattr__ = door(__name__)
