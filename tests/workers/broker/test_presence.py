"""Processes of all machines, as the broker knows them."""

from collections.abc import Sequence

import msgspec
import redis

from workers.broker.server import PRESENT_SECONDS, find_processes, say_gone, say_present, this_process


def hosts(client: redis.Redis) -> Sequence[str]:
    return [process.host for process in find_processes(client)]


def test_who_says_so_is_there_until_the_end_or_a_while(client: redis.Redis) -> None:
    assert find_processes(client) == ()
    worker = msgspec.structs.replace(this_process("worker", at_once=2), host="a")
    watcher = msgspec.structs.replace(this_process("watcher", is_leading=True), host="b")
    for process in (worker, watcher, worker):
        say_present(client, process)
    assert find_processes(client) == (watcher, worker)
    for name in client.keys("scorewatch:process:*"):
        assert 0 < client.ttl(name) <= PRESENT_SECONDS
    say_gone(client, watcher)
    assert hosts(client) == ["a"]


def test_what_no_process_of_ours_has_written_is_passed_over(client: redis.Redis) -> None:
    say_present(client, msgspec.structs.replace(this_process("worker"), host="a"))
    for number, junk in enumerate((b"", b"[]", b"{", b'{"kind": "king"}', b"\xff", b'{"kind": "worker", "host": 1}')):
        client.set(f"scorewatch:process:junk{number}", junk)
    assert hosts(client) == ["a"]
