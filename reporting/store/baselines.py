"""Baselines as they are stored: which run is pinned, what question sets ask, and what was compared.

`baseline.json` beside a report is the commit mark of the comparison with its baseline: removed first and written last,
so that a comparison is whole or absent. It is no part of the report. Index, gate and notifications read it, since it is
small. `baseline-<profile>.json` at the top of the folder of reports is the pin of a profile: a file per profile,
replaced whole, so that of two machines that pin at once one is last; people may keep them in version control together
with the reports. What question sets ask is in the shared work area, by digest; lost files are made again from the
reports.
"""

import os
import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import msgspec
from msgspec import UNSET, UnsetType

from reporting.store.set_folders import ASKED_FOLDER, BASELINE_JSON, WORK_AREA, work_area
from reporting.store.status import State, StatusFile, run_key
from reporting.store.stored_file import StoredFile, encode_json, write_atomic
from scoring.comparison import Asked, Baseline, Difference, Origin, Verdict, asked_digest

FORMAT_VERSION = 1
_AT_ONCE = 10_000  # queries
_FILE = re.compile(r"baseline-([a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?)\.json")  # names of profiles are of this form


class ToldFigure(msgspec.Struct, frozen=True, kw_only=True):
    """The figure that a comparison is told by in one line: the worst change, else the leading figure.

    title, before, after: as people read them.
    """

    title: str
    before: str
    after: str
    verdict: Verdict


class BaselineFile(msgspec.Struct, frozen=True, kw_only=True):
    """The content of `baseline.json`.

    key: of the run (`run_key`). origin: how the baseline was chosen, or why there is none. baseline, baseline_key: name
    and key of the run that it was compared with; without one the key is "". headline: metric that the comparison is
    told by. verdicts: by metric, over all shared queries; empty where nothing was compared. copies: metrics with the
    change of another one, which is told in their place. differences, notes: what else differs, as codes and in words.
    told: None where nothing was compared. now_fails: queries that passed and no longer do, known_fails: of these those
    that are known, known: digest of the lines that say so, both left out where there are none. said: digest of what
    people say of the two runs, left out where they say nothing. again: metrics that are worse in this run and in the
    one before it against one baseline, each with the one that it copies by its document; history: digest of the runs
    that tell, both left out where none do. shifts: of a pinned baseline alone, by metric the difference with the ends
    of its interval. damaged: metrics that are not comparable because too much of them is lost, left out where none is.
    """

    format_version: int = FORMAT_VERSION
    set: str
    key: str
    origin: Origin
    baseline: str = ""
    baseline_key: str = ""
    language: str
    engine_version: int
    headline: str = ""
    verdicts: dict[str, Verdict] = {}
    copies: dict[str, str] = {}
    told: ToldFigure | None = None
    now_fails: int = 0
    known_fails: int | UnsetType = UNSET
    known: str | UnsetType = UNSET
    sentence: str
    differences: tuple[Difference, ...] = ()
    notes: tuple[str, ...] = ()
    said: str | UnsetType = UNSET
    again: dict[str, str] | UnsetType = UNSET
    history: str | UnsetType = UNSET
    shifts: dict[str, tuple[float, float, float]] | UnsetType = UNSET
    damaged: tuple[str, ...] | UnsetType = UNSET

    @property
    def told_of_runs(self) -> str:
        """Digest of what people say of the two runs, "" for nothing."""
        return "" if self.said is UNSET else self.said

    @property
    def worse_again(self) -> tuple[str, ...]:
        """Metrics that are worse again, copies left out."""
        return () if self.again is UNSET else tuple([metric for metric, of in self.again.items() if not of])

    def is_worse_again(self, metric: str) -> bool:
        """Is a metric worse again, be it as a copy of another?"""
        return self.again is not UNSET and metric in self.again

    @property
    def is_told_again(self) -> bool:
        """Is the figure that it is told by in one line worse again?"""
        first = self.copies.get(self.headline, self.headline)
        told = first if first in self.worse or not self.worse else self.worse[0]
        return self.is_worse_again(told)

    @property
    def is_like_with_like(self) -> bool:
        """Is every figure comparable?"""
        return Verdict.NOT_COMPARABLE not in self.verdicts.values()

    @property
    def worse(self) -> tuple[str, ...]:
        """Metrics that are worse, copies once."""
        found = [name for name, verdict in self.verdicts.items() if verdict is Verdict.WORSE]
        return tuple([name for name in found if name not in self.copies])

    def is_about(self, status: StatusFile) -> bool:
        """Is it about this version of the report?"""
        return status.state is State.REPORT and self.key == run_key(status.key, status.judge_digest)

    def fits(self, key: str, baseline: Baseline, *, language: str, engine_version: int) -> bool:
        """Does it compare the run of this key with this baseline, as it would be done now?"""
        return (self.key, self.origin, self.baseline, self.baseline_key, self.language, self.engine_version) == (
            key,
            baseline.origin,
            baseline.name,
            baseline.key,
            language,
            engine_version,
        )


