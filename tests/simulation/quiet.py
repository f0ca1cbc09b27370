"""The end of a world: no more faults, no more wishes, no more wake-ups, for those are hints only. Time goes on, and
everything must come to its end."""

from __future__ import annotations

from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING, Any

from horae.domain.errors import Conflict, NotFound
from horae.domain.jobs.job import JobSpec
from horae.lifecycle import queues, state, submit
from horae.ports import Transaction
from tests.contract.ledger import assert_reigns
from tests.simulation.loop import pause
from tests.simulation.people import Somebody

if TYPE_CHECKING:
    from tests.simulation.world import World

ON_TIME = 12.0  # seconds in which schedulers are back at their work
PATIENCE = 60.0  # seconds without an end of anything
_UNHEARD_OF = JobSpec.model_validate(
    {"name": "unheard of", "target": {"kind": "python", "function": "work"}, "schedule": {"every": "4s"}}
)


async def calm_down(world: World) -> None:
    world.faults.on = False
    world.people.leaving = world.bus.silent = True
    for process in list(world.processes.values()):
        process.go_on()
    await pause(1)
    somebody = Somebody(world, "caretaker")
    while world.people.busy:
        await pause(1)
    await _replace_draining(world)
    for name in ("default", "other"):
        await ask(somebody, queues.resume_queue, name=name)
    await ask(somebody, submit.create_job, job_id=somebody.ids.new(), spec=_UNHEARD_OF, enabled=True)
    await pause(ON_TIME)
    _on_time(world)
    for job_id in sorted(world.oracle.mirror.tables["jobs"]):
        await ask(somebody, state.disable, ref=job_id)
    await _everything_ends(world)
    await all_is_well(world, somebody)


async def ask(somebody: Somebody, verb: Any, **how: Any) -> None:
    who = {"project_id": somebody.world.project, "actor": somebody.name}
    try:
        await somebody.ask(lambda store: store.transact(verb, **how, **who))
    except (Conflict, NotFound):
        return


async def _replace_draining(world: World) -> None:
    """Workers that were asked to take nothing more stay until they are stopped."""
    draining = world.reader.execute("SELECT id FROM workers WHERE drain_requested_by IS NOT NULL").fetchall()
    ids = {row["id"] for row in draining}
    for process in list(world.processes.values()):
        if process.id in ids:
            process.stop.set()


def _on_time(world: World) -> None:
    late = world.now() - timedelta(seconds=3)
    for job in world.oracle.mirror.tables["jobs"].values():
        due = job["next_run_at"]
        if job["enabled"] and not job["paused"] and due is not None and due < late:
            world.oracle.broken(f"no scheduler fires what was due at {due}", job=job["id"])


async def _everything_ends(world: World) -> None:
    """There may be much to do, but there is never a time in which nothing is done of it."""
    tables, before, moved_at = world.oracle.mirror.tables, (-1, -1), world.loop.time()
    while world.loop.time() - moved_at < PATIENCE:
        if not tables["runs"] and not any(row["state"] == "running" for row in tables["operations"].values()):
            return
        done = len(tables["run_history"]), sum(row["done"] for row in tables["operations"].values())
        if done != before:
            before, moved_at = done, world.loop.time()
        await pause(2)
    for run_id, row in sorted(tables["runs"].items()):
        world.oracle.broken(f"a run is {row['status']} for ever", run=run_id, job=row["job_id"])
    world.oracle.broken("an operation goes on for ever")


async def all_is_well(world: World, somebody: Somebody, *, gaps: bool = False) -> None:
    oracle, tables = world.oracle, world.oracle.mirror.tables
    if wrong := oracle.mirror.differing():
        oracle.broken(f"the database is not as its commits left it: {wrong[:3]}")
    world.promises.check()
    for job_id in sorted(tables["jobs"]):
        job, versions = await somebody.ask(partial(_read, _look, world.project, job_id))
        try:
            assert_reigns(job, versions, oracle.fired_rows.get(job_id, []), gaps=gaps)
        except AssertionError as error:
            oracle.broken(f"the ledger is wrong: {error}", job=job_id)
    totals = await somebody.ask(partial(_read, _totals, world.project))
    for status, count in oracle.ended.items():
        if totals[status] != count:
            oracle.broken(f"{totals[status]} {status} were counted, and {count} are there")


async def _read(verb: Any, *args: Any) -> Any:
    *given, store = args
    return await store.read(verb, *given)


async def _look(tx: Transaction, project: str, job_id: str) -> tuple[Any, Any]:
    return await tx.jobs.find(project, job_id), await tx.jobs.versions(job_id)


async def _totals(tx: Transaction, project: str) -> dict[str, int]:
    return dict((await tx.stats.summary(project)).ended)
