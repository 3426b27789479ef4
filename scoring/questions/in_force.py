"""The sheets of questions in force: what counts for a set travels with its rubric.

So its key knows exactly the rows that it was scored with, and workers need nothing else.
"""

from bisect import bisect_right
from collections.abc import Iterable

import msgspec

from scoring.comparison import name_date
from scoring.questions.sheet import QuestionSheet
from scoring.rubric import Rubric


class Questions:
    """The sheets in force, and the rubrics that they make of those in force. sheets: at most one a profile."""

    def __init__(self, sheets: Iterable[QuestionSheet] = ()) -> None:
        self._sheets = {sheet.profile: sheet for sheet in sheets}
        self._days = {profile: sheet.days for profile, sheet in self._sheets.items()}
        self._made: dict[tuple[str, str], Rubric] = {}  # by digest and day

    def applied(self, rubric: Rubric, set_name: str) -> Rubric:
        """The rubric with the questions for a set: those of the date in its name, the latest without one."""
        if rubric.profile not in self._sheets:
            return rubric
        days, day = self._days[rubric.profile], name_date(set_name)
        return self._of(rubric, days[bisect_right(days, day) - 1] if day else days[-1])

    def every(self, rubrics: Iterable[Rubric]) -> list[Rubric]:
        """The rubrics that may be applied to some set."""
        return [self._of(rubric, day) for rubric in rubrics for day in self._days.get(rubric.profile, ())]

    def _of(self, rubric: Rubric, since: str) -> Rubric:
        made = self._made.get((rubric.digest, since))
        if made is None:
            asked = self._sheets[rubric.profile].on(since)
            made = self._made[rubric.digest, since] = msgspec.structs.replace(rubric, questions=asked)
        return made
