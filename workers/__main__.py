"""A worker as `scorewatch` starts it: `python -P -m workers worker …`; -P keeps the working directory off the path."""

from __future__ import annotations

import sys

from workers.app import app, settings
from workers.monitoring import configure_logging

if __name__ == "__main__":
    configure_logging(settings.log_level)  # Celery warns before it sets up logs
    app.worker_main(sys.argv[1:])
