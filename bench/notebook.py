"""`python -m bench.notebook`: run docs/notebook.ipynb and write what its cells give into it.

The cells run as in Jupyter, in the folder of the notebook and in one namespace: what they print, and what their last
line gives as text or as SVG. No Jupyter is needed.
"""

import ast
import contextlib
import io
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

NOTEBOOK = Path(__file__).parent.parent / "docs" / "notebook.ipynb"
Cell = dict[str, Any]


def executed(notebook: Cell, folder: Path) -> Cell:
    """The notebook with the outputs that its cells give in a folder, one after the other."""
    names: dict[str, Any] = {"__name__": "__main__"}
    number = 0
    cells = []
    with contextlib.chdir(folder), _without_settings():
        for cell in notebook["cells"]:
            if cell["cell_type"] == "code":
                number += 1
                outputs = _outputs("".join(cell["source"]), names, number)
                cells.append({**cell, "execution_count": number, "outputs": outputs})
            else:
                cells.append(cell)
    return {**notebook, "cells": cells}


def _outputs(source: str, names: dict[str, Any], number: int) -> list[Cell]:
    tree = ast.parse(source)
    value = None
    last = tree.body[-1] if tree.body else None
    if isinstance(last, ast.Expr):
        tree.body.pop()
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, f"cell {number}", "exec"), names)  # noqa: S102 -- our own notebook
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), f"cell {number}", "eval"), names)  # noqa: S307 -- the same
    outputs: list[Cell] = []
    if printed.getvalue():
        outputs.append({"name": "stdout", "output_type": "stream", "text": _lines(printed.getvalue())})
    if value is not None:
        data = {"text/plain": _lines(repr(value))}
        if hasattr(value, "_repr_svg_"):
            data = {"image/svg+xml": _lines(value._repr_svg_()), "text/plain": [f"<{type(value).__name__}>"]}
        outputs.append({"data": data, "execution_count": number, "metadata": {}, "output_type": "execute_result"})
    return outputs


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


@contextlib.contextmanager
def _without_settings() -> Iterator[None]:
    kept = {name: os.environ.pop(name) for name in list(os.environ) if name.startswith("SCOREWATCH_")}
    try:
        yield
    finally:
        os.environ.update(kept)


def encoded(notebook: Cell) -> str:
    """The notebook as Jupyter writes it."""
    return json.dumps(notebook, ensure_ascii=False, indent=1) + "\n"


if __name__ == "__main__":
    stored = json.loads(NOTEBOOK.read_text(encoding="utf-8"))
    NOTEBOOK.write_text(encoded(executed(stored, NOTEBOOK.parent)), encoding="utf-8")
