"""Log lines: one JSON object each, and nothing from a file steers what reads them."""

import errno
import io
import json
import logging
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import structlog

from workers.monitoring.logs import LOG_FILES, LOG_NAME, LogFile, clean_values, configure_logging


@pytest.fixture
def stream() -> Iterator[io.StringIO]:
    root = logging.getLogger()
    before = (root.handlers[:], root.level)
    written = io.StringIO()
    configure_logging("info", stream=written)
    yield written
    logging.captureWarnings(capture=False)
    root.handlers, root.level = before[0], before[1]
    structlog.reset_defaults()


@pytest.fixture
def file(tmp_path: Path) -> Iterator[Path]:
    root = logging.getLogger()
    before = (root.handlers[:], root.level)
    path = tmp_path / "state" / LOG_NAME
    path.parent.mkdir()
    configure_logging("info", file=path)
    yield path
    _log_file().close()
    logging.captureWarnings(capture=False)
    root.handlers, root.level = before[0], before[1]
    structlog.reset_defaults()


def _log_file() -> LogFile:
    return next(handler for handler in logging.getLogger().handlers if isinstance(handler, LogFile))


def test_log_file_is_put_aside_when_it_is_full_whoever_filled_it(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_log_file(), "maxBytes", 2000)
    with file.open("ab") as worker:  # another process appends to the same file
        for turn in range(200):
            structlog.get_logger().info("ours", turn=turn)
            worker.write(b'{"event": "theirs", "turn": %d}\n' % turn)
            worker.flush()
    files = sorted(file.parent.iterdir())
    assert [path.name for path in files] == [LOG_NAME, *(f"{LOG_NAME}.{number}" for number in range(1, LOG_FILES + 1))]
    assert all(path.stat().st_size <= 2500 for path in files)
    told = [json.loads(line) for path in reversed(files) for line in path.read_text("utf-8").splitlines()]
    assert [line["turn"] for line in told if line["event"] == "ours"][-1] == 199
    assert [line["turn"] for line in told if line["event"] == "theirs"][-1] == 199


def test_log_file_that_is_deleted_is_made_again(file: Path) -> None:
    structlog.get_logger().info("before")
    shutil.rmtree(file.parent)
    structlog.get_logger().info("after")
    assert [json.loads(line)["event"] for line in file.read_text("utf-8").splitlines()] == ["after"]


def test_log_that_cannot_be_written_disturbs_nothing(
    file: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def fail(_path: Path, **_more: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    shutil.rmtree(file.parent)
    monkeypatch.setattr(Path, "mkdir", fail)
    structlog.get_logger().info("lost")
    assert capfd.readouterr() == ("", "")


def lines(stream: io.StringIO) -> list[dict[str, Any]]:
    return [json.loads(line) for line in stream.getvalue().splitlines()]


def test_structured_and_standard_lines_have_one_form(stream: io.StringIO) -> None:
    with structlog.contextvars.bound_contextvars(set="방/resume-agent", key="abc"):
        structlog.get_logger("ours").info("published", inputs=2)
        logging.getLogger("theirs").warning("lost %s", "connection")
        logging.getLogger("theirs").debug("noise")
    first, second = lines(stream)
    assert (first["event"], first["inputs"], first["logger"]) == ("published", 2, "ours")
    assert (second["event"], second["level"]) == ("lost connection", "warning")
    assert {line["set"] for line in (first, second)} == {"방/resume-agent"}
    assert {line["key"] for line in (first, second)} == {"abc"}


def test_control_and_bidi_characters_are_taken_out(stream: io.StringIO) -> None:
    structlog.get_logger().warning("x", path="a\x1b[31m\u202e\nb", count=1)
    [line] = lines(stream)
    assert line["path"] == "a[31m ⏎ b"
    assert "\x1b" not in stream.getvalue()


def test_a_traceback_keeps_its_lines(stream: io.StringIO) -> None:
    try:
        int("bad \x07 value")
    except ValueError:
        structlog.get_logger().exception("failed")
    [line] = lines(stream)
    assert line["exception"].startswith("Traceback (most recent call last):\n")
    assert "\x07" not in line["exception"]


def test_a_traceback_keeps_its_indentation_and_nothing_that_steers_a_terminal() -> None:
    trace = 'Traceback:\n  File "a.py"\n    raise\x1b[31m X\u202e \n\n\tValueError: \u3000다\r\n'
    cleaned = clean_values(None, "error", {"event": "x", "exception": trace})
    assert cleaned["exception"] == 'Traceback:\n  File "a.py"\n    raise[31m X\n\nValueError: \u3000다'


def test_values_that_are_no_text_stay() -> None:
    assert clean_values(None, "info", {"event": "x", "n": 1, "none": None}) == {"event": "x", "n": 1, "none": None}
