"""Figures of a watcher and its sets, for people and monitors."""

from dataclasses import dataclass, field


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
