"""What is remembered of cells, and what is not."""

from scoring.text import CELL_CHARACTERS, CellMemo, Memo


def test_recurring_key_is_worked_out_once_until_the_limit() -> None:
    asked: list[str] = []

    def work(key: str) -> str:
        asked.append(key)
        return key.upper()

    memo = Memo(work, limit=2)
    assert [memo[key] for key in "abaab"] == list("ABAAB")
    assert asked == ["a", "b"]
    assert [memo["c"], memo["a"]] == ["C", "A"]
    assert (asked, sorted(memo)) == (["a", "b", "c", "a"], ["a", "c"])


def test_long_cells_are_not_kept() -> None:
    memo = CellMemo(len)
    short, long = "x" * CELL_CHARACTERS, "x" * (CELL_CHARACTERS + 1)
    assert (memo[short], memo[long], list(memo)) == (CELL_CHARACTERS, CELL_CHARACTERS + 1, [short])
