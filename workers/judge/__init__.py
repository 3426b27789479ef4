"""The judge: asks a model for verdicts."""

from typing import TYPE_CHECKING

from scoring.door import door

if TYPE_CHECKING:
    from workers.judge.errors import JudgeDownError, Slug
    from workers.judge.grade import Judge
    from workers.judge.job import Judged, give_up, judge, tasks_of
    from workers.judge.usage import JudgeCounter, JudgeCounts
else:
    __getattr__ = door(__name__)
