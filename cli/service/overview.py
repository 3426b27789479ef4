"""The lines of `scorewatch status` about sets: what waits, what is being scored, the last ones, the problems."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from cli.service.lines import NAME_CHARS, reading_line, set_line, trouble_line
from cli.service.saved_snapshot import SavedSnapshot
from reporting.known.entries import IndexEntry
from reporting.store.readings import Reading
from reporting.wording.catalogue import Texts
from reporting.wording.display import clean, count, excerpt
from reporting.wording.system import in_words
from scoring.problems import Severity

LAST_SETS = 10
MOST_PROBLEMS = 20  # sets whose problems are said; the others are counted


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
