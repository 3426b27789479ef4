"""Packed rows are those that were put in last."""

from __future__ import annotations

import random

import pytest

from reporting.store import PackedRows


@pytest.mark.parametrize("seed", range(3))
def test_the_rows_are_those_that_were_put_in_last(monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    monkeypatch.setattr("reporting.store.packed_rows._BLOCK", 4)
    monkeypatch.setattr("reporting.store.packed_rows._LOOSE", 6)
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
            rows.pack()
        names = chance.sample(sorted(known), len(known) // 2)
        assert rows.of(names) == [known[name] for name in names]


def test_a_name_without_a_row_is_no_row_of_another() -> None:
    with pytest.raises(KeyError):
        PackedRows().of(["a"])
