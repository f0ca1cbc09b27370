"""Functions in a whole cluster: registered, enqueued, stopped, and dead when their worker is."""

import json
import signal
from pathlib import Path
from typing import Any

import pytest

from horae.lifecycle.cancel import cancel_runs
from tests.integration.cluster.cluster import PATIENCE, Make, Member, is_alive
from tests.waiting import until

pytestmark = [pytest.mark.slow, pytest.mark.sqlite]
FUNCTIONS = ("--import", "tests.integration.cluster.functions")


def target(function: str, **arguments: Any) -> dict[str, Any]:
    return {"kind": "python", "function": function, "arguments": arguments}


async def begun(path: Path) -> list[int]:
    await until(path.exists, timeout=PATIENCE, message="the function has begun")
    return [int(pid) for pid in path.read_text().split()]


async def all_dead(pids: list[int]) -> None:
    await until(lambda: not [pid for pid in pids if is_alive(pid)], timeout=PATIENCE, message="all of it is dead")


async def test_functions_enqueue_each_other(make_cluster: Make) -> None:
    cluster = await make_cluster("sqlite")
    await cluster.start_worker(*FUNCTIONS, **await cluster.with_api())
    (registered,) = await cluster.ask("SELECT * FROM task_functions WHERE name = 'tree'")
    assert (registered["kind"], registered["queue"], registered["default_timeout"]) == ("process", "trees", 30)
    assert json.loads(registered["parameters"])["properties"]["count"]["type"] == "integer"

    grown = await cluster.ended(await cluster.start_run("grow", target("tree", count=40)))
    leaves = [await cluster.ended(run_id) for run_id in grown.result]
    assert {leaf.status for leaf in leaves} == {"succeeded"}
    assert {(leaf.job_name, leaf.priority, leaf.trigger) for leaf in leaves} == {("leaf", 9, "api")}
    assert await cluster.log(leaves[3].id) == "leaf 3\n"
    assert leaves[3].progress == {"fraction": 1, "note": "done"}

    link = await cluster.ended(await cluster.start_run("begin", target("chain", left=3)))
    for left in (2, 1, 0):
        link = await cluster.ended(link.result)
        assert await cluster.log(link.id) == f"{left} left\n"
    assert link.result == "over"


async def test_a_function_that_blocks_the_loop_is_named(make_cluster: Make) -> None:
    cluster = await make_cluster("sqlite")
    worker = await cluster.start_worker(*FUNCTIONS)
    run_id = await cluster.start_run("rude", target("blocks", seconds=3))
    assert (await cluster.ended(run_id)).status == "succeeded"
    await until(lambda: worker.logged("the event loop is running again"))
    (warning,) = worker.logged("the event loop is blocked")
    assert warning["function"] == "blocks"
    assert "functions.py:" in warning["where"]


async def stop(worker: Member, how: str) -> None:
    if how == "kill":
        await worker.kill()
    else:
        worker.pause()


@pytest.mark.parametrize("how", ["kill", "pause"])
async def test_processes_die_with_their_worker_and_with_their_lease(
    make_cluster: Make, tmp_path: Path, how: str
) -> None:
    cluster = await make_cluster("sqlite", HORAE_LEASE="3s", HORAE_HEARTBEAT="500ms")
    first = await cluster.start_worker(*FUNCTIONS)
    path = tmp_path / "pids"
    run_id = await cluster.start_run("holds", target("holds", path=str(path)), retry={"max_attempts": 2, "delay": 0})
    pids = await begun(path)
    await stop(first, how)
    await all_dead(pids)  # also while the worker is stopped: no other process can have notified them
    assert how == "kill" or is_alive(first.pid)
    await cluster.start_scheduler()
    await cluster.start_worker(*FUNCTIONS)
    run = await cluster.ended(run_id)
    assert (run.status, run.attempt) == ("succeeded", 2)


async def test_processes_end_with_their_attempt(make_cluster: Make, tmp_path: Path) -> None:
    """Cancelled, out of time, or interrupted by the end of their worker."""
    cluster = await make_cluster("sqlite", HORAE_DRAIN_TIMEOUT="100ms")
    worker = await cluster.start_worker(*FUNCTIONS)

    async def hold(name: str, **fields: Any) -> tuple[str, list[int]]:
        path = tmp_path / name
        once = {"max_attempts": 1}
        run_id = await cluster.start_run(name, target("holds", path=str(path)), retry=once, **fields)
        return run_id, await begun(path)

    for name, fields, status in (("cancel", {}, "cancelled"), ("timeout", {"timeout": 1}, "failed")):
        run_id, pids = await hold(name, **fields)
        if name == "cancel":
            await cluster.store.transact(cancel_runs, project_id=cluster.project_id, run_ids=[run_id], actor="the test")
        await all_dead(pids)
        assert (await cluster.ended(run_id)).status == status, name
        assert "sent TERM" in await cluster.log(run_id, "system"), name

    run_id, pids = await hold("shutdown")
    worker.signal(signal.SIGTERM)
    await all_dead(pids)
    assert await worker.ended() == 0
    assert worker.children() == []
    assert (await cluster.look(run_id)).status == "queued"
