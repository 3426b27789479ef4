"""The output folder for the watcher: reads each set's status, writes refusals and the marks of sources."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Mapping

import structlog

from reporting import refuse_set
from reporting.store import (
    STATUS,
    STATUS_JSON,
    Destination,
    KnownSets,
    Mark,
    PackedEntry,
    StatusFile,
    is_whole,
    read_sources,
    read_unread,
    write_sources,
    write_unread,
)
from scoring import TransientError
from scoring.sets import Refusal
from watcher.moved_inputs import Contents, Sources

_log = structlog.get_logger()


class Outputs:
    """One output folder, whose sets are `known`.

    sources: state of the inputs of its reports. is_kept: are all marks written? unread: what is written of files that
    cannot be read.
    """

    def __init__(self, known: KnownSets) -> None:
        self._known = known
        self._out = out = known.out
        self._seen: dict[str, tuple[Mark, StatusFile]] = {}  # those that `known` has not read yet
        self.unread = read_unread(out)
        self.is_kept = True
        self.sources = Sources(read_sources(out), self._contents)

    def find(self) -> None:
        """List all reports, at the start."""
        try:
            self._known.look()
        except OSError as error:
            _log.warning("reports not found", reason=error.strerror or str(error))
            return
        names = list(filter(str.isprintable, self._known.entries))
        self.sources.know(names)
        self.sources.found_at_start(names)

    def status(self, name: str) -> StatusFile | None:
        """status.json of a set, cached by its stat."""
        found = self._find(name)
        return found.unpack().status if isinstance(found, PackedEntry) else found

    def key(self, name: str) -> str | None:
        """The key of its status.json."""
        found = self._find(name)
        return None if found is None else found.key

    def _find(self, name: str) -> StatusFile | PackedEntry | None:
        try:
            found = os.stat(f"{self._out}/{name}/{STATUS_JSON}")  # noqa: PTH116 -- called for every set after a scan
        except OSError:
            self._seen.pop(name, None)
            return None
        mark = (found.st_ino, found.st_size, found.st_mtime_ns)
        known = self._known.entries.get(name)
        if known is not None and known.marks[0] == mark:
            self._seen.pop(name, None)
            return known
        seen = self._seen.get(name)
        if seen is not None and seen[0] == mark:
            return seen[1]
        status = STATUS.read(f"{self._out}/{name}")
        if status is None:
            self._seen.pop(name, None)  # it may become readable with the same stat
        else:
            self._seen[name] = (mark, status)
        return status

    def drop_damaged(self, name: str, key: str) -> None:
        """Remove the status of a set whose files do not match it, so that the set is asked for again."""
        status = self.status(name)
        if status is None or status.key != key or is_whole(self._out / name, status, deep=False):
            return
        _log.warning("outputs are damaged", set=name, key=key)
        with contextlib.suppress(OSError):
            (self._out / name / STATUS_JSON).unlink()

    def refuse(self, refusal: Refusal, language: str) -> bool:
        """Publish a refusal unless it is published. False when it cannot be written now."""
        name, key = refusal.id
        status = self.status(name)
        if status is not None and status.key == key:
            return True
        try:
            refuse_set(refusal, Destination(out=self._out, language=language))
        except TransientError as error:
            _log.warning("problem not written", set=name, key=key, reason=str(error))
            return False
        return True

    def keep_sources(self, *, changed: bool, may_write: bool) -> bool:
        """Write the marks if they changed or were not written before. True when they were written."""
        self.is_kept = self.is_kept and not changed
        if self.is_kept or not may_write:
            return False
        try:
            write_sources(self._out, self.sources.marks)
        except OSError as error:
            _log.warning("marks of sources not written", reason=error.strerror or str(error))
            return False
        self.is_kept = True
        return True

    def keep_unread(self, unread: Mapping[str, str]) -> None:
        """Write what cannot be read, if that changed. Raises OSError."""
        if unread != self.unread:
            write_unread(self._out, unread)
            self.unread = dict(unread)

    def _contents(self, name: str) -> Contents | None:
        status = self.status(name)
        return None if status is None else tuple(sorted(status.inputs.values()))
