"""Errors of Horae's own code, as a service that speaks Sentry's protocol receives them."""

import gzip
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import aiohttp
import pytest

from tests.integration.cluster.cluster import PATIENCE, Make
from tests.waiting import until

pytestmark = pytest.mark.slow

SECRET = "a-word-that-only-the-request-holds"


class Ingest:
    """Takes envelopes: a line of header, then for each item a line of header and its payload."""

    def __init__(self) -> None:
        self.raw: list[str] = []
        ingest = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                if self.headers.get("Content-Encoding") == "gzip":
                    body = gzip.decompress(body)
                ingest.raw.append(body.decode())
                self.send_response(200)
                self.end_headers()
                self.wfile.write(b"{}")

            def log_message(self, *_: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.dsn = f"http://publickey@127.0.0.1:{self._server.server_port}/7"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    @property
    def events(self) -> list[dict[str, Any]]:
        found = [json.loads(line) for raw in self.raw for line in raw.splitlines() if line.startswith("{")]
        return [one for one in found if "exception" in one]

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture
def ingest() -> Iterator[Ingest]:
    it = Ingest()
    yield it
    it.close()


async def test_an_error_of_our_own_is_reported_without_what_the_request_holds(
    make_cluster: Make, ingest: Ingest
) -> None:
    cluster = await make_cluster("sqlite", HORAE_SENTRY_DSN=ingest.dsn)
    serve = await cluster.start_serve()
    token = await cluster.key("owner")
    await cluster.tell("ALTER TABLE job_versions RENAME TO elsewhere")
    job = {"name": SECRET, "target": {"kind": "script", "interpreter": "sh", "source": f"echo {SECRET}"}}
    headers = {"Authorization": f"Bearer {token}", "X-Request-Id": "request-that-fails"}
    url = f"http://127.0.0.1:{serve.port}/api/v1/jobs"
    async with aiohttp.ClientSession() as session, session.post(url, json=job, headers=headers) as answer:
        assert answer.status == 500
    await until(lambda: ingest.events, timeout=PATIENCE)
    (event,) = ingest.events
    assert event["logentry"]["message"] == "request failed"
    assert event["tags"] == {"role": "serve", "request_id": "request-that-fails", "method": "POST"}
    (*_, raised) = event["exception"]["values"]
    assert raised["type"] == "OperationalError"
    assert any(frame["module"] == "horae.lifecycle.submit" for frame in raised["stacktrace"]["frames"])
    sent = "".join(ingest.raw)
    for secret in (
        SECRET,
        token,
        cluster.settings["HORAE_SECRET_KEY"],
        str(cluster.folder),
        "elsewhere",
        "job_versions",
    ):
        assert secret not in sent
    serve.reap()
    cluster.members.remove(serve)  # its traceback is what was wanted


async def test_errors_of_jobs_are_not_reported(make_cluster: Make, ingest: Ingest) -> None:
    cluster = await make_cluster("sqlite", HORAE_SENTRY_DSN=ingest.dsn)
    worker = await cluster.start_worker()
    once = {"max_attempts": 1}
    await cluster.create("raises", {"kind": "python", "function": "logs_and_raises"}, retry=once)
    (run_id,) = await cluster.run("raises")
    assert (await cluster.ended(run_id)).status == "failed"
    assert await worker.stop() == 0
    assert ingest.raw == []
    assert worker.logged("an error of the user's own")
    cluster.members.remove(worker)
