"""A message whose acknowledgement fails holds no place, and is acknowledged with the next one."""

from collections.abc import Iterator

import pytest
import redis
from kombu import Connection
from kombu.transport import virtual
from kombu.transport.redis import Channel

from workers.broker.redis_transport import QoS, install_transport


@pytest.fixture
def channel(url: str, client: redis.Redis) -> Iterator[Channel]:
    assert client.ping()
    install_transport()
    with Connection(url) as connection:
        channel = connection.default_channel
        assert isinstance(channel, Channel)
        channel.basic_qos(0, 1)
        yield channel


def take(channel: Channel, tag: str) -> None:
    queue = channel.queue_declare(tag).queue
    message = channel.prepare_message("{}", properties={"delivery_tag": tag})
    message["properties"]["delivery_info"] = {"exchange": "", "routing_key": queue}
    channel.qos.append(channel.message_to_python(message), tag)


def unacknowledged(client: redis.Redis) -> set[str]:
    return {str(tag.decode() if isinstance(tag, bytes) else tag) for tag in client.hkeys("unacked")}


def test_a_failed_acknowledgement_frees_its_place_and_is_made_up_for(
    channel: Channel, client: redis.Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    qos = channel.qos
    assert isinstance(qos, QoS)
    take(channel, "a")
    assert not qos.can_consume()

    def hangs(*_: object) -> object:
        raise redis.exceptions.TimeoutError

    with monkeypatch.context() as patch:
        patch.setattr(QoS, "_remove_from_indices", hangs)
        with pytest.raises(redis.exceptions.TimeoutError):
            qos.ack("a")
    assert qos.can_consume()
    assert unacknowledged(client) == {"a"}
    take(channel, "b")
    assert not qos.can_consume()
    qos.ack("b")
    assert qos.can_consume()
    assert unacknowledged(client) == set()


def test_kombu_as_it_comes_still_keeps_the_place(channel: Channel, monkeypatch: pytest.MonkeyPatch) -> None:
    """When this fails, kombu has mended it, and `workers.queue` can go."""
    from kombu.transport.redis import QoS as Plain

    plain = Plain(channel, prefetch_count=1)
    virtual.QoS.append(plain, object(), "a")

    def hangs(*_: object) -> object:
        raise redis.exceptions.TimeoutError

    monkeypatch.setattr(Plain, "_remove_from_indices", hangs)
    with pytest.raises(redis.exceptions.TimeoutError):
        plain.ack("a")
    assert not plain.can_consume()
    plain.restore_at_shutdown = False
