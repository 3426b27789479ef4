"""Which watchers and workers of all machines use the broker: each says so every few seconds, in a key that expires."""

from __future__ import annotations

import os
import platform
from itertools import islice
from typing import Literal

import msgspec
import redis

from scoring.items import ENGINE_VERSION
from workers.broker.process import Process

SAY_SECONDS = 15.0
PRESENT_SECONDS = 50  # three times that: a pause of a busy machine is no death
MOST = 1_000
_PREFIX = "scorewatch:process:"

_decoder = msgspec.json.Decoder(Process)


def this_process(kind: Literal["watcher", "worker", "judge"], *, is_leading: bool = False, at_once: int = 0) -> Process:
    """This process, as the others see it."""
    return Process(
        kind=kind,
        host=platform.node(),
        pid=os.getpid(),
        engine_version=ENGINE_VERSION,
        is_leading=is_leading,
        at_once=at_once,
    )


def say_present(client: redis.Redis, process: Process) -> None:
    """Say that a process is there. Raises RedisError."""
    client.set(_name(process), msgspec.json.encode(process), ex=PRESENT_SECONDS)


def say_gone(client: redis.Redis, process: Process) -> None:
    """Say that it ends. Raises RedisError."""
    client.delete(_name(process))


def find_processes(client: redis.Redis) -> tuple[Process, ...]:
    """Those that are there, watchers first, then by host; what no process of ours has written is passed over.

    Raises RedisError.
    """
    names = list(islice(client.scan_iter(match=f"{_PREFIX}*", count=MOST), MOST))
    found = []
    for value in client.mget(names) if names else ():
        try:
            found.append(_decoder.decode(value or b""))
        except msgspec.DecodeError:  # it has just ended, or is none of ours
            continue
    return tuple(sorted(found, key=lambda one: (one.kind != "watcher", one.host, one.kind, one.pid)))


def _name(process: Process) -> str:
    return f"{_PREFIX}{process.host}:{process.pid}"
