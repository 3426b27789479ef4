"""Files that are made beside modules: written whole or not at all, and known to whoever uninstalls them."""

import os
from pathlib import Path

ROOT = Path(__file__).parents[1]


def keep(path: Path, content: bytes) -> None:
    """Write a file that other processes may be reading. Raises OSError."""
    path.parent.mkdir(parents=True, exist_ok=True)
    staged = path.with_name(f"{path.name}.{os.getpid()}")
    staged.write_bytes(content)
    staged.replace(path)
    _enter(path)


def _enter(path: Path) -> None:
    """Enter it in the list of an installation, so that `pip uninstall` leaves nothing; a checkout has none."""
    for record in ROOT.glob("scorewatch-*.dist-info/RECORD") if path.is_relative_to(ROOT) else ():
        line = f"{path.relative_to(ROOT).as_posix()},,"
        if line not in record.read_text(encoding="utf-8").splitlines():
            with record.open("a", encoding="utf-8") as stream:
                stream.write(f"{line}\n")
