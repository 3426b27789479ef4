"""The pinned baseline of each profile: `baseline-<profile>.json` at the top of the folder of reports.

A file per profile, replaced whole, so that of two machines that pin at once one is last. People may keep the files in
version control together with the reports.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

import msgspec

from reporting.store.json import encode_json
from reporting.store.set_folder import work_area
from reporting.store.stored_file import StoredFile, write_atomic

FORMAT_VERSION = 1
_FILE = re.compile(r"baseline-([a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?)\.json")  # names of profiles are of this form


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
    return _pinned(out, profile) if _FILE.fullmatch(_name(profile)) else None


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
    return out / _name(profile)


def _name(profile: str) -> str:
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
