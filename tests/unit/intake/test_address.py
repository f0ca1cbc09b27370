"""Addresses of sources."""

import pytest

from horae.domain.errors import ConfigurationError
from horae.intake.address import parse_address


def test_each_kind():
    queue = parse_address("amqp://guest:pw@host:5672/%2Fprod?queue=orders")
    assert (queue.url, queue.kind, queue.name, queue.dead) == (
        *("amqp://guest:pw@host:5672/%2Fprod", "queue"),
        *("orders", "orders.dead"),
    )
    listed = parse_address("redis://host/3?list=orders&dead=graves&recover=5")
    assert (listed.url, listed.kind, listed.dead, listed.recover) == ("redis://host/3", "list", "graves", 5.0)
    stream = parse_address("rediss://:pw@host:6380/0?stream=orders&group=g&ca=/etc/ca.pem")
    assert (stream.kind, stream.group, stream.ca, stream.tls) == ("stream", "g", "/etc/ca.pem", True)


def test_passwords_are_not_shown():
    assert "hunter2" not in repr(parse_address("redis://:hunter2@host/0?list=a"))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("kafka://host/?queue=a", "begins with amqp://"),
        ("redis:///0?list=a", "begins with amqp://"),
        ("redis://host/0", "list or stream"),
        ("redis://host/0?list=a&stream=b", "list or stream"),
        ("redis://host/0?list=", "list or stream"),
        ("amqp://host/?list=a", "must name its queue"),
        ("redis://host/0?list=a&group=g", "unknown option group"),
        ("redis://host/0?list=a&list=b", "twice"),
        ("redis://host/0?list=a&recover=soon", "recover"),
        ("redis://host/0?list=a&recover=0", "recover"),
        ("redis://host/0?list=a&dead=a", "the same place"),
        ("redis://host/0?list=a&ca=/x", "without TLS"),
    ],
)
def test_what_is_wrong_is_named(text: str, words: str):
    with pytest.raises(ConfigurationError, match="HORAE_INTAKE_SOURCE") as refused:
        parse_address(text)
    assert words in str(refused.value)
