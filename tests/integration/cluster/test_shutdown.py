"""Workers that are asked to stop: they finish what they can, release the rest uncounted, and sign off."""

import signal
from pathlib import Path

import pytest

from tests.integration.cluster.cluster import KINDS, PATIENCE, Cluster, Make, Member, Row, eventually, is_alive
from tests.integration.cluster.oracle import Oracle
from tests.waiting import until

pytestmark = pytest.mark.slow


def gated(oracle: Oracle, gate: Path, function: str = "gated") -> Row:
    return {"kind": "python", "function": function, "arguments": {"path": str(oracle.path), "gate": str(gate)}}


def hangs_once(oracle: Oracle) -> Row:
    """A script that hangs in its first attempt."""
    source = f"{oracle.script('start')}; if [ $HORAE_ATTEMPT = 1 ]; then sleep 600; fi; {oracle.script('end')}"
    return {"kind": "script", "source": source}


async def starts(oracle: Oracle, count: int) -> None:
    await until(lambda: len(oracle.notes("start")) >= count, timeout=PATIENCE, message=f"{count} attempts begin")


async def has_status(cluster: Cluster, worker: Member, status: str) -> bool:
    return bool((await cluster.worker_row(worker))["status"] == status)


@pytest.mark.sqlite
async def test_running_work_ends_and_nothing_new_begins(make_cluster: Make, oracle: Oracle, tmp_path: Path) -> None:
    cluster = await make_cluster("sqlite")
    worker = await cluster.start_worker("--slots", "1", HORAE_DRAIN_TIMEOUT="60s")
    gate = tmp_path / "gate"
    await cluster.create("waits", gated(oracle, gate), retry={"max_attempts": 1})
    first, second = await cluster.run("waits", 2)
    await starts(oracle, 1)
    worker.signal(signal.SIGTERM)
    await eventually(has_status, cluster, worker, "draining")
    gate.touch()
    assert await worker.ended() == 0
    assert {(await cluster.look(run_id)).status for run_id in (first, second)} == {"succeeded", "queued"}
    row = await cluster.worker_row(worker)
    assert (row["status"], row["busy"], row["runs_done"]) == ("offline", 0, 1)


@pytest.mark.mysql
async def test_longer_work_is_put_back_uncounted(make_cluster: Make, oracle: Oracle) -> None:
    """Even with a single attempt it runs again elsewhere: what was interrupted does not count."""
    cluster = await make_cluster("mysql", HORAE_DRAIN_TIMEOUT="500ms")
    worker = await cluster.start_worker()
    run_id = await cluster.start_run("hangs", hangs_once(oracle), retry={"max_attempts": 1})
    await starts(oracle, 1)
    assert await worker.stop() == 0
    assert worker.children() == []

    run = await cluster.look(run_id)
    assert (run.status, run.attempt, run.uncounted, run.worker_id) == ("queued", 1, 1, None)
    assert await has_status(cluster, worker, "offline")
    other = await cluster.start_worker()
    run = await cluster.ended(run_id)
    assert (run.status, run.attempt, run.uncounted) == ("succeeded", 2, 1)
    assert run.worker_id == other.id
    (put_back,) = await cluster.attempts(run_id)
    assert (put_back.n, put_back.outcome, put_back.worker_id) == (1, "interrupted", worker.id)


@pytest.mark.postgresql
async def test_the_second_signal_interrupts_at_once(make_cluster: Make, oracle: Oracle) -> None:
    cluster = await make_cluster("postgresql", HORAE_DRAIN_TIMEOUT="10m")
    worker = await cluster.start_worker()
    run_id = await cluster.start_run("hangs", hangs_once(oracle))
    await starts(oracle, 1)
    (script,) = {note.pid for note in oracle.notes("start")}
    worker.signal(signal.SIGTERM)
    await until(lambda: worker.logged("draining"), timeout=PATIENCE)
    assert is_alive(script)
    await eventually(second_signal, worker)
    assert await worker.ended() == 0
    assert not is_alive(script)
    run = await cluster.look(run_id)
    assert (run.status, run.uncounted) == ("queued", 1)
    assert await has_status(cluster, worker, "offline")


async def second_signal(worker: Member) -> bool:
    """Sent until it shows: right after the first it would count as the same one, passed on by a parent."""
    worker.signal(signal.SIGTERM)
    return bool(worker.logged("interrupting"))


@pytest.mark.postgresql
async def test_what_cannot_be_stopped_is_put_back_too(make_cluster: Make, oracle: Oracle, tmp_path: Path) -> None:
    """A function that blocks its thread and never looks up ends with the process."""
    cluster = await make_cluster("postgresql", HORAE_DRAIN_TIMEOUT="0s")
    worker = await cluster.start_worker()
    run_id = await cluster.start_run("deaf", gated(oracle, tmp_path / "never", "deaf"), retry={"max_attempts": 1})
    await starts(oracle, 1)
    assert await worker.stop() == 0
    run = await cluster.look(run_id)
    assert (run.status, run.attempt, run.uncounted) == ("queued", 1, 1)


@pytest.mark.parametrize("kind", KINDS)
async def test_a_stop_under_load_leaves_nothing_running(kind: str, make_cluster: Make) -> None:
    """With one slot and little to do in it a worker is claiming half of its time: what that brings while it begins to
    stop is carried out like the rest."""
    cluster = await make_cluster(kind, HORAE_LEASE="10m")
    await cluster.create("quick", {"kind": "python", "function": "nothing", "arguments": {"seconds": 0.005}})
    await cluster.run("quick", 2_000)
    done = 0
    for _ in range(2):
        worker = await cluster.start_worker("--slots", "1")
        await eventually(has_done, cluster, done + 30)
        assert await worker.stop() == 0
        assert await cluster.count("runs WHERE status = 'running'") == 0
        before, done = done, await cluster.count("run_history WHERE status = 'succeeded'")
        assert (await cluster.worker_row(worker))["runs_done"] == done - before
    assert await cluster.count("attempts") == 0


async def has_done(cluster: Cluster, count: int) -> bool:
    return await cluster.count("run_history") >= count
