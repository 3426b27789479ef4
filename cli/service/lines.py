"""Lines for people: how a set came out, what is wrong with it or the queue, what to do, and the lists of `status`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from cli.service.saved_snapshot import SavedSnapshot
from reporting.document import set_pieces
from reporting.store import IndexEntry, Reading, State, StatusFile
from reporting.wording import brief_of_count, clean, count, excerpt, in_words
from scoring import Severity
from scoring.judging import JudgeState
from scoring.sets import shown, unescape_path
from texts import Texts
from workers.broker import BrokerFault

MOST_ERRORS_OF_SET = 3  # of a set
NAME_CHARS = 60
LAST_SETS = 10
MOST_PROBLEMS = 20  # sets whose problems are said; the others are counted


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


def watcher_lines(
    saved: SavedSnapshot | None, unread: Mapping[str, str], readings: Sequence[Reading], t: Texts
) -> Iterator[str]:
    """What the watcher is doing, and what is in its way.

    saved: None without a watcher. unread: what the last one could not read, path -> reason.
    """
    if saved is None:
        yield t("overview.no-watcher")
        for name, reason in sorted(unread.items()):
            yield trouble_line("overview.unread", name, reason, t)
        return
    seen = saved.snapshot
    about = [saved.observer, *([clean(saved.reason)] if saved.reason else [])]
    about += [] if seen.is_leading else [t("overview.standing-by")]
    yield t("overview.watcher", pid=str(saved.pid), about=", ".join(about))
    figures = {"asked": seen.asked, "settling": seen.settling, "unclaimed": seen.unclaimed_count}
    yield t("overview.progress", **{name: str(figure) for name, figure in figures.items()})
    yield from (f"  {excerpt(path, NAME_CHARS)}: {clean(text)}" for path, text in sorted(seen.likely.items()))
    yield from _named_sets("console.in-line", max(seen.waiting - seen.asked, 0), seen.in_line, t)
    yield from _named_sets("console.in-work", seen.asked, seen.in_work, t)
    yield from (f"  {reading_line(reading, t)}" for reading in readings)
    if seen.degraded:
        yield t("overview.degraded", reason=in_words(clean(seen.degraded), t))
    if seen.unwritable:
        yield t("overview.unwritable", reason=in_words(clean(seen.unwritable), t))
    for name, reason in sorted((seen.troubles | dict(unread)).items()):
        yield trouble_line("overview.trouble", name, reason, t)


def last_lines(sets: Sequence[IndexEntry], t: Texts) -> Iterator[str]:
    """The sets that were published last, the newest first, each with its headline and findings."""
    if sets:
        yield t("console.last")
    newest = sorted(sets, key=lambda entry: (-entry.published_ns, entry.set_name))[:LAST_SETS]
    yield from (f"  {set_line(entry.set_name, entry.status, t)}" for entry in newest)


def problem_lines(bad: Sequence[IndexEntry], t: Texts) -> Iterator[str]:
    """Why something was refused, left out or replaced, and what to do; the newest first."""
    if bad:
        yield t("console.problems", n=count(len(bad)))
    newest = sorted(bad, key=lambda entry: (-entry.published_ns, entry.set_name))
    for entry in newest[:MOST_PROBLEMS]:
        for finding in entry.status.findings:
            if finding.severity is not Severity.NOTE:
                yield f"  {clean(entry.set_name)}: {clean(finding.text)}"
    if len(bad) > MOST_PROBLEMS:
        yield t("console.problems-more", n=count(len(bad) - MOST_PROBLEMS))


def _named_sets(key: str, number: int, names: Sequence[str], t: Texts) -> Iterator[str]:
    """How many sets there are of a kind, with the first ones; nothing for none."""
    if not number:
        return
    shown = [excerpt(name, NAME_CHARS) for name in names[:number]]
    more = [t("console.more", n=count(number - len(shown)))] if number > len(shown) else []
    title = t(key, n=count(number))
    yield t("console.named", title=title, names=", ".join([*shown, *more])) if shown else title
