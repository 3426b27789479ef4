"""deploy/action.yml: what its steps run scores, decides and keeps one comment, with stand-ins for runner and API."""

import json
import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.paths import ROOT

ACTION = yaml.safe_load((ROOT / "deploy/action.yml").read_text(encoding="utf-8"))
STEPS = {step["name"]: step for step in ACTION["runs"]["steps"]}
PAGE = (ROOT / "docs/ci.md").read_text(encoding="utf-8")
HOOKS = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))


class Api(HTTPServer):
    """The comments of one pull request. refuses: the code with which everything is answered, 0 for none."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.comments: list[dict[str, Any]] = []
        self.refuses = 0
        self.tokens: set[str] = set()


class _Handler(BaseHTTPRequestHandler):
    server: Api

    def do_GET(self) -> None:
        page = int(re.findall(r"[?&]page=(\d+)", self.path)[0])
        self._answer(self.server.comments[100 * (page - 1) : 100 * page])

    def do_POST(self) -> None:
        assert self.path == "/repos/team/agent/issues/7/comments"
        body = self._body()
        self.server.comments.append({"id": 1000 + len(self.server.comments), "user": {"type": "Bot"}, **body})
        self._answer({})

    def do_PATCH(self) -> None:
        (found,) = [
            one for one in self.server.comments if self.path == f"/repos/team/agent/issues/comments/{one['id']}"
        ]
        found |= self._body()
        self._answer({})

    def _body(self) -> dict[str, Any]:
        body: dict[str, Any] = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        return body

    def _answer(self, content: object) -> None:
        self.server.tokens.add(self.headers["Authorization"])
        self.send_response(self.server.refuses or 200)
        self.end_headers()
        self.wfile.write(json.dumps(content).encode())

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 -- the name of the base class
        pass


@pytest.fixture
def api() -> Iterator[Api]:
    server = Api()
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


def _comment(api: Api, folder: Path, text: str) -> subprocess.CompletedProcess[str]:
    (folder / "event.json").write_text('{"pull_request": {"number": 7}}', encoding="utf-8")
    (folder / "summary.md").write_text(text, encoding="utf-8")
    environment = {
        "PATH": os.environ["PATH"],
        "GITHUB_API_URL": f"http://127.0.0.1:{api.server_port}",
        "GITHUB_REPOSITORY": "team/agent",
        "GITHUB_EVENT_PATH": str(folder / "event.json"),
        "GITHUB_TOKEN": "secret",
    }
    command = [sys.executable, str(ROOT / "deploy/comment.py"), str(folder / "summary.md")]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


def test_one_comment_is_kept_up_to_date(api: Api, tmp_path: Path) -> None:
    api.comments = [{"id": at, "body": f"line {at}", "user": {"type": "User"}} for at in range(130)]
    api.comments.append({"id": 900, "body": "<!-- scorewatch -->\nby a person", "user": {"type": "User"}})
    assert _comment(api, tmp_path, "# failed").returncode == 0
    assert len(api.comments) == 132
    assert api.comments[-1]["body"] == "<!-- scorewatch -->\n# failed"
    assert _comment(api, tmp_path, "# passed").returncode == 0
    assert len(api.comments) == 132
    assert api.comments[-1]["body"] == "<!-- scorewatch -->\n# passed"
    assert api.comments[-2]["body"].endswith("by a person")
    assert api.tokens == {"Bearer secret"}


def test_a_long_summary_is_cut_between_lines(api: Api, tmp_path: Path) -> None:
    _comment(api, tmp_path, "a line of the summary\n" * 5_000)
    body = api.comments[0]["body"]
    assert 50_000 < len(body) < 65_536
    assert body.endswith("a line of the summary\n\n…")


@pytest.mark.parametrize(("code", "fails"), [(403, False), (500, True)])
def test_a_job_that_may_not_write_says_so_and_does_not_fail(
    api: Api, tmp_path: Path, code: int, *, fails: bool
) -> None:
    api.refuses = code
    ran = _comment(api, tmp_path, "x")
    assert (ran.returncode != 0) is fails
    assert fails or "::warning::scorewatch: the comment was not written (403)" in ran.stdout


@pytest.mark.parametrize(("rule", "code"), [("intent >= 4.0", "0"), ("intent >= 4.9", "3")])
def test_the_step_scores_and_hands_on_how_it_ended(tmp_path: Path, rule: str, code: str) -> None:
    (tmp_path / "scorewatch/bin").mkdir(parents=True)
    program = tmp_path / "scorewatch/bin/scorewatch"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m cli "$@"\n')
    program.chmod(0o755)
    (tmp_path / "results").mkdir()
    (tmp_path / "results/resume_agent_a.csv").write_bytes(
        (ROOT / "docs/test-result/resume_agent_sample.csv").read_bytes()
    )
    (tmp_path / "scorewatch.toml").write_text(f'[gate]\nrules = ["{rule}"]\n', encoding="utf-8")
    inputs = {name: one.get("default", "") for name, one in ACTION["inputs"].items()} | {
        "results": "results",
        "language": "en",
    }
    given = {
        name: re.sub(r"\$\{\{ inputs\.(\w+) \}\}", lambda m: inputs[m[1]], text)
        for name, text in STEPS["Score"]["env"].items()
    }
    runner = {name: str(tmp_path / name) for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")}
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), "RUNNER_TEMP": str(tmp_path), **runner, **given}
    command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", STEPS["Score"]["run"]]
    ran = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    assert f"exit-code={code}\n" in (tmp_path / "GITHUB_OUTPUT").read_text(encoding="utf-8")
    assert rule.partition(" ")[0] in (tmp_path / "GITHUB_STEP_SUMMARY").read_text(encoding="utf-8").lower()
    assert (tmp_path / "reports/junit.xml").exists()
    decided = subprocess.run(
        ["bash", "-c", STEPS["Decide"]["run"]], env={"CODE": code, "PATH": os.environ["PATH"]}, check=False
    )
    assert str(decided.returncode) == code


def test_no_step_puts_an_input_into_its_script() -> None:
    assert [name for name, step in STEPS.items() if "${{" in step["run"]] == []
    install = STEPS["Install Scorewatch"]["run"]
    assert '--require-hashes -r "$GITHUB_ACTION_PATH/../requirements.txt"' in install


def test_the_page_uses_the_action_and_the_hook_as_they_are() -> None:
    action, hook = (
        yaml.safe_load(block) for block in re.findall(r"^```yml\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    )
    assert set(action[-1]["with"]) <= set(ACTION["inputs"])
    assert {one["id"] for one in hook["repos"][0]["hooks"]} == {one["id"] for one in HOOKS}


def test_the_hook_checks_documents_and_nothing_else(tmp_path: Path) -> None:
    (hook,) = HOOKS
    assert re.search(hook["files"], "rubrics/resume-agent.md")
    assert not re.search(hook["files"], "docs/rubrics.md")
    good = ROOT / "config/rubrics/resume-agent.md"
    bad = tmp_path / "bad.md"
    bad.write_text(good.read_text(encoding="utf-8").replace("| 5 |", "| 7 |"), encoding="utf-8")
    for files, code in (([good], 0), ([good, bad], 1)):
        command = [sys.executable, "-m", "cli", *hook["entry"].split()[1:], *map(str, files)]
        assert subprocess.run(command, cwd=ROOT, capture_output=True, check=False).returncode == code
