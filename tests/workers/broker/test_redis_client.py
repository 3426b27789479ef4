"""Celery and our own clients read a broker URL in the same way."""

from typing import Any

import pytest
import redis
from kombu.transport.redis import Channel

from config import Settings
from tests.workers.broker.tls import CERTIFICATE
from workers.broker.embedded import EmbeddedBroker
from workers.broker.server import redis_client
from workers.queue import make_app

URLS = [
    "redis://queue",
    "redis:///3",
    "redis://queue:7000/2",
    "redis://:a%2Fb%3F%23%25@queue/0",
    "redis://user:p%40ss@[::1]:6380/1",
    "rediss://:p@queue:6380/1",
    "rediss://queue?ssl_cert_reqs=none",
    f"rediss://queue/4?ssl_ca_certs={CERTIFICATE}&ssl_check_hostname=false",
    "redis+socket:///run/a%20b/broker.sock",
    "redis+socket:///run/broker.sock?virtual_host=2",
    "redis+socket://user:p%2Fw@/run/broker.sock?virtual_host=/2",
]


def parameters_of_celery(url: str) -> dict[str, Any]:
    class Unconnected(Channel):
        def __init__(self, connection: Any) -> None:  # the base class pings the server
            self.connection = connection

    with make_app(Settings(), url).connection_for_write() as connection:
        unconnected: Any = Unconnected(connection.transport)
        parameters: dict[str, Any] = unconnected._connparams()
    return parameters


@pytest.mark.parametrize("url", URLS)
def test_celery_connects_as_our_client_does(url: str) -> None:
    theirs, ours = parameters_of_celery(url), redis_client(url).connection_pool
    made = theirs["connection_class"](**{name: value for name, value in theirs.items() if name in KNOWN})
    own = ours.make_connection()
    assert type(made) is type(own)
    compared = [name for name in COMPARED if hasattr(own, name)]
    assert {name: getattr(made, name) for name in compared} == {name: getattr(own, name) for name in compared}


KNOWN = {
    *("host", "port", "path", "db", "username", "password"),
    *("ssl_cert_reqs", "ssl_ca_certs", "ssl_check_hostname", "ssl_certfile", "ssl_keyfile"),
}
COMPARED = ("host", "port", "path", "db", "username", "password", "cert_reqs", "ca_certs", "check_hostname", "certfile")


@pytest.mark.service
def test_socket_with_a_password_is_used_by_tasks_and_by_our_client(broker: EmbeddedBroker, client: redis.Redis) -> None:
    client.config_set("requirepass", "p/w?")
    try:
        url = broker.url.replace("redis+socket://", "redis+socket://:p%2Fw%3F@")
        make_app(Settings(), url).send_task("scorewatch.score_file", args=["a", "b", "c"], queue="score")
        assert redis_client(url).llen("score") == 1
    finally:
        client.config_set("requirepass", "")
