"""The log over a run's whole life, written by real processes: each step has its line, with its ids."""

import json
from collections.abc import Sequence
from typing import Any

import aiohttp
import pytest

from horae.accounts.secrets import set_secret
from horae.domain.cluster import log_events
from horae.sealing import Keyring
from tests.integration.cluster.cluster import KINDS, PATIENCE, Cluster, Make, Member, Row
from tests.waiting import until

pytestmark = pytest.mark.slow

DECLARED = {event.name: event for event in log_events.EVENTS}
SOON = {"max_attempts": 2, "backoff": "fixed", "delay": 0.1, "jitter": 0}
SECRET = "correct-horse-battery-staple"
ALWAYS = {"event", "level", "at", "role", *log_events.CONTEXT}


def script(source: str, **more: Any) -> Row:
    return {"kind": "script", "interpreter": "sh", "source": source, **more}


def lines_of(cluster: Cluster, run_id: str) -> list[Row]:
    """Of all processes: attempt by attempt, each in the order in which they were written. A process logs what it has
    committed, and may be slower to do so than the next one to act on it."""
    found = [line for member in cluster.members for line in member.lines() if line.get("run") == run_id]
    return sorted(found, key=lambda line: (line.get("attempt", 0), line["at"]))


async def story(cluster: Cluster, run_id: str, last: str = "run ended") -> list[Row]:
    await until(lambda: any(x["event"] == last for x in lines_of(cluster, run_id)), timeout=PATIENCE, message=last)
    return lines_of(cluster, run_id)


def steps(lines: Sequence[Row]) -> list[tuple[str, int | None]]:
    return [(line["event"], line.get("attempt")) for line in lines]


def check_declared(cluster: Cluster) -> None:
    """The logs of the processes contain about runs and people what docs/logs.md lists, and no more."""
    seen = [line for member in cluster.members for line in member.lines() if line.get("event") in DECLARED]
    assert seen
    for line in seen:
        event = DECLARED[line["event"]]
        ids = set(log_events.IDS) if event in log_events.RUN_EVENTS else set()
        assert set(line) <= {*ALWAYS, *ids, *event.fields}, line
        assert ids <= set(line), line
        assert line["role"] in event.roles, line
        assert line["level"] == "info"


class Caller:
    def __init__(self, serve: Member, token: str, session: aiohttp.ClientSession) -> None:
        self._url, self._session = f"http://127.0.0.1:{serve.port}/api/v1", session
        self._headers = {"Authorization": f"Bearer {token}"}

    async def __call__(self, method: str, path: str, request_id: str, body: Any = None, **headers: str) -> Any:
        headers = {**self._headers, "X-Request-Id": request_id, **headers}
        async with self._session.request(method, self._url + path, json=body, headers=headers) as answer:
            assert answer.ok, await answer.text()
            assert answer.headers["X-Request-Id"] == request_id
            return json.loads(await answer.text() or "null")


@pytest.mark.parametrize("kind", KINDS[:1])
async def test_a_run_that_fails_once_and_then_succeeds(kind: str, make_cluster: Make) -> None:
    cluster = await make_cluster(kind)
    worker = await cluster.start_worker()
    serve = await cluster.start_serve()
    name = "second time lucky"
    await cluster.create(name, script("exit $((2 - HORAE_ATTEMPT))"), retry=SOON)
    async with aiohttp.ClientSession() as session:
        call = Caller(serve, await cluster.key("owner"), session)
        run = await call("POST", f"/jobs/{name}/run", "request-of-a-run", {})
    lines = await story(cluster, run["id"])
    assert steps(lines) == [
        ("run queued", None),
        ("run claimed", 1),
        ("run started", 1),
        ("attempt failed", 1),
        ("run retried", 1),
        ("run claimed", 2),
        ("run started", 2),
        ("run ended", 2),
    ]
    queued, _, _, failed, retried, *_, ended = lines
    assert (queued["role"], queued["request_id"], queued["trigger"]) == ("serve", "request-of-a-run", "api")
    assert {line["worker"] for line in lines[1:]} == {worker.id}
    assert {line["job"] for line in lines} == {run["job_id"]}
    assert failed["code"] == 1
    assert (retried["outcome"], retried["again_in"]) == ("failed", 0.1)
    assert ended["status"] == "succeeded"
    check_declared(cluster)


