"""Notifications of settled sets to a web address: at most once per key, retried, and never in anybody's way.

A thread of its own reads status.json, keeps the outbox and sends; the watcher only drops names into a queue. The
address may hold a token, so neither it nor an answer's text is ever logged.
"""

from __future__ import annotations

import http.client
import sqlite3
import threading
import time
import traceback
import urllib.error
import urllib.request
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from email.message import Message
from enum import Enum
from pathlib import Path
from typing import IO, NamedTuple
from urllib.parse import urlsplit

import structlog

from reporting.notification import notification, told_as
from reporting.store.set_folder import PROBLEM_MD, REPORT_MD, set_folder, status_of_set
from reporting.store.status import STATUS_JSON, State
from reporting.wording.catalogue import texts
from watcher.notify.outbox import Letter, Outbox, Told

OUTBOX_NAME = "webhook.sqlite3"
ANSWER_SECONDS = 10.0
BACKOFF_SECONDS = 2.0
BACKOFF_LIMIT_SECONDS = 300.0
GIVE_UP_SECONDS = 86_400.0
MOST_REDIRECTS = 3

_log = structlog.get_logger()


class Answer(Enum):
    """What came of one attempt."""

    TAKEN = Told.SENT
    LATER = Told.WAITING  # it did not arrive, or the other side said so
    LOST = Told.UNCERTAIN  # sent whole, and no answer came
    REFUSED = Told.REFUSED


class WebhookPolicy(NamedTuple):
    """Seconds: of one answer, of the first rest after a failure (doubled each time) and of the longest one."""

    answer_seconds: float = ANSWER_SECONDS
    backoff_seconds: float = BACKOFF_SECONDS
    backoff_limit_seconds: float = BACKOFF_LIMIT_SECONDS

    def backoff(self, failures: int) -> float:
        """Seconds to rest after so many failures in a row (at least one)."""
        return float(min(self.backoff_seconds * 2 ** min(failures - 1, 16), self.backoff_limit_seconds))


