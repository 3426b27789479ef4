"""The texts as JSON beside Python's own compiled modules, one file each for languages, codes and words.

The files follow the rules of Python's: they are made when they are missing or older than a source, and none is written
where the folder is read-only or the interpreter writes no bytecode. Then every start reads the sources, which takes
0.1 s. An installation makes them: `python -m texts`.

All that is made beside modules is written whole or not at all, and known to whoever uninstalls it.
"""

import json
import os
import sys
from contextlib import suppress
from functools import cache
from importlib.util import cache_from_source
from pathlib import Path

FOLDER = Path(__file__).with_name("data")


def compiled(name: str) -> bytes:
    """The JSON of a language, of `codes` or `words`. Raises KeyError for other names, TextsError for wrong sources."""
    with suppress(OSError):
        made_from, _, content = _file(name).read_bytes().partition(b"\n")
        if made_from == stamp() and content.endswith(b"}"):
            return content
    return compile_texts()[name]


@cache
def stamp() -> bytes:
    """Names, sizes and times of the sources and of the code that reads them: another stamp means other texts."""
    paths = [*sorted(FOLDER.glob("*.toml")), *(FOLDER.with_name(name) for name in ("sources.py", "compiled.py"))]
    states = [(path.name, path.stat()) for path in paths]
    return json.dumps([(name, state.st_size, int(state.st_mtime)) for name, state in states]).encode()


def compile_texts() -> dict[str, bytes]:
    """Read the sources, and keep what they say for the next process. Raises TextsError when one is wrong."""
    from texts.sources import read_sources

    sources = read_sources(FOLDER)
    parts = {**sources.texts, "codes": sources.codes, "words": sources.words}
    made = {name: json.dumps(part, ensure_ascii=False).encode() for name, part in parts.items()}
    if not sys.dont_write_bytecode:
        with suppress(OSError):
            for name, content in made.items():
                keep(_file(name), stamp() + b"\n" + content)
    return made


def _file(name: str) -> Path:
    return Path(cache_from_source(str(FOLDER / f"{name}.toml"))).with_suffix(".json")


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
