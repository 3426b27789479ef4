"""The fields of items as columns: one pass in C instead of one in Python per field."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec.structs import astuple

from scoring.items.part import Item, ItemDetails, details_of

Columns = Mapping[str, Sequence[Any]]


def item_columns(items: Sequence[Item]) -> Columns:
    """Name of a field of `Item` or `ItemDetails` -> its values, one per item."""
    fields = Item.__struct_fields__
    columns: dict[str, Sequence[Any]] = dict.fromkeys(fields, ())
    columns.update(zip(fields, zip(*map(astuple, items), strict=True), strict=False))
    if any(columns["details"]):
        details = zip(*[astuple(details_of(item)) for item in items], strict=True)
        columns.update(zip(ItemDetails.__struct_fields__, details, strict=True))
    else:
        nothing = zip(ItemDetails.__struct_fields__, astuple(ItemDetails()), strict=True)
        columns.update((name, (value,) * len(items)) for name, value in nothing)
    return columns
