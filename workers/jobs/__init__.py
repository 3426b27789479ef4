"""The work of the tasks, without Celery."""

from typing import TYPE_CHECKING

from scoring.door import door

if TYPE_CHECKING:
    from workers.jobs.attempts import Strikes
    from workers.jobs.before_fork import warm_up
    from workers.jobs.inputs import GiveUpError, bundled_asks, judged_hashes, piece_number
    from workers.jobs.pieces import LargeInput
    from workers.jobs.score_and_report import Assembled, assemble, check_unchanged, do_each, score_input
    from workers.jobs.work_area import Collector, Trouble, WorkArea
    from workers.jobs.workplace import BeingScoredError, Progress, Workplace, load_rubric, part_id_of
else:
    __getattr__ = door(__name__)
