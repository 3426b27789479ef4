"""The figures of a watcher and its sets, and its health from the last of them and the time. Pure."""

from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass, field

from reporting.data import Health

LOOP_SECONDS = 60.0
SCANS_MISSED = 3
UNREAD_NAMED = 3
SCAN_SECONDS = 60.0  # a scan of a slow mount may take as long


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """State of a watcher.

    sets: wanted; settled, asked, judging: of them. judging: reported, with verdicts still to come. settling: files that
    are not settled. unclaimed, unclaimed_more: shown paths of files that are not scored, and how many more there are.
    likely: path -> what to do, of those that have the columns of a profile. troubles: set or path -> reason, of
    transient faults. unread: path -> reason, of those that are files and folders which cannot be read, listed or looked
    at. degraded: why scans of the watched folder are not believed. outdated: what changed of documents, rules and
    settings is not in force, in sentences. unwritable: why the output folder cannot be written to, with its path.
    is_leading: False while another watcher holds the lease. last: sets settled last, newest first. in_work, in_line:
    the first of the sets that workers have, and of those that wait to be given to them.
    """

    sets: int = 0
    settled: int = 0
    asked: int = 0
    judging: int = 0
    problems: int = 0
    settling: int = 0
    unclaimed: tuple[str, ...] = ()
    unclaimed_more: int = 0
    likely: dict[str, str] = field(default_factory=dict)
    troubles: dict[str, str] = field(default_factory=dict)
    unread: dict[str, str] = field(default_factory=dict)
    queue_depth: int | None = None
    degraded: str = ""
    outdated: str = ""
    unwritable: str = ""
    is_leading: bool = True
    last: tuple[str, ...] = ()
    in_work: tuple[str, ...] = ()
    in_line: tuple[str, ...] = ()

    @property
    def waiting(self) -> int:
        """Number of sets without a report, asked for or not."""
        return max(self.sets - self.settled - self.judging, 0)

    @property
    def unclaimed_count(self) -> int:
        """Number of files that are not scored."""
        return len(self.unclaimed) + self.unclaimed_more


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """Figures of a watcher at the time `at`. All times monotonic; scanned_at: None before the first scan.

    oldest_waiting_seconds: since the longest waiting set was first wanted, 0.0 when none waits;
    oldest_untroubled_seconds: the same without sets that a worker gave up. moved_at: when a set last settled, or the
    watcher started. polled_folders: without a watch of the system. gates: number of sets by the state of their
    gate, empty without rules. is_disk_full: that of the folder of reports.
    """

    at: float
    scanned_at: float | None
    moved_at: float
    oldest_waiting_seconds: float = 0.0
    oldest_untroubled_seconds: float = 0.0
    is_observing: bool = True
    is_polling: bool = False
    polled_folders: int = 0
    restarts: int = 0
    scans: int = 0
    snapshot: Snapshot = field(default_factory=Snapshot)
    gates: Mapping[str, int] = field(default_factory=dict)
    is_disk_full: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class HealthPolicy:
    """rescan_seconds: planned time between scans. stalled_seconds: without a settled set for so long, work is stuck."""

    rescan_seconds: float
    stalled_seconds: float


def judge(figures: Figures, policy: HealthPolicy, now: float, *, has_broker: bool) -> Health:
    """Reasons why work does not move. has_broker: does the queue answer?"""
    failing = []
    if now - figures.at > LOOP_SECONDS:
        failing.append(f"loop: silent for {now - figures.at:.0f} s")
    if figures.snapshot.degraded:
        failing.append(f"folder: {figures.snapshot.degraded}")
    elif not figures.is_observing:
        failing.append("observer: not running")
    if figures.is_disk_full:
        failing.append("reports: the disk of the folder is full")
    elif figures.snapshot.unwritable:
        failing.append(f"reports: {figures.snapshot.unwritable}")
    late = now - (figures.moved_at if figures.scanned_at is None else figures.scanned_at)
    if late > max(SCANS_MISSED * policy.rescan_seconds, SCAN_SECONDS):
        failing.append(f"scan: none for {late:.0f} s")
    if not has_broker:
        failing.append("broker: no answer")
    stalled = min(figures.oldest_untroubled_seconds, now - figures.moved_at)
    if stalled > policy.stalled_seconds:
        failing.append(f"sets: nothing settled for {stalled:.0f} s")
    return Health(tuple(failing), tuple(_degraded(figures)))


def _degraded(figures: Figures) -> Iterator[str]:
    snapshot = figures.snapshot
    if figures.polled_folders:
        yield f"observer: {figures.polled_folders} folders are polled, inotify watches ran out"
    again = snapshot.troubles.keys() - snapshot.unread.keys()
    if again:
        yield f"sets: {len(again)} tried again"
    named = [f"{path} ({reason})" for path, reason in snapshot.unread.items()]
    if named:
        more = [f"{len(named) - UNREAD_NAMED} more"] if len(named) > UNREAD_NAMED else []
        yield f"unread: {', '.join([*named[:UNREAD_NAMED], *more])}"


class Waiting:
    """Since when each unsettled set waits."""

    def __init__(self) -> None:
        self._since: dict[str, float] = {}

    def update(self, unsettled: set[str], now: float) -> None:
        """The sets that wait now."""
        self._since = {name: self._since.get(name, now) for name in unsettled}

    def oldest_seconds(self, now: float, *, without: Container[str] = ()) -> float:
        """Age of the oldest; 0.0 when none waits."""
        return max((now - since for name, since in self._since.items() if name not in without), default=0.0)
