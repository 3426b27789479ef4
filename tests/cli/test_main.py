"""The entry point: late imports, exit codes from the error tree, output that always prints."""

import errno
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import click
import pytest

from cli import main as entry
from cli.commands import COMMANDS
from cli.main import main
from config import SettingsError
from scoring import InputError, Problem, TransientError

HEAVY = {
    "celery", "config.settings", "kombu", "markdown_it", "pydantic", "pydantic_settings", "redis", "rich",
    "structlog", "watchdog", "watcher", "workers", "yaml",
}  # fmt: skip

EFFECTS: dict[str, Callable[[], object]] = {
    "fine": lambda: None,
    "three": lambda: 3,
    "exit": lambda: sys.exit(1),
    "settings": lambda: _raise(SettingsError(("첫째 설정", "둘째\x1b[31m 설정"))),
    "input": lambda: _raise(InputError((Problem(code="empty-file", source="a.csv"),))),
    "transient": lambda: _raise(TransientError("disk full")),
    "usage": lambda: _raise(click.UsageError("wrong way")),
    "interrupt": lambda: _raise(KeyboardInterrupt()),
    "eof": lambda: _raise(EOFError()),
    "pipe": lambda: _raise(BrokenPipeError(32, "Broken pipe")),
    "full": lambda: _raise(OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))),
    "bug": lambda: _raise(ZeroDivisionError()),
    "file": lambda: _raise(OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "a.csv")),
    "config": lambda: click.echo(os.environ.get("SCOREWATCH_CONFIG", "")),
}


def _raise(error: BaseException) -> None:
    raise error


@click.command()
@click.argument("effect")
def probe(effect: str) -> object:
    """Do as a real command might."""
    return EFFECTS[effect]()


@pytest.fixture(autouse=True)
def probe_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(COMMANDS, "probe", "help.status")
    monkeypatch.setitem(sys.modules, "cli.commands.probe", SimpleNamespace(command=probe))
    monkeypatch.setattr(entry, "_use_utf8", lambda: None)  # pytest holds the streams
    monkeypatch.setattr(entry, "_drop_output", lambda: None)


@pytest.mark.parametrize(
    ("effect", "code", "shown"),
    [
        ("fine", 0, ""),
        ("three", 3, ""),
        ("settings", 2, "첫째 설정\n둘째\ufffd[31m 설정\n"),
        ("transient", 1, "disk full\n"),
        ("usage", 2, "오류: wrong way\n"),
        ("interrupt", 130, "\n"),
        ("eof", 1, "\n"),
        ("pipe", 141, ""),
    ],
)
def test_error_tree_decides_the_exit_code(
    effect: str, code: int, shown: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["probe", effect]) == code
    said = capsys.readouterr().err
    assert said.startswith(shown) if effect == "usage" else said.endswith(shown)


def test_input_error_is_told_in_korean_with_its_code(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["probe", "input"]) == 1
    shown = capsys.readouterr().err
    assert "a.csv" in shown
    assert "[empty-file]" in shown


def test_exit_of_a_command_is_kept() -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["probe", "exit"])
    assert stopped.value.code == 1


def test_bug_fails_loudly() -> None:
    with pytest.raises(ZeroDivisionError):
        main(["probe", "bug"])
    with pytest.raises(OSError, match=r"a\.csv"):
        main(["probe", "file"])


def test_output_on_a_full_disk_is_a_problem_and_no_traceback(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["probe", "full"]) == 1
    shown = capsys.readouterr().err
    assert shown == (
        "stdout: 파일을 쓰지 못했습니다 (디스크에 남은 공간이 없음). "
        "적은 경로와 권한, 남은 공간을 확인하고 다시 실행하세요. [file-not-written]\n"
    )


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="Linux only")  # noqa: PTH110
def test_output_to_a_full_device_ends_without_a_traceback() -> None:
    with open("/dev/full", "wb") as full:  # noqa: PTH123
        run = subprocess.run(
            [sys.executable, "-m", "cli.main", "--help"], stdout=full, stderr=subprocess.PIPE, check=False
        )
    assert run.returncode == 1
    assert run.stderr.endswith(b" [file-not-written]\n")
    assert run.stderr.count(b"\n") == 1


