"""Workers that are killed, cut off or asleep: their runs run again elsewhere, and nothing they do afterwards counts."""

import os
import signal
from pathlib import Path

import psutil
import pytest

from tests.integration.cluster.cluster import (
    PATIENCE,
    Cluster,
    Make,
    Member,
    Row,
    eventually,
    is_alive,
)
from tests.integration.cluster.oracle import Oracle
from tests.waiting import until

pytestmark = pytest.mark.slow

RETRY = {"max_attempts": 5, "delay": 0}
SHORT = {"HORAE_LEASE": "4s", "HORAE_HEARTBEAT": "1s"}


def first_waits(oracle: Oracle) -> Row:
    """A script that hangs in its first attempt, with children, and succeeds in any other."""
    source = f"""
{oracle.script("start")}
if [ $HORAE_ATTEMPT -gt 1 ]; then {oracle.script("end")}; exit 0; fi
while :; do {oracle.script("alive")}; sleep 0.05; done
"""
    return {"kind": "script", "source": source}


async def started(oracle: Oracle, run_id: str, attempt: int = 1) -> int:
    """Waits for an attempt to write down its start; the pid of its process."""
    found = await until(
        lambda: [n for n in oracle.notes("start") if (n.run_id, n.attempt) == (run_id, attempt)], timeout=PATIENCE
    )
    return found[0].pid


@pytest.mark.sqlite
async def test_a_killed_worker_is_replaced_at_once(make_cluster: Make, oracle: Oracle) -> None:
    """The lease is far longer than the test: the next worker did not wait for it to expire. (The fault suite
    kills workers on all databases.)"""
    cluster = await make_cluster("sqlite", HORAE_LEASE="10m")
    scheduler = cluster.start("scheduler")
    workers = await cluster.start_workers(2)
    await scheduler.ready()
    run_id = await cluster.start_run("hangs", first_waits(oracle), retry=RETRY)
    script = await started(oracle, run_id)
    first = cluster.member((await cluster.look(run_id)).worker_id)
    await first.kill()

    run = await cluster.ended(run_id)
    (second,) = [worker for worker in workers if worker is not first]
    assert (run.status, run.attempt, run.worker_id) == ("succeeded", 2, second.id)
    (lost,) = await cluster.attempts(run_id)
    assert (lost.n, lost.outcome, lost.worker_id) == (1, "lost", first.id)
    assert "process is gone" in str(lost.error)
    assert not is_alive(script)
    assert oracle.attempts("end") == {run_id: [2]}
    assert scheduler.logged("recovered runs") or second.logged("recovered runs")


@pytest.mark.sqlite
async def test_a_worker_is_watched_from_its_start(make_cluster: Make, oracle: Oracle) -> None:
    """There is no scheduler, and the older worker looks for others only every few minutes: it needs a hint."""
    cluster = await make_cluster("sqlite", HORAE_LEASE="10m", HORAE_HEARTBEAT="3m")
    older = await cluster.start_worker("--queues", "of-its-own")
    newcomer = await cluster.start_worker()
    run_id = await cluster.start_run("hangs", first_waits(oracle), retry=RETRY)
    await started(oracle, run_id)
    await newcomer.kill()
    await cluster.run_is(run_id, lambda run: run.status == "queued", "the run is queued again")
    assert older.logged("recovered runs")


def command_of(pid: int) -> str:
    """Nothing of a process that has just ended."""
    try:
        return " ".join(psutil.Process(pid).cmdline())
    except psutil.NoSuchProcess:
        return ""


@pytest.mark.postgresql
async def test_nothing_begins_again_while_something_of_it_lives(make_cluster: Make, oracle: Oracle) -> None:
    """Two workers are killed, and those who should end the scripts of the first cannot yet: its run waits, although its
    worker is dead, while that of the second is begun again at once."""
    cluster = await make_cluster("postgresql", HORAE_LEASE="10m")
    runs, workers = [], []
    for name in ("first", "second"):
        workers.append(await cluster.start_worker("--slots", "1"))
        runs.append(await cluster.start_run(name, first_waits(oracle), retry=RETRY))
        await started(oracle, runs[-1])
    await cluster.start_worker()
    helpers = [pid for pid in workers[0].children() if "horae.executors" in command_of(pid)]
    assert helpers
    for pid in helpers:
        os.kill(pid, signal.SIGSTOP)
    for worker in workers:
        await worker.kill()
    assert (await cluster.ended(runs[1])).attempt == 2
    assert ((await cluster.look(runs[0])).status, (await cluster.look(runs[0])).attempt) == ("running", 1)
    for pid in helpers:
        os.kill(pid, signal.SIGCONT)
    assert (await cluster.ended(runs[0])).attempt == 2
    last = max(note.at for note in oracle.notes("alive") if note.run_id == runs[0])
    assert last < min(note.at for note in oracle.notes("start") if (note.run_id, note.attempt) == (runs[0], 2))


