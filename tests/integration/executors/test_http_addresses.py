"""Where calls must not go."""

import pytest

from horae.domain.states import AttemptOutcome
from horae.executors.http import HttpExecutor
from tests.integration.executors.calls import Server, call


@pytest.mark.parametrize(
    ("host", "reason"),
    [
        ("127.0.0.1", "127.0.0.1 is a loopback address"),
        ("localhost", "localhost leads to"),
        ("0.0.0.0", "0.0.0.0 is a loopback address"),
        ("[::1]", "::1 is a loopback address"),
        ("[::ffff:127.0.0.1]", "a loopback address"),
        ("[::ffff:7f00:1]", "a loopback address"),
        ("2130706433", "2130706433 is not an IP address in its usual form"),
        ("127.1", "127.1 is not an IP address in its usual form"),
        ("0177.0.0.1", "is not an IP address in its usual form"),
        ("127.0.0.1.", "is not an IP address in its usual form"),
        ("0x7f000001", "0x7f000001 leads to 127.0.0.1 is a loopback address"),
        ("0x7f.1", "0x7f.1 leads to 127.0.0.1 is a loopback address"),
        ("１２７.０.０.１", "127.0.0.1 is a loopback address"),
        ("①②⑦.0.0.1", "127.0.0.1 is a loopback address"),
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