class Notifier:
    """Tells one address about the sets of one output folder.

    state: folder of the outbox. claim: may this machine tell about the key? False when another one does.
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
    ) -> None:
        self._url = url
        self._out = out
        self._path = state / OUTBOX_NAME
        self._claim = claim
        self._policy = policy or WebhookPolicy()
        self._texts = texts(language)
        self._opener = urllib.request.build_opener(_SameHost)
        self._condition = threading.Condition()
        self._settled: dict[str, str] = {}  # set name -> key, in the order in which they settled
        self._closing = False
        self._failures = 0
        self._rest_until = 0.0
        self._pauses = 0  # in a row
        self._since = time.time()  # of an outbox that is made
        self._thread = threading.Thread(target=self._run, name="webhook", daemon=True)
        self.told: Counter[str] = Counter()
        self.waiting = 0
        self.paused = ""  # why nothing is sent, though it could be; all waits in the outbox or here

    def start(self) -> None:
        """Begin to send."""
        self._thread.start()

    def settled(self, name: str, key: str) -> None:
        """A set has settled, now or before the start. key: `told_as` of it. Returns at once."""
        with self._condition:
            self._settled[name] = key
            self._condition.notify()

    def stop(self, seconds: float) -> None:
        """Send what can be sent now, for at most `seconds`; the rest waits in the outbox for the next start."""
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
            except Exception as error:  # noqa: BLE001 -- notifications go on, and its text may hold the address
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
                self._since = time.time()  # what this outbox may have told, one made anew does not tell again

    def _step(self, outbox: Outbox) -> bool:
        """Take what settled, send one letter, or wait. False when it is time to end."""
        with self._condition:
            settled = dict(self._settled)
        for name, key in settled.items():
            self._note(outbox, name, key)
            with self._condition:
                if self._settled.get(name) == key:  # only now: what could not be noted is noted after a pause
                    del self._settled[name]
        self.waiting = outbox.waiting()
        rest = self._rest_until - time.monotonic()
        letter = outbox.next() if rest <= 0 else None
        self.paused = ""
        if letter is not None:
            self._send(outbox, letter)
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
            return  # it has moved on, and is on its way here again
        try:
            written_at = (set_folder(self._out, name) / STATUS_JSON).stat().st_mtime
        except OSError:
            return
        told = Told.WAITING if written_at >= outbox.since else Told.PASSED
        outbox.note(name, key, status.headline, told, now=time.time())

    def _send(self, outbox: Outbox, letter: Letter) -> None:
        status = status_of_set(self._out, letter.name)
        key = None if status is None else told_as(status.key, status.judge)
        if status is None or key != letter.key or time.time() - letter.queued > GIVE_UP_SECONDS:
            outbox.mark(letter, Told.PASSED)
            return
        if not self._claim(letter.key, outbox.id):
            outbox.mark(letter, Told.PASSED)
            return
        file = REPORT_MD if status.state is State.REPORT else PROBLEM_MD
        path = str(set_folder(self._out, letter.name) / file)
        body = notification(status, previous=letter.previous, path=path, t=self._texts)
        outbox.mark(letter, Told.SENDING)  # a kill from here on must not send it twice
        answer, reason = self._post(body, letter.key)
        outbox.mark(letter, answer.value)
        self.told[answer.value.value if answer is not Answer.LATER else "failed"] += 1
        if answer is Answer.LATER:
            self._failures += 1
            rest = self._policy.backoff(self._failures)
            self._rest_until = time.monotonic() + rest
            _log.warning("notification later", set=letter.name, key=letter.key, reason=reason, rest_seconds=rest)
            return
        self._failures = 0
        if answer is Answer.TAKEN:
            _log.info("notified", set=letter.name, key=letter.key)
        else:
            _log.warning("notification lost", set=letter.name, key=letter.key, reason=reason)

    def _post(self, body: bytes, key: str) -> tuple[Answer, str]:
        """One attempt; the reason never holds the address or what the other side wrote."""
        request = urllib.request.Request(  # noqa: S310 -- settings let http(s) through only
            self._url,
            data=body,
            headers={
                "Content-Type": "application/json; charset=utf-8",
                "Idempotency-Key": key,
                "User-Agent": "scorewatch",
            },
            method="POST",
        )
        try:
            with self._opener.open(request, timeout=self._policy.answer_seconds):
                return Answer.TAKEN, ""
        except urllib.error.HTTPError as error:
            with error:
                may_pass = error.code >= 500 or error.code in {408, 425, 429}
                return (Answer.LATER if may_pass else Answer.REFUSED), f"status {error.code}"
        except urllib.error.URLError as error:  # no connection, or cut while sending
            reason = error.reason
            return Answer.LATER, type(reason).__name__ if isinstance(reason, Exception) else "URLError"
        except (UnicodeError, http.client.InvalidURL) as error:  # nothing can be sent to such an address
            return Answer.LATER, type(error).__name__
        except (OSError, http.client.HTTPException) as error:
            return Answer.LOST, type(error).__name__


class _SameHost(urllib.request.HTTPRedirectHandler):
    """Follows a redirect only to where the operator sent it anyway, and as the POST that it was."""

    max_redirections = MOST_REDIRECTS

    def redirect_request(  # noqa: PLR0917 -- signature of the base class
        self,
        req: urllib.request.Request,
        fp: IO[bytes],  # noqa: ARG002
        code: int,
        msg: str,  # noqa: ARG002
        headers: Message,  # noqa: ARG002
        newurl: str,
    ) -> urllib.request.Request | None:
        """The request again at the new place; None, which makes it an error, for another scheme, host or port."""
        before, after = urlsplit(req.full_url), urlsplit(newurl)
        if (before.scheme, before.netloc) != (after.scheme, after.netloc) or code == 303:
            return None
        return urllib.request.Request(  # noqa: S310 -- same scheme and host
            newurl, data=req.data, headers=dict(req.header_items()), method="POST"
        )
