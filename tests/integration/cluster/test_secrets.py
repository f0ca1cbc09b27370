"""Secrets through real workers: available to jobs that need them, and never in their output."""

import asyncio
import json
import secrets
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from horae.accounts.secrets import set_secret
from horae.sealing import Keyring
from tests.integration.cluster.cluster import KINDS, Cluster, Make, eventually

pytestmark = pytest.mark.slow

VALUE = "s3/cr+et wörd=" + secrets.token_urlsafe(12)
ENV = {"TOKEN": "{{ secrets.TOKEN }}"}
FEW = {"HORAE_EXECUTORS": "http,script"}
SOON = {"max_attempts": 2, "backoff": "fixed", "delay": 0.1, "jitter": 0}


async def put(cluster: Cluster, name: str, value: str, key: str | None = None) -> None:
    seals = Keyring(key or cluster.settings["HORAE_SECRET_KEY"])
    sealed = seals.seal(cluster.project_id, name, value)
    await cluster.store.transact(set_secret, sealed=sealed, actor="the test")


def script(source: str) -> dict[str, Any]:
    return {"kind": "script", "interpreter": "python", "source": source, "env": ENV}


async def everything(cluster: Cluster) -> str:
    """Everything in the database and in the logs of the processes, except the sealed values themselves."""
    found = []
    for table in ("jobs", "job_versions", "runs", "run_history", "run_logs", "attempts", "dead_letters"):
        found += [str(row) for row in await cluster.ask(f"SELECT * FROM {table}")]
    return "\n".join([*found, *(member.output for member in cluster.members)])


SPOKEN = """
import base64, json, os, sys, time, urllib.parse
token = os.environ["TOKEN"]
for character in token:
    os.write(1, character.encode())
    time.sleep(0.002)
print()
os.write(1, b"half " + token[:9].encode())
os.write(2, b"in between\\n")
os.write(1, token[9:].encode() + b"\\n")
print(base64.b64encode(("user:" + token).encode()).decode(), base64.b64encode(token.encode()).decode())
print(urllib.parse.quote(token, safe=""), urllib.parse.quote_plus(token), token.encode().hex())
print(json.dumps({"token": token}), file=sys.stderr)
json.dump({"token": token, "list": [1, "x" + token], token: None}, open(os.environ["HORAE_RESULT"], "w"))
print("length", len(token))
"""


@pytest.mark.parametrize("kind", KINDS[:1])
async def test_a_secret_reaches_the_script_and_nothing_else(kind: str, make_cluster: Make) -> None:
    cluster = await make_cluster(kind, **FEW)
    await put(cluster, "TOKEN", VALUE)
    await cluster.start_worker()
    run_id = await cluster.start_run("speaks", script(SPOKEN))
    run = await cluster.ended(run_id)
    assert run.status == "succeeded", run
    out = await cluster.log(run_id)
    assert f"length {len(VALUE)}\n" in out
    assert out.startswith("[secret TOKEN]\nhalf [secret TOKEN]\n")
    assert out.count("[secret TOKEN]") == 7
    assert await cluster.log(run_id, "stderr") == 'in between\n{"token": "[secret TOKEN]"}\n'
    assert run.result == {"token": "[secret TOKEN]", "list": [1, "x[secret TOKEN]"], "[secret TOKEN]": None}
    said = await everything(cluster)
    for part in (VALUE, VALUE[-14:], VALUE[:9]):
        assert part not in said

    await put(cluster, "TOKEN", "another value")  # each run gets what is there when it starts
    run_id = await cluster.start_run("speaks again", script(SPOKEN))
    assert (await cluster.ended(run_id)).status == "succeeded"
    assert f"length {len('another value')}\n" in await cluster.log(run_id)


async def test_text_held_back_by_redaction_is_written_at_the_end(make_cluster: Make, tmp_path: Path) -> None:
    cluster = await make_cluster("sqlite", **FEW)
    await put(cluster, "TOKEN", VALUE)
    await cluster.start_worker()
    gate = tmp_path / "gate"
    source = f"""
import os, time
os.write(1, b"before\\nbegins: " + os.environ["TOKEN"][:5].encode())
while not os.path.exists({str(gate)!r}): time.sleep(0.01)
"""
    run_id = await cluster.start_run("half", script(source))
    shown = await eventually(cluster.log, run_id)
    assert shown == "before\nbegins: "
    gate.touch()
    await cluster.ended(run_id)
    assert await cluster.log(run_id) == f"before\nbegins: {VALUE[:5]}"


