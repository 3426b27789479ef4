"""Items in files are the same sequence as items in memory."""

import gc
import os
from tempfile import TemporaryFile
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import astuple, replace

from scoring.items.part import Item
from scoring.items.spool.items import ITEM_FIELDS, Chunk, Items, SpoolFile, decode_columns, decode_items, encode_chunk
from scoring.problems import TransientError
from tests.reporting.results import make_item
from tests.scoring.items.spool.made import exact, in_files, items


@given(items())
def test_a_chunk_gives_the_items_back_to_the_last_sign(made: list[Item]) -> None:
    data = encode_chunk(made)
    assert exact(decode_items(data, len(made))) == exact(made)
    for name in ITEM_FIELDS:
        (column,) = decode_columns(data, len(made), (name,))
        assert list(map(repr, column)) == [repr(getattr(item, name)) for item in made]


def test_equal_numbers_keep_their_signs() -> None:
    made = [make_item(2, intent=0.0), make_item(3, intent=-0.0)]
    assert exact(decode_items(encode_chunk(made), 2)) == exact(made)


def test_a_chunk_holds_a_value_of_all_its_items_once() -> None:
    long = "긴 기대결과 " * 50
    alone, many = (encode_chunk([make_item(row, expected=long) for row in range(2, 2 + n)]) for n in (1, 100))
    assert len(many) - len(alone) < 100 * len(long)


@given(items(), st.data())
def test_a_sequence_in_files_is_read_as_a_list(made: list[Item], data: st.DataObject) -> None:
    spooled = in_files(made, n=data.draw(st.integers(1, 7)))
    assert len(spooled) == len(made)
    assert exact(list(spooled)) == exact(made)
    assert spooled == made
    at = data.draw(st.integers(-len(made), len(made) - 1))
    assert spooled[at] == made[at]
    part = slice(data.draw(st.integers(0, 5)), data.draw(st.integers(0, 40)))
    assert spooled[part] == made[part]
    indices = data.draw(st.lists(st.integers(0, len(made) - 1)))
    listed = Items.of(made)
    assert spooled.pick(indices) == listed.pick(indices) == [made[index] for index in indices]
    assert list(spooled.cells_at(indices, "message")) == list(listed.cells_at(indices, "message"))
    assert _table(spooled.columns("row", "details")) == [(item.row, item.details) for item in made]
    assert _table(listed.columns("row", "details")) == [(item.row, item.details) for item in made]
    assert _table(spooled.fields()) == _table(listed.fields()) == list(map(astuple, made))


def _table(batches: Any) -> list[tuple[Any, ...]]:
    return [row for columns in batches for row in zip(*columns, strict=True)]


def test_an_index_beyond_the_end_is_an_error() -> None:
    spooled = in_files([make_item(2)])
    with pytest.raises(IndexError):
        spooled[1]
    assert list(Items()) == []
    assert spooled != [make_item(3)]
    assert spooled != []


@given(items(), st.data())
def test_items_that_are_dropped_changed_and_joined_are_those_of_lists(made: list[Item], data: st.DataObject) -> None:
    def change(item: Item) -> Item:
        return replace(item, round=f"{item.round}, a.csv")

    spooled = in_files(made)
    dropped = set(data.draw(st.lists(st.integers(0, len(made) - 1))))
    listed = Items.of(made)
    left = [item for at, item in enumerate(made) if at not in dropped]
    assert spooled.without(dropped) == listed.without(dropped) == left
    other = spooled.without(dropped).edited(change)
    assert other == listed.without(dropped).edited(change) == list(map(change, left))
    assert spooled.changed(dropped, change) == listed.changed(dropped, change)
    both = Items.joined([listed, other, spooled])
    expected = [*made, *other, *made]
    assert both == expected
    assert _table(both.columns("round", "query_id")) == [(item.round, item.query_id) for item in expected]
    further = [replace(item, row=item.row + 100) for item in expected]
    assert list(both.moved(100)) == further


def test_items_that_are_kept_are_not_read_again() -> None:
    made = [make_item(row) for row in range(2, 12)]
    spooled = in_files(made)
    spooled.keep([1, 7])
    list(spooled.fields())
    chunks, spooled.chunks = spooled.chunks, []
    assert spooled.pick([7, 1]) == [made[7], made[1]]
    spooled.chunks = chunks
    spooled.keep(())
    assert spooled.pick([7, 1]) == [made[7], made[1]]


def test_items_that_are_kept_are_read_together_when_the_first_is_picked() -> None:
    made = [make_item(row) for row in range(2, 12)]
    spooled = in_files(made)
    spooled.keep([1, 7])
    assert spooled.pick([1]) == [made[1]]
    spooled.chunks = []
    assert spooled.pick([7, 1]) == [made[7], made[1]]


@pytest.mark.skipif(not hasattr(os, "pread"), reason="this system moves the place of a file that it reads")
def test_reading_does_not_move_the_place_of_a_file_that_processes_share() -> None:
    stream = TemporaryFile()  # noqa: SIM115 -- the last reader closes it
    file = SpoolFile(stream)
    at = file.append(b"abc")
    place = os.lseek(stream.fileno(), 0, os.SEEK_CUR)
    assert file.read(at, 2) == b"ab"
    assert os.lseek(stream.fileno(), 0, os.SEEK_CUR) == place


def test_blank_fields_are_not_read() -> None:
    (item,) = in_files([make_item(2, question="q")]).pick([0], blank=("message", "extra", "details"))
    assert (item.question, item.message, item.extra, item.details) == ("q", "", (), None)


def test_a_file_that_was_cut_or_changed_is_a_fault_of_the_surroundings() -> None:
    data = encode_chunk([make_item(2)])
    for broken in (data[:-1], b"\x90" * len(data)):
        file = SpoolFile(TemporaryFile())  # noqa: SIM115 -- closed with its last reader
        spooled = Items([Chunk(file, file.append(broken), len(data), 1)])
        with pytest.raises(TransientError):
            list(spooled)
        with pytest.raises(TransientError):
            list(spooled.columns("row"))


def test_a_file_in_a_circle_is_closed_without_a_warning(recwarn: pytest.WarningsRecorder) -> None:
    class Holder:
        pass

    holder = Holder()
    stream = TemporaryFile()  # noqa: SIM115 -- the last reader closes it
    holder.__dict__.update(itself=holder, file=SpoolFile(stream))
    del holder
    gc.collect()
    assert stream.closed
    del stream
    assert not recwarn.list
