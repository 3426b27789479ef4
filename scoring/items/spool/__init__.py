"""Sequences of items, in memory or in files."""

from typing import TYPE_CHECKING

from scoring.door import door

if TYPE_CHECKING:
    from scoring.items.spool.items import Items
    from scoring.items.spool.part_file import Collector, Part, SpoolSpace, encode_stored, open_stored
else:
    __getattr__ = door(__name__)
