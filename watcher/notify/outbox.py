"""What was told of which set, on disk: a set's newest key, its figures and those of the version before.

One SQLite file in the state folder, used by one thread. Losing it costs notifications that were still waiting, and
sends none a second time: what is older than the file counts as told.
"""

from __future__ import annotations

import contextlib
import sqlite3
import uuid
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple

import msgspec

from reporting.store.status import Headline

BUSY_SECONDS = 5.0  # waited for another one's lock

_TABLES = """
CREATE TABLE IF NOT EXISTS outbox (id TEXT NOT NULL, since REAL NOT NULL);
CREATE TABLE IF NOT EXISTS sets (
    name TEXT PRIMARY KEY, key TEXT NOT NULL, state TEXT NOT NULL, queued REAL NOT NULL,
    headline TEXT NOT NULL, previous TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS by_state ON sets (state, queued);
"""


class Told(StrEnum):
    """Where the notification of a set's key stands."""

    WAITING = "waiting"
    SENDING = "sending"  # on its way; found at a start: nobody knows whether it arrived
    SENT = "sent"
    UNCERTAIN = "uncertain"  # it may have arrived, so it is not sent again
    REFUSED = "refused"  # the other side will not have it
    PASSED = "passed"  # older than the outbox, told by another machine, or given up


class Letter(NamedTuple):
    """A notification to send. previous: figures of the version before. queued: seconds since the epoch."""

    name: str
    key: str
    queued: float
    previous: Headline | None


class Outbox:
    """Use from one thread. A damaged file is made anew.

    now: seconds since the epoch. Raises sqlite3.Error when the file cannot be used just now: locked, or the disk fails.
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
        """End the connection."""
        self._connection.close()

    def knows(self, name: str, key: str) -> bool:
        """Is the key the one last noted of the set?"""
        found = self._connection.execute("SELECT key FROM sets WHERE name = ?", (name,)).fetchone()
        return found is not None and found[0] == key

    def note(self, name: str, key: str, headline: Headline | None, told: Told, *, now: float) -> None:
        """A set has a new key. A notification of the one before that still waits gives way to this one's."""
        with self._connection:
            found = self._connection.execute(
                "SELECT state, headline, previous FROM sets WHERE name = ?", (name,)
            ).fetchone()
            # What nobody was told is no version to compare with.
            previous = "null" if found is None else found[2] if found[0] == Told.WAITING else found[1]
            row = (name, key, told, now, msgspec.json.encode(headline).decode(), previous)
            self._connection.execute("INSERT OR REPLACE INTO sets VALUES (?, ?, ?, ?, ?, ?)", row)

    def next(self) -> Letter | None:
        """The letter that waits longest; None when none does."""
        found = self._connection.execute(
            "SELECT name, key, queued, previous FROM sets WHERE state = ? ORDER BY queued LIMIT 1", (Told.WAITING,)
        ).fetchone()
        if found is None:
            return None
        with contextlib.suppress(msgspec.DecodeError):
            return Letter(found[0], found[1], found[2], msgspec.json.decode(found[3], type=Headline | None))
        return Letter(found[0], found[1], found[2], None)

    def mark(self, letter: Letter, told: Told) -> None:
        """What became of it; nothing when the set has moved on meanwhile."""
        with self._connection:
            self._connection.execute(
                "UPDATE sets SET state = ? WHERE name = ? AND key = ?", (told, letter.name, letter.key)
            )

    def waiting(self) -> int:
        """Letters that wait."""
        return int(self._connection.execute("SELECT count(*) FROM sets WHERE state = ?", (Told.WAITING,)).fetchone()[0])


class _Opened(NamedTuple):
    connection: sqlite3.Connection
    id: str
    since: float


def _open(path: Path, now: float) -> _Opened:
    connection = sqlite3.connect(path, timeout=BUSY_SECONDS)
    try:
        connection.executescript(_TABLES)
        _check(connection)
        with connection:
            connection.execute("UPDATE sets SET state = ? WHERE state = ?", (Told.UNCERTAIN, Told.SENDING))
            found = connection.execute("SELECT id, since FROM outbox").fetchone()
            if found is None:
                found = (uuid.uuid4().hex, now)
                connection.execute("INSERT INTO outbox VALUES (?, ?)", found)
    except BaseException:
        connection.close()
        raise
    return _Opened(connection, *found)


def _check(connection: sqlite3.Connection) -> None:
    if connection.execute("PRAGMA quick_check(1)").fetchone() != ("ok",):
        raise _DamageError


class _DamageError(sqlite3.DatabaseError):
    """The check found the file malformed."""


def _is_damage(error: sqlite3.DatabaseError) -> bool:
    """Is the file itself bad? A lock, a full disk and a failing one are DatabaseErrors too."""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF  # the low byte of an extended code
    return isinstance(error, _DamageError) or code in {sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT}
