"""What people read stands in `texts/data`: code holds no Korean text of its own."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from tests.paths import ROOT

HANGUL = re.compile("[\u1100-\u11ff\u3130-\u318f\uac00-\ud7a3]")
ESCAPE = re.compile(r"\\[uUN]")
FOLDERS = ("texts", "cli", "config", "watcher", "workers", "reporting", "scorewatch")
DATA = {
    ROOT / "workers/jobs/before_fork.py",  # a file to score before the first one comes
}


def _sources() -> list[Path]:
    found = [path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*.py"))]
    return [path for path in found if path not in DATA]


def _literals(tree: ast.AST) -> Iterator[ast.Constant]:
    """Strings that are no docstrings."""
    docstrings = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef))
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings:
            yield node


def test_no_korean_text_stands_in_code() -> None:
    sources = {path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8") for path in _sources()}
    assert len(sources) > 200
    assert [
        (name, node.lineno, node.value)
        for name, text in sources.items()
        if HANGUL.search(text) or ESCAPE.search(text)  # most files have neither
        for node in _literals(ast.parse(text))
        if HANGUL.search(str(node.value))
    ] == []


def test_a_text_in_code_would_be_found() -> None:
    tree = ast.parse('"""한 줄"""\n\ndef f(x):\n    """두 줄"""\n    return f"{x}개", "셋"\n')
    assert sorted(str(node.value) for node in _literals(tree) if HANGUL.search(str(node.value))) == ["개", "셋"]
