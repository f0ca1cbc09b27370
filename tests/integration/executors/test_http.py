"""Calls to real servers on loopback, well-behaved and otherwise."""

import asyncio
import gzip
import json
import socket
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path

import pytest
from aiohttp import web

from horae.domain.runs.outcome import Outcome
from horae.domain.runs.states import AttemptOutcome, StopReason
from horae.executors.http import HttpExecutor
from horae.executors.http_answer import BODY_LIMIT
from tests.certificate import self_signed
from tests.integration.executors.attempts import make_attempt, running
from tests.integration.executors.calls import Server, call, result
from tests.waiting import until


@asynccontextmanager
async def raw_server(answer: bytes, *, endless: bytes = b"") -> AsyncIterator[str]:
    """Sends these raw bytes in response to any request."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await reader.readuntil(b"\r\n\r\n")
            writer.write(answer)
            await writer.drain()
            while endless:
                writer.write(endless)
                await writer.drain()
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/"


class TestRequest:
    async def test_the_request_arrives_as_defined(self, http: HttpExecutor, server: Server) -> None:
        await call(
            http,
            f"{server.url}a%2Fb?x=1",
            method="PUT",
            headers={"X-Own": "ü", "user-agent": "mine", "WEBHOOK-ID": "forged", "accept-encoding": "gzip"},
            query={"y": "2 &=ü", "x": "again"},
            body='{"a": 1}',
        )
        request = server.requests[0]
        assert request.method == "PUT"
        assert request.raw_path == "/a%2Fb?x=1&y=2+%26%3D%C3%BC&x=again"
        assert server.bodies == [b'{"a": 1}']
        headers = request.headers
        assert headers["content-type"] == "application/json"
        assert headers["x-own"] == "ü"
        assert headers.getall("user-agent") == ["mine"]
        assert headers.getall("webhook-id") == ["0195-run"]
        assert headers.getall("accept-encoding") == ["identity"]
        assert headers["idempotency-key"] == "0195-run"
        assert abs(int(headers["webhook-timestamp"]) - datetime.now(UTC).timestamp()) < 10

    async def test_no_unexpected_headers_are_sent(self, http: HttpExecutor, server: Server) -> None:
        await call(http, server.url, method="GET")
        headers = server.requests[0].headers
        assert headers["user-agent"] == "horae/1.2.3"
        assert set(map(str.lower, headers)) == {
            "host",
            "user-agent",
            "accept",
            "accept-encoding",
            "idempotency-key",
            "webhook-id",
            "webhook-timestamp",
        }

    @pytest.mark.parametrize(
        ("body", "kind"),
        [
            (" [1]", "application/json"),
            ("{not json", "text/plain; charset=utf-8"),
            ("hello ü", "text/plain; charset=utf-8"),
            ("", "text/plain; charset=utf-8"),
        ],
    )
    async def test_content_type(self, http: HttpExecutor, server: Server, body: str, kind: str) -> None:
        await call(http, server.url, body=body)
        assert server.requests[0].headers["content-type"] == kind
        assert server.bodies == [body.encode()]

    async def test_own_content_type(self, http: HttpExecutor, server: Server) -> None:
        await call(http, server.url, body="{}", headers={"content-type": "application/cloudevents+json"})
        assert server.requests[0].headers.getall("content-type") == ["application/cloudevents+json"]

    @pytest.mark.parametrize("method", ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD"])
    async def test_methods(self, http: HttpExecutor, server: Server, method: str) -> None:
        outcome = await call(http, server.url, method=method)
        assert (outcome.kind, server.requests[0].method) == (AttemptOutcome.SUCCEEDED, method)

    async def test_connections_are_reused_and_cookies_forgotten(self, http: HttpExecutor, server: Server) -> None:
        async def set_cookie(_: web.Request) -> web.StreamResponse:
            return web.Response(headers={"Set-Cookie": "a=b"})

        server.answer = set_cookie
        for _ in range(5):
            await call(http, server.url)
        assert len(server.connections) == 1
        assert not any("cookie" in request.headers for request in server.requests)


class TestAnswer:
    async def test_result(self, http: HttpExecutor, server: Server) -> None:
        async def answer(_: web.Request) -> web.StreamResponse:
            return web.Response(
                body="grüß\0".encode("latin-1"),
                headers=[("Content-Type", "text/plain; charset=ISO-8859-1"), ("X-Two", "a"), ("X-Two", "b")],
                status=201,
            )

        server.answer = answer
        outcome = await call(http, server.url)
        assert (outcome.kind, outcome.response_code, outcome.error) == (AttemptOutcome.SUCCEEDED, 201, None)
        seen = result(outcome)
        assert (seen["status"], seen["body"], seen["truncated"]) == (201, "grüß�", False)
        assert seen["headers"]["x-two"] == "a, b"
        assert 0 <= seen["timings"]["headers_ms"] <= seen["timings"]["total_ms"]

    @pytest.mark.parametrize("status", [200, 201, 202, 204, 299])
    async def test_success(self, http: HttpExecutor, server: Server, status: int) -> None:
        assert (await self._status(http, server, status)).kind is AttemptOutcome.SUCCEEDED

    @pytest.mark.parametrize("status", [408, 425, 429, 500, 502, 503, 504, 599])
    async def test_transient(self, http: HttpExecutor, server: Server, status: int) -> None:
        outcome = await self._status(http, server, status)
        assert (outcome.kind, outcome.permanent) == (AttemptOutcome.FAILED, False)
        assert str(outcome.error).startswith(f"HTTP {status}")
        assert outcome.response_code == status
        assert outcome.retry_after is None

    @pytest.mark.parametrize("status", [300, 301, 302, 303, 304, 307, 308, 400, 401, 403, 404, 410, 422])
    async def test_permanent(self, http: HttpExecutor, server: Server, status: int) -> None:
        outcome = await self._status(http, server, status, Location=server.url, **{"Retry-After": "5"})
        assert (outcome.kind, outcome.permanent) == (AttemptOutcome.FAILED, True)
        assert outcome.retry_after is None
        assert len(server.requests) == 1, "a redirect is not followed"

    @pytest.mark.parametrize("status", [429, 503])
    async def test_retry_after(self, http: HttpExecutor, server: Server, status: int) -> None:
        outcome = await self._status(http, server, status, **{"Retry-After": "17"})
        assert outcome.retry_after == 17

    async def _status(self, http: HttpExecutor, server: Server, status: int, **headers: str) -> Outcome:
        async def answer(_: web.Request) -> web.StreamResponse:
            return web.Response(status=status, headers=headers)

        server.answer = answer
        return await call(http, server.url)

    @pytest.mark.parametrize(("size", "cut"), [(BODY_LIMIT, False), (BODY_LIMIT + 1, True), (5_000_000, True)])
    async def test_long_bodies_are_cut(self, http: HttpExecutor, server: Server, size: int, cut: bool) -> None:
        async def answer(_: web.Request) -> web.StreamResponse:
            return web.Response(body=b"x" * size)

        server.answer = answer
        seen = result(await call(http, server.url))
        assert (len(seen["body"]), seen["truncated"]) == (min(size, BODY_LIMIT), cut)

    async def test_endless_bodies_are_left(self, http: HttpExecutor) -> None:
        async with raw_server(b"HTTP/1.1 200 OK\r\n\r\n", endless=b"x" * 100_000) as url:
            seen = result(await call(http, url))
        assert (len(seen["body"]), seen["truncated"]) == (BODY_LIMIT, True)

    async def test_a_bomb_is_not_unpacked(self, http: HttpExecutor, server: Server) -> None:
        async def answer(_: web.Request) -> web.StreamResponse:
            return web.Response(body=gzip.compress(b"0" * 50_000_000), headers={"Content-Encoding": "gzip"})

        server.answer = answer
        assert not result(await call(http, server.url))["truncated"]  # 49 KB as they came

    async def test_headers_are_bounded_and_made_storable(self, http: HttpExecutor) -> None:
        many = b"".join(b"X-%d: %s\r\n" % (n, b"v" * 1000) for n in range(50))
        async with raw_server(b"HTTP/1.1 200 \xff\r\nX-Raw: \xff\r\n" + many + b"Content-Length: 0\r\n\r\n") as url:
            outcome = await call(http, url)
        seen = result(outcome)
        assert "�" in seen["headers"]["x-raw"] or "?" in seen["headers"]["x-raw"]
        assert len(json.dumps(seen["headers"])) < 20_000

    @pytest.mark.parametrize("charset", ["no-such", "hex", "idna", "punycode", "unicode_escape"])
    async def test_odd_charsets_are_read_as_utf_8(self, http: HttpExecutor, charset: str) -> None:
        head = f"HTTP/1.1 200 OK\r\nContent-Type: text/plain; charset={charset}\r\nContent-Length: 3\r\n\r\n"
        async with raw_server(head.encode() + b"abc") as url:
            assert result(await call(http, url))["body"] == "abc"


class TestTrouble:
    @pytest.mark.parametrize(
        "answer",
        [
            b"",
            b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort",
            b"nonsense\r\n\r\n",
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
            b"HTTP/1.1 200 OK\r\nX: " + b"x" * 100_000 + b"\r\n\r\n",
            b"HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n",
        ],
    )
    async def test_broken_answers_are_transient(self, http: HttpExecutor, answer: bytes) -> None:
        async with raw_server(answer) as url:
            outcome = await call(http, url)
        assert (outcome.kind, outcome.permanent) == (AttemptOutcome.FAILED, False)
        assert outcome.error
        assert "\n" not in outcome.error

    async def test_a_refused_connection_is_retryable(self, http: HttpExecutor) -> None:
        with socket.create_server(("127.0.0.1", 0)) as taken:
            port = taken.getsockname()[1]
        outcome = await call(http, f"http://127.0.0.1:{port}/")
        assert not outcome.permanent
        assert outcome.error == f"cannot connect to 127.0.0.1:{port}: Connection refused"

    async def test_no_such_name(self, http: HttpExecutor) -> None:
        outcome = await call(http, "http://nobody.invalid/")
        assert (outcome.kind, outcome.permanent) == (AttemptOutcome.FAILED, False)
        assert str(outcome.error).startswith("cannot connect to nobody.invalid:80: ")

    async def test_an_untrusted_certificate_fails(self, http: HttpExecutor, tmp_path: Path) -> None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self_signed(tmp_path))
        server = await asyncio.start_server(lambda *_: None, "127.0.0.1", 0, ssl=context)
        async with server:
            outcome = await call(http, f"https://127.0.0.1:{server.sockets[0].getsockname()[1]}/")
        assert outcome.kind is AttemptOutcome.FAILED
        assert "certificate" in str(outcome.error).lower()

    async def test_a_stop_hangs_up(self, http: HttpExecutor, server: Server) -> None:
        left = asyncio.Event()

        async def wait(_: web.Request) -> web.StreamResponse:
            try:
                await asyncio.Event().wait()
            finally:
                left.set()
            raise AssertionError

        server.answer = wait
        attempt, _ = make_attempt({"kind": "http", "url": server.url}, grace=600)
        async with running(http, attempt) as it:
            await until(lambda: server.requests)
            it.stop(StopReason.TIMEOUT)
            assert await it.is_stopped()
        await asyncio.wait_for(left.wait(), 10)
