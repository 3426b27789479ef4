"""docs/rubrics.md: the table of shipped profiles is what the shipped documents claim."""

import re
import types
import typing
from collections.abc import Iterator
from enum import StrEnum
from typing import Any

import msgspec

from config import shipped_rubrics
from scoring.rubric import Scale, Status
from tests.cli.place import Place
from tests.inner import HIGHEST, ONE_OR_MORE, FrontMatter, Made, is_declaration, keys_of
from tests.paths import ROOT


def test_every_name_that_a_profile_claims_is_in_the_table() -> None:
    page = (ROOT / "docs" / "rubrics.md").read_text(encoding="utf-8")
    table = re.findall(
        r"^\| \[([a-z-]+)\]\(\S+/([a-z-]+)\.md\) \| `([a-z_]*)\*(?:\.eval)?` \|", page, flags=re.MULTILINE
    )
    assert all(profile == document for profile, document, _ in table)
    claimed = {
        (rubric.profile, pattern.partition("*")[0])
        for rubric in shipped_rubrics()
        for pattern in rubric.files
        if not pattern.startswith("!")
    }
    assert sorted((profile, name) for profile, _, name in table) == sorted(claimed)


def _kind(hint: Any) -> str:
    """What a key takes, in the words of the table."""
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin is typing.Annotated:
        made = [marker.written for marker in arguments if isinstance(marker, Made)]
        kind = _kind(made[0] if made else arguments[0])
        alone = {ONE_OR_MORE: "text, or ", HIGHEST: "number, or "}
        return "".join(alone.get(marker, "") if isinstance(marker, str) else "" for marker in arguments[1:]) + kind
    if origin is typing.Literal:
        return ", ".join(f"`{one}`" for one in arguments if one)
    if origin in {types.UnionType, typing.Union}:
        return " or ".join(_kind(one) for one in arguments if one is not type(None))
    if origin is tuple:
        return f"list: {_kind(arguments[0])}" if arguments[-1] is Ellipsis else "two numbers"
    if origin is dict:
        return f"map: {_kind(arguments[1])}"
    if is_declaration(hint):
        return "map"
    if isinstance(hint, type) and issubclass(hint, StrEnum) and hint is not Status:
        return ", ".join(f"`{one}`" for one in hint)
    return {str: "text", int: "integer", float: "number", bool: "`true`, `false`", Status: "status"}[hint]


def _default(value: object) -> str:
    """What a key is without being there."""
    match value:
        case Scale():
            return f"{value.highest:g}"
        case None | "" | ():
            return ""
        case bool():
            return str(value).lower()
        case tuple():
            return ", ".join(map(_default, value))
        case float():
            return f"{value:g}"
        case _:
            return str(value)


def _declarations(hint: Any) -> Iterator[tuple[str, type]]:
    """The declarations within a type, with what stands for their place: `[]` in a list, `.*` for any name in a map."""
    arguments = typing.get_args(hint)
    if is_declaration(hint):
        yield "", hint
    made: list[Any] = [marker.written for marker in arguments if isinstance(marker, Made)]
    for one in made or arguments:
        if typing.get_origin(hint) is dict:
            yield from ((f".*{place}", inner) for place, inner in _declarations(one))
        elif typing.get_origin(hint) is tuple:
            yield from ((f"[]{place}", inner) for place, inner in _declarations(one))
        else:
            yield from _declarations(one)


def _keys(declaration: type, before: str = "") -> Iterator[tuple[str, str, str]]:
    """Key, what it takes and its default, of every key of the front matter."""
    for name, field in keys_of(declaration).items():
        key = f"{before}{name}"
        is_made = field.default is msgspec.NODEFAULT  # a map without keys
        default = "required" if field.required else "" if is_made else _default(field.default)
        yield f"`{key}`", _kind(field.type), default
        for place, inner in _declarations(field.type):
            yield from _keys(inner, f"{key}{place}.")


def test_every_key_of_the_front_matter_is_in_the_table() -> None:
    page = (ROOT / "docs" / "rubrics.md").read_text(encoding="utf-8").partition("\n## Every key\n")[2]
    rows = [
        tuple(row.split(" | ")) for row in re.findall(r"^\| (`.*) \|$", page.partition("\n## ")[0], flags=re.MULTILINE)
    ]
    assert [row[:3] for row in rows] == [*_keys(FrontMatter), ("`updatedDate`", "text", "")]
    assert all(len(row) == 4 and row[3].strip() for row in rows)


def test_the_example_of_another_agent_gives_what_the_page_shows(place: Place) -> None:
    page = (ROOT / "docs" / "rubrics.md").read_text(encoding="utf-8")
    example = page.partition("\n### From CSV to report\n")[2].partition("\n## Languages\n")[0]
    blocks = re.findall(r"^```[a-z]+\n(.*?)^```$", example, flags=re.MULTILINE | re.DOTALL)
    table, first, said, document, second, scored = blocks
    place.file("shopbot_2026-11-02.csv", table)
    assert place.run(*first.split()[2:]).out == said
    assert (place.root / "shopbot.md").read_text(encoding="utf-8") == document
    assert place.run(*second.split()[2:]).out == scored
    assert (place.root / "reports" / "shopbot_2026-11-02" / "report.html").exists()
