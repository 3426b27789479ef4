"""How many examples a test draws that asks for a number of its own."""

from __future__ import annotations

from hypothesis import settings


def examples(most: int) -> int:
    """That many; in the fast tests no more than the others draw there."""
    if settings.get_current_profile_name() != "fast":
        return most
    return min(most, settings().max_examples)
