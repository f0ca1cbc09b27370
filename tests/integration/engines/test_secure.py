"""TLS and passwords: who is trusted, and what is said of who is not."""

import os
from pathlib import Path

import pytest

from horae.clock import SystemIds
from horae.domain.runs.claimable import Claimable
from horae.engines.celery_broker import Broker, reason
from horae.engines.celery_channels import open_channel
from horae.engines.celery_consumer import AmqpConsumer
from horae.engines.celery_redis import RedisConsumer
from tests.certificate import self_signed
from tests.integration.engines.servers import OwnRedis
from tests.waiting import until

IDS = SystemIds()


async def carries(url: str) -> None:
    """Publishes a message and receives it."""
    broker = Broker(url)
    channel, run = open_channel(broker, broker.connect()), Claimable(IDS.new(), "secure", 5)
    consumer = RedisConsumer(broker) if broker.redis else AmqpConsumer(broker)
    consumer.start(lambda: None)
    try:
        channel.publish([run])
        consumer.serve(["secure"])
        consumer.want(1)
        (message,) = await until(lambda: consumer.take(1), message=f"the message arrives ({consumer.trouble})")
        assert message.run_id == run.id
        consumer.done([message])
    finally:
        channel.close()
        await consumer.close()


def refused(url: str) -> str:
    with pytest.raises(Exception) as caught:
        Broker(url).connect()
    return reason(caught.value)


async def verified(secure: str, monkeypatch: pytest.MonkeyPatch, file: Path) -> None:
    """`secure` is the URL with the name of the certificate."""
    assert "certificate is not trusted: SSL_CERT_FILE" in refused(secure)
    monkeypatch.setenv("SSL_CERT_FILE", os.fspath(file))
    await carries(secure)
    assert "certificate is not trusted" in refused(secure.replace("localhost", "127.0.0.1")), "another name"


@pytest.mark.redis
async def test_redis(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, unused_tcp_port: int) -> None:
    file = self_signed(tmp_path)
    tls = ["--tls-port", str(unused_tcp_port), "--tls-cert-file", str(file), "--tls-key-file", str(file)]
    own = OwnRedis(tmp_path, *tls, "--tls-auth-clients", "no", "--requirepass", "s3cret", password="s3cret")
    try:
        await own.start()
        await verified(f"rediss://:s3cret@localhost:{unused_tcp_port}/0", monkeypatch, file)
        wrong = refused(f"redis://:wr0ng@127.0.0.1:{own.port}/0")
        assert "invalid username-password" in wrong
        assert "wr0ng" not in wrong
    finally:
        own.kill()
