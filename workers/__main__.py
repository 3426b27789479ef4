"""A worker as `scorewatch` starts it: `python -P -m workers worker …`; -P keeps the working directory off the path."""

import signal
import sys

for _number in (signal.SIGINT, signal.SIGTERM):
    signal.signal(_number, signal.SIG_DFL)  # until Celery handles them, they end the process without a traceback

from workers.app import app, settings  # noqa: E402
from workers.monitoring import configure_worker_logging  # noqa: E402

if __name__ == "__main__":
    configure_worker_logging(settings)  # Celery warns before it sets up logs
    app.worker_main(sys.argv[1:])
