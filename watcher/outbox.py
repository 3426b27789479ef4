"""Notification state per set, on disk: its newest key, the figures of that version and of the one before.

One SQLite file in the state folder, used by one thread. Losing it loses the notifications that were waiting and
repeats none: sets that settled before the file was made count as notified.
"""

import contextlib
import sqlite3
import uuid
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple

import msgspec

from reporting.store import Headline

BUSY_SECONDS = 5.0  # wait for the lock of another process
_TABLES = """
CREATE TABLE IF NOT EXISTS outbox (id TEXT NOT NULL, since REAL NOT NULL);
CREATE TABLE IF NOT EXISTS sets (
    name TEXT PRIMARY KEY, key TEXT NOT NULL, state TEXT NOT NULL, queued REAL NOT NULL,
    headline TEXT NOT NULL, previous TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS by_state ON sets (state, queued);
"""


class NotificationState(StrEnum):
    """State of the notification of a set's newest key."""

    WAITING = "waiting"
    SENDING = "sending"  # found at a start: it may have arrived
    SENT = "sent"
    UNCERTAIN = "uncertain"  # it may have arrived, so it is not sent again
    REFUSED = "refused"  # by the receiver
    PASSED = "passed"  # older than the outbox, of no kind that is asked for, sent by another machine, or given up


class Notification(NamedTuple):
    """One to send. previous: figures of the version before. queued: seconds since the epoch."""

    name: str
    key: str
    queued: float
    previous: Headline | None


class Outbox:
    """Use from one thread. A damaged file is replaced.

    now: seconds since the epoch. Raises sqlite3.Error when the file is locked or the disk fails.
    """

    def __init__(self, path: Path, *, now: float) -> None:
        try:
            self._connection, self.id, self.since = _open(path, now)
        except sqlite3.DatabaseError as error:
            if not _is_damage(error):
                raise
            path.unlink(missing_ok=True)
            self._connection, self.id, self.since = _open(path, now)

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def knows(self, name: str, key: str) -> bool:
        """Is this the key last noted for the set?"""
        found = self._connection.execute("SELECT key FROM sets WHERE name = ?", (name,)).fetchone()
        return found is not None and found[0] == key

    def note(self, name: str, key: str, headline: Headline | None, state: NotificationState, *, now: float) -> None:
        """Note a new key of a set. It replaces a notification of the key before that is still waiting."""
        with self._connection:
            found = self._connection.execute(
                "SELECT state, headline, previous FROM sets WHERE name = ?", (name,)
            ).fetchone()
            # A version that was never sent is nothing to compare with.
            previous = "null" if found is None else found[2] if found[0] == NotificationState.WAITING else found[1]
            row = (name, key, state, now, msgspec.json.encode(headline).decode(), previous)
            self._connection.execute("INSERT OR REPLACE INTO sets VALUES (?, ?, ?, ?, ?, ?)", row)

    def next(self) -> Notification | None:
        """The notification that has waited longest; None when none waits."""
        found = self._connection.execute(
            "SELECT name, key, queued, previous FROM sets WHERE state = ? ORDER BY queued LIMIT 1",
            (NotificationState.WAITING,),
        ).fetchone()
        if found is None:
            return None
        with contextlib.suppress(msgspec.DecodeError):
            return Notification(found[0], found[1], found[2], msgspec.json.decode(found[3], type=Headline | None))
        return Notification(found[0], found[1], found[2], None)

    def mark(self, notification: Notification, state: NotificationState) -> None:
        """Set the state, unless the set has a newer key."""
        with self._connection:
            self._connection.execute(
                "UPDATE sets SET state = ? WHERE name = ? AND key = ?", (state, notification.name, notification.key)
            )

    def waiting(self) -> int:
        """Number of notifications that wait."""
        return int(
            self._connection.execute(
                "SELECT count(*) FROM sets WHERE state = ?", (NotificationState.WAITING,)
            ).fetchone()[0]
        )


def _open(path: Path, now: float) -> tuple[sqlite3.Connection, str, float]:
    connection = sqlite3.connect(path, timeout=BUSY_SECONDS)
    try:
        connection.executescript(_TABLES)
        _check(connection)
        with connection:
            connection.execute(
                "UPDATE sets SET state = ? WHERE state = ?", (NotificationState.UNCERTAIN, NotificationState.SENDING)
            )
            found = connection.execute("SELECT id, since FROM outbox").fetchone()
            if found is None:
                found = (uuid.uuid4().hex, now)
                connection.execute("INSERT INTO outbox VALUES (?, ?)", found)
    except BaseException:
        connection.close()
        raise
    return (connection, *found)


def _check(connection: sqlite3.Connection) -> None:
    if connection.execute("PRAGMA quick_check(1)").fetchone() != ("ok",):
        raise _DamageError


class _DamageError(sqlite3.DatabaseError):
    """The integrity check failed."""


def _is_damage(error: sqlite3.DatabaseError) -> bool:
    """Is the file damaged? A lock or a full disk raises DatabaseError too."""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF  # the low byte of an extended code
    return isinstance(error, _DamageError) or code in {sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT}
