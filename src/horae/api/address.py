"""Client addresses: where a request comes from. Forwarding headers are trusted only from proxies that a setting
names."""

from __future__ import annotations

from collections.abc import Sequence
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address, ip_network

from starlette.requests import Request

UNKNOWN = "unknown"  # a Unix socket has no address
_FORWARDED = ("x-forwarded-for", "forwarded", "x-real-ip")


class Proxies:
    def __init__(self, trusted: Sequence[str] = ()) -> None:
        self._trusted = [ip_network(one) for one in trusted]

    def address(self, request: Request) -> str:
        """The last address on the way that is not a trusted proxy."""
        peer = request.client.host if request.client is not None else UNKNOWN
        if not self.trusts(peer):
            return peer
        for part in reversed(",".join(request.headers.getlist("x-forwarded-for")).split(",")):
            found = _parsed(part)
            if found is None:
                break  # entries before it were not written by a trusted proxy
            peer = str(found)
            if not self.trusts(peer):
                break
        return peer

    def https(self, request: Request) -> bool:
        """Whether the browser uses TLS, to us or to a trusted proxy."""
        if request.url.scheme == "https":
            return True
        trusted = self.trusts(request.client.host if request.client is not None else UNKNOWN)
        return trusted and request.headers.get("x-forwarded-proto", "").strip().lower() == "https"

    def unknown(self, request: Request) -> bool:
        """Whether a proxy that no setting names is in between: all clients then seem to come from its address."""
        peer = request.client.host if request.client is not None else UNKNOWN
        return not self.trusts(peer) and any(name in request.headers for name in _FORWARDED)

    def trusts(self, address: str) -> bool:
        """Whether this is the address of a trusted proxy."""
        found = _parsed(address) if self._trusted else None
        return found is not None and any(found in network for network in self._trusted)


def crowd(address: str) -> str:
    """What is limited as one client: a client with one IPv6 address has a whole network of them."""
    found = _parsed(address)
    return str(IPv6Network((found, 64), strict=False)) if isinstance(found, IPv6Address) else address


def _parsed(text: str) -> IPv4Address | IPv6Address | None:
    text = text.strip()
    if text.startswith("["):
        text = text[1:].partition("]")[0]
    elif text.count(":") == 1:
        text = text.partition(":")[0]
    try:
        found = ip_address(text)
    except ValueError:
        return None
    return (found.ipv4_mapped or found) if isinstance(found, IPv6Address) else found
