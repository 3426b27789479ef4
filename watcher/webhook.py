"""Notifications of settled sets to a web address: retried, and sent at most once per key.

A thread reads status.json, keeps the outbox and sends; the watcher only queues names. The address may hold a token, so
neither it nor the text of a response is ever logged.
"""

import logging
import sqlite3
import ssl
import threading
import time
import traceback
from collections import Counter
from collections.abc import Callable, Collection
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

import httpx2
import structlog

from reporting import EVERY_SET, Against, Notice, notification, told_as
from reporting.store import (
    STATUS_JSON,
    Headline,
    StatusFile,
    read_baseline,
    read_gate,
    read_verdict,
    set_folder,
    status_of_set,
)
from texts import texts
from watcher.outbox import Notification, NotificationState, Outbox

OUTBOX_NAME = "webhook.sqlite3"
ANSWER_SECONDS = 10.0
BACKOFF_SECONDS = 2.0
BACKOFF_LIMIT_SECONDS = 300.0
GIVE_UP_SECONDS = 86_400.0
MOST_REDIRECTS = 3
_log = structlog.get_logger()


class WebhookPolicy(NamedTuple):
    """Time-out of a request, first pause after a failure (doubled each time) and longest pause, in seconds."""

    answer_seconds: float = ANSWER_SECONDS
    backoff_seconds: float = BACKOFF_SECONDS
    backoff_limit_seconds: float = BACKOFF_LIMIT_SECONDS

    def backoff(self, failures: int) -> float:
        """Seconds to pause after `failures` in a row (at least one)."""
        return float(min(self.backoff_seconds * 2 ** min(failures - 1, 16), self.backoff_limit_seconds))


