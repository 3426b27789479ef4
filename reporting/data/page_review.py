"""What a page needs so that a person can disagree with its grades and save that as `scorewatch review` reads it.

Every answer has a key as a sheet has it (`scoring.review`): the beginning of it is that of the page, the text hash that
of the item, and the rest follows from what the page shows of the item.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from reporting.data.embedding import clean_lines
from reporting.wording import key_of
from scoring.comparison import Basis
from scoring.review import FORMAT, Sample, column_title, key_parts
from texts import Texts

HASH_DIGITS = 16
_BLANK_HASH = " " * HASH_DIGITS  # of a report that has none
_SAID = ("llm-comment", "verdict-reason", "rubrics-reason")


class Side(NamedTuple):
    """A set whose items are on a page. titles: of its metrics, by name."""

    profile: str
    set_name: str
    basis: Basis
    titles: Mapping[str, str]


class ItemKeys(NamedTuple):
    """Of each item Query ID, round and text hash, as they are and not as they are shown."""

    query_ids: Sequence[str]
    rounds: Sequence[str]
    hashes: Sequence[str]


def sheet_titles(t: Texts) -> dict[str, str]:
    """The columns of a sheet by name, in their order."""
    return {
        "query": "Query ID",
        "round": t("items.round"),
        "track": "Track",
        "question": t("table.question"),
        "expected": t("review.expected"),
        "answer": t("review.answer"),
        "error": t("review.error"),
        "recorded": t("review.recorded"),
        "recorded-comment": t("review.recorded-comment"),
        "sample": t("review.sample"),
        **{name: column_title(name, t.language) for name in ("reviewer", "grade", "comment", "cause", "check", "key")},
    }


def csv_title(title: str) -> str:
    """A column as a CSV file calls it: a spreadsheet would run `@check`."""
    return title.removeprefix("@")


def disagreeing(sides: Sequence[Side], keys: ItemKeys, shown: Sequence[str], t: Texts) -> dict[str, Any]:
    """The data of a page. sides: of a comparison before and after. shown: by what the page knows the query of an item.

    hashes: all one after the other. keys: Query ID and round, by item, where they are not as the page shows them.
    """
    other = {
        str(at): key_parts(query_id, label)
        for at, (query_id, label, name) in enumerate(zip(keys.query_ids, keys.rounds, shown, strict=True))
        if (query_id, label) != (key_of(name), key_of(label))
    }
    return {
        "sides": [_side(side) for side in sides],
        "titles": {name: csv_title(title) for name, title in sheet_titles(t).items()},
        "sample": Sample.FLAGGED.value,
        "sample-name": t("review.sample.picked"),
        "said": [t(f"more.{key}") for key in _SAID],
        "hashes": "".join([one or _BLANK_HASH for one in keys.hashes]),
        "keys": other,
    }


def _side(side: Side) -> dict[str, Any]:
    grades = {
        name: [[clean_lines(grade, len(grade)), points] for grade, points in steps.items()]
        for name, steps in side.basis.grades.items()
    }
    return {
        "key": f"{FORMAT}|{key_parts(side.profile, side.set_name)}",
        "metrics": [[name, side.titles.get(name, name), steps] for name, steps in grades.items()],
        "causes": [clean_lines(cause, len(cause)) for cause in side.basis.causes],
    }
