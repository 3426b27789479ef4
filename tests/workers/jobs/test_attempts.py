"""Strikes in a real server: counted over processes, and given back."""

import redis
import structlog

from tests.inner import redis_client
from workers.jobs.attempts import EXPIRY_SECONDS, Strikes


def standing(client: redis.Redis) -> list[int]:
    return sorted(int(client.get(name) or 0) for name in client.keys("scorewatch:strike:*"))


def test_tries_stand_until_one_ends_by_itself(client: redis.Redis) -> None:
    assert [Strikes(client).take("a", "1") for _ in range(3)] == [1, 2, 3]  # each in a process that died
    [name] = client.keys("scorewatch:strike:*")
    assert 0 < client.ttl(name) <= EXPIRY_SECONDS
    strikes = Strikes(client)
    strikes.clear("a", "1")
    strikes.flush()
    assert standing(client) == []


def test_what_was_cleared_goes_with_the_next_try(client: redis.Redis) -> None:
    strikes = Strikes(client)
    strikes.take("a", "1")
    strikes.take("b", "2")
    strikes.clear("a", "1")
    strikes.clear("b", "2")
    assert standing(client) == [1, 1]
    assert strikes.take("c", "3") == 1
    assert standing(client) == [1]


def test_a_try_after_a_clear_is_the_first(client: redis.Redis) -> None:
    strikes = Strikes(client)
    assert [strikes.take("a", "1"), strikes.take("a", "1")] == [1, 2]
    strikes.clear("a", "1")
    assert strikes.take("a", "1") == 1
    strikes.flush()
    assert standing(client) == [1]


def test_a_server_out_of_reach_counts_as_a_first_try() -> None:
    strikes = Strikes(redis_client("redis+socket:///nowhere/socket"))
    with structlog.testing.capture_logs() as logs:
        assert strikes.take("a", "1") == 1
        strikes.clear("a", "1")
        strikes.flush()
        strikes.flush()
    assert [entry["event"] for entry in logs] == ["strikes not counted", "strikes not cleared"]
