"""A part comes back from its file, or not at all."""

from io import BytesIO
from tempfile import TemporaryFile

import msgspec
import pytest
from hypothesis import given

from scoring.items.part import Item
from scoring.items.spool.items import Items
from scoring.items.spool.part_file import Part, encode_stored, open_stored
from tests.reporting.results import make_item
from tests.scoring.files import stored
from tests.scoring.items.spool.made import are_in_files, exact, in_files, items


def part(*made: Item) -> Part:
    return Part(sha256="a" * 64, size=3, rubric_digest="b" * 64, rows=len(made), items=Items.of(made))


@given(items())
def test_items_come_back_from_memory_and_from_files(made: list[Item]) -> None:
    whole = part(*made)
    assert stored(whole) == whole
    back = stored(msgspec.structs.replace(whole, items=in_files(made)))
    assert back == whole
    assert exact(back.items) == exact(made)


def test_many_items_stay_in_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scoring.items.spool.part_file.SPILL_ITEMS", 3)
    few, many = part(*map(make_item, range(2, 5))), part(*map(make_item, range(2, 6)))
    assert not are_in_files(stored(few).items)
    back = stored(many)
    assert are_in_files(back.items)
    assert back.items == many.items


def test_rows_keep_their_offset() -> None:
    made = [make_item(row) for row in range(2, 9)]
    moved_part = msgspec.structs.replace(part(*made), items=in_files(made).moved(100))
    assert [item.row for item in stored(moved_part).items] == list(range(102, 109))


def test_a_file_with_any_byte_changed_or_cut_is_none() -> None:
    data = b"".join(encode_stored(part(make_item(2), make_item(3))))
    for place in range(0, len(data), 7):
        for broken in (data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :], data[:place]):
            with pytest.raises(msgspec.DecodeError):
                open_stored(BytesIO(broken), Part)


def test_another_format_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    data = b"".join(encode_stored(part(make_item(2))))
    monkeypatch.setattr("scoring.items.spool.part_file.FORMAT_VERSION", 99)
    with pytest.raises(msgspec.ValidationError, match="99"):
        open_stored(BytesIO(data), Part)


def test_a_part_is_written_piece_by_piece() -> None:
    made = [make_item(row) for row in range(2, 42)]
    pieces = list(encode_stored(msgspec.structs.replace(part(*made), items=in_files(made))))
    assert len(pieces) > 10
    with TemporaryFile() as stream:
        stream.writelines(pieces)
        assert open_stored(stream, Part).items == made