@pytest.mark.mysql
async def test_a_worker_that_slept_beyond_its_lease(make_cluster: Make, oracle: Oracle, tmp_path: Path) -> None:
    """On PostgreSQL the fault suite has the like."""
    cluster = await make_cluster("mysql", **SHORT)
    scheduler = cluster.start("scheduler")
    workers = await cluster.start_workers(2)
    await scheduler.ready()
    gate = tmp_path / "gate"
    target = {"kind": "python", "function": "gated", "arguments": {"path": str(oracle.path), "gate": str(gate)}}
    run_id = await cluster.start_run("waits", target, retry=RETRY)
    await eventually(has_logged, cluster, run_id, "attempt 1 waits\n")
    first = cluster.member((await cluster.look(run_id)).worker_id)
    (second,) = [worker for worker in workers if worker is not first]
    await pause_between_beats(cluster, first)

    run = await cluster.running(run_id, attempt=2)
    assert run.worker_id == second.id
    await started(oracle, run_id, attempt=2)
    first.resume()
    await until(lambda: oracle.attempts("stopped") == {run_id: [1]}, timeout=PATIENCE, message="the sleeper gives up")
    gate.touch()
    run = await cluster.ended(run_id)
    assert (run.status, run.attempt, run.worker_id, run.result) == ("succeeded", 2, second.id, 2)
    assert [(lost.n, lost.outcome) for lost in await cluster.attempts(run_id)] == [(1, "lost")]

    assert await second.stop() == 0
    run = await cluster.ended(*await cluster.run("waits"))
    assert (run.status, run.attempt, run.worker_id) == ("succeeded", 1, first.id)
    # By now everything that the suspended worker had to report has been reported.
    assert await cluster.log(run_id) == "attempt 1 waits\nattempt 2 waits\n"
    assert await cluster.count("run_history") == 2
    assert oracle.attempts("end")[run_id] == [2]
    assert await first.stop() == 0


async def has_logged(cluster: Cluster, run_id: str, text: str) -> bool:
    return await cluster.log(run_id) == text


async def pause_between_beats(cluster: Cluster, worker: Member) -> None:
    """Right after a heartbeat: asleep in the middle of one, it would hold the locks that recovery needs."""
    before = (await cluster.worker_row(worker))["heartbeat_at"]

    async def beaten() -> bool:
        return bool((await cluster.worker_row(worker))["heartbeat_at"] != before)

    await eventually(beaten)
    worker.pause()


@pytest.mark.sqlite
async def test_a_stale_result_is_refused(make_cluster: Make, oracle: Oracle, tmp_path: Path) -> None:
    """Someone else has the run by now, and its worker, which does not know it yet, succeeds. (On servers the fault
    suite delays the report itself.)"""
    cluster = await make_cluster("sqlite", HORAE_LEASE="60s", HORAE_HEARTBEAT="20s")
    worker = await cluster.start_worker()
    gate = tmp_path / "gate"
    target = {"kind": "python", "function": "gated", "arguments": {"path": str(oracle.path), "gate": str(gate)}}
    run_id = await cluster.start_run("waits", target, retry=RETRY)
    await started(oracle, run_id)
    other = "00000000-0000-7000-8000-000000000000"
    await cluster.tell(
        "UPDATE runs SET token = :other, worker_id = :other, attempt = 2 WHERE id = :id", other=other, id=run_id
    )
    gate.touch()
    (line,) = await until(lambda: worker.logged("results refused"), timeout=PATIENCE)
    assert line["runs"] == [run_id]
    run = await cluster.look(run_id)
    assert (run.status, run.attempt, run.worker_id) == ("running", 2, other)
    assert await cluster.count("run_history") == 0
