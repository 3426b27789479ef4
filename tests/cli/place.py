"""A working directory with inputs, and commands run in it within the process of the test."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from cli.main import main

HEADER = "Run ID,Item ID,Query ID,Track,질의,기대결과,카테고리,방/반복,응답,오류,LLM 상태,LLM 점수,LLM 코멘트,Raw JSON"


def rows(*cells: str) -> str:
    """A file with one ok item per (query, round)."""
    lines = [HEADER]
    for number, cell in enumerate(cells):
        query, _, label = cell.partition("@")
        payload = '"{""assistantMessage"": ""지원자는 3명입니다."", ""responseTimeSec"": 4}"'
        lines.append(f"run-1,i{number},{query},Track 1,질의,기대,공고,{label or '1/1'},3명,,,,,{payload}")
    return "\r\n".join(lines) + "\r\n"


class Run(NamedTuple):
    code: int
    out: str
    err: str


class Place:
    """A working directory with inputs, and the command run in it."""

    def __init__(self, root: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.root = root
        self._capsys = capsys

    def file(self, name: str, text: str | None = None) -> Path:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(rows("Q1", "Q2") if text is None else text, encoding="utf-8")
        return path

    def run(self, *arguments: object) -> Run:
        self._capsys.readouterr()
        code = main(list(map(str, arguments)))
        return Run(code, *self._capsys.readouterr())

    def status(self, *arguments: object) -> Run:
        """`status` of what was scored from `in` to `out`."""
        self.file("scorewatch.toml", 'watch = "in"\nout = "out"\nstate = "state"\n')
        return self.run("status", *arguments)

    def score(self, *arguments: object) -> Run:
        return self.run("score", *arguments)

    def json(self, *arguments: object) -> tuple[int, dict[str, Any]]:
        ran = self.score(*arguments, "--json")
        return ran.code, json.loads(ran.out)


AsMade = Callable[[Place, Callable[[Place], object]], Place]  # the fixture `as_made`


def tree(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and ".scorewatch" not in path.parts
    }
