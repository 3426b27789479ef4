"""A worker as `scorewatch` starts it: `python -P -m workers worker …`, without the working directory on the path."""

from __future__ import annotations

import sys

from workers.app import app

if __name__ == "__main__":
    app.worker_main(sys.argv[1:])
