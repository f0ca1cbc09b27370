"""Where calls must not go."""

import socket
from typing import Any

import pytest

from horae.clock import SystemClock
from horae.domain.runs.states import AttemptOutcome
from horae.executors.http import HttpExecutor
from tests.integration.executors.calls import Server, call, result


@pytest.mark.parametrize(
    ("host", "reason"),
    [
        ("127.0.0.1", "127.0.0.1 is a loopback address"),
        ("localhost", "localhost resolves to"),
        ("0.0.0.0", "0.0.0.0 is a loopback address"),
        ("[::1]", "::1 is a loopback address"),
        ("[::ffff:127.0.0.1]", "a loopback address"),
        ("[::ffff:7f00:1]", "a loopback address"),
        ("2130706433", "2130706433 is not an IP address in its usual form"),
        ("127.1", "127.1 is not an IP address in its usual form"),
        ("0177.0.0.1", "is not an IP address in its usual form"),
        ("127.0.0.1.", "is not an IP address in its usual form"),
        ("0x7f000001", "0x7f000001 resolves to an address that is not allowed: 127.0.0.1 is a loopback address"),
        ("0x7f.1", "0x7f.1 resolves to an address that is not allowed: 127.0.0.1 is a loopback address"),
        ("１２７.０.０.１", "127.0.0.1 is a loopback address"),
        ("①②⑦.0.0.1", "127.0.0.1 is a loopback address"),
        ("0X7F.0.0.1", "127.0.0.1 is a loopback address"),
        ("LOCALHOST", "localhost resolves to"),
        ("ⓛocalhost", "localhost resolves to"),
        ("[::]", ":: is a loopback address"),
        ("[0:0:0:0:0:ffff:127.0.0.1]", "a loopback address"),
        ("[::127.0.0.1]", "a loopback address"),
        ("[64:ff9b::7f00:1]", "a loopback address"),
        ("[2002:7f00:1::]", "a loopback address"),
        ("[::ffff:0:127.0.0.1]", "a loopback address"),
    ],
)
async def test_the_own_machine_is_refused(strict: HttpExecutor, server: Server, host: str, reason: str) -> None:
    port = server.url.rsplit(":", 1)[1]
    outcome = await call(strict, f"http://{host}:{port}")
    assert server.requests == []
    assert outcome.kind is AttemptOutcome.FAILED
    assert reason in str(outcome.error)
    assert outcome.permanent
    assert str(outcome.error).startswith("the call was refused: ")


async def test_names_of_the_own_machine_where_allowed(http: HttpExecutor, server: Server) -> None:
    outcome = await call(http, server.url.replace("127.0.0.1", "localhost"))
    assert outcome.response_code == 200
    assert server.requests[0].headers["host"].startswith("localhost:")


@pytest.mark.parametrize("host", ["169.254.169.254", "[::ffff:169.254.169.254]", "[fd00:ec2::254]", "0xa9fea9fe"])
async def test_the_metadata_service_even_then(http: HttpExecutor, host: str) -> None:
    outcome = await call(http, f"http://{host}/latest/meta-data/")
    assert outcome.permanent
    assert "is the cloud metadata service" in str(outcome.error)


async def test_a_name_is_asked_for_once_and_called_where_that_led(server: Server) -> None:
    """Who answers a second question differently is not asked one: the address that was checked is the one called."""
    asked: list[str] = []

    async def lookup(host: str, port: int, **_: Any) -> list[tuple[Any, ...]]:
        asked.append(host)
        address = "127.0.0.1" if len(asked) == 1 else "169.254.169.254"
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port))]

    executor = HttpExecutor(SystemClock(), version="1", allow_private=True, lookup=lookup)
    outcome = await call(executor, server.url.replace("127.0.0.1", "rebinding.example"))
    await executor.close()
    assert (outcome.response_code, asked) == (200, ["rebinding.example"])
    assert server.requests[0].headers["host"].startswith("rebinding.example:")


async def test_one_bad_address_among_good_ones_is_enough(server: Server) -> None:
    async def lookup(host: str, port: int, **_: Any) -> list[tuple[Any, ...]]:
        return [
            (socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port)) for address in ("127.0.0.1", "169.254.169.254")
        ]

    executor = HttpExecutor(SystemClock(), version="1", allow_private=True, lookup=lookup)
    outcome = await call(executor, server.url.replace("127.0.0.1", "both.example"))
    await executor.close()
    assert outcome.permanent
    assert server.requests == []


async def test_times_of_a_connection_that_had_to_be_made(http: HttpExecutor, server: Server) -> None:
    url = server.url.replace("127.0.0.1", "localhost")
    first, second = [result(await call(http, url))["timings"] for _ in range(2)]
    assert set(first) == {"dns_ms", "connect_ms", "headers_ms", "total_ms"}
    assert first["dns_ms"] <= first["connect_ms"] <= first["headers_ms"]
    assert set(second) == {"headers_ms", "total_ms"}, "it was there already"
