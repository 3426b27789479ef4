"""Byte patterns that give a reason to search the cells, wherever the blocks of a file are divided."""

from collections.abc import Sequence

import pytest

from scoring.reading.file_type import ByteSigns


def signs_of(blocks: Sequence[bytes]) -> ByteSigns:
    """What the blocks show, read one after another."""
    signs = ByteSigns()
    for block in blocks:
        signs.look_at(block)
    return signs


@pytest.mark.parametrize("sign", ["??", r"\ufffd", "\ufffd", "\u00c3"])
def test_damage_is_seen_across_two_blocks(sign: str) -> None:
    data = f"a,b,{sign},c".encode()
    for at in range(len(data)):
        assert signs_of([data[:at], data[at:]]).damage, at


def test_an_error_value_is_seen_across_two_blocks() -> None:
    data = b"a,#DIV/0!,c"
    for at in range(len(data)):
        signs = signs_of([data[:at], data[at:]])
        assert signs.error_values, at
        assert not signs.damage


def test_blocks_without_signs_give_no_reason() -> None:
    signs = signs_of([b"a,b?,c\n", "가,나,다?\n".encode()])
    assert not signs.damage
    assert not signs.error_values
