"""How much comparing the checks of one item may ask for (docs/limits.md).

Elements of a payload, checks and values of a list multiply: without a limit, a file of 100 KB takes minutes.
"""

from __future__ import annotations

from scoring.problems import ScorewatchError

MAX_COMPARISONS = 250_000  # of one item; 20 checks of 50 UI items at 7 places are 7,000
_TEXT_STEP = 256  # characters of a text that cost as much as one comparison
_JSON_STEP = 32  # the same of a list or object, which is written as JSON to be compared


class TooManyComparisonsError(ScorewatchError):
    """The checks of an item ask for more than the limit. found: comparisons so far."""

    def __init__(self, found: int) -> None:
        super().__init__(found)
        self.found = found


class Budget:
    """Comparisons that are left for one item."""

    def __init__(self) -> None:
        self._limit = self._left = MAX_COMPARISONS

    @property
    def is_spent(self) -> bool:
        """Was more taken than there was?"""
        return self._left < 0

    def take(self, n: int) -> None:
        """Spend n comparisons. Raises TooManyComparisonsError when that is more than what is left."""
        self._left -= n
        if self._left < 0:
            raise TooManyComparisonsError(self._limit - self._left)


def cost_of(value: object) -> int:
    """What a comparison with a value costs: 1, and more for a long text, a list or an object."""
    if isinstance(value, str):
        return 1 + len(value) // _TEXT_STEP
    return 1 + len(repr(value)) // _JSON_STEP if isinstance(value, list | dict) else 1
