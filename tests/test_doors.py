"""Packages are entered by their doors: what others use stands in `__init__`, and nothing is imported past it."""

import ast
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from typing import NamedTuple

import pytest

from tests.paths import ROOT

FOLDERS = ("texts", "scoring", "config", "reporting", "watcher", "workers", "cli", "scorewatch")
PUBLIC = "scorewatch"  # the door for programs: tests/scorewatch holds its names
PATHS = {
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path
    for folder in (*FOLDERS, "tests")
    for path in sorted((ROOT / folder).rglob("*.py"))
    if "cases_found" not in path.parts
}
PRODUCT = sorted(module for module in PATHS if module.partition(".")[0] in FOLDERS)
TESTS = sorted(set(PATHS) - set(PRODUCT))
PACKAGES = sorted(module for module in PATHS if PATHS[module].name == "__init__.py")
INNER = "tests.inner"  # a door as well: inner names that tests outside of their package need
DOORS = [package for package in [*PACKAGES, INNER] if "door(__name__)" in PATHS[package].read_text(encoding="utf-8")]
DOOR = "scoring.door"  # what makes doors
ENTRIES = (
    "cli.main",
    "cli.__main__",
    "cli.commands.",
    "workers.app",
)  # what a process starts with: found by name, so doors themselves


class Import(NamedTuple):
    """One name of an import line. module: what it is imported from; is_module: it is a module itself."""

    importer: str
    module: str
    name: str
    is_module: bool

    def __str__(self) -> str:
        return f"{self.importer}: {self.module}.{self.name}"


@cache
def nodes(module: str) -> tuple[ast.AST, ...]:
    return tuple(ast.walk(ast.parse(PATHS[module].read_text(encoding="utf-8"))))


@cache
def imports(importer: str) -> tuple[Import, ...]:
    """The imports of our own names, those inside of functions too."""
    return tuple(_imports(importer))


def _imports(importer: str) -> Iterator[Import]:
    for node in nodes(importer):
        if isinstance(node, ast.ImportFrom) and node.module in PATHS:
            for alias in node.names:
                place = f"{node.module}.{alias.name}"
                yield Import(importer, node.module, alias.name, place in PATHS)
                if place in PACKAGES:
                    yield from (
                        Import(importer, place, name, False) for name in sorted(attributes(importer, alias.name))
                    )


def attributes(importer: str, name: str) -> set[str]:
    """What a module takes of another, imported under this name."""
    found = (node for node in nodes(importer) if isinstance(node, ast.Attribute))
    return {node.attr for node in found if isinstance(node.value, ast.Name) and node.value.id == name}


def package_of(module: str) -> str:
    return module if module in PACKAGES else module.rpartition(".")[0]


def is_within(package: str, other: str) -> bool:
    return f"{package}.".startswith(f"{other}.")


def is_past_a_door(found: Import) -> bool:
    """Is a module imported from that belongs neither to the package of the importer nor to one around it?"""
    target = f"{found.module}.{found.name}" if found.is_module else found.module
    if target in PACKAGES or target == DOOR or target.startswith(ENTRIES):
        return False
    return not is_within(package_of(found.importer), package_of(target))


def is_mirrored(test: str, module: str) -> bool:
    """Does a test look into the package that its folder, or its name, mirrors?"""
    own = package_of(test).removeprefix("tests").strip(".")
    named = f"{own}.{test.rpartition('.')[2].removeprefix('test_')}"
    package = package_of(module)
    return own != "" and any(is_within(package, mirror) or is_within(mirror, package) for mirror in (own, named))


@pytest.mark.parametrize("folder", FOLDERS)
def test_nothing_is_imported_past_a_door(folder: str) -> None:
    importers = [module for module in PRODUCT if is_within(module, folder) and module not in DOORS]
    assert len(importers) > 3
    assert [str(found) for importer in importers for found in imports(importer) if is_past_a_door(found)] == []


def test_tests_look_only_into_what_they_mirror() -> None:
    """A module that is imported to be patched in place is named, wherever it is; a name of it is not."""
    found = [found for test in TESTS if test != INNER for found in imports(test) if found.module in PRODUCT]
    past = [name for name in found if is_past_a_door(name) and not is_mirrored(name.importer, name.module)]
    assert [str(name) for name in past if not name.is_module] == []


@pytest.mark.parametrize("door", DOORS)
def test_a_door_gives_every_name_and_no_name_of_a_module(door: str) -> None:
    names = [found.name for found in imports(door) if found.module != DOOR]
    assert names
    assert len(names) == len(set(names))
    assert [name for name in names if f"{door}.{name}" in PATHS] == []  # once imported, the module would take its place
    module = import_module(door)
    assert all(getattr(module, name) is not None for name in names)
    with pytest.raises(AttributeError, match="has no attribute 'nothing_of_this_name'"):
        _ = module.nothing_of_this_name


def test_a_door_has_only_what_others_use() -> None:
    used = {(found.module, found.name) for module in PRODUCT for found in imports(module)}
    used |= {(found.module, found.name) for test in TESTS for found in imports(test) if found.module == INNER}
    offered = {(door, found.name) for door in DOORS for found in imports(door) if found.module != DOOR}
    assert sorted(name for name in offered - used if name[0] != PUBLIC) == []


def test_names_are_imported_from_where_they_are_made() -> None:
    """mypy would hold it, but for `implicit_reexport`, which doors need."""
    names = [name for module in PATHS for name in imports(module) if name.module in PRODUCT and not name.is_module]
    names = [name for name in names if name.importer != PUBLIC]
    found = [name for name in names if name.module not in PACKAGES]
    assert [str(name) for name in found if name.name not in made_in(name.module)] == []


@cache
def made_in(module: str) -> set[str]:
    """Names that a module binds at its top, other than by importing."""
    names: set[str] = set()
    for node in nodes(module):
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            names.add(node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
    return names
