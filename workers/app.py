"""The Celery application: `celery -A workers.app worker`.

Reads the settings at import. Without a broker URL it uses the broker that `scorewatch up` runs in the state folder.
"""

import logging
import os
import warnings
from typing import Any

import structlog
from billiard.util import get_logger as get_pool_logger
from celery.exceptions import SecurityWarning
from celery.signals import celeryd_init, setup_logging, worker_init, worker_ready

from config import load_settings
from workers.broker import broker_address
from workers.celery_settings import is_in_memory
from workers.jobs import WorkArea, warm_up
from workers.monitoring import PresenceStep, configure_worker_logging
from workers.processes import limit_memory
from workers.queue import make_app

settings = load_settings()
app = make_app(settings, broker_address(settings))


@setup_logging.connect
def _set_up_logging(**_: Any) -> None:
    configure_worker_logging(settings)
    pool_logger = get_pool_logger()
    pool_logger.propagate = True  # else the deaths of children bypass our format
    pool_logger.setLevel(logging.WARNING)


@celeryd_init.connect
def _hush(**_: Any) -> None:
    """Silence Celery's ten lines about root; `_say_root` logs one. Pickled messages are not accepted anyway."""
    warnings.filterwarnings("ignore", category=SecurityWarning)


@worker_ready.connect
def _say_root(**_: Any) -> None:
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        structlog.get_logger().warning("worker runs as root")


@worker_init.connect
def _prepare_work_area(**_: Any) -> None:
    if not is_in_memory(str(app.conf.broker_url)):  # else the process is that of `up`, which has limited itself
        limit_memory(settings.memory_limit_megabytes)
    WorkArea(settings.out).prepare()
    warm_up(settings.language)


app.steps["consumer"].add(PresenceStep)

if settings.metrics_address is not None:
    from workers.monitoring import BeatStep, install

    app.steps["consumer"].add(BeatStep)

    @worker_init.connect
    def _install_monitor(**_: Any) -> None:
        install(settings, app)
