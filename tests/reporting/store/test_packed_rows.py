"""Packed rows are those that were put in last."""

import random

import pytest

from reporting.store import PackedRows


@pytest.mark.parametrize("seed", range(3))
def test_the_rows_are_those_that_were_put_in_last(monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    monkeypatch.setattr("reporting.store.packed_rows._BLOCK", 4)
    monkeypatch.setattr("reporting.store.packed_rows._LOOSE", 6)
    monkeypatch.setattr("reporting.store.packed_rows._MOST_LOOSE", 9)
    monkeypatch.setattr("reporting.store.packed_rows._OPEN", 2)
    chance = random.Random(seed)
    rows, known = PackedRows(), dict[str, bytes]()
    for _ in range(600):
        name = f"s{chance.randrange(40)}"
        if chance.random() < 0.2:
            rows.discard(name)
            known.pop(name, None)
        else:
            rows[name] = known[name] = chance.randbytes(chance.randrange(5))
        if chance.random() < 0.3:
            rows.pack(chance.sample(sorted(known), len(known)))
        names = chance.sample(sorted(known), len(known) // 2)
        assert list(rows.of(names)) == [known[name] for name in names]


def test_rows_that_are_read_in_another_order_are_packed_in_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("reporting.store.packed_rows._BLOCK", 4)
    monkeypatch.setattr("reporting.store.packed_rows._LOOSE", 6)
    monkeypatch.setattr("reporting.store.packed_rows._OPEN", 2)
    opened: list[bytes] = []
    rows = PackedRows()
    names = [f"s{number:03}" for number in range(400)]
    for name in names:
        rows[name] = name.encode()
    rows.pack(names)
    read = rows._open

    def watched(block: bytes) -> dict[bytes, bytes]:
        opened.append(block)
        return read(block)

    monkeypatch.setattr(rows, "_open", watched)
    mixed = random.Random(1).sample(names, len(names))
    for _ in range(3):
        assert list(rows.of(mixed)) == [name.encode() for name in mixed]
    assert len(opened) > 1_000
    rows.pack(mixed)
    opened.clear()
    assert list(rows.of(mixed)) == [name.encode() for name in mixed]
    assert len(opened) == 100  # each once


def test_a_name_without_a_row_is_no_row_of_another() -> None:
    with pytest.raises(KeyError):
        list(PackedRows().of(["a"]))
