"""From a number of items on a set is in files, and its report is the same."""

import csv
import errno
import io
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, BinaryIO

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.items.file_scorer import score_file
from scoring.items.spool.items import Items
from scoring.items.spool.part_file import Collector, Part, SpoolSpace
from scoring.problems import InputError, TransientError
from scoring.results import merge
from scoring.rubric import Rubric
from tests.reporting.publishing import publish_report
from tests.reporting.results import make_item
from tests.scoring.files import HEADER, payload, resume_rubric, row
from tests.scoring.items.spool.made import are_in_files
from tests.sessions import chat_rubric, chat_text, turn

_SPILLED = 3


class FullDisk(io.BytesIO):
    """A file that takes so many bytes. An unfinished write fails as `os.write` does."""

    def __init__(self, room: int) -> None:
        super().__init__()
        self._room = room

    def write(self, data: Any) -> int:
        self._room -= len(data)
        if self._room < 0:
            raise OSError(errno.ENOSPC, "No space left on device")
        return super().write(data)


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scoring.items.spool.part_file.SPILL_ITEMS", _SPILLED)


def _collected(space: SpoolSpace, *sizes: int) -> Items:
    collector = Collector(space)
    for size in sizes:
        collector.add([make_item(row) for row in range(2, 2 + size)])
    assert len(collector) == sum(sizes)
    return collector.items()


@pytest.mark.usefixtures("few")
def test_items_go_to_a_file_when_there_are_too_many() -> None:
    space = SpoolSpace(TemporaryFile)
    assert not are_in_files(_collected(space, 1, 1))
    assert not are_in_files(_collected(space, 1))
    spooled = _collected(space, 1, 2, 0, 1)  # the files before it hold what memory may
    assert are_in_files(spooled)
    assert [item.row for item in spooled] == [2, 2, 3, 2]
    assert not are_in_files(_collected(SpoolSpace(), 9))  # no file was given


@pytest.mark.usefixtures("few")
@pytest.mark.parametrize("room", [0, 400, 1_000])
def test_a_full_disk_ends_the_scoring(room: int) -> None:
    with pytest.raises(TransientError, match="No space left"):
        _collected(SpoolSpace(partial(FullDisk, room)), *[2] * 9)


@pytest.mark.usefixtures("few")
def test_a_folder_that_takes_no_file_ends_the_scoring() -> None:
    def refuse() -> BinaryIO:
        raise PermissionError(errno.EACCES, "Permission denied")

    with pytest.raises(TransientError, match="Permission denied"):
        _collected(SpoolSpace(refuse), 4)


_ids = st.sampled_from(["Q-1", "Q-2", "Q-3", "1.10", "1.1"])
_resume_row = st.builds(
    row,
    Query_ID=_ids,
    Item_ID=st.sampled_from(["", "i1", "i2", "i3", "i4"]),
    방_반복=st.sampled_from(["1/1", "2/1", "46023", "", "3/1"]),
    질의=st.sampled_from(["지원자 수", "공고", "", "=1+1"]),
    오류=st.sampled_from(["", "-", "Timeout 3 s", "Timeout 14 s"]),
    응답=st.sampled_from(["", "네.", "실패했습니다.", "선택해 주세요."]),
    LLM_점수=st.sampled_from(["", "5", "0.4", "x"]),
    카테고리=st.sampled_from(["공고", "면접"]),
    Track=st.sampled_from(["Track 1", "Track 3", "?"]),
    Raw_JSON=st.builds(payload, seconds=st.sampled_from([None, 0.5, 61, 7200])),
)
_chat_row = st.builds(
    turn,
    st.sampled_from(["a", "b"]),
    st.sampled_from(["", "S1", "S2"]),
    st.sampled_from(["", "1", "2", "x"]),
    level=st.sampled_from(["", "0", "1"]),
    round=st.sampled_from(["1/1", "1/2"]),
    item=st.sampled_from(["", "i1", "i2"]),
)


def _text(header: Sequence[str], rows: Sequence[Sequence[str]]) -> bytes:
    out = io.StringIO(newline="")
    csv.writer(out).writerows([header, *rows])
    return out.getvalue().encode()


_resume_files = st.lists(
    st.builds(partial(_text, HEADER), st.lists(_resume_row, min_size=1, max_size=25)), min_size=1, max_size=3
)
_chat_files = st.lists(
    st.lists(_chat_row, min_size=1, max_size=15).map(chat_text).map(str.encode), min_size=1, max_size=2
)


@settings(max_examples=15)
@given(files=_resume_files)
def test_any_set_has_the_same_report_in_memory_and_in_files(
    files: list[bytes], tmp_path_factory: pytest.TempPathFactory
) -> None:
    _assert_same(files, resume_rubric(), tmp_path_factory)


@settings(max_examples=8)
@given(files=_chat_files)
def test_so_do_conversations(files: list[bytes], tmp_path_factory: pytest.TempPathFactory) -> None:
    _assert_same(files, chat_rubric(), tmp_path_factory)


def _assert_same(files: list[bytes], rubric: Rubric, folders: pytest.TempPathFactory) -> None:
    made = []
    for spill in (False, True):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("scoring.items.spool.part_file.SPILL_ITEMS", _SPILLED)
            space = SpoolSpace(TemporaryFile if spill else None)
            parts: list[tuple[str, Part]] = []
            for number, data in enumerate(files):
                name = f"resume_agent_{number}.csv"
                parts.append((name, score_file(io.BytesIO(data), name=name, rubric=rubric, space=space)))
        if spill:
            assert any(are_in_files(part.items) for _, part in parts if part.items) == (
                sum(len(part.items) + part.duplicates for _, part in parts) > _SPILLED
            )
        made.append(_report(parts, rubric, folders.mktemp("out")))
    assert made[0] == made[1]


def _report(parts: list[tuple[str, Part]], rubric: Rubric, out: Path) -> dict[str, bytes] | str:
    try:
        result = merge(parts, rubric)
    except InputError as error:
        return repr(error.problems)
    folder = publish_report(result, set_name="s", key="0" * 64, out=out).folder
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
