"""Notifications whose outbox cannot be used, or that meet a bug: they pause, say so, and go on by themselves."""

import socket
import sqlite3
import time
from contextlib import closing
from pathlib import Path

import pytest
from structlog.testing import capture_logs

import watcher.outbox as outbox_module
from tests.faults.harness import wait_for
from tests.watcher.receiver import QUICK, SECRET, Receiver, knows, settle, start
from watcher.outbox import NotificationState, Outbox
from watcher.webhook import OUTBOX_NAME, Notifier

pytestmark = pytest.mark.timeout(30)


def test_locked_outbox_pauses_notifications_and_loses_none(
    receiver: Receiver, out: Path, state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outbox_module, "BUSY_SECONDS", 0.05)
    with closing(Outbox(state / OUTBOX_NAME, now=0)) as outbox:
        settle(out, "waits", "k0")
        outbox.note("waits", "k0", None, NotificationState.WAITING, now=time.time())
    with closing(sqlite3.connect(state / OUTBOX_NAME, isolation_level=None)) as other, capture_logs() as lines:
        other.execute("BEGIN EXCLUSIVE")
        notifier = start(receiver, out, state)
        settle(out, "a", "k1")
        notifier.settled("a", "k1")
        wait_for(lambda: bool(notifier.paused), "the pause")
        assert notifier.paused == "database is locked"
        other.execute("ROLLBACK")
        wait_for(lambda: notifier.outcomes["sent"] == 2, "both")
        wait_for(lambda: not notifier.paused, "the end of the pause")
        notifier.stop(5)
    assert [body["key"] for _, body in receiver.received] == ["k0", "k1"]
    paused = lines[0]
    assert (paused["event"], paused["reason"]) == ("notifications paused", "database is locked")


def test_fault_nobody_thought_of_pauses_and_names_no_address(
    receiver: Receiver, out: Path, state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    faults = [RuntimeError(receiver.url)]

    def failing(self: Outbox) -> int:
        if faults:
            raise faults.pop()
        return waiting(self)

    waiting = Outbox.waiting
    monkeypatch.setattr(Outbox, "waiting", failing)
    with capture_logs() as lines:
        notifier = start(receiver, out, state)
        settle(out, "b", "k2")
        notifier.settled("b", "k2")
        wait_for(lambda: notifier.outcomes["sent"] == 1, "the letter")
        notifier.stop(5)
    assert [body["key"] for _, body in receiver.received] == ["k2"]
    assert lines[0]["event"] == "notifications paused"
    assert "in failing" in lines[0]["exception"]
    assert SECRET not in repr(lines)


def test_outbox_that_breaks_while_it_is_used_tells_nothing_twice(receiver: Receiver, out: Path, state: Path) -> None:
    with capture_logs() as lines:
        notifier = start(receiver, out, state)
        settle(out, "a", "k1")
        notifier.settled("a", "k1")
        wait_for(lambda: notifier.outcomes["sent"] == 1, "the first")
        (state / OUTBOX_NAME).write_bytes(b"no database" * 1000)
        notifier.settled("b", "gone")
        wait_for(lambda: "notifications paused" in [line["event"] for line in lines], "the pause")
        wait_for(lambda: not notifier.paused, "the end of the pause")
        notifier.settled("a", "k1")
        wait_for(lambda: knows(state, "a", "k1"), "the note that there is nothing to tell")
        settle(out, "c", "k3")
        notifier.settled("c", "k3")
        wait_for(lambda: notifier.outcomes["sent"] == 2, "the next")
        notifier.stop(5)
    assert [body["key"] for _, body in receiver.received] == ["k1", "k3"]


@pytest.mark.parametrize("address", ["http://hooks.example/훅", "http://훅..example/", "http://hooks.example/a b"])
def test_address_that_nothing_can_be_sent_to_keeps_what_waits(out: Path, state: Path, address: str) -> None:
    """Settings refuse such an address; whatever still comes by must not count as sent."""
    notifier = Notifier(address, out=out, state=state, policy=QUICK)
    settle(out, "a", "k")
    with closing(Outbox(state / OUTBOX_NAME, now=0)) as outbox:
        outbox.note("a", "k", None, NotificationState.WAITING, now=time.time())
    with capture_logs() as lines:
        notifier.start()
        wait_for(lambda: notifier.outcomes["failed"] >= 2, "a second try")
        notifier.stop(5)
    assert notifier.outcomes.keys() == {"failed"}
    assert {line["event"] for line in lines} == {"notification later"}
    assert address not in repr(lines)
    with closing(Outbox(state / OUTBOX_NAME, now=0)) as outbox:
        assert outbox.waiting() == 1


def test_answer_that_breaks_off_behind_its_status_is_taken(out: Path, state: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        notifier = Notifier(f"http://127.0.0.1:{listening.getsockname()[1]}/", out=out, state=state, policy=QUICK)
        notifier.start()
        wait_for((state / OUTBOX_NAME).exists, "the outbox")
        settle(out, "a", "k")
        notifier.settled("a", "k")
        connection, _ = listening.accept()
        with connection:
            while not connection.recv(65536).endswith(b"}"):
                pass
            connection.sendall(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nno chunk\r\n")
        wait_for(lambda: bool(notifier.outcomes), "the answer")
        notifier.stop(5)
    assert notifier.outcomes == {"sent": 1}
