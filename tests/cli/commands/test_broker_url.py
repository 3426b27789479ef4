"""A broker URL that cannot be used stops a start, and shows no part of its password."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.place import Place
from tests.paths import ROOT

COMMANDS = [("up",), ("up", "--drain"), ("watch",), ("worker",), ("status",), ("retry", "a")]
# The first three are those of tests/cases_found/broker_url_password. No two letters of a password are in a message.
URLS = [
    "redis://:abSECRET?x@localhost/0",
    "redis://:abSECRET#x@localhost/0",
    "redis://:abSECRET/x@localhost/0",
    "rediss://user:12/34SECRET@localhost:6379/1",
    "redis://:12?SECRET=3@localhost/0",
    "redis://:SECRET;x@localhost/0",
    "redis://:SEC[RET@localhost/0",
    "redis://:SECRET@localhost:port/0",
    "redis+socket://:1?SECRET@/run/broker.sock",
    "redis+socket://:SECRET/x@/run/broker.sock",
    "rediss://:SECRET@localhost/0?ssl_cert_reqs=maybe",
    "redis://:SECRET@localhost/0?ssl_cert_reqs=none",
    "redis://:SECRET@localhost/zero",
]


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
@pytest.mark.parametrize("url", URLS)
def test_unescaped_password_ends_every_command_with_2_and_is_not_shown(
    place: Place, monkeypatch: pytest.MonkeyPatch, *, command: tuple[str, ...], url: str
) -> None:
    monkeypatch.setenv("SCOREWATCH_BROKER_URL", url)
    ran = place.run(*command)
    assert ran.code == 2
    assert ran.out == ""
    assert ran.err.startswith("설정 SCOREWATCH_BROKER_URL: 값(비밀이어서 표시하지 않음)")
    assert ran.err.endswith("[wrong-setting]\n")
    assert len(ran.err.splitlines()) == 1
    assert "SEC" not in ran.err
    assert list(place.root.iterdir()) == []  # nothing began


@pytest.mark.parametrize(("language", "said"), [("ko", "암호 안의"), ("en", "In the user and password, write")])
def test_message_says_how_to_escape(place: Place, monkeypatch: pytest.MonkeyPatch, *, language: str, said: str) -> None:
    monkeypatch.setenv("SCOREWATCH_BROKER_URL", URLS[0])
    ran = place.run("status", "--language", language)
    assert said in ran.err
    assert "redis://:" in ran.err
    for escape in ("%40", "%3A", "%2F", "%3F", "%23"):
        assert escape in ran.err


@pytest.mark.slow
@pytest.mark.parametrize("source", ["environment", ".env", "scorewatch.toml"])
def test_neither_a_traceback_nor_a_log_of_a_process_shows_it(tmp_path: Path, source: str) -> None:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("SCOREWATCH_")}
    if source == "environment":
        environment["SCOREWATCH_BROKER_URL"] = URLS[0]
    elif source == ".env":
        (tmp_path / source).write_text(f"SCOREWATCH_BROKER_URL='{URLS[0]}'\n")
    else:
        (tmp_path / source).write_text(f'broker_url = "{URLS[0]}"\n')
    for module, code in (("cli.main", 2), ("workers", 1)):
        command = [sys.executable, "-m", module, *(["up"] if module == "cli.main" else ["worker"])]
        ran = subprocess.run(
            command, env={**environment, "PYTHONPATH": str(ROOT)}, cwd=tmp_path, capture_output=True, check=False
        )
        assert ran.returncode == code
        assert b"[wrong-setting]" in ran.stderr
        assert b"SEC" not in ran.stdout + ran.stderr


def test_escaped_password_is_used(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCOREWATCH_BROKER_URL", "redis://:abSECRET%3Fx@127.0.0.1:1/0")
    ran = place.run("status")
    assert ran.code == 1
    assert "큐에 연결할 수 없습니다" in ran.out
    assert "SEC" not in ran.out + ran.err
