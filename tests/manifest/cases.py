"""What is run: every input there is in tests and docs, through the commands that people use on such an input."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from tests.manifest.run import INPUT_TIME, Recorder
from tests.paths import ROOT

Steps = Callable[[Recorder], None]

TABLES = {".csv", ".tsv", ".xlsx", ".jsonl", ".json"}
NO_INPUTS = {"expected.json"}
COMMANDS = (
    "up", "watch", "worker", "score", "compare", "bless", "gate", "status", "retry", "forget", "rubric", "prompt",
    "rubric check", "rubric list", "rubric new", "rubric show",
)  # fmt: skip
PROFILES = tuple(sorted(path.stem for path in (ROOT / "config" / "rubrics").glob("*.md")))
# Some rules that every set can be asked about.
RULES = """[gate]
rules = [
  "unreadable <= 0",
  "items >= 3",
  "answered_rate >= 90 %",
  "pass_rate >= 50 %",
  "every query passes >= 1 of 2",
  "not worse than baseline by 0.5",
]
"""


def cases() -> dict[str, Steps]:
    """Each case by its name, in the order of the names."""
    found: dict[str, Steps] = {"help": _help, "usage": _usage, "history": _history, "sample": _sample}
    for area in ("cases", "cases_found"):
        for folder in sorted((ROOT / "tests" / area).iterdir()):
            if folder.is_dir() and (settings := _settings_of(folder)):
                found[f"{area}/{folder.name}"] = partial(_settings, settings)
            elif folder.is_dir() and folder.name not in NEW and _inputs(folder):
                found[f"{area}/{folder.name}"] = partial(_tables, folder)
    for path in _foreign():
        found[f"new/{path.parent.name}/{path.name}"] = partial(_proposed, path)
    for profile in PROFILES:
        found[f"rubric/{profile}"] = partial(_profile, profile)
    for path in sorted((ROOT / "tests" / "seeds").glob("*.txt")):
        found[f"seeds/{path.stem}"] = partial(_document, path)
    found["golden/folder_set"] = _folder_set
    return dict(sorted(found.items()))


# Folders of files that no shipped document fits: a document is proposed for each.
NEW = {
    "foreign_exports",
    "name_of_no_profile",
    "new_score_where_less_is_better",
    "new_verdicts_with_blocked",
}


def _foreign() -> Iterator[Path]:
    tests = ROOT / "tests"
    for folder in (tests / "exports", tests / "samples" / "foreign", *(tests / "cases_found" / name for name in NEW)):
        yield from sorted(path for path in folder.iterdir() if path.suffix in TABLES)


def _inputs(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.suffix in TABLES and path.name not in NO_INPUTS)


def _settings_of(folder: Path) -> Path | None:
    path = folder / "scorewatch.toml"
    return path if path.is_file() else None


def _put(path: Path, name: str, number: int = 0) -> str:
    """Copy an input into the working directory. number: of seconds by which it is younger than the first."""
    target = Path(name)
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(path, target)
    os.utime(target, (INPUT_TIME + number, INPUT_TIME + number))
    return name


def _put_folder(folder: Path) -> list[str]:
    return [_put(path, f"in/{path.relative_to(folder).as_posix()}", n) for n, path in enumerate(_inputs(folder))]


def _tables(folder: Path, do: Recorder) -> None:
    """Result files: scored, looked at, gated, and compared with each other."""
    names = _put_folder(folder)
    documents = [_put(path, path.name) for path in sorted(folder.glob("*.md")) if path.name != "README.md"]
    rules = folder / "gate.toml"
    gate = _put(rules, "gate.toml") if rules.is_file() else _write("gate.toml", RULES)
    do.note_inputs()
    for document in documents:
        do.run(f"check {document}", "rubric", "check", document)
        do.run(f"show {document}", "rubric", "show", document)
        do.run(f"score by {document}", "score", *names, "--rubric", document, "--out", f"out {document}")
    if not documents:
        do.run("score", "score", "in", "--out", "docs/reports")
        do.run("score json", "score", "in", "--json")
        _look(do, gate)


def _look(do: Recorder, gate: str) -> None:
    """What is asked about reports that are there."""
    do.run("status", "status", "--json")
    sets = do.sets()
    if not sets:
        return
    files = ("--gate-file", gate, "--junit", "gate.xml", "--summary", "gate.md")
    do.run("gate", "gate", *sets, *files)
    if len(sets) > 1:
        do.run("compare", "compare", sets[0], sets[-1], "--out", "compared")
        do.run("bless", "bless", sets[0])


def _write(name: str, text: str) -> str:
    Path(name).write_text(text, encoding="utf-8")
    return name


def _settings(path: Path, do: Recorder) -> None:
    """A settings file that is wrong in itself."""
    _put(path, "scorewatch.toml")
    do.note_inputs()
    do.run("status", "status")


def _proposed(path: Path, do: Recorder) -> None:
    """A file of another tool: a document is proposed, and the file scored by it; and without one."""
    name = _put(path, path.name)
    do.note_inputs()
    do.run("score", "score", name, "--out", "docs/reports")
    if do.run("new", "rubric", "new", name, "--yes", "--out", "proposed.md").code in {0, 1}:
        do.run("score by it", "score", name, "--rubric", "proposed.md", "--out", "scored")


def _profile(profile: str, do: Recorder) -> None:
    """A document that is shipped."""
    document = _put(ROOT / "config" / "rubrics" / f"{profile}.md", f"{profile}.md")
    do.note_inputs()
    do.run("show", "rubric", "show", profile)
    do.run("show json", "rubric", "show", profile, "--json")
    do.run("show html", "rubric", "show", profile, "--html")
    do.run("check", "rubric", "check", document)
    do.run("check json", "rubric", "check", document, "--json")
    do.run("prompt", "prompt", profile)


def _document(path: Path, do: Recorder) -> None:
    """A document that was handed over."""
    document = _put(path, f"{path.stem}.md")
    do.note_inputs()
    do.run("check", "rubric", "check", document)
    do.run("check json", "rubric", "check", document, "--json")
    do.run("show", "rubric", "show", document)


def _sample(do: Recorder) -> None:
    """The sample and a file of two rounds: every command once."""
    name = _put(ROOT / "docs" / "test-result" / "resume_agent_sample.csv", "docs/test-result/resume_agent_sample.csv")
    other = _put(ROOT / "tests" / "samples" / "resume_agent_two_rounds.csv", "resume_agent_two_rounds.csv", 1)
    gate = _write("gate.toml", RULES)
    do.note_inputs()
    do.run("score", "score", "docs/test-result", other, "--out", "docs/reports", "--gate", "--gate-file", gate)
    do.run("score json", "score", name, "--json")
    do.run("score nothing written", "score", name)
    do.run("score quiet", "score", name, "--quiet")
    do.run("status text", "status")
    _look(do, gate)
    do.run("compare files", "compare", name, other)
    do.run("compare json", "compare", name, other, "--json", "--margin", "0.5")
    do.run("compare rounds", "compare", "resume_agent_two_rounds@1/1", "resume_agent_two_rounds@2/1", "--out", "rounds")
    do.run("gate check", "gate", "--check", "--gate-file", gate)
    do.run("gate json", "gate", "resume_agent_two_rounds", "--gate-file", gate, "--json")
    do.run("prompt items", "prompt", "resume-agent", "--items", name, "--out", "prompts")
    do.run("rubric list", "rubric", "list")
    do.run("bless show", "bless", "--show")
    do.run("bless clear", "bless", "--clear")


def _history(do: Recorder) -> None:
    """Three runs one after another, of which the last is replaced by a worse one: changes, trend, versions, a pin."""
    first = ROOT / "tests" / "cases" / "three_rounds" / "resume_agent_three_rounds.csv"
    text = first.read_bytes()
    gate = _write("gate.toml", RULES)
    for day in range(1, 4):
        _put(first, f"in/resume_agent_26030{day}.csv", day)
    do.note_inputs()
    do.run("score", "score", "in", "--out", "docs/reports")
    last = Path("in/resume_agent_260303.csv")
    head, *rows = text.splitlines(keepends=True)
    last.write_bytes(head + b"".join(rows[: len(rows) // 2]))
    os.utime(last, (INPUT_TIME + 9, INPUT_TIME + 9))
    do.note_inputs()
    do.run("score again", "score", "in", "--out", "docs/reports")
    do.run("score unchanged", "score", "in", "--out", "docs/reports")
    _look(do, gate)
    do.run("bless show", "bless", "--show")
    do.run("as one set", "score", "in", "--set", "all", "--out", "one")


def _folder_set(do: Recorder) -> None:
    """Two files of one folder are one set, as the accepted pages have it."""
    for number, case in enumerate(("ragged", "three_rounds")):
        (path,) = _inputs(ROOT / "tests" / "cases" / case)
        _put(path, f"in/run/{path.name}", number)
    gate = _write("gate.toml", RULES)
    do.note_inputs()
    do.run("score", "score", "in", "--out", "docs/reports")
    _look(do, gate)


def _help(do: Recorder) -> None:
    """The help of every command."""
    do.run("scorewatch", "--help")
    for command in COMMANDS:
        do.run(command, *command.split(), "--help")


def _usage(do: Recorder) -> None:
    """What is typed wrong."""
    do.run("no such command", "scor")
    do.run("no such option", "score", "--ot", "x")
    do.run("no argument", "score")
    do.run("no file", "score", "gone.csv")
    do.run("no set", "gate", "gone")
    do.run("bad margin", "compare", "a.csv", "b.csv", "--margin", "-1")
    do.run("bad number", "score", "x.csv", "--jobs", "0")
    do.run("no profile", "prompt", "gone")
    do.run("too many", "status", "more")
