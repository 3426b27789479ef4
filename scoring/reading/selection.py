"""Which records, or rows of a table, a rubric document asks for by `where` (docs/rubrics.md#json-input)."""

from collections.abc import Callable, Iterable, Iterator, Sequence

from scoring.json_values import parse_path
from scoring.rubric import NoneOf, Where, normalise_header
from scoring.text import is_blank, known_text


class Selection:
    """What a document asks for. where: words by path; a record has one of them at each path, or none of them.

    never_found: paths at which no record has a value so far. unselected: records so far that are not asked for.
    """

    def __init__(self, where: Where) -> None:
        self._wanted = [
            (path, set(map(known_text, asked.words if isinstance(asked, NoneOf) else asked)), isinstance(asked, NoneOf))
            for path, asked in where.items()
        ]
        self.never_found = dict.fromkeys(where)
        self.unselected = 0

    def takes(self, texts: Callable[[str], Sequence[str]]) -> bool:
        """Is a record asked for? texts: its values at a path."""
        is_wanted = True
        for path, words, is_none_of in self._wanted:
            found = texts(path)
            if found:
                self.never_found.pop(path, None)
            is_wanted &= any(known_text(text) in words for text in found) is not is_none_of
        return is_wanted


class RowSelection(Selection):
    """The rows of a table that a document asks for; a path is the title of a column."""

    def __init__(self, where: Where, header: Iterable[str]) -> None:
        super().__init__(where)
        places = {normalise_header(title): at for at, title in reversed([*enumerate(header)])}
        named = {path: map(normalise_header, _titles(path)) for path in where}
        self._at = {path: places[name] for path, names in named.items() for name in names if name in places}
        self.never_found = {path: None for path in where if path not in self._at}

    def rows(self, rows: Iterator[list[str]]) -> Iterator[list[str]]:
        """The rows, blank ones in place of those that are not asked for, so that numbers stay."""
        return map(self._row, rows) if self._wanted else rows

    def _row(self, row: list[str]) -> list[str]:
        texts = {path: row[at : at + 1] for path, at in self._at.items()}
        if self.takes(lambda path: texts.get(path, [])) or all(map(is_blank, row)):
            return row
        self.unselected += 1
        return [""] * len(row)


def _titles(path: str) -> Iterator[str]:
    """How a path may write the title of a column: as it is, or as its only name, as `["a.b"]` does."""
    yield path
    steps = parse_path(path) or ()
    if len(steps) == 1 and isinstance(steps[0], str):
        yield steps[0]
