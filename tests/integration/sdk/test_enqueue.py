"""`task.enqueue` straight to the database and through the API, by those who wait, await, and are tasks themselves."""

import asyncio
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from horae import errors
from horae.accounts.usage import set_quotas
from horae.domain.people.quota import Quota
from horae.store.schema import migrate
from tests.functions import register
from tests.integration.cluster.cluster import KINDS, ROOT, Cluster, Make, environment
from tests.integration.cluster.functions import leaf

pytestmark = pytest.mark.slow
FUNCTIONS = ("--import", "tests.integration.cluster.functions")


@pytest.fixture(params=KINDS)
async def cluster(request: pytest.FixtureRequest, make_cluster: Make, monkeypatch: pytest.MonkeyPatch) -> Cluster:
    """A database whose address is the only thing that this program knows."""
    made = await make_cluster(request.param)
    await register(made.url, leaf.function)
    for name, value in made.settings.items():
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("HORAE_URL", raising=False)
    return made


async def test_straight_to_the_database(cluster: Cluster) -> None:
    run = leaf.enqueue(n=1)  # inside a running loop: it blocks, and works
    assert (run.job_name, run.status, run.input, run.trigger) == ("leaf", "queued", {"n": 1}, "api")
    assert run == {**run, "triggered_by": "python program"}
    awaited = await asyncio.gather(*(leaf.options(priority=9).enqueue_async(n=n) for n in range(20)))
    assert {run.priority for run in awaited} == {9}
    with ThreadPoolExecutor(8) as threads:
        many = list(threads.map(lambda n: leaf.enqueue(n=n), range(40)))
    batch = leaf.enqueue_many([{"n": n} for n in range(1_000)])
    assert [run.input["n"] for run in batch] == list(range(1_000))
    ids = {run.id for run in [run, *awaited, *many, *batch]}
    assert len(ids) == await cluster.count("runs") == 1_061
    assert await cluster.count("jobs") == 1


async def test_a_quota_refuses_and_leaves_the_key_unused(cluster: Cluster) -> None:
    leaf.enqueue(n=1)
    limits = {Quota.LIVE_RUNS: 2}
    await cluster.store.transact(set_quotas, project_id=cluster.project_id, limits=limits, actor="test")
    once = leaf.options(idempotency_key="order 7")
    with pytest.raises(errors.QuotaReached, match="live_runs is 2: 1 in use, and this needs 2 more") as refused:
        once.enqueue_many([{"n": n} for n in range(2)])
    assert (refused.value.quota, refused.value.limit, refused.value.used) == ("live_runs", 2, 1)
    assert await cluster.count("runs") == 1
    assert once.enqueue(n=7).status == "queued"
    with pytest.raises(errors.QuotaReached):
        await leaf.enqueue_async(n=8)
    assert await cluster.count("runs") == 2


async def test_a_key_makes_it_happen_once(cluster: Cluster) -> None:
    once = leaf.options(idempotency_key="order 7")
    with ThreadPoolExecutor(8) as threads:
        made = list(threads.map(lambda _: once.enqueue(n=7).id, range(16)))
    assert len({*made, (await once.enqueue_async(n=7)).id}) == await cluster.count("runs") == 1
    with pytest.raises(errors.Conflict, match="used for another request"):
        once.enqueue(n=8)
    many = leaf.options(idempotency_key="order 8")
    first, second = (many.enqueue_many([{"n": n} for n in range(50)]) for _ in range(2))
    assert [run.id for run in first] == [run.id for run in second]
    with pytest.raises(errors.InvalidInput) as refused:
        leaf.options(idempotency_key="order 9", priority=99).enqueue(n=1)
    assert refused.value.field == "priority"
    assert leaf.options(idempotency_key="order 9").enqueue(n=1).status == "queued"  # the key was not used up


async def test_tasks_enqueue_each_other_with_no_api_at_all(make_cluster: Make) -> None:
    cluster = await make_cluster("sqlite")
    await cluster.start_worker(*FUNCTIONS)
    target = {"kind": "python", "function": "chain", "arguments": {"left": 3}}
    link = await cluster.ended(await cluster.start_run("begin", target))
    for _ in range(3):
        link = await cluster.ended(link.result)
    assert link.result == "over"


async def test_through_the_api_and_straight_are_the_same(make_cluster: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    cluster = await make_cluster("sqlite")
    await register(cluster.url, leaf.function)
    api = await cluster.with_api()
    for name, value in cluster.settings.items():
        monkeypatch.setenv(name, value)
    straight = leaf.enqueue(n=1)
    for name, value in api.items():
        monkeypatch.setenv(name, value)
    through = await asyncio.to_thread(leaf.enqueue, n=1)
    assert type(straight) is type(through)
    assert straight.keys() == through.keys()
    assert (through.job_id, through.triggered_by) == (straight.job_id, "key:test")
    later = await leaf.options(run_at="2090-01-01T00:00:00Z").enqueue_async(n=2)
    assert later.due_at == "2090-01-01T00:00:00Z"
    assert await cluster.count("runs") == 3


PROGRAM = """
import asyncio, os, horae
from tests.functions import register

@horae.task
def mine(): ...

if "register":
    asyncio.run(register(os.environ["HORAE_DATABASE_URL"], mine.function))
print(mine.enqueue().status)
"""


def test_a_program_ends_in_good_order(tmp_path: Path) -> None:
    """Nothing of the thread that speaks to the database keeps it, or complains."""
    database = {"HORAE_DATABASE_URL": f"sqlite:///{tmp_path / 'horae.db'}", "HORAE_DATA_DIR": str(tmp_path)}

    def execute(*command: str) -> tuple[int, str, str]:
        done = subprocess.run(
            [sys.executable, *command], env=environment(database), cwd=ROOT, capture_output=True, text=True, check=False
        )
        return done.returncode, done.stdout, done.stderr

    code, _, complaint = execute("-c", PROGRAM)
    assert (code, "horae migrate" in complaint) == (1, True)
    asyncio.run(migrate(database["HORAE_DATABASE_URL"]))
    code, _, complaint = execute("-c", PROGRAM.replace('"register"', "False"))  # no worker knows the function
    assert (code, "InvalidInput" in complaint) == (1, True)
    assert execute("-c", PROGRAM) == (0, "queued\n", "")
