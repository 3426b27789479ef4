"""Records of JSON become rows."""

from typing import TYPE_CHECKING

from scoring.door import door

if TYPE_CHECKING:
    from scoring.reading.records.table import LINE_EXTENSIONS, RecordTable
else:
    __getattr__ = door(__name__)
