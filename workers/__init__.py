"""The queue and its settings. Importing this package costs no Celery."""

from typing import TYPE_CHECKING

from scoring.door import door

if TYPE_CHECKING:
    from workers.celery_settings import JUDGE_QUEUE, REPORT_QUEUE, SCORE_QUEUE
    from workers.queue import CeleryQueue, make_app
else:
    __getattr__ = door(__name__)
