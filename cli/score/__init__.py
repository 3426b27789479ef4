"""The parts of `scorewatch score` that other commands use."""

from typing import TYPE_CHECKING

from scoring.door import door

if TYPE_CHECKING:
    from cli.score.inputs import PlannedSet, Work, plan_work
    from cli.score.judge import ScoreJudge
    from cli.score.known import keep_lines, lines_for
    from cli.score.plan import JudgePlan
    from cli.score.rubrics import Rubrics
    from cli.score.run import Runner
    from cli.score.screen import ScoreLog, Screen
    from cli.score.settings import SETTING_FILES, ScoreSettings, load_score_settings, refuse_without_client
else:
    __getattr__ = door(__name__)
