"""Redirects: followed as a browser does, each hop checked by the SSRF guard, without credentials for other hosts."""

import socket
from collections.abc import AsyncIterator
from typing import Any

import pytest
from aiohttp import web

from horae.clock import SystemClock
from horae.domain.runs.callback import Callbacks
from horae.domain.runs.states import AttemptOutcome
from horae.executors.http import HttpExecutor
from tests.integration.executors.attempts import make_attempt
from tests.integration.executors.calls import Server, call, permanently
from tests.integration.executors.test_http_request import verified


def redirects(server: Server, *hops: tuple[int, str]) -> None:
    """Answers the first requests with these, and all others with 200."""
    left = list(hops)

    async def answer(_: web.Request) -> web.StreamResponse:
        if not left:
            return web.json_response({"ok": True})
        status, location = left.pop(0)
        return web.Response(status=status, headers={"Location": location} if location else {}, body=b"moved")

    server.answer = answer


async def lookup(host: str, port: int, **_: Any) -> list[tuple[Any, ...]]:
    """Every name is this machine, but for one that is not to be reached."""
    address = "169.254.169.254" if host == "metadata.example" else "127.0.0.1"
    return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port))]


@pytest.fixture
async def named() -> AsyncIterator[HttpExecutor]:
    executor = HttpExecutor(SystemClock(), version="1", allow_private=True, lookup=lookup)
    yield executor
    await executor.close()


def at(server: Server, host: str, path: str = "") -> str:
    return server.url.replace("127.0.0.1", host) + path


@pytest.mark.parametrize(
    ("status", "method", "then"),
    [
        (301, "POST", "GET"),
        (302, "POST", "GET"),
        (303, "POST", "GET"),
        (303, "PUT", "GET"),
        (303, "HEAD", "HEAD"),
        (301, "PUT", "PUT"),
        (302, "DELETE", "DELETE"),
        (307, "POST", "POST"),
        (308, "PATCH", "PATCH"),
        (301, "GET", "GET"),
    ],
)
async def test_methods(http: HttpExecutor, server: Server, status: int, method: str, then: str) -> None:
    redirects(server, (status, "/there?x=1"))
    with_body: dict[str, Any] = {"body": "hello"} if method in ("POST", "PUT", "PATCH") else {}
    outcome = await call(
        http, server.url, method=method, follow_redirects=True, sign_with=["A"], secrets={"A": "k"}, **with_body
    )
    assert (outcome.kind, outcome.response_code) == (AttemptOutcome.SUCCEEDED, 200)
    second = server.requests[1]
    assert (second.method, second.raw_path) == (then, "/there?x=1")
    kept = b"hello" if with_body and method == then else b""
    assert server.bodies[1] == kept
    assert ("content-type" in second.headers) == bool(kept)
    assert verified(b"k", second, kept), "signed anew, for what is sent now"


async def test_without_being_asked_none_is_followed(http: HttpExecutor, server: Server) -> None:
    redirects(server, (302, "/there"))
    assert permanently(await call(http, server.url)) == "HTTP 302 Found"
    assert len(server.requests) == 1


async def test_at_most_five(http: HttpExecutor, server: Server) -> None:
    redirects(server, *[(307, f"/{n}") for n in range(5)])
    assert (await call(http, server.url, follow_redirects=True)).response_code == 200
    server.requests.clear()
    redirects(server, *[(307, "/round")] * 100)
    assert permanently(await call(http, server.url, follow_redirects=True)) == "more than 5 redirects"
    assert len(server.requests) == 6


async def test_one_that_leads_nowhere_is_the_answer(http: HttpExecutor, server: Server) -> None:
    redirects(server, (302, ""))
    assert permanently(await call(http, server.url, follow_redirects=True)) == "HTTP 302 Found"


@pytest.mark.parametrize(
    "location",
    [
        "ftp://example.org/",
        "file:///etc/passwd",
        "javascript:alert(1)",
        "http://user:password@127.0.0.1/",
        "http://[::1",
        "http://127.0.0.1:99999/",
        "http://exa mple.org/",
    ],
)
async def test_redirects_to_other_schemes_are_refused(http: HttpExecutor, server: Server, location: str) -> None:
    redirects(server, (302, location))
    error = permanently(await call(http, server.url, follow_redirects=True))
    assert error == "the response redirects to a URL that is not http or https"
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    "location",
    ["http://169.254.169.254/", "http://[::ffff:169.254.169.254]/", "http://0xa9fea9fe/", "http://metadata.example/"],
)
async def test_every_hop_is_checked(named: HttpExecutor, http: HttpExecutor, server: Server, location: str) -> None:
    redirects(server, (307, location))
    executor = named if "metadata" in location else http
    error = permanently(await call(executor, server.url, follow_redirects=True))
    assert "is the cloud metadata service" in error


