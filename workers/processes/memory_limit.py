"""A limit on the address space of a process that reads inputs: one that asks for more fails (docs/limits.md)."""

from __future__ import annotations

import contextlib
import sys


def limit_memory(megabytes: int, *, for_good: bool = False) -> None:
    """Limit this process and those that it starts. Does nothing on Windows.

    for_good: the process cannot raise the limit again. A lower limit that is already set stays.
    """
    if sys.platform == "win32":
        return
    import resource

    wanted = megabytes << 20
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    wanted = min([wanted, *(limit for limit in (soft, hard) if limit != resource.RLIM_INFINITY)])
    with contextlib.suppress(ValueError, OSError):  # some systems have no such limit
        resource.setrlimit(resource.RLIMIT_AS, (wanted, wanted if for_good else hard))