class Echo(BaseHTTPRequestHandler):
    """Repeats what it was sent, in a header and in the body."""

    def do_GET(self) -> None:
        given = self.headers["Authorization"]
        self.send_response(418, given.removeprefix("Bearer "))
        self.send_header("X-Echo", given)
        self.end_headers()
        self.wfile.write(json.dumps({"given": given, "long": "x" * 70_000}).encode())

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def echo() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Echo)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    server.server_close()


async def test_what_a_server_echoes_is_stored_without_the_secret(make_cluster: Make, echo: str) -> None:
    cluster = await make_cluster("sqlite", **FEW)
    value = secrets.token_urlsafe(20)
    await put(cluster, "TOKEN", value)
    await cluster.start_worker()
    target = {"kind": "http", "method": "GET", "url": echo, "auth": {"bearer": "{{ secrets.TOKEN }}"}}
    run = await cluster.ended(await cluster.start_run("calls", target))
    assert (run.status, run.response_code, run.reason) == ("failed", 418, "permanent")
    assert run.error == "HTTP 418 [secret TOKEN]"
    assert run.result["headers"]["x-echo"] == "Bearer [secret TOKEN]"
    assert run.result["body"].startswith('{"given": "Bearer [secret TOKEN]"')
    assert value not in await everything(cluster)


async def test_runs_that_cannot_have_their_secrets_fail_and_the_worker_goes_on(make_cluster: Make) -> None:
    cluster = await make_cluster("sqlite", **FEW)
    for name in ("TOKEN", "LOST"):
        await put(cluster, name, VALUE)
    jobs = {
        "needs": await cluster.create("needs", script("pass"), retry=SOON),
        "lost": await cluster.create("lost", {**script("pass"), "env": {"A": "{{ secrets.LOST }}"}}, retry=SOON),
        "plain": await cluster.create("plain", {"kind": "script", "source": "true"}),
    }
    await cluster.tell("DELETE FROM secrets WHERE name = 'LOST'")
    keyless = await cluster.start_worker(HORAE_SECRET_KEY="")
    (run_id,) = await cluster.run(jobs["needs"])
    run = await cluster.ended(run_id)
    assert (run.status, run.attempt) == ("failed", 2)  # another worker might have had the key
    assert str(run.error).endswith("this worker has no HORAE_SECRET_KEY")
    (run_id,) = await cluster.run(jobs["plain"])
    assert (await cluster.ended(run_id)).status == "succeeded"
    await keyless.stop()

    await cluster.start_worker(HORAE_SECRET_KEY=secrets.token_hex(32))
    (run_id,) = await cluster.run(jobs["needs"])
    run = await cluster.ended(run_id)
    assert (run.status, run.attempt) == ("failed", 2)
    assert run.error == "the secret TOKEN cannot be opened: it was encrypted with another HORAE_SECRET_KEY"
    (run_id,) = await cluster.run(jobs["lost"])
    run = await cluster.ended(run_id)
    assert (run.status, run.attempt, run.reason) == ("failed", 1, "permanent")
    assert run.error == "no secret named LOST in this project; create it with `horae secrets set LOST`"


async def test_the_previous_key_decrypts_until_everything_is_reencrypted(make_cluster: Make) -> None:
    cluster = await make_cluster("sqlite", **FEW)
    await put(cluster, "TOKEN", VALUE)
    new = {
        "HORAE_SECRET_KEY": secrets.token_hex(32),
        "HORAE_SECRET_KEY_PREVIOUS": cluster.settings["HORAE_SECRET_KEY"],
    }
    await cluster.start_worker(**new)
    job = await cluster.create("needs", script("import os; print(len(os.environ['TOKEN']))"))
    (run_id,) = await cluster.run(job)
    assert (await cluster.ended(run_id)).status == "succeeded"
    assert await cluster.command("secrets", "rotate", **new) == {"sealed": 1, "cannot_open": []}
    assert await cluster.command("secrets", "rotate", **new) == {"sealed": 0, "cannot_open": []}
    await asyncio.gather(*(member.stop() for member in cluster.members))
    await cluster.start_worker(HORAE_SECRET_KEY=new["HORAE_SECRET_KEY"])
    (run_id,) = await cluster.run(job)
    assert (await cluster.ended(run_id)).status == "succeeded"
    assert await cluster.log(run_id) == f"{len(VALUE)}\n"
