"""Broker URLs: parts of those that can be used, and the reason why others cannot."""

import pytest

from config.addresses import AddressError, BrokerAddress, split_broker_url

VERIFIED: dict[str, str | bool] = {"ssl_cert_reqs": "required", "ssl_check_hostname": True}


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("redis://", BrokerAddress()),
        ("redis://queue", BrokerAddress(host="queue")),
        ("redis://queue:7000/2", BrokerAddress(host="queue", port=7000, database=2)),
        ("redis://:a%2Fb%3F%23%25%3B%5B@queue/", BrokerAddress(host="queue", password="a/b?#%;[")),
        ("redis://:a:b@c@queue", BrokerAddress(host="queue", password="a:b@c")),
        ("redis://user@[::1]:6380", BrokerAddress(host="::1", port=6380, username="user")),
        ("redis://:암호@queue", BrokerAddress(host="queue", password="암호")),
        ("rediss://queue", BrokerAddress(host="queue", tls=VERIFIED)),
        ("rediss://queue?ssl_cert_reqs=none", BrokerAddress(host="queue", tls={**VERIFIED, "ssl_cert_reqs": "none"})),
        (
            "rediss://queue/1?ssl_ca_certs=/a%20b.pem&ssl_check_hostname=False&ssl_certfile=/c&ssl_keyfile=/k",
            BrokerAddress(
                host="queue",
                database=1,
                tls={
                    "ssl_cert_reqs": "required",
                    "ssl_check_hostname": False,
                    "ssl_ca_certs": "/a b.pem",
                    "ssl_certfile": "/c",
                    "ssl_keyfile": "/k",
                },
            ),
        ),
        ("redis+socket:///run/a@b%20c.sock", BrokerAddress(socket="/run/a@b c.sock")),
        ("redis+socket:///run/%FF.sock", BrokerAddress(socket="/run/\udcff.sock")),
        (
            "redis+socket://user:p%2Fw@/run/b.sock?virtual_host=/3",
            BrokerAddress(socket="/run/b.sock", username="user", password="p/w", database=3),
        ),
    ],
)
def test_parts(text: str, address: BrokerAddress) -> None:
    assert split_broker_url(text) == address


@pytest.mark.parametrize(
    ("key", "text"),
    [
        ("broker", "http://queue"),
        ("broker", "memory://"),
        ("broker", " redis://queue"),
        ("broker-form", "redis://:a/b@queue/0"),
        ("broker-form", "redis://:1/2@queue/0"),
        ("broker-form", "redis://:1?2@queue/0"),
        ("broker-form", "redis://:a#b@queue/0"),
        ("broker-form", "redis://:a;b@queue/0"),
        ("broker-form", "redis://:a]b@queue/0"),
        ("broker-form", "redis://:a\nb@queue/0"),
        ("broker-form", "redis://queue:port"),
        ("broker-form", "redis://queue:70000"),
        ("broker-form", "redis://queue/one"),
        ("broker-form", "redis://queue/-1"),
        ("broker-form", "redis://queue/0/"),
        ("broker-form", "redis+socket://run/broker.sock"),
        ("broker-form", "redis+socket:///"),
        ("broker-form", "redis+socket://"),
        ("broker-form", "redis+socket://:1?b@/run/broker.sock"),
        ("broker-form", "redis+socket:///run/broker.sock?virtual_host=a"),
        ("broker-option", "redis+socket:///run/broker.sock?db=1"),
        ("broker-option", "redis://queue?db=1"),
        ("broker-option", "redis://queue?ssl_cert_reqs=none"),
        ("broker-option", "rediss://queue?ssl_cert_reqs=CERT_NONE"),
        ("broker-option", "rediss://queue?ssl_cert_reqs="),
        ("broker-option", "rediss://queue?ssl_check_hostname=no"),
        ("broker-option", "rediss://queue?ssl_ca_certs="),
        ("broker-option", "rediss://queue?timeout=3"),
    ],
)
def test_what_celery_would_read_otherwise_is_refused_without_its_text(key: str, text: str) -> None:
    with pytest.raises(AddressError) as refused:
        split_broker_url(text)
    assert str(refused.value) == refused.value.key == key
    assert refused.value.__context__ is None
