"""What people and programs can rely on, as a list: commands, settings, codes, files, keys, columns, texts.

All of it is read off what the commands say and write. The inner names are in `tests.api`.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
import re
from collections.abc import Iterable, Iterator
from pathlib import PurePosixPath
from xml.etree import ElementTree as ET

import click

from tests.api import cli, setting_rows, severity_of, texts
from tests.manifest.cases import cases
from tests.manifest.record import FOLDER, LANGUAGES, Outputs, outputs_of
from tests.paths import ROOT

SURFACE = FOLDER / "surface.txt"
# Together they have every file, key and column that any case has, but for names that inputs bring.
RICH = (
    "sample",
    "history",
    "cases/h_accuracy",
    "cases/raw_json_faults",
    "cases_found/all_failures_in_one_value",
    "cases_found/compare_checks_added",
    "cases_found/excel_trailing_commas",
    "cases_found/judge_that_disagrees",
    "cases_found/recycle_folders",
    "cases_found/ruler_under_the_header",
    "cases_found/turns_partly_blank",
    "cases_found/ux_two_runs",
    "new/exports/inspect_v2.json",
    "new/exports/openai_evals_graded.jsonl",
    "new/exports/promptfoo_lines.jsonl",
    "rubric/h-recruit",
    "rubric/inspect",
    "rubric/move-agent",
    "rubric/openai-evals",
    "rubric/plan-agent",
    "rubric/resume-agent",
    "rubric/rubrics-score",
    "seeds/004",
)
_KEY = re.compile(r"[a-z][a-z_0-9]*")
_COLUMN = re.compile(r"[a-z_0-9]+|status_NUMBER|measure_NAME|measure\.NAME\w*")
_NAMED_COLUMNS = {
    r"^status_\d+$": "status_NUMBER",
    r"^measure_\w+$": "measure_NAME",
    r"^measure\.[^_]*": "measure.NAME",
}
_FOLDERS = {"rounds", "charts", "history", "asked", "first-published"}
_NAMED = re.compile(r"^(track|trend|baseline|problem)-.+(\.\w+)$")
_PART = re.compile(r"^.+-\d+-of-\d+")
_HEX = re.compile(r"[0-9a-f]{32}")
_PRINTED_JSON = re.compile(r"^(status|score json|compare json|gate json|show json|check json)/stdout$")


def surface() -> list[str]:
    """Every line of the list."""
    known = cases()
    return sorted({*declared(), *(fact for case in RICH for fact in facts(outputs_of(known[case], "ko")))})


def declared() -> set[str]:
    """What is there without any input: commands, settings, codes, texts."""
    return {*_commands(cli, "scorewatch"), *_settings(), *_codes(), *_texts()}


def facts(outputs: Outputs) -> Iterator[str]:
    """Files, keys and columns of what a case left."""
    for name, data in outputs.items():
        path = PurePosixPath(name)
        if path.name in {"exit", "stderr"} or data == b"(removed)":
            continue
        if path.name == "stdout":
            if _PRINTED_JSON.match(name) and data.startswith((b"{", b"[")):  # else a refusal
                yield from _json(path.parts[0], data)
            continue
        yield f"file {_kind(path)}"
        if path.suffix == ".json" and ".scorewatch" not in path.parts:
            yield from _json(_named(path.name), data)
        elif path.suffix == ".csv":
            header = next(csv.reader(io.StringIO(data.decode("utf-8-sig"))))
            yield from (f"csv {_named(path.name)} {column}" for column in map(_own_column, header) if column)
        elif path.suffix == ".xml":
            for element in ET.fromstring(data).iter():  # noqa: S314 -- our own file
                yield f"xml {path.name} {element.tag}"
                yield from (f"xml {path.name} {element.tag} {attribute}" for attribute in element.attrib)


def _named(name: str) -> str:
    return _PART.sub("PROFILE-N-of-N", _NAMED.sub(r"\1-*\2", name))


def _kind(path: PurePosixPath) -> str:
    """The name of a file without the names that inputs gave it."""
    name = _HEX.sub("*", _named(path.name))
    folder = next((part for part in path.parts[:-1] if part in _FOLDERS), None)
    return name if folder is None else f"{folder}/{name}"


def _own_column(column: str) -> str:
    """The column without what inputs bring into its name; "" for one that is theirs as a whole."""
    for pattern, name in _NAMED_COLUMNS.items():
        column = re.sub(pattern, name, column)
    return column if _COLUMN.fullmatch(column) else ""


def _json(name: str, data: bytes) -> Iterator[str]:
    for line in data.splitlines() if name.endswith(".jsonl") else [data]:
        yield from (f"json {name} {path}" for path in _paths(json.loads(line), ""))


def _paths(value: object, path: str) -> Iterator[str]:
    if isinstance(value, dict):
        for key, inner in value.items():
            is_own = _KEY.fullmatch(key) and not path.endswith((".measures", ".verdicts"))
            step = f"{path}.{key if is_own else '*'}"
            yield step
            yield from _paths(inner, step)
    elif isinstance(value, list):
        for inner in value:
            yield from _paths(inner, f"{path}[]")


def _commands(command: click.Command, name: str) -> Iterator[str]:
    yield f"command {name}"
    for parameter in command.params:
        words = " ".join([*parameter.opts, *parameter.secondary_opts])
        kind = parameter.type.name + (" flag" if getattr(parameter, "is_flag", False) else "")
        many = " many" if parameter.multiple or parameter.nargs != 1 else ""
        yield f"command {name} {words} ({kind}{many}{', required' if parameter.required else ''})"
    if isinstance(command, click.Group):
        context = click.Context(command)
        for inner in command.list_commands(context):
            found = command.get_command(context, inner)
            assert found is not None
            yield from _commands(found, f"{name} {inner}")


def _settings() -> Iterator[str]:
    for row in setting_rows():
        yield f"setting {row.name} {row.variable} {row.default or '-'}"


def _codes() -> Iterator[str]:
    """The codes that docs/errors.md describes, which is held to the sources by a test of its own."""
    page = (ROOT / "docs" / "errors.md").read_text(encoding="utf-8")
    for code in re.findall(r"^### (\S+)$", page, flags=re.MULTILINE):
        yield f"code {code} {severity_of(code)}"


def _texts() -> Iterator[str]:
    """How many texts there are, and a digest of them; where they stand and under which keys means nothing."""
    for language in LANGUAGES:
        found = sorted(texts(language))
        yield f"texts {language} {len(found)} {hashlib.sha256(json.dumps(found).encode()).hexdigest()[:16]}"


def read_surface() -> list[str]:
    """The accepted list."""
    return SURFACE.read_text(encoding="utf-8").splitlines() if SURFACE.is_file() else []


def write_surface(lines: Iterable[str]) -> None:
    """Accept this list."""
    SURFACE.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8", newline="\n")
