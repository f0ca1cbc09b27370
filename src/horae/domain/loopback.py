"""Loopback: which hosts are this machine itself, and how it reaches its own servers."""

from __future__ import annotations

from ipaddress import ip_address

_EVERY_ADDRESS = {"0.0.0.0": "127.0.0.1", "::": "::1"}


def is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def local_host(host: str) -> str:
    """Where this machine reaches a server that listens on `host`, which may stand for every address."""
    return _EVERY_ADDRESS.get(host, host)


def local_url(host: str, port: int) -> str:
    found = local_host(host)
    return f"http://[{found}]:{port}" if ":" in found else f"http://{found}:{port}"
