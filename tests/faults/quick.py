"""`scorewatch` with shorter delays than its constants, named by `QUICK_*`: `python -m tests.faults.quick up`."""

import os
import sys
from functools import partial
from importlib import import_module
from types import ModuleType
from typing import Any

import watcher.reconcile
import watcher.settle
from cli.main import main

PREFIX = "QUICK_"
SETTLING = {
    "CLOSED_SETTLE_SECONDS": "closed_seconds",
    "OPEN_SETTLE_SECONDS": "open_seconds",
    "POLLING_SETTLE_SECONDS": "polling_seconds",
    "EMPTY_FILE_SECONDS": "empty_seconds",
}
RETRY = "RETRY_SECONDS"


def shorten() -> None:
    """Replace the constants, before the modules that use them are imported."""
    given = {name: float(value) for name in (*SETTLING, RETRY) if (value := os.environ.get(PREFIX + name))}
    settling: dict[str, Any] = {SETTLING[name]: seconds for name, seconds in given.items() if name in SETTLING}
    replaced: dict[tuple[ModuleType, str], object] = {
        (watcher.settle, "SettlePolicy"): partial(watcher.settle.SettlePolicy, **settling)
    }
    if RETRY in given:
        asking = partial(watcher.reconcile.AskPolicy, stalled_seconds=given[RETRY])
        replaced[watcher.reconcile, "AskPolicy"] = asking
        replaced[watcher.reconcile, "RETRY_SECONDS"] = given[RETRY]
        if "worker" in sys.argv:  # another command must not pay for this import
            replaced[import_module("workers.monitoring.metrics"), "STUCK_SECONDS"] = given[RETRY]
    for (module, name), replacement in replaced.items():
        assert hasattr(module, name), name
        setattr(module, name, replacement)


if __name__ == "__main__":
    shorten()
    sys.exit(main())
