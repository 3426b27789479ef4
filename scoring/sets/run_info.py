"""What people say of a run: its name, prompt, model and the like. It is no input, and no figure depends on it.

It stands in `run.toml` in the folder of a set, in `<file>.run.toml` beside a file, or in columns `run.<key>` of the
files themselves. What is said nearer wins: of a file over its folder, of either over the columns.
"""

import re
from collections.abc import Iterable, Sequence

import msgspec

from scoring.problems import Problem
from scoring.sets.names import RUN_TOML
from scoring.text import cut, is_blank

MOST_CHARACTERS = 500  # of a value
MOST_RUN_INFO_BYTES = 64 << 10  # of a file
MOST_VALUES = 5  # of a column that are named
COLUMN_PREFIX = "run."
_AT_LINE = re.compile(r" \(at line (\d+), column \d+\)$")


class RunInfo(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What is said of a run, "" for what is not. replaces: the file or set whose place it takes."""

    name: str = ""
    agent_version: str = ""
    prompt: str = ""
    model: str = ""
    commit: str = ""
    url: str = ""
    note: str = ""
    replaces: str = ""

    @property
    def said(self) -> dict[str, str]:
        """What is said, by key."""
        return {key: value for key in RUN_KEYS if (value := getattr(self, key))}

    def over(self, other: "RunInfo") -> "RunInfo":
        """The same, with what only the other says."""
        return RunInfo(**{**other.said, **self.said})


RUN_KEYS = RunInfo.__struct_fields__
WHAT_WAS_RUN = ("agent_version", "prompt", "model", "commit")  # what may make two runs answer differently


def differing(before: RunInfo, after: RunInfo) -> list[tuple[str, str, str]]:
    """(key, before, after) of what was run, where both say it and it differs."""
    if before == after:  # of most runs nothing is said
        return []
    sides = [(key, getattr(before, key), getattr(after, key)) for key in WHAT_WAS_RUN]
    return [(key, old, new) for key, old, new in sides if old and new and old != new]


def run_files(inputs: Iterable[str]) -> list[str]:
    """Paths of the files that speak of a set of these inputs, where they are; what the later ones say wins."""
    inputs = tuple(inputs)
    folders = dict.fromkeys(folder for path in inputs if (folder := path.rpartition("/")[0]))
    return [*(f"{folder}/{RUN_TOML}" for folder in folders), *(f"{path}.{RUN_TOML}" for path in inputs)]


def read_run_info(data: bytes, source: str) -> tuple[RunInfo, tuple[Problem, ...]]:
    """What a file says, and what in it says nothing. source: its name."""
    import tomllib  # most runs have no such file

    if len(data) > MOST_RUN_INFO_BYTES:
        values = {"limit": str(MOST_RUN_INFO_BYTES >> 10)}
        return RunInfo(), (Problem(code="run-info-large", source=source, values=values),)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = data.decode("cp949", errors="replace")  # as Notepad saves it in Korea
    try:
        values = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        at = _AT_LINE.search(str(error))
        reason, line = _AT_LINE.sub("", str(error)), None if at is None else int(at[1])
        return RunInfo(), (Problem(code="run-info-unreadable", source=source, line=line, values={"reason": reason}),)
    info: dict[str, str] = {}
    problems: list[Problem] = []
    for key, value in values.items():
        code, facts = _fault(key, value)
        if code:
            found = cut(str(value))
            line = _line_of(key, text)
            problems.append(Problem(code=code, source=source, line=line, column=cut(key), found=found, values=facts))
        elif not is_blank(value):
            info[key] = " ".join(value.split())
    return RunInfo(**info), tuple(problems)


def _fault(key: str, value: object) -> tuple[str, dict[str, str]]:
    """Code and facts of what is wrong, "" for nothing."""
    if key not in RUN_KEYS:
        from difflib import get_close_matches

        near = get_close_matches(key, RUN_KEYS, n=1)
        return "run-info-key", {"keys": ", ".join(RUN_KEYS), "likely": near[0] if near else RUN_KEYS[0]}
    if not isinstance(value, str):
        return "run-info-no-text", {}
    if len(value) > MOST_CHARACTERS:
        return "run-info-long", {"n": str(len(value)), "limit": str(MOST_CHARACTERS)}
    if key == "url" and not is_blank(value) and not value.strip().startswith(("https://", "http://")):
        return "run-info-url", {}
    return "", {}


def _line_of(key: str, text: str) -> int | None:
    """The first line that begins with a key, bare, in quotes or in brackets."""
    begins = re.compile(rf"""[\s"'\[]*{re.escape(key)}(?![\w-])""")
    return next((number for number, line in enumerate(text.split("\n"), 1) if begins.match(line)), None)


def info_of_columns(titles: Sequence[str], rows: Iterable[Sequence[str]]) -> RunInfo:
    """What the columns `run.<key>` say. titles: of the columns; rows: their cells.

    A column with several values says them all, since the runs of its rounds differ; more than MOST_VALUES are cut.
    """
    keys = {at: key for at, title in enumerate(titles) if (key := _key_of(title)) is not None}
    if not keys:
        return RunInfo()
    values: dict[str, dict[str, None]] = {key: {} for key in keys.values()}
    for cells in rows:
        for at, key in keys.items():
            if len(values[key]) <= MOST_VALUES and not is_blank(cells[at]):
                values[key][" ".join(cells[at].split())] = None
    return RunInfo(**{key: _joined([*found]) for key, found in values.items()})


def _key_of(title: str) -> str | None:
    key = title.strip().casefold().removeprefix(COLUMN_PREFIX)
    return key if key in RUN_KEYS and title.strip().casefold() != key else None


def _joined(values: Sequence[str]) -> str:
    more = ["…"] if len(values) > MOST_VALUES else []
    return ", ".join([*values[:MOST_VALUES], *more])[:MOST_CHARACTERS]
