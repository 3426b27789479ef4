"""Lines for people: how a set came out, what is wrong with it or the queue, and what to do."""

from __future__ import annotations

from collections.abc import Iterator

from reporting.document import set_pieces
from reporting.store import Reading, State, StatusFile
from reporting.wording import brief_of_count, clean, excerpt, in_words
from scoring import Severity
from scoring.judging import JudgeState
from scoring.sets import shown, unescape_path
from texts import Texts
from workers.broker import BrokerFault

MOST_ERRORS_OF_SET = 3  # of a set
NAME_CHARS = 60


def set_lines(name: str, status: StatusFile, t: Texts) -> Iterator[str]:
    """How the set came out, and a line for each thing that was refused, left out or replaced, with its remedy."""
    yield set_line(name, status, t)
    errors = [finding for finding in status.findings if finding.severity is not Severity.NOTE]
    for finding in errors[:MOST_ERRORS_OF_SET]:
        yield f"  {clean(finding.text)}"
    if len(errors) > MOST_ERRORS_OF_SET:
        yield f"  {t('quality.more', n=str(len(errors) - MOST_ERRORS_OF_SET))}"


def set_line(name: str, status: StatusFile, t: Texts) -> str:
    """Name, state, headline and findings of a set."""
    pieces = set_pieces(name, status.state, status.headline, t)
    if status.state is State.REPORT and status.judge in {JudgeState.PENDING, JudgeState.INCOMPLETE}:
        pieces.append(t(f"console.judge-{status.judge.value}"))
    found = [brief_of_count(entry.code, entry.count, entry.severity, t) for entry in status.findings]
    return f"{', '.join(pieces)}. {t('report.look-at')}: {', '.join(found) or t('brief-none')}"


def trouble_line(key: str, name: str, reason: str, t: Texts) -> str:
    """What is tried again or cannot be read, why, and what to do. key: of the text with `name` and `reason`."""
    kind = clean(reason).partition(":")[0]
    line = t(key, name=excerpt(name, NAME_CHARS), reason=in_words(clean(reason), t))
    return f"{line}. {t.named('remedy', kind) or t('remedy.unread')}"


def reading_line(reading: Reading, t: Texts) -> str:
    """`big.csv 45 %, 12초 남음`."""
    name = excerpt(shown(unescape_path(reading.path)), NAME_CHARS)
    if reading.seconds_left is None:
        return t("console.reading-begun", name=name, percent=str(reading.percent))
    return t("console.reading", name=name, percent=str(reading.percent), left=time_left(reading.seconds_left))


def time_left(seconds: float) -> str:
    """`0:12`, `1:02:03`: minutes and seconds, hours where there are some."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def describe_fault(fault: BrokerFault, waiting: int | None, t: Texts) -> str:
    """What is wrong, what to do, and the number of sets that wait; None when that is not known."""
    sets = t("queue.unknown") if waiting is None else str(waiting)
    reason = in_words(clean(fault.reason).rstrip("."), t)
    return f"{t(f'queue.{fault.kind}', reason=reason)} {t('queue.waiting', n=sets)}"
