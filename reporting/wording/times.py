"""When a run was executed, and which runs a file names, in one line."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from reporting.wording.display import excerpt
from reporting.wording.names import some_names
from scoring.results import TimeRange
from texts import Texts

NAME_CHARS = 80
RUN_ID = "Run ID"


def executed_text(times: TimeRange | None, t: Texts) -> str:
    """The first and the last `실행시각` as they are written; "" without any."""
    if times is None:
        return ""
    first, last = excerpt(times.first, NAME_CHARS), excerpt(times.last, NAME_CHARS)
    if first == last:
        return first
    return t("basis.span" if times.parsed else "basis.text-order", first=first, last=last)


def run_text(times: TimeRange | None, run_ids: Sequence[str], t: Texts) -> str:
    """`실행시각 2026-03-02 09:00부터 2026-03-02 09:41까지 · Run ID run-1`; "" where the file says neither."""
    facts = ((t("more.executed-at"), executed_text(times, t)), (RUN_ID, some_names(run_ids, t)))
    return " · ".join(f"{title} {text}" for title, text in facts if text)


def written_text(written_ns: int) -> str:
    """When a file was written, in the time of this machine: `2026-03-02 10:15 +09:00`."""
    local = datetime.fromtimestamp(written_ns / 1e9).astimezone()
    text = local.isoformat(sep=" ", timespec="minutes")
    return f"{text[:16]} {text[16:]}"
