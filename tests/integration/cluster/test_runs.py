"""Runs from the trigger to history, through real workers: success, retries, timeout, cancellation."""

import asyncio
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from horae.lifecycle.cancel import cancel_runs
from tests.integration.cluster.cluster import KINDS, PATIENCE, Cluster, Make, eventually, is_alive
from tests.integration.cluster.oracle import Oracle
from tests.waiting import until

pytestmark = pytest.mark.slow

SOON = {"max_attempts": 3, "backoff": "fixed", "delay": 0.3, "jitter": 0}


@pytest.mark.parametrize("kind", KINDS)
async def test_runs_end_in_every_possible_way(
    kind: str, make_cluster: Make, oracle: Oracle, tmp_path: Path, web: "Web"
) -> None:
    """All at once on one cluster, as it would be: starting processes is what takes the time."""
    cluster = await make_cluster(kind)
    await asyncio.gather(cluster.start_scheduler(), cluster.start_worker())
    await asyncio.gather(
        is_cancelled(cluster, oracle),
        times_out(cluster, tmp_path),
        succeeds_in_the_end(cluster, tmp_path),
        calls(cluster, web),
        calls_again(cluster, web),
        calls_in_vain(cluster, web),
        calls_a_function(cluster, oracle),
    )
    await logs_while_it_runs(cluster, tmp_path)


async def is_cancelled(cluster: Cluster, oracle: Oracle) -> None:
    source = f"trap '{oracle.script('told')}; exit 7' TERM; {oracle.script('start')}; while :; do sleep 0.05; done"
    run_id = await cluster.start_run("cancelled", {"kind": "script", "source": source}, retry=SOON)
    (note,) = await until(lambda: [n for n in oracle.notes("start") if n.run_id == run_id], timeout=PATIENCE)
    await cluster.store.transact(cancel_runs, project_id=cluster.project_id, run_ids=[run_id], actor="the test")
    run = await cluster.ended(run_id)
    assert (run.status, run.attempt) == ("cancelled", 1)
    assert not is_alive(note.pid)
    assert oracle.attempts("told")[run_id] == [1]
    assert await cluster.attempts(run_id) == []
    assert await cluster.count(f"dead_letters WHERE run_id = '{run_id}'") == 0


async def times_out(cluster: Cluster, folder: Path) -> None:
    target = {"kind": "script", "source": f"echo $$ >> {folder}/late; exec sleep 600"}
    run_id = await cluster.start_run("late", target, timeout=1, retry={**SOON, "max_attempts": 2})
    run = await cluster.ended(run_id)
    assert (run.status, run.reason, run.attempt) == ("failed", "attempts", 2)
    assert "timeout of 1 s" in str(run.error)
    assert [(a.n, a.outcome) for a in await cluster.attempts(run_id)] == [(1, "timed_out")]
    pids = [int(line) for line in (folder / "late").read_text().split()]
    assert len(pids) == 2
    assert not any(is_alive(pid) for pid in pids)
    assert await cluster.count(f"dead_letters WHERE run_id = '{run_id}'") == 1


async def succeeds_in_the_end(cluster: Cluster, folder: Path) -> None:
    source = f"echo x >> {folder}/tries; n=$(wc -l < {folder}/tries); echo try $n; [ $n -ge 3 ] || exit 1$n"
    run_id = await cluster.start_run("thrice", {"kind": "script", "source": source}, retry=SOON)
    run = await cluster.ended(run_id)
    assert (run.status, run.attempt, run.exit_code) == ("succeeded", 3, 0)
    tries = await cluster.attempts(run_id)
    assert [(a.n, a.outcome, a.exit_code) for a in tries] == [(1, "failed", 11), (2, "failed", 12)]
    begun, over = [tries[1].started_at, run.started_at], [one.finished_at for one in tries]
    pauses = [begins - ended for begins, ended in zip(begun, over, strict=True) if begins and ended]
    assert len(pauses) == 2
    assert min(pause.total_seconds() for pause in pauses) > 0.1
    assert await cluster.log(run_id) == "try 1\ntry 2\ntry 3\n"


async def logs_while_it_runs(cluster: Cluster, folder: Path) -> None:
    source = f"echo first; while [ ! -e {folder}/read ]; do sleep 0.05; done; echo last"
    run_id = await cluster.start_run("talks", {"kind": "script", "source": source})
    await cluster.running(run_id)

    async def logged() -> bool:
        return await cluster.log(run_id) == "first\n"

    await eventually(logged)
    (folder / "read").touch()
    assert (await cluster.ended(run_id)).status == "succeeded"
    assert await cluster.log(run_id) == "first\nlast\n"


async def calls(cluster: Cluster, web: "Web") -> None:
    run_id = await cluster.start_run("call", {"kind": "http", "method": "POST", "url": web.url("/fine"), "body": "{}"})
    run = await cluster.ended(run_id)
    assert (run.status, run.response_code, run.attempt) == ("succeeded", 200, 1)
    assert run.result["body"] == "POST /fine {}"


async def calls_again(cluster: Cluster, web: "Web") -> None:
    run_id = await cluster.start_run("again", {"kind": "http", "method": "GET", "url": web.url("/shaky")}, retry=SOON)
    run = await cluster.ended(run_id)
    assert (run.status, run.response_code, run.attempt) == ("succeeded", 200, 2)
    assert [(a.outcome, a.response_code) for a in await cluster.attempts(run_id)] == [("failed", 500)]


async def calls_in_vain(cluster: Cluster, web: "Web") -> None:
    run_id = await cluster.start_run("vain", {"kind": "http", "method": "GET", "url": web.url("/missing")}, retry=SOON)
    run = await cluster.ended(run_id)
    assert (run.status, run.response_code, run.attempt) == ("failed", 404, 1)
    assert run.reason == "permanent"
    assert await cluster.attempts(run_id) == []
    assert await cluster.count(f"dead_letters WHERE run_id = '{run_id}'") == 1
    assert web.seen.count("/missing") == 1


async def calls_a_function(cluster: Cluster, oracle: Oracle) -> None:
    target = {"kind": "python", "function": "noted", "arguments": {"path": str(oracle.path)}}
    run_id = await cluster.start_run("noted", target)
    assert (await cluster.ended(run_id)).status == "succeeded"
    assert oracle.attempts("end")[run_id] == [1]


class Web:
    """A web server that is fine, shaky (its first answer is 500) or does not know the path."""

    def __init__(self) -> None:
        self.seen: list[str] = []
        web = self

        class Handler(BaseHTTPRequestHandler):
            def answer(self) -> None:
                body = self.rfile.read(int(self.headers.get("content-length") or 0))
                web.seen.append(self.path)
                broken = self.path == "/shaky" and web.seen.count("/shaky") == 1
                self.send_response(500 if broken else 404 if self.path == "/missing" else 200)
                text = f"{self.command} {self.path} {body.decode()}".encode()
                self.send_header("content-length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)

            do_GET = do_POST = answer

            def log_message(self, format: str, *args: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def url(self, path: str) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}{path}"

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture
def web() -> Iterator[Web]:
    server = Web()
    yield server
    server.close()
