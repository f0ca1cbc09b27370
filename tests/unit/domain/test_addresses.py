"""Every form of address that must not be called, and those that may."""

import pytest

from horae.domain.ssrf_guard import never_called, refusal

GLOBAL = [
    "1.1.1.1",
    "8.8.8.8",
    "93.184.216.34",
    "172.15.255.255",
    "172.32.0.1",
    "192.169.0.1",
    "223.255.255.254",
    "2606:4700:4700::1111",
    "2a00:1450:4001::1",
    "::ffff:8.8.8.8",
    "64:ff9b::808:808",
    "2002:808:808::1",
]
LOCAL = {
    "loopback": ["127.0.0.1", "127.255.255.254", "0.0.0.0", "::1", "::", "::ffff:127.0.0.1", "::127.0.0.1"],
    "private": [
        "10.0.0.1",
        "172.16.0.1",
        "172.31.255.255",
        "192.168.1.1",
        "0.1.2.3",
        "192.0.2.1",
        "198.18.0.1",
        "198.51.100.1",
        "203.0.113.1",
        "fc00::1",
        "fd12:3456::1",
        "2001:db8::1",
        "2001::1",  # Teredo
        "::ffff:10.0.0.1",
        "::ffff:0:10.0.0.1",
        "::10.0.0.1",
        "64:ff9b::a00:1",
        "2002:a00:1::1",
        "2002:c0a8:101::",
        "2001:4860:1:2:0:5efe:a00:1",  # ISATAP
        "2001:4860:1:2:200:5efe:a00:1",
    ],
    "reserved": ["100.64.0.1", "192.0.0.8", "192.88.99.1", "64:ff9b:1::808:808", "fec0::1", "3fff::1", "5f00::1"],
    "link-local": ["169.254.1.1", "fe80::1", "fe80::1%eth0", "::ffff:169.254.1.1"],
    "multicast": ["224.0.0.1", "239.255.255.255", "ff02::1", "ff0e::1", "::ffff:224.0.0.1"],
    "broadcast": ["255.255.255.255", "240.0.0.1"],
}
METADATA = [
    "169.254.169.254",
    "::ffff:169.254.169.254",
    "::ffff:a9fe:a9fe",
    "::ffff:0:169.254.169.254",
    "::169.254.169.254",
    "64:ff9b::169.254.169.254",
    "64:ff9b:1::169.254.169.254",
    "2002:a9fe:a9fe::1",
    "fe80::5efe:169.254.169.254",
    "fd00:ec2::254",
    "fd00:ec2::254%eth0",
    "fd20:ce::254",
    "169.254.170.2",
    "100.100.100.200",
    "168.63.129.16",
]
ODD = [
    "2130706433",
    "127.1",
    "0177.0.0.1",
    "0x7f.0.0.1",
    "127.0.0.1.",
    "1.2.3",
    "１２７.0.0.1",
    "",
    "localhost",
    "[::1]",
]


@pytest.mark.parametrize("address", GLOBAL)
def test_the_internet_may_be_called(address: str) -> None:
    assert refusal(address, allow_private=False) is None


@pytest.mark.parametrize("address", [address for kind in LOCAL.values() for address in kind])
def test_the_rest_only_where_allowed(address: str) -> None:
    assert refusal(address, allow_private=False) is not None
    assert refusal(address, allow_private=True) is None


@pytest.mark.parametrize("address", METADATA)
def test_the_metadata_service_never(address: str) -> None:
    for allowed in (False, True):
        assert refusal(address, allow_private=allowed) == f"{address} is the cloud metadata service"


@pytest.mark.parametrize("address", ODD)
def test_odd_forms_never(address: str) -> None:
    for allowed in (False, True):
        assert "not an IP address in its usual form" in str(refusal(address, allow_private=allowed))


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("127.0.0.1", "127.0.0.1 is a loopback address"),
        ("10.1.2.3", "10.1.2.3 is a private address"),
        ("::ffff:10.1.2.3", "::ffff:10.1.2.3 is a private address"),
        ("fe80::1%eth0", "fe80::1%eth0 is a link-local address"),
        ("224.0.0.1", "224.0.0.1 is a multicast address"),
        ("100.64.0.1", "100.64.0.1 is a reserved address"),
    ],
)
def test_says_why(address: str, words: str) -> None:
    assert refusal(address, allow_private=False) == words


@pytest.mark.parametrize(
    "host",
    ["2130706433", "0x7f.1", "127.1", "0x7f000001", "017700000001", "127.0.0.1.", "127.0.0.256", "a.b.1", "0.0.0.0x1"],
)
def test_addresses_in_odd_forms(host: str):
    assert "unusual form" in (never_called(f"http://{host}/") or "")


@pytest.mark.parametrize(
    "host", ["169.254.169.254", "[fd00:ec2::254]", "[::ffff:169.254.169.254]", "[64:ff9b::a9fe:a9fe]"]
)
def test_metadata_services_are_never_called(host: str):
    assert "metadata" in (never_called(f"http://{host}/latest") or "")


@pytest.mark.parametrize("host", ["example.org", "127.0.0.1:80", "[::1]", "10.0.0.5", "1.example.org", "host1"])
def test_the_rest_is_for_the_worker_to_say(host: str):
    assert never_called(f"http://{host}/") is None