@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&-", "<&- >&- 2>&-"])
def test_closed_streams_are_no_error(closed: str) -> None:
    command = f'"$PYTHON" -m cli.main rubric list {closed}'
    run = subprocess.run(
        ["/bin/sh", "-c", command], env={**os.environ, "PYTHON": sys.executable}, capture_output=True, check=False
    )
    assert (run.returncode, run.stderr) == (0, b"")


def test_named_settings_file_reaches_the_command_and_its_children(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SCOREWATCH_CONFIG", raising=False)
    assert main(["--config", "mine.toml", "probe", "config"]) == 0
    assert capsys.readouterr().out == "mine.toml\n"
    assert "SCOREWATCH_CONFIG" not in os.environ
    monkeypatch.setenv("SCOREWATCH_CONFIG", "other.toml")
    assert main(["--config", "mine.toml", "probe", "config"]) == 0
    assert capsys.readouterr().out == "mine.toml\n"
    assert os.environ["SCOREWATCH_CONFIG"] == "other.toml"


def test_unknown_command_names_the_likely_one(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["scroe"]) == 2
    assert capsys.readouterr().err.startswith("오류: 'scroe' 명령은 없습니다. 'score'를 뜻하셨나요?\n사용법: ")
    assert main(["\x1b[2Jzzz"]) == 2
    assert "\x1b" not in capsys.readouterr().err


def test_unknown_option_is_a_usage_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--nope"]) == 2
    assert "--nope" in capsys.readouterr().err


def test_help_lists_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    shown = capsys.readouterr().out
    assert all(f"  {name} " in shown for name in COMMANDS)


@pytest.mark.parametrize("name", [name for name in COMMANDS if name != "probe"])
def test_every_listed_command_is_there(name: str) -> None:
    command = entry.cli.get_command(click.Context(entry.cli), name)
    assert command is not None
    assert command.help


def _python(code: str, **environment: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, **environment}, capture_output=True, check=False
    )


def test_help_imports_nothing_that_a_command_alone_needs() -> None:
    run = _python(
        "import sys, json; from cli.main import main; main(['--help']);"
        "print(json.dumps(sorted(sys.modules)), file=sys.stderr)"
    )
    assert not HEAVY & set(json.loads(run.stderr))


def test_korean_prints_under_a_plain_locale() -> None:
    run = _python(
        "from cli.main import main; main(['--help'])", LANG="C", LC_ALL="C", PYTHONUTF8="0", PYTHONCOERCECLOCALE="0"
    )
    assert "에이전트" in run.stdout.decode("utf-8")
    assert run.stderr == b""


def test_name_that_is_no_utf8_prints_instead_of_raising() -> None:
    run = _python("import sys; from cli.main import main; main(['--version']); print('\\udcbe')")
    assert run.stdout.endswith(b"\\udcbe\n")
    assert run.returncode == 0


def test_reader_that_went_away_is_no_error(tmp_path: Path) -> None:
    script = f"'{sys.executable}' -m cli.main --help; echo $? > '{tmp_path}/code'"
    reader, writer = os.pipe()
    os.close(reader)
    run = subprocess.run(["/bin/sh", "-c", script], stdout=writer, stderr=subprocess.PIPE, check=True)
    os.close(writer)
    assert run.stderr == b""
    assert (tmp_path / "code").read_text() == "141\n"


@pytest.mark.parametrize("arguments", [["-h"], ["score", "-h"], ["rubric", "-h"], ["rubric", "new", "-h"]])
def test_short_option_of_the_help_is_that_of_every_command(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 0
    assert "  -h, --help " in capsys.readouterr().out
