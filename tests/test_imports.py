"""What import-linter cannot say: scoring imports these libraries and no others."""

import ast
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from tests.paths import ROOT

# The folder table of the README. `os` and its like are barred for scoring by import-linter.
ALLOWED = {
    "texts": {"texts"},
    "scoring": {"scoring", "texts", "msgspec", "markdown_it", "yaml", "python_calamine", "re2", "jsonschema_rs"}
    | {"compression", "backports"},  # what Python 3.14 has itself, and where it is installed for older ones
    "reporting": {"reporting", "scoring", "texts", "msgspec", "xlsxwriter"},
}


@cache
def _imports(path: Path) -> set[str]:
    """The top-level packages that a module imports."""
    return {name.partition(".")[0] for name in _names(path)}


def _names(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            yield node.module or ""


@pytest.mark.parametrize("package", ALLOWED)
def test_package_imports_no_other_library(package: str) -> None:
    paths = sorted((ROOT / package).rglob("*.py"))
    assert len(paths) > 3
    found = {name for path in paths for name in _imports(path)}
    # _typeshed exists for type checkers alone
    assert found - set(sys.stdlib_module_names) - {"_typeshed"} - ALLOWED[package] == set()


@pytest.mark.parametrize(
    ("library", "folder"),
    [
        ("watchdog", "watcher"),
        ("celery", "workers"),
        ("redis", "workers"),
        ("pydantic_settings", "config"),
        ("markdown_it", "scoring"),
    ],
)
def test_the_stack_is_what_its_users_chose(library: str, folder: str) -> None:
    assert any(library in _imports(path) for path in (ROOT / folder).rglob("*.py"))
