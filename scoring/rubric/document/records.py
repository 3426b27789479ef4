"""What a document says of the records of JSON files: where they are, and which paths may lead out of them."""

from collections.abc import Iterator

import msgspec

from scoring.json_values import parse_path
from scoring.rubric.document.front_matter import Path
from scoring.rubric.document.schema import FrontMatter
from scoring.rubric.model import RecordRule
from scoring.rubric.written import HOLDER, Fault


def record_rule(front: FrontMatter) -> RecordRule | None:
    """Which objects are records; None where the document does not say."""
    if not (front.records or front.where or front.key or front.join or front.left_out):
        return None
    key, join = front.key or msgspec.UNSET, front.join or msgspec.UNSET
    left_out = front.left_out or msgspec.UNSET
    return RecordRule(paths=front.records, where=front.where or {}, key=key, join=join, left_out=left_out)


def faults_of_records(front: FrontMatter) -> Iterator[Fault]:
    """A path goes up from a record first, if at all, and no further than to the document."""
    levels = max((_names(path) for path in front.records), default=0)
    places: list[tuple[Path, str]] = [(("where", path), path) for path in front.where or {}]
    for at, column in enumerate(front.columns):
        places += ((("columns", at, "paths", number), path) for number, path in enumerate(column.paths))
    places += ((("measures", at, "column"), one.column) for at, one in enumerate(front.measures))
    places += ((("scores", at, "column"), path) for at, one in enumerate(front.scores) for path in one.column)
    for place, path in places:
        steps = parse_path(path) or ()
        up = next((number for number, step in enumerate(steps) if step != HOLDER), len(steps))
        if HOLDER in steps[up:] or (up and up == len(steps)):
            yield Fault("rubric-path-turns", place, path)
        elif up > levels:
            yield Fault("rubric-path-above", place, path, {"up": str(up), "levels": str(levels)})


def _names(path: str) -> int:
    """How many objects a path to the records leads through."""
    return sum(isinstance(step, str) for step in parse_path(path) or ())
