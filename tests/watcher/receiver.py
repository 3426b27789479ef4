"""Who is told of sets by the webhook: a real local server, and sets for it to hear of."""

import json
import os
import sqlite3
import threading
import time
from contextlib import closing
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from reporting.store import STATUS_JSON
from tests.faults.harness import wait_for
from tests.inner import FORMAT_VERSION
from watcher.webhook import OUTBOX_NAME, Notifier, WebhookPolicy

SECRET = "T0K3N"
QUICK = WebhookPolicy(backoff_seconds=0.05, backoff_limit_seconds=0.1)


class Receiver(ThreadingHTTPServer):
    """Answers with `statuses` one after the other, then 200. received: bodies, with the path they came to."""

    daemon_threads = True

    def __init__(self, port: int = 0) -> None:
        super().__init__(("127.0.0.1", port), _Handler)
        self.received: list[tuple[str, dict[str, Any]]] = []
        self.statuses: list[int] = []
        self.location = ""
        self.answer_after = threading.Event()
        self.answer_after.set()
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()

    @property
    def port(self) -> int:
        return int(self.server_address[1])

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/hook/{SECRET}"

    def handle_error(self, request: object, client_address: object) -> None:
        """Clients hang up; that is what is tested."""

    def end(self) -> None:
        self.answer_after.set()
        self.shutdown()
        self.server_close()


class _Handler(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        server = self.server
        assert isinstance(server, Receiver)
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        server.received.append((self.path, body))
        server.answer_after.wait()
        status = server.statuses.pop(0) if server.statuses else 200
        self.send_response(status)
        if 300 <= status < 400:
            self.send_header("Location", server.location)
        self.send_header("Content-Length", "0")
        self.end_headers()

    do_GET = do_POST  # noqa: N815 -- name given by the base class

    def log_message(self, *_: object) -> None:
        pass


def settle(out: Path, name: str, key: str, intent: float | None = 4.0, *, judge: str = "none") -> None:
    """A set's status.json, as a worker leaves it."""
    headline = None
    if intent is not None:
        metrics = {"intent": intent, "consistency": None, "accuracy": 3.0, "latency": 2.0, "stability": 1.0}
        intervals = dict.fromkeys(metrics) | {"intent": [3.0, 5.0]}
        headline = {
            "n": 4,
            "answered": 3,
            "answered_rate": 0.75,
            "metrics": metrics,
            "queries": 2,
            "intervals": intervals,
            "answered_interval": [0.2, 0.9],
            "pass_interval": None,
        }
    text = "a.csv: 빈 파일입니다. <!channel> [empty-file]"
    findings = [] if headline else [{"code": "empty-file", "severity": "refused", "count": 1, "text": text}]
    status = {
        "format_version": FORMAT_VERSION,
        "set": name,
        "state": "report" if headline else "problem",
        "key": key,
        "profile": "resume-agent",
        "engine_version": 1,
        "rubric_digest": "d",
        "headline": headline,
        "findings": findings,
        "judge": judge,
        "inputs": {},
        "files": {},
    }
    (out / name).mkdir(parents=True, exist_ok=True)
    path = out / name / STATUS_JSON
    path.write_text(json.dumps(status), encoding="utf-8")
    now = time.time_ns()
    os.utime(path, ns=(now, now))  # the clock that the outbox begins by; that of a file system may lag behind


def start(receiver: Receiver, out: Path, state: Path, **options: Any) -> Notifier:
    notifier = Notifier(receiver.url, out=out, state=state, **{"policy": QUICK, **options})
    notifier.start()
    wait_for(lambda: _read(state, "SELECT since FROM outbox") is not None or bool(notifier.paused), "the outbox")
    return notifier


def knows(state: Path, name: str, key: str) -> bool:
    """Has the outbox noted the key of a set?"""
    return bool(_read(state, "SELECT key FROM sets WHERE name = ?", name) == (key,))


def told(state: Path, name: str) -> str:
    """What the outbox says of a set."""
    found = _read(state, "SELECT state FROM sets WHERE name = ?", name)
    assert found is not None
    return str(found[0])


def _read(state: Path, query: str, *values: str) -> Any:
    """One row of the outbox as it is: an `Outbox` would begin it. None without one, and while it is locked."""
    try:
        with closing(sqlite3.connect(f"{(state / OUTBOX_NAME).as_uri()}?mode=rw", uri=True, timeout=0)) as connection:
            return connection.execute(query, values).fetchone()
    except sqlite3.Error:
        return None
