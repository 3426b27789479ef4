"""Log lines: one JSON object each, and nothing from a file steers what reads them."""

from __future__ import annotations

import io
import json
import logging
from collections.abc import Iterator
from typing import Any

import pytest
import structlog

from workers.monitoring.logs import clean_values, configure_logging


@pytest.fixture
def stream() -> Iterator[io.BytesIO]:
    root = logging.getLogger()
    before = (root.handlers[:], root.level)
    written = io.BytesIO()
    configure_logging("info", stream=written)
    yield written
    logging.captureWarnings(capture=False)
    root.handlers, root.level = before[0], before[1]
    structlog.reset_defaults()


def lines(stream: io.BytesIO) -> list[dict[str, Any]]:
    return [json.loads(line) for line in stream.getvalue().decode().splitlines()]


def test_structured_and_standard_lines_have_one_form(stream: io.BytesIO) -> None:
    with structlog.contextvars.bound_contextvars(set="방/resume-agent", key="abc"):
        structlog.get_logger("ours").info("published", inputs=2)
        logging.getLogger("theirs").warning("lost %s", "connection")
        logging.getLogger("theirs").debug("noise")
    first, second = lines(stream)
    assert (first["event"], first["inputs"], first["logger"]) == ("published", 2, "ours")
    assert (second["event"], second["level"]) == ("lost connection", "warning")
    assert {line["set"] for line in (first, second)} == {"방/resume-agent"}
    assert {line["key"] for line in (first, second)} == {"abc"}


def test_control_and_bidi_characters_are_taken_out(stream: io.BytesIO) -> None:
    structlog.get_logger().warning("x", path="a\x1b[31m\u202e\nb", count=1)
    [line] = lines(stream)
    assert line["path"] == "a[31m ⏎ b"
    assert "\x1b" not in stream.getvalue().decode()


def test_a_traceback_keeps_its_lines(stream: io.BytesIO) -> None:
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
