"""What programs may rely on: names of the door, fields of report.json and compare.json, columns of the CSV files.

`python -m tests.scorewatch.surface` writes `surface.json` anew. Something that is added asks for a new minor version,
something that goes or is renamed for a new major one.
"""

import csv
import inspect
import json
from pathlib import Path
from typing import Any

import msgspec

import scorewatch
from tests.paths import ROOT

STORED = Path(__file__).with_name("surface.json")
REPORT = ROOT / "tests/earlier/version_0_2_0/resume_agent_260301"


def _described(name: str) -> object:
    """The signature of a function, the fields and public members of a class."""
    value: Any = getattr(scorewatch, name)
    if inspect.isfunction(value):
        return str(inspect.signature(value))
    fields: Any = getattr(value, "__struct_fields__", None) or getattr(value, "_fields", ())
    members = [one for base in value.__mro__ if base.__module__.startswith("scorewatch") for one in vars(base)]
    return sorted({*fields, *(one for one in members if not one.startswith("_"))})


def _header(name: str) -> list[str]:
    with (REPORT / name).open(encoding="utf-8-sig", newline="") as stream:
        return next(csv.reader(stream))


def _fields(schema: str) -> dict[str, list[str]]:
    """The fields of every object in a published schema, by its name."""
    definitions = json.loads((ROOT / "docs" / schema).read_bytes())["$defs"]
    return {name: sorted(one["properties"]) for name, one in sorted(definitions.items()) if "properties" in one}


def surface() -> dict[str, object]:
    return {
        "door": {name: _described(name) for name in scorewatch.__all__},
        "items.csv": _header("items.csv"),
        "queries.csv": _header("queries.csv"),
        "report.json": _fields("report.schema.json"),
        "compare.json": _fields("compare.schema.json"),
    }


if __name__ == "__main__":
    STORED.write_bytes(msgspec.json.format(msgspec.json.encode(surface()), indent=1) + b"\n")
