"""An OpenAI-compatible endpoint that behaves as it is told, as a process of its own.

    python -m tests.judge.stub --log FILE [--host ADDRESS] [--port N] [--key KEY] [--when TEXT=BEHAVIOUR]...
        [BEHAVIOUR]...

Behaviours are taken in order, one per request, and the last one stays; `--when` wins for requests whose messages hold
TEXT. The first line on standard output is the base URL. Every request is a JSON line in FILE: path, headers, body,
and how many were open with it.
A behaviour is NAME or NAME:VALUE, see BEHAVIOURS; `good:LEVEL` names the level, else it follows from the messages.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import re
import socket
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Self

from tests.paths import ROOT

REASON = "근거가 있고 빠진 것이 없습니다."


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def do_POST(self) -> None:
        self.body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        behaviour = self.server.next_behaviour(self.path, dict(self.headers), self.body)
        if self.server.key and self.headers["Authorization"] != f"Bearer {self.server.key}":
            behaviour = "wrong-key"
        name, _, value = behaviour.partition(":")
        try:
            BEHAVIOURS[name](self, value)
        finally:
            self.server.has_answered()

    def log_message(self, *_: object) -> None:
        """Nothing on standard error: the log file says it all."""

    @property
    def levels(self) -> list[Any]:
        """The levels of the schema, else those that the prompt names."""
        form = self.body.get("response_format")
        if form:
            found: list[Any] = form["json_schema"]["schema"]["properties"]["level"]["enum"]
            return found
        named = re.search(r'"level": one of (.+)\.$', self.body["messages"][0]["content"])
        assert named is not None
        return list(json.loads(f"[{named[1]}]"))

    def level(self, value: str) -> Any:
        levels = self.levels
        if value:
            return next((level for level in levels if str(level) == value), value)
        text = self.body["messages"][1]["content"]
        return levels[hashlib.sha256(text.encode()).digest()[0] % len(levels)]

    def verdict(self, value: str = "") -> str:
        form = self.body.get("response_format")
        properties = form["json_schema"]["schema"]["properties"] if form else {"level": {}}
        if "level" not in properties:  # several criteria
            levels = {name: one["properties"]["level"]["enum"] for name, one in properties.items()}
            named = {name: {"reason": f"{name}: {REASON}", "level": max(of)} for name, of in levels.items()}
            return json.dumps(named, ensure_ascii=False)
        return json.dumps({"reason": REASON, "level": self.level(value)}, ensure_ascii=False)

    def say(
        self, content: str | None, *, finish: str = "stop", refusal: str | None = None, is_counted: bool = True
    ) -> None:
        message = {"role": "assistant", "content": content, "refusal": refusal}
        usage = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110} if is_counted else None
        choice = {"index": 0, "message": message, "finish_reason": finish}
        self.answer(200, {"id": "x", "object": "chat.completion", "choices": [choice], "usage": usage})

    def fail(self, status: int, message: str, *, code: str | None = None, **headers: str) -> None:
        self.answer(status, {"error": {"message": message, "type": "error", "param": None, "code": code}}, **headers)

    def answer(self, status: int, body: object, **headers: str) -> None:
        text = body if isinstance(body, str) else json.dumps(body, ensure_ascii=False)
        data = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", "text/html" if isinstance(body, str) else "application/json")
        self.send_header("Content-Length", str(len(data)))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(data)

    def bomb(self, encoding: str) -> None:
        """64 MB of blanks before a verdict: as they are, or as 64 KB in an encoding that nobody asked for."""
        data = b" " * (64 << 20) + self.verdict().encode()
        if encoding:
            data = gzip.compress(data, 1)
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        if encoding:
            self.send_header("Content-Encoding", encoding)
        self.end_headers()
        self.wfile.write(data)

    def drop(self) -> None:
        """Close with a reset, without a word."""
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.close_connection = True
        self.connection.close()
        self.rfile = self.wfile = open("/dev/null", "r+b")  # noqa: PTH123, SIM115 -- what the base class flushes

    def drip(self) -> None:
        """A body that comes one byte at a time, for ever."""
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", "1000000")
        self.end_headers()
        while True:
            self.wfile.write(b" ")
            self.wfile.flush()
            time.sleep(0.05)  # sleeps of this module are the behaviour that was asked for


def _slow(handler: _Handler, value: str) -> None:
    seconds, _, level = value.partition(":")
    time.sleep(float(seconds))
    handler.say(handler.verdict(level))


def _held(handler: _Handler, path: str) -> None:
    while not Path(path).exists():
        time.sleep(0.02)
    handler.say(handler.verdict())


def _no_schemas(handler: _Handler, value: str) -> None:
    if "response_format" in handler.body:
        handler.fail(400, "This response_format type is unavailable now")
    else:
        handler.say(f"Sure!\n```json\n{handler.verdict(value)}\n```")


def _no_temperature(handler: _Handler, value: str) -> None:
    if "temperature" in handler.body:
        handler.fail(400, "Unsupported value: 'temperature' does not support 0 with this model.")
    else:
        handler.say(handler.verdict(value))


def _bare(handler: _Handler, _: str) -> None:
    """A server that takes nothing beyond model and messages, and says no more than that it does not."""
    if {"response_format", "temperature"} & handler.body.keys():
        handler.answer(422, {"detail": "extra fields not permitted"})
    else:
        handler.say(handler.verdict())


BEHAVIOURS: dict[str, Callable[[_Handler, str], object]] = {
    "good": lambda handler, level: handler.say(handler.verdict(level)),
    "uncounted": lambda handler, level: handler.say(handler.verdict(level), is_counted=False),
    "slow": _slow,  # slow:SECONDS[:LEVEL]
    "held": _held,  # held:FILE, until there is such a file
    "prose": lambda handler, level: handler.say(f"Here it is: {handler.verdict(level)}\nAnything else?"),
    "fenced": lambda handler, level: handler.say(f"```json\n{handler.verdict(level)}\n```"),
    "text-level": lambda handler, _: handler.say(json.dumps({"reason": REASON, "level": str(handler.level(""))})),
    "raw": lambda handler, text: handler.say(text),
    "truncated": lambda handler, _: handler.say(handler.verdict()[:-3]),
    "cut": lambda handler, level: handler.say(handler.verdict(level), finish="length"),
    "outside": lambda handler, _: handler.say(json.dumps({"reason": REASON, "level": 99})),
    "blank": lambda handler, _: handler.say(None),
    "refuses": lambda handler, _: handler.say(None, refusal="I will not."),
    "filtered": lambda handler, _: handler.say("", finish="content_filter"),
    "no-choices": lambda handler, _: handler.answer(200, {"error": {"message": "odd"}}),
    "html": lambda handler, _: handler.answer(200, "<html>login</html>"),
    "busy": lambda handler, seconds: handler.fail(429, "slow down", **({"Retry_After": seconds} if seconds else {})),
    "quota": lambda handler, _: handler.fail(429, "no more money", code="insufficient_quota"),
    "fails": lambda handler, status: handler.fail(int(status or 500), "an error of ours"),
    "hangs": lambda _, seconds: time.sleep(float(seconds or 3600)),
    "drops": lambda handler, _: handler.drop(),
    "bomb": lambda handler, encoding: handler.bomb(encoding),
    "drips": lambda handler, _: handler.drip(),
    "no-schemas": _no_schemas,
    "no-temperature": _no_temperature,
    "bare": _bare,
    "too-long": lambda handler, _: handler.fail(
        400, "This model's maximum context length is 8192 tokens. However, …", code="context_length_exceeded"
    ),
    "bad-request": lambda handler, _: handler.fail(400, "no"),
    "wrong-key": lambda handler, _: handler.fail(
        401, f"Incorrect API key provided: {handler.headers['Authorization']}", code="invalid_api_key"
    ),
    "no-model": lambda handler, _: handler.fail(404, f"The model {handler.body['model']} does not exist"),
    "no-model-key": lambda handler, _: handler.fail(404, f"no model for {handler.headers['Authorization']}"),
    "redirects": lambda handler, to: handler.answer(307, "", Location=to or "/elsewhere/chat/completions"),
}


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(
        self, address: tuple[str, int], log: Path, key: str, when: Sequence[str], behaviours: Sequence[str]
    ) -> None:
        super().__init__(address, _Handler)
        self.key = key
        self._log = log
        self._when = [tuple(one.rsplit("=", 1)) for one in when]
        self._behaviours = list(behaviours) or ["good"]
        self._lock = threading.Lock()
        self._open = 0

    def next_behaviour(self, path: str, headers: dict[str, str], body: dict[str, Any]) -> str:
        text = json.dumps(body["messages"], ensure_ascii=False)
        with self._lock:
            self._open += 1
            line = {"path": path, "headers": headers, "body": body, "open": self._open}
            with self._log.open("a", encoding="utf-8") as stream:
                stream.write(json.dumps(line, ensure_ascii=False) + "\n")
            for part, behaviour in self._when:
                if part in text:
                    return behaviour
            return self._behaviours.pop(0) if len(self._behaviours) > 1 else self._behaviours[0]

    def has_answered(self) -> None:
        with self._lock:
            self._open -= 1

    def handle_error(self, *_: object) -> None:
        """A client that went away is nothing to report."""


class Stub:
    """The endpoint as a process, for the length of a `with`. url: its base URL."""

    def __init__(
        self, log: Path, *behaviours: str, key: str = "", when: dict[str, str] | None = None, port: int = 0
    ) -> None:
        self._log = log
        self._arguments = [f"--log={log}", f"--key={key}", f"--port={port}"]
        self._arguments += [f"--when={text}={behaviour}" for text, behaviour in (when or {}).items()]
        self._behaviours = list(behaviours)
        self.url = ""

    def __enter__(self) -> Self:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.judge.stub", *self._arguments, "--", *self._behaviours],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self._process.stdout is not None
        self.url = self._process.stdout.readline().strip()
        assert self.url.startswith("http://127.0.0.1:"), self.url
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.communicate()

    @property
    def requests(self) -> list[dict[str, Any]]:
        """What came in so far, in order."""
        if not self._log.exists():
            return []
        whole, _, _ = self._log.read_text(encoding="utf-8").rpartition("\n")  # the last one may still be written
        return [json.loads(line) for line in whole.splitlines()]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--log", type=Path, required=True)
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--key", default="")
    parser.add_argument("--when", action="append", default=[])
    parser.add_argument("behaviours", nargs="*")
    given = parser.parse_args()
    with _Server((given.host, given.port), given.log, given.key, given.when, given.behaviours) as server:
        sys.stdout.write(f"http://{given.host}:{server.server_address[1]}/v1\n")
        sys.stdout.flush()
        server.serve_forever()


if __name__ == "__main__":
    main()
