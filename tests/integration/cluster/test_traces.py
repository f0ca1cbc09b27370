"""Traces of runs through real processes, as a collector and as the called programs receive them."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from aiohttp import web
from opentelemetry.sdk.trace import TracerProvider

from horae.domain.runs.trace import span_id_of
from tests.integration.cluster import tasks
from tests.integration.cluster.cluster import KINDS, PATIENCE, Cluster, Make, Member, Row, eventually, free_port
from tests.integration.cluster.collector import Collector, Received
from tests.integration.executors.archives import digest, zipped
from tests.integration.executors.containers import shell
from tests.integration.executors.podman import Podman
from tests.waiting import until

pytestmark = pytest.mark.slow

TRACE, CALLER = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
TRACEPARENT = f"00-{TRACE}-{CALLER}-01"
SOON = {"max_attempts": 2, "backoff": "fixed", "delay": 0.1, "jitter": 0}
SECRET = "words that a job holds"
ECHO = {"kind": "script", "interpreter": "sh", "source": 'echo "traceparent=$TRACEPARENT"'}


@pytest.fixture
def collector() -> Iterator[Collector]:
    it = Collector()
    yield it
    it.close()


@pytest.fixture
def echo() -> Iterator[tuple[str, list[str | None]]]:
    """A service, and the `traceparent` of each call."""
    heard: list[str | None] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            heard.append(self.headers["traceparent"])
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/", heard
    server.shutdown()
    server.server_close()


def tracing(collector: Collector, **more: str) -> dict[str, str]:
    return {"HORAE_TRACES": "1", "OTEL_EXPORTER_OTLP_ENDPOINT": collector.url, **more}


class Caller:
    def __init__(self, cluster: Cluster, serve: Member, token: str) -> None:
        self._cluster, self._url = cluster, f"http://127.0.0.1:{serve.port}/api/v1"
        self._headers = {"Authorization": f"Bearer {token}"}

    @classmethod
    async def of(cls, cluster: Cluster) -> "Caller":
        return cls(cluster, await cluster.start_serve(), await cluster.key("owner"))

    async def post(self, path: str, body: Any = None, traceparent: str | None = TRACEPARENT) -> Any:
        headers = self._headers if traceparent is None else {**self._headers, "traceparent": traceparent}
        async with (
            aiohttp.ClientSession() as session,
            session.post(self._url + path, json=body or {}, headers=headers) as answer,
        ):
            assert answer.ok, await answer.text()
            return json.loads(await answer.text())

    async def run(self, name: str, target: Row, **fields: Any) -> Row:
        await self._cluster.create(name, target, **fields)
        run: Row = await self.post(f"/jobs/{name}/run")
        return run


async def traced(collector: Collector, run_id: str, count: int = 4) -> dict[str, Received]:
    """The spans of a run by name, those of attempts and waits with their number."""
    await until(lambda: len(collector.of(run_id)) >= count, timeout=PATIENCE, message=f"{count} spans")
    spans = collector.of(run_id)
    assert len({span.span_id for span in spans}) == len(spans) == count
    return {_label(span): span for span in spans}


def _label(span: Received) -> str:
    number = span.attributes.get("horae.attempt")
    return span.name if number is None else f"{span.name} {number}"


@pytest.mark.parametrize("kind", KINDS[:1])
async def test_a_run_is_a_part_of_its_caller_s_trace(kind: str, make_cluster: Make, collector: Collector, echo) -> None:
    url, heard = echo
    cluster = await make_cluster(kind, **tracing(collector))
    worker = await cluster.start_worker()
    call = await Caller.of(cluster)
    run = await call.run("calls", {"kind": "http", "method": "GET", "url": url, "headers": {"X-Word": SECRET}})
    assert run["trace_id"] == TRACE
    spans = await traced(collector, run["id"])
    assert {name: span.service for name, span in spans.items()} == {
        "horae.run": "horae-worker",
        "horae.enqueue": "horae-serve",
        "horae.wait 1": "horae-worker",
        "horae.attempt 1": "horae-worker",
    }
    whole, attempt = spans["horae.run"], spans["horae.attempt 1"]
    assert {span.trace_id for span in spans.values()} == {TRACE}
    assert whole.parent_id == CALLER
    assert {span.parent_id for span in spans.values() if span is not whole} == {whole.span_id}
    assert heard == [f"00-{TRACE}-{attempt.span_id}-01"], "the call is a part of the attempt"
    assert whole.start <= attempt.start <= attempt.end <= whole.end
    assert attempt.attributes | {} == {
        "horae.run.id": run["id"],
        "horae.job.id": run["job_id"],
        "horae.job.name": "calls",
        "horae.project.id": cluster.project_id,
        "horae.target": "http",
        "messaging.destination.name": "default",
        "horae.attempt": 1,
        "horae.outcome": "succeeded",
        "messaging.client.id": worker.id,
        "messaging.message.id": run["id"],
        "messaging.operation.name": "attempt",
        "messaging.operation.type": "process",
        "messaging.system": "horae",
        "http.response.status_code": 204,
    }
    queued = spans["horae.enqueue"]
    assert (queued.attributes["messaging.operation.type"], queued.attributes["messaging.message.id"]) == (
        "send",
        run["id"],
    )
    assert [span.links for span in (attempt, queued)] == [[queued.span_id], []]
    assert (whole.attributes["horae.status"], whole.attributes["horae.job.name"]) == ("succeeded", "calls")
    ended = [line for line in worker.logged("run ended") if line["run"] == run["id"]]
    assert [line["trace_id"] for line in ended] == [TRACE]
    assert SECRET not in "".join(span.text for span in collector.spans)


async def test_scripts_and_functions_join_it(make_cluster: Make, collector: Collector) -> None:
    cluster = await make_cluster("sqlite", **tracing(collector))
    await cluster.start_worker()
    call = await Caller.of(cluster)
    run = await call.run("script", ECHO)
    await cluster.ended(run["id"])
    own = span_id_of(run["id"], "attempt 1")
    assert await cluster.log(run["id"]) == f"traceparent=00-{TRACE}-{own}-01\n"
    own_way = {**ECHO, "env": {"TRACEPARENT": "of its own"}}
    run = await call.run("script of its own", own_way)
    await cluster.ended(run["id"])
    assert await cluster.log(run["id"]) == "traceparent=of its own\n"
    for function in ("traced", "traced_in_thread", "traced_apart"):
        run = await call.run(function, {"kind": "python", "function": function})
        ended = await cluster.ended(run["id"])
        own = span_id_of(run["id"], "attempt 1")
        assert ended.result == {"given": f"00-{TRACE}-{own}-01", "current": f"{TRACE}-{own}"}, function
    # A run that no caller traces has its own trace, which everyone can tell from its id.
    (run_id,) = await cluster.run("traced_apart")
    own = span_id_of(run_id, "attempt 1")
    assert (await cluster.ended(run_id)).result["current"] == f"{run_id.replace('-', '')}-{own}"
    made = await call.post("/jobs/traced/runs:batch", {"runs": [{}, {}]})
    assert [run["trace_id"] for run in made["items"]] == [TRACE, TRACE]


async def test_containers_and_archives_join_it(
    make_cluster: Make, collector: Collector, podman: Podman, tmp_path: Path
) -> None:
    settings = {
        "HORAE_EXECUTORS": "container,artifact",
        "HORAE_CONTAINER_HOST": f"unix://{podman.socket}",
        "HORAE_ARTIFACT_CACHE": str(tmp_path / "cache"),
        "HORAE_ARTIFACT_FOLDERS": str(tmp_path),
    }
    cluster = await make_cluster("sqlite", **tracing(collector, **settings))
    await cluster.start_worker()
    call = await Caller.of(cluster)
    run = await call.run("contained", shell('echo "traceparent=$TRACEPARENT"'))
    assert (await cluster.ended(run["id"])).status == "succeeded"
    assert await cluster.log(run["id"]) == f"traceparent=00-{TRACE}-{span_id_of(run['id'], 'attempt 1')}-01\n"
    podman.run("rm", "--all", "--force", "--time=0")
    content = zipped({"m.py": "import os\ndef f(): return os.environ['TRACEPARENT']"})
    (tmp_path / "m.zip").write_bytes(content)
    target = {"kind": "artifact", "uri": f"file://{tmp_path}/m.zip", "digest": digest(content), "entrypoint": "m:f"}
    run = await call.run("archive", target)
    assert (await cluster.ended(run["id"])).result == f"00-{TRACE}-{span_id_of(run['id'], 'attempt 1')}-01"


async def test_retries_and_a_dead_letter(make_cluster: Make, collector: Collector) -> None:
    cluster = await make_cluster("sqlite", **tracing(collector))
    await cluster.start_worker()
    call = await Caller.of(cluster)
    target = {"kind": "script", "interpreter": "sh", "source": f"echo '{SECRET}' >&2; exit 3"}
    run = await call.run("fails", target, retry=SOON)
    spans = await traced(collector, run["id"], 6)
    whole = spans["horae.run"]
    assert whole.failed
    assert (whole.attributes["horae.attempts"], whole.attributes["horae.dead_letter"]) == (2, True)
    for number in (1, 2):
        attempt = spans[f"horae.attempt {number}"]
        assert attempt.failed
        assert (attempt.attributes["horae.outcome"], attempt.attributes["process.exit.code"]) == ("failed", 3)
        assert attempt.attributes["error.type"] == "failed"
        assert attempt.start >= spans[f"horae.wait {number}"].end
    assert SECRET not in "".join(span.text for span in collector.spans)


async def test_an_attempt_that_was_lost_with_its_worker(make_cluster: Make, collector: Collector, tmp_path) -> None:
    cluster = await make_cluster("sqlite", **tracing(collector))
    await cluster.start_scheduler()
    first = await cluster.start_worker()
    gate = tmp_path / "gate"
    source = f"while [ ! -e {gate} ]; do sleep 0.05; done"
    run_id = await cluster.start_run("risky", {"kind": "script", "interpreter": "sh", "source": source}, retry=SOON)
    await cluster.running(run_id)
    await first.kill()
    gate.touch()
    await cluster.start_worker()  # which notices at once that its process is gone
    spans = await traced(collector, run_id, 4)  # the test queued it itself, and the first wait was lost
    lost, whole = spans["horae.attempt 1"], spans["horae.run"]
    assert (lost.attributes["horae.outcome"], lost.failed) == ("lost", True)
    assert lost.parent_id == spans["horae.attempt 2"].parent_id == whole.span_id
    assert (whole.parent_id, whole.trace_id) == ("", run_id.replace("-", ""))
    assert not whole.failed


async def test_a_parked_attempt_ends_with_its_callback(make_cluster: Make, collector: Collector) -> None:
    port = free_port()
    public = f"http://127.0.0.1:{port}"
    cluster = await make_cluster("sqlite", **tracing(collector, HORAE_PUBLIC_URL=public))
    worker, serve = await cluster.start_worker(), await cluster.start_serve(HORAE_PORT=str(port))
    addresses: list[str] = []

    async def accept(request: web.Request) -> web.Response:
        addresses.append(request.headers["Horae-Callback-Url"])
        return web.Response(status=202)

    app = web.Application()
    app.router.add_post("/", accept)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    url = f"http://127.0.0.1:{runner.addresses[0][1]}/"
    target = {"kind": "http", "method": "POST", "url": url, "callback": {"timeout": 600}}
    run_id = await cluster.start_run("parks", target)
    await cluster.run_is(run_id, lambda run: run.parked)
    async with aiohttp.ClientSession() as session, session.post(addresses[0], json={"status": "succeeded"}) as answer:
        assert answer.status == 200
    await runner.cleanup()
    spans = await traced(collector, run_id, 3)
    attempt = spans["horae.attempt 1"]
    assert (attempt.service, attempt.attributes["horae.outcome"]) == ("horae-serve", "succeeded")
    assert attempt.parent_id == spans["horae.run"].span_id
    assert [line["attempt"] for line in worker.logged("run parked")] == [1]
    told = [line["event"] for line in serve.lines() if line.get("run") == run_id]
    assert told == ["attempt succeeded", "run ended"]


async def test_the_sdk_passes_the_current_span_on(
    make_cluster: Make, collector: Collector, monkeypatch: pytest.MonkeyPatch
) -> None:
    cluster = await make_cluster("sqlite", **tracing(collector))
    api = await cluster.with_api()
    tracer = TracerProvider().get_tracer("a program")
    for direct in (False, True):
        for name, value in (cluster.settings if direct else api).items():
            monkeypatch.setenv(name, value)
        if direct:
            monkeypatch.delenv("HORAE_URL")
        with tracer.start_as_current_span("enqueues") as span:
            here = f"{span.get_span_context().trace_id:032x}"
            assert tasks.traced.enqueue().trace_id == here
            assert (await tasks.traced.enqueue_async()).trace_id == here
        run = tasks.traced.options(traceparent=TRACEPARENT).enqueue()
        assert run.trace_id == TRACE
        alone = tasks.traced.enqueue()
        assert alone.trace_id == alone.id.replace("-", "")


async def test_what_is_not_sampled_is_passed_on_and_not_sent(make_cluster: Make, collector: Collector) -> None:
    cluster = await make_cluster("sqlite", **tracing(collector))
    worker = await cluster.start_worker()
    call = await Caller.of(cluster)
    await cluster.create("script", ECHO)
    run = await call.post("/jobs/script/run", traceparent=f"00-{TRACE}-{CALLER}-00")
    await cluster.ended(run["id"])
    assert await cluster.log(run["id"]) == f"traceparent=00-{TRACE}-{span_id_of(run['id'], 'attempt 1')}-00\n"
    assert await worker.stop() == 0
    assert collector.of(run["id"]) == []


async def test_without_tracing_the_caller_s_is_passed_on_as_it_is(make_cluster: Make, echo) -> None:
    url, heard = echo
    cluster = await make_cluster("sqlite")
    await cluster.start_worker()
    call = await Caller.of(cluster)
    run = await call.run("calls", {"kind": "http", "method": "GET", "url": url})
    await cluster.ended(run["id"])
    assert heard == [TRACEPARENT]
    follows = {"after": {"job": "calls"}}
    chained = await cluster.create("follows", ECHO, schedule=follows)
    await call.post("/jobs/calls/run")

    async def followed() -> list[Row]:
        return await cluster.ask("SELECT id, traceparent FROM run_history WHERE job_id = :id", id=chained)

    (row,) = await eventually(followed)
    assert row["traceparent"] == TRACEPARENT, "what follows a run is in its trace"
    assert await cluster.log(row["id"]) == f"traceparent={TRACEPARENT}\n"
    (untraced,) = await cluster.run("follows")
    await cluster.ended(untraced)
    assert await cluster.log(untraced) == "traceparent=\n"


async def test_a_hostile_traceparent_is_ignored(make_cluster: Make) -> None:
    cluster = await make_cluster("sqlite")
    call = await Caller.of(cluster)
    await cluster.create("script", ECHO)
    for hostile in (
        "00-" + "0" * 32 + f"-{CALLER}-01",
        f"00-{TRACE}-{'0' * 16}-01",
        f"ff-{TRACE}-{CALLER}-01",
        f"00-{TRACE.upper()}-{CALLER}-01",
        f"{TRACEPARENT}-{'x' * 4_000}",
        "'; DROP TABLE runs; --",
    ):
        run = await call.post("/jobs/script/run", traceparent=hostile)
        assert run["trace_id"] == run["id"].replace("-", ""), hostile


async def test_a_collector_that_is_away_delays_nothing(make_cluster: Make) -> None:
    nowhere = f"http://127.0.0.1:{free_port()}"
    cluster = await make_cluster("sqlite", HORAE_TRACES="1", OTEL_EXPORTER_OTLP_ENDPOINT=nowhere)
    worker = await cluster.start_worker()
    await cluster.create("quick", {"kind": "python", "function": "nothing"})
    for _ in range(3):
        for run_id in await cluster.run("quick", 200):
            assert (await cluster.ended(run_id)).status == "succeeded"
    await until(lambda: worker.logged("traces: no collector"), timeout=PATIENCE)
    assert await worker.stop() == 0
    assert len(worker.logged("traces")) == 1, "it is logged once"
