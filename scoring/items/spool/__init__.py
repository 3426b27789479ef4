"""Sequences of items, in memory or in files."""

from typing import TYPE_CHECKING

from scoring.door import door

if TYPE_CHECKING:
    from scoring.items.spool.items import batches_of, cells_at, column_of, columns_of, fields_of, keep, pick
    from scoring.items.spool.joining import changed, edited, joined, moved, without
    from scoring.items.spool.part_file import Collector, SpoolSpace, encode_part, encode_with_items, open_part
    from scoring.items.spool.part_file import open_with_items
else:
    __getattr__ = door(__name__)
