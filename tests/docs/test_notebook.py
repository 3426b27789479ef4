"""docs/notebook.ipynb runs, and what stands in it is what its cells give."""

import json

from bench.notebook import NOTEBOOK, encoded, executed


def test_every_cell_gives_what_stands_below_it() -> None:
    text = NOTEBOOK.read_text(encoding="utf-8")
    stored = json.loads(text)
    found = executed(stored, NOTEBOOK.parent)
    for cell, ran in zip(stored["cells"], found["cells"], strict=True):
        assert cell == ran, "python -m bench.notebook"
    assert text == encoded(found)
    assert sum(bool(cell.get("outputs")) for cell in found["cells"]) >= 8


def test_the_notebook_shows_all_that_the_door_does() -> None:
    source = "".join("".join(cell["source"]) for cell in json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"])
    for name in ("score(", ".where(", ".to_pandas()", "compare(", "gate(", ".chart("):
        assert name in source
