"""Sets that look like the rounds of one run, and the command that puts them together."""

import shlex
from collections.abc import Sequence

from reporting.wording.display import count, excerpt
from reporting.wording.problems import VALUE_CHARS
from scoring import Problem
from scoring.sets import shown

MOST_GROUPED = 10  # sets that a command names
_NAME_CHARS = 120


def apart_problem(names: Sequence[str]) -> Problem:
    """What is to be said of each of these sets."""
    values = {"sets": ", ".join(map(shown, names)), "n": count(len(names)), "command": group_command(names)}
    return Problem(code="rounds-apart", source="", values=values)


def group_command(names: Sequence[str]) -> str:
    """The command that puts sets together; what cannot be shown whole is not part of one."""
    command = " ".join(["scorewatch group", *map(shlex.quote, names)])
    is_whole = len(names) <= MOST_GROUPED and all(excerpt(shown(name), _NAME_CHARS) == name for name in names)
    return command if is_whole and len(command) <= VALUE_CHARS else "scorewatch group SET…"
