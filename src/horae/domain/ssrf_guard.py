"""SSRF guard: which network addresses an outgoing call may reach. Pure: it checks an address, never a name or the
network.

`ipaddress.is_global` alone is not enough: it differs between Python versions, calls multicast global, and does not look
inside IPv6 forms that a gateway or the kernel turns back into IPv4.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from typing import Any
from urllib.parse import urlsplit

Address = IPv4Address | IPv6Address

# Cloud metadata services hand out the machine's credentials to any caller: refused even where private addresses are
# allowed.
_METADATA: frozenset[Address] = frozenset(
    ip_address(text)
    for text in (
        "169.254.169.254",  # AWS, Azure, Google, Oracle, DigitalOcean, OpenStack
        "169.254.170.2",  # AWS, containers
        "169.254.170.23",  # AWS, pods
        "fd00:ec2::254",
        "fd00:ec2::23",
        "fd20:ce::254",  # Google
        "100.100.100.200",  # Alibaba
        "192.0.0.192",  # Oracle classic
        "168.63.129.16",  # Azure's agent
    )
)

_GLOBAL_IPV6 = IPv6Network("2000::/3")  # everything ever allocated to the Internet
_NOT_GLOBAL_IPV6 = tuple(map(IPv6Network, ("2001::/23", "2001:db8::/32", "3fff::/20")))
_NOT_GLOBAL_IPV4 = tuple(
    map(
        IPv4Network,
        (
            "0.0.0.0/8",
            "100.64.0.0/10",
            "192.0.0.0/24",
            "192.0.2.0/24",
            "192.88.99.0/24",
            "198.18.0.0/15",
            "198.51.100.0/24",
            "203.0.113.0/24",
            "240.0.0.0/4",
        ),
    )
)

_NUMBER = re.compile(r"[0-9]+|0[xX][0-9a-fA-F]*", re.ASCII)

# IPv6 networks whose addresses embed an IPv4 address, and its offset from the right end (in bits).
_CARRIERS = (
    (IPv6Network("::ffff:0:0/96"), 0),  # IPv4-mapped
    (IPv6Network("::ffff:0:0:0/96"), 0),  # IPv4-translated
    (IPv6Network("::/96"), 0),  # IPv4-compatible; includes :: and ::1
    (IPv6Network("64:ff9b::/96"), 0),  # NAT64
    (IPv6Network("2002::/16"), 80),  # 6to4
)
# Here an IPv4 address may be embedded at the right end, but the address itself leads somewhere, too.
_LOCAL_NAT64 = IPv6Network("64:ff9b:1::/48")
_ISATAP = 0x5EFE


def refusal(text: str, *, allow_private: bool) -> str | None:
    """Why a call must not go to this address, in words; None if it may."""
    try:
        address = ip_address(text)
    except ValueError:
        return f"{text} is not an IP address in its usual form"
    kinds = [kind for inner in _unwrapped(address) if (kind := _kind(inner))]
    if "the cloud metadata service" in kinds:
        return f"{text} is the cloud metadata service"
    if kinds and not allow_private:
        return f"{text} is {kinds[0]}"
    return None


def never_called(url: str) -> str | None:
    """Why no job may call this URL, regardless of its worker; None if the worker decides. Browsers and C libraries
    treat a host that ends in a number as an address, however oddly it is written."""
    host = urlsplit(url).hostname or ""
    if ":" not in host and not _NUMBER.fullmatch(host.rstrip(".").rpartition(".")[2]):
        return None
    reason = refusal(host, allow_private=True)
    if reason is None:
        return None
    if "metadata" in reason:
        return "resolves to a cloud metadata service, which jobs must not call"
    return "names an IP address in an unusual form; write it as 192.0.2.1 or [2001:db8::1]"


def _unwrapped(address: Address) -> Iterator[Address]:
    """The addresses a packet to this one can end at: itself, or the embedded IPv4 address."""
    if isinstance(address, IPv4Address):
        yield address
        return
    bare = IPv6Address(int(address))  # without its zone
    for network, shift in _CARRIERS:
        if bare in network and int(bare) > 1:
            yield IPv4Address(int(bare) >> shift & 0xFFFFFFFF)
            return
    yield bare
    if bare in _LOCAL_NAT64 or int(bare) >> 32 & 0xFDFFFFFF == _ISATAP:
        yield IPv4Address(int(bare) & 0xFFFFFFFF)


def _kind(address: Address) -> str | None:
    """What a non-global address is, in words; None for a global one."""
    if address in _METADATA:
        return "the cloud metadata service"
    if address.is_loopback or address.is_unspecified:
        return "a loopback address"
    if address.is_link_local:
        return "a link-local address"
    if address.is_multicast:
        return "a multicast address"
    if isinstance(address, IPv4Address):
        special = any(address in network for network in _NOT_GLOBAL_IPV4)
    else:
        special = address not in _GLOBAL_IPV6 or any(address in network for network in _NOT_GLOBAL_IPV6)
    if special or not address.is_global:
        return "a private address" if address.is_private else "a reserved address"
    return None


def literal_refusal(host: str, *, allow_private: bool) -> str | None:
    """Why a literal address must not be called; None for names, which are checked once resolved."""
    literal = ":" in host or host.replace(".", "").isdigit()
    return refusal(host, allow_private=allow_private) if literal else None


def found_refusal(address: str, host: str, *, allow_private: bool) -> str | None:
    """Why a host with this address must not be called. All addresses of a name have to be allowed."""
    reason = refusal(address, allow_private=allow_private)
    return (
        reason if reason is None or host == address else f"{host} resolves to an address that is not allowed: {reason}"
    )


def scoped(where: tuple[Any, ...]) -> str:
    """The address in a getaddrinfo result, with the zone of an IPv6 one."""
    return f"{where[0]}%{where[3]}" if len(where) > 3 and where[3] else str(where[0])
