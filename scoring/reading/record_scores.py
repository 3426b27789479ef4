"""Which score decides of those that a record has side by side: `scores: {match: …, f1: …}` (docs/rubrics.md)."""

from collections import Counter
from collections.abc import Iterator, Sequence

from scoring.json_values import ANY_KEY, Path, parse_path
from scoring.problems import Problem
from scoring.reading.record_values import Record, text_of
from scoring.rubric import Column
from scoring.text import cut

_RESULTS = ("llm_score", "intent_verdict")  # a recorded score counts before a verdict
_MOST_NAMES = 20


class ScoresSideBySide:
    """Counts the records of which a score was not used, by the name of the one that decides.

    Where a column of results takes the values under any name of an object (`scores.*.value`), its names are those of
    scores; the first that a path names by itself decides.
    """

    def __init__(self, columns: Sequence[Column]) -> None:
        wanted = (column for name in _RESULTS for column in columns if column.name == name)
        self._paths = [steps for column in wanted for path in column.paths if (steps := parse_path(path))]
        self._maps = {steps[: steps.index(ANY_KEY)] for steps in self._paths if ANY_KEY in steps}
        self._records: Counter[str] = Counter()
        self._others: dict[str, dict[str, None]] = {}

    def look_at(self, record: Record) -> None:
        """Count a record. Raises UnreadableError and UnicodeDecodeError as values do."""
        for place in self._maps:
            names = record.names(place)
            if len(names) > 1 and (used := self._deciding(record, place)):
                self._records[used] += 1
                others = self._others.setdefault(used, {})
                others.update(dict.fromkeys(name for name in names[: _MOST_NAMES + 2] if name != used))

    def problems(self) -> Iterator[tuple[Problem, int]]:
        """One for each name that decides, with the number of records."""
        for used, n in sorted(self._records.items()):
            others = [cut(name) for name in self._others[used]]
            more = ["…"] if len(others) > _MOST_NAMES else []
            found = f"{cut(used)} > {', '.join([*others[:_MOST_NAMES], *more])}"
            yield Problem(code="score-of-several", found=found), n

    def _deciding(self, record: Record, place: Path) -> str:
        size = len(place)
        named = (steps for steps in self._paths if steps[:size] == place and steps[size : size + 1] != (ANY_KEY,))
        return next((str(steps[size]) for steps in named if any(map(text_of, record.find(steps)))), "")
