"""How many examples a test draws that asks for a number of its own."""

from hypothesis import settings


def examples(most: int, *, fast: int | None = None) -> int:
    """That many; in the fast tests no more than the others draw there.

    fast: how many there, where each takes long and there are many parameters.
    """
    if settings.get_current_profile_name() != "fast":
        return most
    return min(most, fast or settings().max_examples)