async def test_from_the_internet_to_the_own_machine(server: Server) -> None:
    """A public name (as far as the first hop knows) may not send a call inside."""
    seen: list[str] = []

    async def outside(host: str, port: int, **_: Any) -> list[tuple[Any, ...]]:
        seen.append(host)
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", port))]

    executor = HttpExecutor(SystemClock(), version="1", lookup=outside)
    outcome = await call(executor, at(server, "public.example"), follow_redirects=True)
    await executor.close()
    assert "public.example resolves to an address that is not allowed: 127.0.0.1 is a loopback address" in permanently(
        outcome
    )
    assert (server.requests, seen) == ([], ["public.example"])


SECRETS = {"TOKEN": "t0k3n", "OTHER": "0th3r"}
PRIVATE: dict[str, Any] = {
    "headers": {
        "Cookie": "{{ secrets.OTHER }}",
        "X-Api-Key": "{{ secrets.OTHER }}",
        "X-Odd": "{{ secrets.OTHER }}",
        "X-Plain": "plain",
        "Accept": "text/csv",
    },
    "auth": {"bearer": "{{ secrets.TOKEN }}"},
    "secrets": SECRETS,
    "follow_redirects": True,
}


async def test_credentials_stay_with_their_host(named: HttpExecutor, server: Server) -> None:
    redirects(server, (307, "/same"), (307, at(server, "other.example", "elsewhere")), (307, at(server, "one.example")))
    outcome = await call(named, at(server, "one.example"), body="plain", **PRIVATE)
    assert outcome.response_code == 200
    first, same, other, back = server.requests
    for request in (first, same):
        assert request.headers["authorization"] == "Bearer t0k3n"
        assert request.headers["x-odd"] == "0th3r"
    for request in (other, back):  # what was left behind does not come back
        assert not {"authorization", "cookie", "x-api-key", "x-odd"} & {name.lower() for name in request.headers}
        assert "0th3r" not in str(request.headers)
        assert (request.headers["x-plain"], request.headers["accept"]) == ("plain", "text/csv")
        assert request.headers["idempotency-key"] == request.headers["webhook-id"] == "0195-run"
    assert other.headers["host"].startswith("other.example:")
    assert server.bodies == [b"plain"] * 4


async def test_another_port_is_another_host(named: HttpExecutor, server: Server) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        redirects(server, (307, f"http://one.example:{silent.getsockname()[1]}/"))
        attempt, _ = make_attempt(
            {"kind": "http", "url": at(server, "one.example"), "body": "{{ secrets.OTHER }}", "follow_redirects": True}
        )
        attempt.secrets = SECRETS
        error = permanently(await named.execute(attempt))
    assert error == "the response redirects to another host, which must not get the secrets in the body"


async def test_a_body_with_secrets_may_be_left_behind(named: HttpExecutor, server: Server) -> None:
    redirects(server, (303, at(server, "other.example")))
    outcome = await call(
        named, at(server, "one.example"), body="{{ secrets.OTHER }}", secrets=SECRETS, follow_redirects=True
    )
    assert outcome.response_code == 200
    assert server.bodies == [b"0th3r", b""]


async def test_a_callback_url_is_not_sent_to_another_host(server: Server) -> None:
    redirects(server, (307, at(server, "other.example")))
    executor = HttpExecutor(
        SystemClock(), version="1", allow_private=True, callbacks=Callbacks("http://h", "k" * 32), lookup=lookup
    )
    attempt, _ = make_attempt(
        {"kind": "http", "url": at(server, "one.example"), "follow_redirects": True, "callback": {}}
    )
    attempt.run = attempt.run._replace(id="0195d5a1-7c1e-7aaa-8bbb-0123456789ab")
    error = permanently(await executor.execute(attempt))
    await executor.close()
    assert error == "the response redirects to another host, which must not learn the callback URL"
    assert len(server.requests) == 1
