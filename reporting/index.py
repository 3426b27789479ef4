"""`index.md` of the output folder: every set with its state, made from the `status.json` files alone.

Outside the promise that a report is a function of its key: it says what stands in the folder now.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple
from urllib.parse import quote

from reporting import status_json, words
from reporting.display import NONE, count, excerpt, percent, score
from reporting.markdown import Markdown, md, table_rows
from reporting.set_folder import PROBLEM_MD, REPORT_MD, ROUNDS
from reporting.sources import SourceMark, read_sources, source_text
from reporting.staging import staging
from reporting.status_json import State, StatusFile
from reporting.tables import table
from scoring.set_names import shown

FILE_NAME = "index.md"
MAX_UNCLAIMED = 100
_NAME_CHARS = 120
_STATES = {State.REPORT: "보고서", State.PROBLEM: "읽지 못함"}
_PASSED_OVER = frozenset({ROUNDS, "history"})
_TITLES = ("세트", "상태", ">문항", ">통과율", *(f">{title}" for title in words.METRICS.values()), ">문제")


class IndexEntry(NamedTuple):
    """set_name: path of the set's folder below the output folder, "/" between components."""

    set_name: str
    status: StatusFile


def write_index(out: Path, *, unclaimed: Iterable[str] = ()) -> bool:
    """Write index.md when it would change; True when it did.

    unclaimed: relative paths of the files that no rubric document claims. Raises OSError.
    """
    sources = read_sources(out)
    text = render_index(list(find_sets(out)), unclaimed=sorted(map(shown, unclaimed)), sources=sources)
    data = text.encode(errors="replace")
    try:
        if (out / FILE_NAME).read_bytes() == data:
            return False
    except FileNotFoundError:
        pass
    with staging(out) as files:
        files.write(FILE_NAME, [data])
        files.place(FILE_NAME, out)
    return True


def find_sets(out: Path) -> Iterator[IndexEntry]:
    """Every folder below `out` with a readable status.json, by name. Hidden folders and links are passed over."""
    folders = [(out, "")]
    found = []
    while folders:
        folder, name = folders.pop()
        try:
            with os.scandir(folder) as entries:
                for entry in entries:
                    if entry.name == status_json.FILE_NAME and name:
                        status = _status(entry)
                        if status is not None:
                            found.append(IndexEntry(name, status))
                    elif _may_hold_sets(entry):
                        folders.append((Path(entry.path), f"{name}/{entry.name}" if name else entry.name))
        except (FileNotFoundError, NotADirectoryError):
            continue  # removed while we looked
    yield from sorted(found, key=lambda entry: entry.set_name)


def render_index(
    entries: Sequence[IndexEntry],
    *,
    unclaimed: Sequence[str] = (),
    sources: Mapping[str, SourceMark] = MappingProxyType({}),
) -> str:
    """Text of index.md. sources: what became of the files behind a report, by set name."""
    reports = sum(entry.status.state is State.REPORT for entry in entries)
    lines = ["# 채점 보고서 목록\n", f"세트 {count(len(entries))}개: 보고서 {count(reports)}개"]
    if reports < len(entries):
        lines[-1] += f", 읽지 못함 {count(len(entries) - reports)}개"
    if entries:
        lines += [
            "",
            table_rows(table(_TITLES, [_row(entry, sources.get(entry.set_name)) for entry in entries])).rstrip("\n"),
        ]
    if unclaimed:
        lines += [
            "",
            "## 채점하지 않은 파일",
            "",
            "어느 루브릭 문서의 파일 이름에도 맞지 않아 채점하지 않았습니다.",
            "",
        ]
        lines += [f"- {md(excerpt(path, _NAME_CHARS))}" for path in unclaimed[:MAX_UNCLAIMED]]
        if len(unclaimed) > MAX_UNCLAIMED:
            lines.append(f"- 외 {count(len(unclaimed) - MAX_UNCLAIMED)}개")
    return "\n".join(lines) + "\n"


def link(set_name: str, file_name: str) -> str:
    """Relative link target from the output folder to a file of a set, percent-escaped."""
    return quote(f"{set_name}/{file_name}", safe="/-._~", errors="surrogateescape")


def _row(entry: IndexEntry, mark: SourceMark | None) -> tuple[str, ...]:
    status = entry.status
    state = _STATES[status.state] + (f", {source_text(mark)}" if mark is not None else "")
    target = link(entry.set_name, REPORT_MD if status.state is State.REPORT else PROBLEM_MD)
    name = Markdown(f"[{md(excerpt(shown(entry.set_name), _NAME_CHARS))}]({target})")
    problems = count(status.problems.count) if status.problems.count else ""
    headline = status.headline
    if headline is None:
        return (name, state, NONE, NONE, *[NONE] * len(words.METRICS), problems)
    return (
        name,
        state,
        count(headline.n),
        percent(headline.passed, headline.n),
        *[score(headline.metrics.get(metric)) for metric in words.METRICS],
        problems,
    )


def _may_hold_sets(entry: os.DirEntry[str]) -> bool:
    if entry.name.startswith(".") or entry.name in _PASSED_OVER:
        return False
    return entry.is_dir(follow_symlinks=False)


def _status(entry: os.DirEntry[str]) -> StatusFile | None:
    try:
        found = entry.stat(follow_symlinks=False)
    except FileNotFoundError:
        return None
    return _read(entry.path, found.st_ino, found.st_size, found.st_mtime_ns)


@lru_cache(maxsize=20_000)
def _read(path: str, inode: int, size: int, mtime_ns: int) -> StatusFile | None:  # noqa: ARG001 -- key of the cache
    """Every publication makes a new file, so a file that looks the same is the same."""
    return status_json.read_status(Path(path))