BASELINE = StoredFile(BaselineFile, BASELINE_JSON, FORMAT_VERSION)


def read_baseline(folder: Path, status: StatusFile) -> BaselineFile | None:
    """The comparison of the report with this status; None when there is none yet."""
    found = BASELINE.read(folder)
    return found if found is not None and found.is_about(status) else None


class _Pin(msgspec.Struct, frozen=True):
    format_version: int
    profile: str
    set: str


_PIN = StoredFile(_Pin, version=FORMAT_VERSION)


def read_pins(out: Path) -> dict[str, str]:
    """Profile -> name of the pinned set. Those of `damaged_pins` are passed over."""
    return {profile: name for profile, name in _pins(out) if name is not None}


def read_pin(out: Path, profile: str) -> str | None:
    """Name of the pinned set of one profile; None without one, and for one of `damaged_pins`."""
    return _pinned(out, profile) if _FILE.fullmatch(_pin_name(profile)) else None


def damaged_pins(out: Path) -> list[str]:
    """Profiles whose pin cannot be read or is of another format."""
    return [profile for profile, name in _pins(out) if name is None]


def write_pin(out: Path, profile: str, set_name: str) -> None:
    """Pin a set as the baseline of its profile. Raises OSError."""
    data = encode_json(_Pin(FORMAT_VERSION, profile, set_name))
    write_atomic(pin_path(out, profile), data, temporary=work_area(out, "tmp"))


def remove_pin(out: Path, profile: str) -> None:
    """Remove the pin of a profile, if there is one. Raises OSError."""
    pin_path(out, profile).unlink(missing_ok=True)


def pin_path(out: Path, profile: str) -> Path:
    """Where the pin of a profile is."""
    return out / _pin_name(profile)


def _pin_name(profile: str) -> str:
    return f"baseline-{profile}.json"


def _pins(out: Path) -> Iterator[tuple[str, str | None]]:
    """Profile and pinned set, None for a file that says none."""
    try:
        names = os.listdir(out)  # noqa: PTH208 -- path objects of all sets would cost more than the look
    except OSError:
        return
    for name in sorted(name for name in names if name.startswith("baseline-")):
        named = _FILE.fullmatch(name)
        if named is None:
            continue
        yield named[1], _pinned(out, named[1])


def _pinned(out: Path, profile: str) -> str | None:
    pin = _PIN.read_at(pin_path(out, profile))
    return pin.set if pin is not None and pin.profile == profile else None


_ASKED = StoredFile(Asked)


def keep_asked(out: Path, asked: Asked) -> str:
    """Write down what a question set asks, unless that was done. Returns its digest. Raises OSError."""
    digest = asked_digest(asked)
    path = out / WORK_AREA / ASKED_FOLDER / f"{digest}.json"
    if digest and not path.exists():
        write_atomic(work_area(out, ASKED_FOLDER) / path.name, _encoded(asked))
    return digest


def _encoded(asked: Asked) -> Iterator[bytes]:
    """As JSON, piece by piece: that of 500,000 queries takes 25 MB, and as much again while it grows."""
    queries = iter(asked.items())
    before = b"{"
    while piece := dict(islice(queries, _AT_ONCE)):
        yield before + msgspec.json.encode(piece)[1:-1]
        before = b","
    yield b"}"


def read_asked(out: Path, digest: str) -> Asked | None:
    """What the question set of this digest asks; None when it is not known, or the file is damaged."""
    asked = _ASKED.read_at(out / WORK_AREA / ASKED_FOLDER / f"{digest}.json")
    return asked if asked is not None and asked_digest(asked) == digest else None
