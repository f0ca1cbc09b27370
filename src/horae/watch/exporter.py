"""The exporter: metrics and probes of schedulers and workers over HTTP, on a separate port (HORAE_METRICS_PORT). It
answers one short request per connection, and is bounded in size, time and number: it shares the loop that runs jobs."""

from __future__ import annotations

import asyncio
import hmac
from collections.abc import Callable

import orjson

from horae.domain.cluster.meters import Meters
from horae.domain.cluster.readiness import Readiness
from horae.watch.exposition import exposed

_LONGEST = 8_192  # bytes of a request's head
_PATIENCE = 5.0  # seconds for a whole exchange
_MOST = 32  # connections at a time
_JSON = "application/json"


class Exporter:
    """`token` grants access to the metrics; probes are open to everyone who can reach the port."""

    def __init__(self, meters: Callable[[], Meters], ready: Callable[[], Readiness], token: str | None = None) -> None:
        self._meters, self._ready, self._token = meters, ready, token
        self._server: asyncio.Server | None = None
        self._open: dict[asyncio.StreamWriter, None] = {}  # oldest first

    async def start(self, host: str, port: int) -> int:
        """Returns the port that it listens on: different from `port` only if that is 0."""
        self._server = await asyncio.start_server(self._serve, host, port, limit=_LONGEST)
        found: int = self._server.sockets[0].getsockname()[1]
        return found

    async def close(self) -> None:
        if self._server is not None:
            self._server.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if len(self._open) >= _MOST:
            # The oldest makes room, not the newest: a client that holds connections open must not fail the probes.
            oldest = next(iter(self._open))
            del self._open[oldest]
            oldest.transport.abort()
        self._open[writer] = None
        try:
            async with asyncio.timeout(_PATIENCE):
                head = await reader.readuntil(b"\r\n\r\n")
                writer.write(self._answer(head))
                await writer.drain()
        except (OSError, TimeoutError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            pass
        finally:
            self._open.pop(writer, None)
            writer.close()

    def _answer(self, head: bytes) -> bytes:
        first, *lines = head.decode("latin-1").split("\r\n")
        method, _, rest = first.partition(" ")
        path = rest.partition(" ")[0].partition("?")[0]
        headers = {name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        status, kind, body = self._found(method, path, headers)
        lead = f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n"
        lead += "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n"
        return lead.encode() + (b"" if method == "HEAD" else body)

    def _found(self, method: str, path: str, headers: dict[str, str]) -> tuple[str, str, bytes]:
        if method not in ("GET", "HEAD"):
            return _said("405 Method Not Allowed", "only GET and HEAD")
        if path in ("/health", "/health/live"):
            return "200 OK", _JSON, orjson.dumps({"status": "healthy", "service": "horae"})
        if path == "/health/ready":
            found = self._ready()
            said = {"status": "ready" if found.ready else "not ready", "service": "horae", "reasons": found.reasons}
            return "200 OK" if found.ready else "503 Service Unavailable", _JSON, orjson.dumps(said)
        if path == "/metrics":
            given = headers.get("authorization", "").encode()
            if self._token is not None and not hmac.compare_digest(given, f"Bearer {self._token}".encode()):
                return _said("401 Unauthorized", "send HORAE_METRICS_TOKEN as a bearer token")
            body, kind = exposed(self._meters(), headers.get("accept", ""))
            return "200 OK", kind, body
        return _said("404 Not Found", "here are /metrics, /health/live and /health/ready")


def _said(status: str, detail: str) -> tuple[str, str, bytes]:
    return status, _JSON, orjson.dumps({"detail": detail})