class Notifier:
    """Notifies one address of the sets of one output folder.

    state: folder of the outbox. claim: (key, machine) -> may this machine notify? events: kinds to notify of. form,
    public_url: as `notification`.
    """

    def __init__(
        self,
        url: str,
        *,
        out: Path,
        state: Path,
        claim: Callable[[str, str], bool] = lambda _key, _machine: True,
        policy: WebhookPolicy | None = None,
        language: str = "ko",
        events: Collection[str] = (EVERY_SET,),
        form: str = "json",
        public_url: str = "",
    ) -> None:
        self._url = url
        self._out = out
        self._path = state / OUTBOX_NAME
        self._claim = claim
        self._policy = policy or WebhookPolicy()
        self._texts = texts(language)
        self._events = frozenset(events)
        self._form = form
        self._public_url = public_url
        for name in ("httpx2", "httpcore2"):  # they log addresses
            logging.getLogger(name).setLevel(logging.WARNING)
        self._client = httpx2.Client(
            timeout=self._policy.answer_seconds,
            verify=ssl.create_default_context(),  # the authorities of the system
            headers={"User-Agent": "scorewatch", "Content-Type": "application/json; charset=utf-8"},
            limits=httpx2.Limits(max_keepalive_connections=0),  # a kept connection may be dead: a lost notification
        )
        self._condition = threading.Condition()
        self._settled: dict[str, str] = {}  # set name -> key, in the order in which they settled
        self._closing = False
        self._failures = 0
        self._rest_until = 0.0
        self._pauses = 0  # in a row
        self._since = time.time()  # start of a new outbox
        self._thread = threading.Thread(target=self._run, name="webhook", daemon=True)
        self.outcomes: Counter[str] = Counter()
        self.waiting = 0
        self.paused = ""  # why nothing is sent; notifications wait in the outbox or here

    def start(self) -> None:
        """Begin to send."""
        self._thread.start()

    def settled(self, name: str, key: str) -> None:
        """Queue a set that has settled, now or before the start. key: its `told_as`. Returns at once."""
        with self._condition:
            self._settled[name] = key
            self._condition.notify()

    def stop(self, seconds: float) -> None:
        """Send for at most `seconds`; the rest waits in the outbox for the next start."""
        with self._condition:
            self._closing = True
            self._condition.notify()
        if self._thread.is_alive():
            self._thread.join(timeout=seconds)

    def _run(self) -> None:
        while True:
            try:
                self._work()
            except (OSError, sqlite3.Error) as error:
                self.paused, where = str(error), None
            except Exception as error:  # noqa: BLE001 -- notifications continue; its text may hold the address
                self.paused, where = type(error).__name__, "".join(traceback.format_tb(error.__traceback__))
            else:
                return
            self._pauses += 1
            rest = self._policy.backoff(self._pauses)
            _log.error("notifications paused", reason=self.paused, rest_seconds=rest, exception=where)
            with self._condition:
                if self._condition.wait_for(lambda: self._closing, timeout=rest):
                    return

    def _work(self) -> None:
        with closing(Outbox(self._path, now=self._since)) as outbox:
            try:
                while self._step(outbox):
                    self._pauses = 0
            finally:
                self._since = time.time()  # a new outbox must not repeat what this one may have sent

    def _step(self, outbox: Outbox) -> bool:
        """Note what settled, send one notification, or wait. False to end the thread."""
        with self._condition:
            settled = dict(self._settled)
        for name, key in settled.items():
            self._note(outbox, name, key)
            with self._condition:
                if self._settled.get(name) == key:  # only now: what could not be noted is tried again after a pause
                    del self._settled[name]
        self.waiting = outbox.waiting()
        rest = self._rest_until - time.monotonic()
        due = outbox.next() if rest <= 0 else None
        self.paused = ""
        if due is not None:
            self._send(outbox, due)
            return True
        with self._condition:
            if self._settled:
                return True
            if not self._closing:
                self._condition.wait(rest if self.waiting else None)
            return not self._closing or bool(self._settled)

    def _note(self, outbox: Outbox, name: str, key: str) -> None:
        if outbox.knows(name, key):
            return
        status = status_of_set(self._out, name)
        if status is None or told_as(status.key, status.judge) != key:
            return  # outdated: its new key is queued as well
        try:
            written_at = (set_folder(self._out, name) / STATUS_JSON).stat().st_mtime
        except OSError:
            return
        is_new = written_at >= outbox.since and not self._events.isdisjoint(self._notice(name, status).events)
        state = NotificationState.WAITING if is_new else NotificationState.PASSED
        outbox.note(name, key, status.headline, state, now=time.time())

    def _send(self, outbox: Outbox, due: Notification) -> None:
        status = status_of_set(self._out, due.name)
        key = None if status is None else told_as(status.key, status.judge)
        if status is None or key != due.key or time.time() - due.queued > GIVE_UP_SECONDS:
            outbox.mark(due, NotificationState.PASSED)
            return
        if not self._claim(due.key, outbox.id):
            outbox.mark(due, NotificationState.PASSED)
            return
        body = notification(self._notice(due.name, status, due.previous), self._texts, form=self._form)
        outbox.mark(due, NotificationState.SENDING)  # a kill from here on must not send it twice
        state, reason = self._post(body, due.key)
        outbox.mark(due, state)
        if state is NotificationState.WAITING:
            self.outcomes["failed"] += 1
            self._failures += 1
            rest = self._policy.backoff(self._failures)
            self._rest_until = time.monotonic() + rest
            _log.warning("notification later", set=due.name, key=due.key, reason=reason, rest_seconds=rest)
            return
        self.outcomes[state.value] += 1
        self._failures = 0
        if state is NotificationState.SENT:
            _log.info("notified", set=due.name, key=due.key)
        else:
            _log.warning("notification lost", set=due.name, key=due.key, reason=reason)

    def _notice(self, name: str, status: StatusFile, previous: Headline | None = None) -> Notice:
        folder = set_folder(self._out, name)
        return Notice(
            status=status,
            previous=previous,
            verdict=read_verdict(folder, status),
            public_url=self._public_url,
            gate=read_gate(folder, status),
            against=self._against(name, status),
        )

    def _against(self, name: str, status: StatusFile) -> Against | None:
        """The verdict of the comparison beside the report."""
        found = read_baseline(set_folder(self._out, name), status)
        return None if found is None or not found.verdicts else Against(found.baseline, found.worse, found.worse_again)

    def _post(self, body: bytes, key: str) -> tuple[NotificationState, str]:
        """One attempt; the reason contains neither the address nor text of the response."""
        try:
            response = self._request(httpx2.URL(self._url), body, key)
        except (httpx2.ReadError, httpx2.ReadTimeout, httpx2.RemoteProtocolError, httpx2.CloseError) as error:
            return NotificationState.UNCERTAIN, type(error).__name__  # sent whole, without a response
        except (httpx2.TransportError, httpx2.InvalidURL, UnicodeError) as error:
            return NotificationState.WAITING, type(error).__name__  # not sent, or not whole
        if response.is_success:
            return NotificationState.SENT, ""
        may_pass = response.is_server_error or response.status_code in {408, 425, 429}
        return NotificationState.WAITING if may_pass else NotificationState.REFUSED, f"status {response.status_code}"

    def _request(self, url: httpx2.URL, body: bytes, key: str) -> httpx2.Response:
        """The response, its body unread. Redirects within the host are followed, as the POST that was sent."""
        redirects = 0
        while True:
            with self._client.stream("POST", url, content=body, headers={"Idempotency-Key": key}) as response:
                redirect = response.next_request
            is_followed = redirect is not None and response.status_code != 303 and redirects < MOST_REDIRECTS
            if redirect is None or not is_followed or not _is_same_host(redirect.url, url):
                return response
            url, redirects = redirect.url, redirects + 1


def _is_same_host(one: httpx2.URL, other: httpx2.URL) -> bool:
    return (one.scheme, one.host, one.port) == (other.scheme, other.host, other.port)
