"""Logs, health and metrics of a worker."""

from typing import TYPE_CHECKING

from scoring.door import door

if TYPE_CHECKING:
    from workers.monitoring.http import Endpoint
    from workers.monitoring.logs import LOG_NAME, configure_logging
    from workers.monitoring.metrics import BeatStep, install
    from workers.monitoring.presence_step import PresenceStep, configure_worker_logging
else:
    __getattr__ = door(__name__)