async def test_every_other_way_that_a_run_may_take(make_cluster: Make, tmp_path: Any) -> None:
    cluster = await make_cluster("sqlite")
    await cluster.start_scheduler()
    victim = await cluster.start_worker("--queues", "risky")
    survivor = await cluster.start_worker("--queues", "risky,default")
    serve = await cluster.start_serve()
    gate = tmp_path / "gate"
    wait = f"while [ ! -e {gate} ]; do sleep 0.05; done"

    # Timed out, and no further attempt
    slow = await cluster.start_run("slow", script(wait), timeout=1, retry={"max_attempts": 1})
    assert steps(await story(cluster, slow))[-2:] == [("attempt timed out", 1), ("run ended", 1)]

    # Skipped: the one before it is still running
    job = await cluster.create("often", script(wait), schedule={"every": 1}, max_instances=1, overlap="skip")

    def of_job(event: str) -> list[Row]:
        return [x for member in cluster.members for x in member.logged(event) if x.get("job") == job]

    def overlapping() -> list[Row]:  # others may be missed by a scheduler that is late
        return [line for line in of_job("run skipped") if line["reason"] == "overlap"]

    await until(overlapping, timeout=PATIENCE, message="an occurrence is skipped")
    fired, skipped = of_job("run fired")[0], overlapping()[0]
    assert (fired["trigger"], fired["role"], skipped["role"]) == ("schedule", "scheduler", "scheduler")
    assert fired["scheduler"] == skipped["scheduler"]

    # Cancelled while it runs
    async with aiohttp.ClientSession() as session:
        call = Caller(serve, await cluster.key("owner"), session)
        await call("POST", f"/runs/{fired['run']}/cancel", "request-to-cancel")
        await call("POST", f"/jobs/{job}/disable", "request-to-disable")
    lines = await story(cluster, fired["run"])
    assert [x["event"] for x in lines if x["role"] == "worker"][-2:] == ["attempt cancelled", "run ended"]
    (requested,) = [x for x in lines if x["role"] == "serve"]
    assert requested["event"] == "run cancel requested"
    assert (requested["request_id"], requested["by"][:4]) == ("request-to-cancel", "key:")
    (disabled,) = serve.logged("job disabled")
    assert (disabled["request_id"], disabled["job"]) == ("request-to-disable", job)

    # Expired: no one serves its queue
    stranded = await cluster.start_run("stranded", script("true"), queue="nowhere", start_within=1)
    assert steps(await story(cluster, stranded)) == [("run expired", None), ("run ended", None)]

    # Lost with its worker, and recovered
    survivor.pause()
    risky = await cluster.start_run("risky", script(wait), queue="risky", retry=SOON)
    await cluster.running(risky)
    lost_by = victim.id
    await victim.kill()
    survivor.resume()
    await story(cluster, risky, "run recovered")
    gate.touch()
    lines = await story(cluster, risky)
    told = steps(lines)
    assert told[2:] == [
        ("attempt lost", 1),
        ("run recovered", 1),
        ("run claimed", 2),
        ("run started", 2),
        ("run ended", 2),
    ]
    lost = next(x for x in lines if x["event"] == "attempt lost")
    assert lost["worker"] == lost_by
    assert lost["why"].startswith("the worker was lost")
    check_declared(cluster)


async def test_user_actions_are_logged_without_secrets(make_cluster: Make) -> None:
    cluster = await make_cluster("sqlite", HORAE_LOG_LEVEL="debug")
    await cluster.start_worker()
    serve = await cluster.start_serve()
    sealed = Keyring(cluster.settings["HORAE_SECRET_KEY"]).seal(cluster.project_id, "TOKEN", SECRET)
    await cluster.store.transact(set_secret, sealed=sealed, actor="the test")
    async with aiohttp.ClientSession() as session:
        call = Caller(serve, await cluster.key("owner"), session)
        speaks = 'echo "$TOKEN $0"; echo "{\\"t\\": \\"$TOKEN\\"}" > "$HORAE_RESULT"; echo "$TOKEN" >&2; exit 1'
        target = script(speaks, env={"TOKEN": "{{ secrets.TOKEN }}", "PLAIN": "{{ input.word }}"})
        job = await call("POST", "/jobs", "request-create", {"name": "speaks", "target": target, "retry": SOON})
        path = f"/jobs/{job['id']}"
        await call("PATCH", path, "request-edit", {"priority": 7})
        await call("POST", f"{path}/pause", "request-pause", {})
        await call("POST", f"{path}/resume", "request-resume")
        await call("POST", f"{path}/rollback", "request-rollback", {"version": 1})
        await call("PUT", "/secrets/OTHER", "request-secret", {"value": SECRET})
        run = await call("POST", f"{path}/run", "request-run", {"input": {"word": f"a {SECRET} word"}})
        assert (await cluster.ended(run["id"])).status == "failed"
        await story(cluster, run["id"])
        await call("DELETE", path, "request-delete")
    told = {line["event"]: line for line in serve.lines() if line.get("job") == job["id"]}
    for verb, event in {
        "create": "job created",
        "edit": "job edited",
        "pause": "job paused",
        "resume": "job resumed",
        "rollback": "job rolled back",
        "delete": "job deleted",
    }.items():
        line = told[event]
        assert (line["request_id"], line["project"]) == (f"request-{verb}", cluster.project_id)
        assert line["by"].startswith("key:")
    (audited,) = [line for line in serve.logged("audited") if line["action"] == "secret.create"]
    assert audited["request_id"] == "request-secret"
    for member in cluster.members:
        assert SECRET not in member.output
    check_declared(cluster)


async def test_it_can_be_turned_off(make_cluster: Make) -> None:
    cluster = await make_cluster("sqlite", HORAE_RUN_LOG="0")
    worker = await cluster.start_worker()
    run_id = await cluster.start_run("quiet", {"kind": "python", "function": "nothing"})
    await cluster.ended(run_id)
    assert await worker.stop() == 0
    assert not [line for line in worker.lines() if line["event"] in DECLARED]
