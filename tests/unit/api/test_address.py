"""The client's address behind trusted proxies (`X-Forwarded-For`)."""

from typing import Any

import pytest
from starlette.requests import Request

from horae.api.address import Proxies, crowd


def request(peer: str | None, *forwarded: str, proto: str | None = None) -> Request:
    headers = [(b"x-forwarded-for", line.encode()) for line in forwarded]
    if proto is not None:
        headers.append((b"x-forwarded-proto", proto.encode()))
    client: Any = None if peer is None else (peer, 1)
    scope = {"type": "http", "headers": headers, "client": client, "scheme": "http", "path": "/", "server": ("h", 80)}
    return Request(scope)


@pytest.mark.parametrize(
    ("peer", "forwarded", "address"),
    [
        ("10.0.0.1", ["192.0.2.7"], "192.0.2.7"),
        ("10.0.0.1", ["203.0.113.9, 192.0.2.7"], "192.0.2.7"),  # the left one was sent by the client
        ("10.0.0.1", ["203.0.113.9", "192.0.2.7, 10.0.0.2"], "192.0.2.7"),
        ("10.0.0.1", ["10.0.0.3, 10.0.0.2"], "10.0.0.3"),
        ("10.0.0.1", [], "10.0.0.1"),
        ("10.0.0.1", ["nonsense"], "10.0.0.1"),
        ("10.0.0.1", ["192.0.2.7, nonsense, 10.0.0.2"], "10.0.0.2"),
        ("10.0.0.1", ["192.0.2.7:5123"], "192.0.2.7"),
        ("10.0.0.1", ["[2001:db8::7]:5123"], "2001:db8::7"),
        ("::ffff:10.0.0.1", ["192.0.2.7"], "192.0.2.7"),
        ("198.51.100.1", ["192.0.2.7"], "198.51.100.1"),
        (None, ["192.0.2.7"], "unknown"),
    ],
)
def test_the_last_address_that_no_trusted_proxy_has(peer: str | None, forwarded: list[str], address: str):
    assert Proxies(["10.0.0.0/8"]).address(request(peer, *forwarded)) == address


def test_no_proxy_is_trusted_by_default():
    assert Proxies().address(request("127.0.0.1", "192.0.2.7", proto="https")) == "127.0.0.1"
    assert not Proxies().https(request("127.0.0.1", proto="https"))
    assert Proxies(["127.0.0.1/32"]).https(request("127.0.0.1", proto="https"))


def test_a_network_of_ipv6_counts_as_one():
    assert crowd("2001:db8:1:2:3:4:5:6") == crowd("2001:db8:1:2::9") != crowd("2001:db8:1:3::9")
    assert [crowd(one) for one in ("192.0.2.7", "unknown")] == ["192.0.2.7", "unknown"]
