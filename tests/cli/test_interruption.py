"""Ctrl-C and SIGTERM end a command with 130 and 143, whatever runs just then, and never with a traceback."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from bench.make_csv import write_file
from cli.process_exit import interruptible
from tests.paths import ROOT

CODES = {signal.SIGINT: 130, signal.SIGTERM: 143}
NUMBERS = pytest.mark.parametrize("number", CODES)


@pytest.fixture(autouse=True)
def _as_before() -> Iterator[None]:
    hook, handlers = sys.unraisablehook, {number: signal.getsignal(number) for number in CODES}
    yield
    sys.unraisablehook = hook
    for number, handler in handlers.items():
        signal.signal(number, handler)


def send(number: signal.Signals) -> int:
    os.kill(os.getpid(), number)
    return 0


@NUMBERS
def test_the_exit_code_is_that_of_the_signal(number: signal.Signals) -> None:
    assert interruptible(lambda: send(number)) == CODES[number]


@NUMBERS
def test_what_a_library_makes_of_it_is_not_told(number: signal.Signals) -> None:
    def wrapped() -> int:
        try:
            return send(number)
        except KeyboardInterrupt as error:
            raise ValueError("building a model failed") from error

    assert interruptible(wrapped) == CODES[number]


@NUMBERS
def test_where_nothing_can_be_raised_it_is_raised_after_that(
    number: signal.Signals, capsys: pytest.CaptureFixture[str]
) -> None:
    class Deleted:
        def __del__(self) -> None:
            send(number)

    def main() -> int:
        Deleted()
        time.sleep(10)
        return 0

    assert interruptible(main) == CODES[number]
    assert capsys.readouterr().err == ""


def test_a_second_signal_does_not_stop_the_taking_down() -> None:
    taken_down = []

    def main() -> int:
        try:
            return send(signal.SIGINT)
        finally:
            send(signal.SIGINT)
            taken_down.append(True)

    assert interruptible(main) == 130
    assert taken_down == [True]


def test_other_errors_are_raised_as_they_are() -> None:
    def main() -> int:
        raise ValueError("ours")

    with pytest.raises(ValueError, match="ours"):
        interruptible(main)


@pytest.mark.slow
@pytest.mark.parametrize("module", ["cli", "workers"])
@NUMBERS
def test_no_moment_has_a_traceback(tmp_path: Path, number: signal.Signals, module: str) -> None:
    write_file(tmp_path / "resume_agent_a.csv", 400, seed=1)
    arguments = ["score", str(tmp_path), "--out", str(tmp_path / "out")] if module == "cli" else ["worker"]
    for _ in range(12):
        ended = _end_after_imports(tmp_path, [module, *arguments], number)
        code = ended.returncode
        assert code in {-number, CODES[number], 0}
        assert "Traceback" not in ended.stderr


def _end_after_imports(
    folder: Path, command: list[str], number: signal.Signals, *, clock: Callable[[], float] = time.monotonic
) -> subprocess.CompletedProcess[str]:
    """Send the signal at some moment after our first line, which is where the interpreter itself has started."""
    site = folder / "site"
    site.mkdir(exist_ok=True)
    begun = folder / "begun"
    begun.unlink(missing_ok=True)
    (site / "sitecustomize.py").write_text(
        "import os, sys\n"
        "class Begun:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        f"        if name in ('cli.main', 'workers.app'): open({str(begun)!r}, 'w').close()\n"
        "sys.meta_path.insert(0, Begun())\n"
    )
    environment = {**os.environ, "PYTHONPATH": f"{site}{os.pathsep}{ROOT}", "SCOREWATCH_STATE": str(folder / "state")}
    environment["SCOREWATCH_BROKER_URL"] = "redis://127.0.0.1:1/0"
    process = subprocess.Popen(
        [sys.executable, "-m", *command],
        env=environment,
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    deadline = clock() + 30
    while not begun.exists() and clock() < deadline:
        time.sleep(0.002)
    time.sleep(int.from_bytes(os.urandom(1), "big") / 255 * 0.5)
    process.send_signal(number)
    _, errors = process.communicate(timeout=60)
    return subprocess.CompletedProcess(command, process.returncode, "", errors)
