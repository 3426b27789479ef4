"""The broker's server for everything that is not a task: its clients, and locks in it.

Locks are the watcher's lease, one notification per key and one judge per item. Each is a `redis.lock.Lock` whose token
names its owner, so that an owner that restarts continues with the lock it had. A lock only saves work that would be
done twice. So it counts as owned when the server does not answer, and always with the in-memory transport, where nobody
else can own it.
"""

import contextlib
import os
import platform
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, Literal

import msgspec
import redis
import structlog
from redis.backoff import NoBackoff
from redis.exceptions import LockError, LockNotOwnedError
from redis.lock import Lock
from redis.retry import Retry

from config import split_broker_url
from scoring.items import ENGINE_VERSION
from workers.broker.process import Process
from workers.celery_settings import PUBLISH_SECONDS, is_in_memory

LEASE_NAME = "scorewatch:watcher"
LONGEST_LEASE_SECONDS = 10.0
SHORTEST_LEASE_SECONDS = 2.0
LEASE_RENEWALS = 3  # per lifetime of a lease
NOTIFIED_SECONDS = 30 * 86_400
JUDGING_SECONDS = 20.0
JUDGING_RENEWALS = 4
_log = structlog.get_logger()


def redis_client(broker_url: str) -> redis.Redis:
    """A client for a broker URL, connected as Celery is. Every command answers or fails within seconds."""
    address = split_broker_url(broker_url)
    options: dict[str, Any] = {"unix_socket_path": address.socket}
    if not address.socket:
        options = {"host": address.host, "port": address.port, "socket_connect_timeout": PUBLISH_SECONDS}
    if address.tls is not None:
        options |= {"ssl": True, **address.tls}
    return redis.Redis(
        db=address.database,
        username=address.username,
        password=address.password,
        socket_timeout=PUBLISH_SECONDS,
        retry=Retry(NoBackoff(), 1),  # once, without a pause: a connection from before a restart of the server is dead
        **options,
    )


def shared_client(broker_url: str) -> redis.Redis | None:
    """`redis_client`, or None for the in-memory transport, whose only worker is in this process."""
    return None if is_in_memory(broker_url) else redis_client(broker_url)


class Lease:
    """The right to do the watcher's work, for one of several watchers.

    client: None for the in-memory transport. seconds: how long the lease outlives its holder.
    """

    def __init__(self, client: redis.Redis | None, *, holder: str, seconds: float) -> None:
        self._lock = None if client is None else _lock(client, LEASE_NAME, seconds)
        self._holder = holder
        self._seconds = seconds
        self._renew_at = float("-inf")
        self._is_held: bool | None = None

    def hold(self, now: float) -> bool:
        """Take or renew the lease when that is due. Returns whether this watcher holds it. now: monotonic."""
        if now >= self._renew_at:
            self._renew_at = now + self._seconds / LEASE_RENEWALS
            is_held = self._take()
            if is_held != self._is_held and (self._is_held is not None or not is_held):
                _log.warning("watching" if is_held else "standing by: another watcher does the work")
            self._is_held = is_held
        return bool(self._is_held)

    def release(self) -> None:
        """Let the next watcher have it at once."""
        if self._lock is not None and self._is_held:
            with contextlib.suppress(redis.RedisError):
                self._lock.release()

    def _take(self) -> bool:
        try:
            return self._lock is None or _own(self._lock, self._holder)
        except redis.RedisError as error:
            _log.warning("lease not renewed", reason=type(error).__name__)
            return True


def watcher_lease(broker_url: str, *, holder: str, retry_seconds: float) -> Lease:
    """The lease at a broker. retry_seconds: a dead watcher is replaced no later than a lost ask is repeated."""
    seconds = min(max(retry_seconds, SHORTEST_LEASE_SECONDS), LONGEST_LEASE_SECONDS)
    return Lease(shared_client(broker_url), holder=holder, seconds=seconds)


def notification_claim(broker_url: str) -> Callable[[str, str], bool]:
    """(key, machine) -> may this machine notify? Only the first machine to claim a key notifies."""
    client = shared_client(broker_url)

    def claim(key: str, machine: str) -> bool:
        try:
            return client is None or _own(_lock(client, f"scorewatch:told:{key}", NOTIFIED_SECONDS), machine)
        except redis.RedisError as error:
            _log.warning("notification not claimed", key=key, reason=type(error).__name__)
            return True

    return claim


class JudgingClaims:
    """Claims on items, by their hash, so that no verdict is paid for twice.

    client: None for the in-memory transport. seconds: how long a claim outlives its owner.
    """

    def __init__(self, client: redis.Redis | None, *, seconds: float = JUDGING_SECONDS) -> None:
        self._client = client
        self._seconds = seconds

    @contextlib.contextmanager
    def hold(self, hashes: Sequence[str], owner: str) -> Iterator[tuple[str, ...]]:
        """Claim the hashes that no other owner has, for the length of the block, and yield them.

        owner: name of the task; a task that is delivered again takes over its own claims.
        """
        if self._client is None:
            yield tuple(hashes)
            return
        locks = {name: _lock(self._client, f"scorewatch:judge:{name}", self._seconds) for name in hashes}
        try:
            held = {name: lock for name, lock in locks.items() if _own(lock, owner)}
        except redis.RedisError as error:
            _log.warning("items not claimed", reason=type(error).__name__)
            held = locks
        ended = threading.Event()
        renewing = threading.Thread(target=self._renew, args=(list(held.values()), ended), daemon=True)
        renewing.start()
        try:
            yield tuple(held)
        finally:
            ended.set()
            renewing.join()
            _each(held.values(), Lock.release)

    def _renew(self, locks: Sequence[Lock], ended: threading.Event) -> None:
        while not ended.wait(self._seconds / JUDGING_RENEWALS):
            _each(locks, Lock.reacquire)


def _lock(client: redis.Redis, name: str, seconds: float) -> Lock:
    return Lock(client, name, timeout=seconds, blocking=False, thread_local=False)


def _own(lock: Lock, owner: str) -> bool:
    """Take the lock, or renew it when `owner` has it already. Raises RedisError when the server does not answer."""
    if lock.acquire(token=owner):
        return True
    lock.local.token = owner.encode()  # a new Lock object does not know that its owner took the lock before
    try:
        return lock.reacquire()
    except LockNotOwnedError:
        lock.local.token = None
        return False


def _each(locks: Iterable[Lock], operation: Callable[[Lock], object]) -> None:
    """Renew or release locks; the rest of them expire when the server does not answer."""
    try:
        for lock in locks:
            with contextlib.suppress(LockError):  # expired, or never taken
                operation(lock)
    except redis.RedisError as error:
        _log.warning("claims neither renewed nor released", reason=type(error).__name__)


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
    client.set(_presence_key(process), msgspec.json.encode(process), ex=PRESENT_SECONDS)


def say_gone(client: redis.Redis, process: Process) -> None:
    """Say that it ends. Raises RedisError."""
    client.delete(_presence_key(process))


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


def _presence_key(process: Process) -> str:
    return f"{_PREFIX}{process.host}:{process.pid}"
