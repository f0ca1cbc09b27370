"""Target `celery`: tasks of an app that knows nothing of Horae, executed by its own workers, on real brokers."""

import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from kombu.connection import Connection

from horae.domain.people.project import Project
from horae.domain.runs.remote_task import task_id
from horae.domain.runs.states import RunStatus
from horae.engines.celery_broker import Broker
from horae.lifecycle.cancel import cancel_runs
from tests.integration.cluster.cluster import IDS, PATIENCE, Cluster, Make, Member, eventually, free_port, is_alive
from tests.integration.engines.broker import EACH, BrokerUnderTest, shared
from tests.own_redis import own_redis
from tests.waiting import until

pytestmark = [pytest.mark.postgresql, pytest.mark.slow, pytest.mark.redis]
APP = "tests.integration.engines.shop"


class Shop:
    """The app's worker, and where its tasks leave their traces."""

    def __init__(self, broker: BrokerUnderTest, folder: Path, backend: str) -> None:
        self.broker, self.folder, self.backend = broker, folder, backend
        self.settings = {
            "SHOP_BROKER": broker.url,
            "SHOP_BACKEND": backend,
            "SHOP_QUEUE": broker.queue,
            "HORAE_EXECUTORS": "celery,python",
            "HORAE_CELERY_APP": f"{APP}:app",
        }
        self.member: Member | None = None

    async def start(self) -> "Shop":
        command = [sys.executable, "-m", "celery", "-A", APP, "worker", "-Q", self.broker.queue, "--concurrency", "4"]
        command += ["--without-mingle", "--without-gossip", "-n", f"{self.broker.queue}@test", "--loglevel", "info"]
        member = self.member = Member("celery", command, self.settings, self.folder / "celery.log")
        await until(
            lambda: " ready." in member.output or member.code is not None, timeout=PATIENCE, message="Celery is ready"
        )
        assert member.code is None, member.output
        return self

    def nap(self, seconds: float = 600) -> dict[str, Any]:
        return {"kind": "celery", "task": "shop.nap", "args": [str(self.folder)], "kwargs": {"seconds": seconds}}

    async def pid(self, run_id: str, attempt: int = 1) -> int:
        """Of the process that executes its task, once it does."""
        path = self.folder / task_id(run_id, attempt)
        return int(await until(lambda: path.exists() and path.read_text(), timeout=PATIENCE, message="the task runs"))

    def starts(self) -> list[str]:
        return (self.folder / "starts").read_text().split()

    def purge(self, suffix: str = "") -> None:
        with Connection(self.broker.url) as connection:
            connection.default_channel.queue_purge(self.broker.queue + suffix)

    def waiting(self, suffix: str = "") -> int:
        """Messages in a queue of Redis."""
        return int(Broker(self.broker.url).redis_client().llen(self.broker.queue + suffix))


@pytest.fixture(params=EACH)
async def shop(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Shop]:
    made = Shop(shared(request.param), tmp_path, shared("redis").url)
    try:
        yield await made.start()
        made.purge()
    finally:
        if made.member is not None:
            made.member.reap()


async def cancel(cluster: Cluster, run_id: str) -> None:
    await cluster.store.transact(cancel_runs, project_id=cluster.project_id, run_ids=[run_id], actor="the test")


async def test_tasks_are_called_and_followed_without_a_slot(make_cluster: Make, shop: Shop) -> None:
    cluster = await make_cluster("postgresql", **shop.settings)
    await cluster.start_worker("--slots", "1")
    (known,) = await cluster.ask("SELECT description FROM task_functions WHERE name = 'celery:shop.add'")
    assert known["description"] == "Adds two numbers."
    naps = [await cluster.start_run(f"nap {n}", shop.nap()) for n in range(3)]
    pids = [await shop.pid(run_id) for run_id in naps]  # all at once, with one slot
    target = {"kind": "celery", "task": "shop.add", "args": [1], "kwargs": {"b": 2}, "headers": {"x-shop": "1"}}
    added = await cluster.ended(await cluster.start_run("add", target, retry={"max_attempts": 1}))
    assert (added.status, added.result) == (RunStatus.SUCCEEDED, {"sum": 3}), added.error
    refuse = {"kind": "celery", "task": "shop.refuse", "kwargs": {"order": 7}}
    refused = await cluster.ended(await cluster.start_run("refuse", refuse, retry={"max_attempts": 1}))
    assert (refused.status, refused.error) == (RunStatus.FAILED, "LookupError: there is no order 7")
    assert "in refuse" in await cluster.log(refused.id, "stderr")
    unknown = {"kind": "celery", "task": "shop.nothing"}
    missing = await cluster.ended(await cluster.start_run("nothing", unknown))
    assert (missing.reason, "NotRegistered" in (missing.error or "")) == ("permanent", True), missing.error
    await cancel(cluster, naps[0])
    assert (await cluster.look(naps[0])).status == RunStatus.CANCELLED, "at once"
    await until(lambda: not is_alive(pids[0]), timeout=PATIENCE, message="its process ends")
    timed = await cluster.ended(
        await cluster.start_run("limited", shop.nap(), timeout=3, retry={"max_attempts": 1}, priority=9)
    )
    assert timed.status == RunStatus.FAILED
    assert "longer than its timeout" in (timed.error or "")
    late = await shop.pid(timed.id)
    await until(lambda: not is_alive(late), timeout=PATIENCE, message="its process ends")
    assert [is_alive(pid) for pid in pids[1:]] == [True, True]
    await eventually(lambda: _empty(cluster, len(naps) - 1), message="revoked tasks are forgotten")
    for run_id in naps[1:]:
        await cancel(cluster, run_id)
    await until(lambda: not any(map(is_alive, pids)), timeout=PATIENCE, message="their processes end")


async def _empty(cluster: Cluster, left: int) -> bool:
    return await cluster.count("remote_tasks") == left


@pytest.mark.parametrize("shop", ["redis"], indirect=True)
async def test_another_worker_follows_what_a_killed_one_sent(make_cluster: Make, shop: Shop) -> None:
    cluster = await make_cluster("postgresql", **shop.settings, HORAE_LEASE="3s", HORAE_HEARTBEAT="500ms")
    first = await cluster.start_worker()
    run_id = await cluster.start_run("nap", shop.nap(4))
    await shop.pid(run_id)
    await first.kill()
    second = await cluster.start_worker()
    found = await cluster.ended(run_id)
    assert (found.status, found.result, found.attempt) == (RunStatus.SUCCEEDED, "rested", 1)
    assert shop.starts() == [task_id(run_id, 1)], "once"
    # A task that is lost: no one executes it, and the message is gone.
    nowhere = {**shop.nap(1), "queue": f"{shop.broker.queue}-lost"}
    lost = await cluster.start_run("lost", nowhere, timeout=4, retry={"max_attempts": 1})
    await until(lambda: shop.waiting("-lost") == 1, timeout=PATIENCE, message="the message is there")
    shop.purge("-lost")
    found = await cluster.ended(lost)
    assert found.status == RunStatus.FAILED
    assert "took longer than its timeout of 4 s" in (found.error or "")
    assert await second.stop() == 0, second.output


async def test_the_result_backend_away_for_a_while(make_cluster: Make, tmp_path: Path) -> None:
    with own_redis(tmp_path, free_port(), "--appendonly", "yes") as server:
        await server.start()
        shop = Shop(BrokerUnderTest("redis", server.url), tmp_path, server.url)
        cluster = await make_cluster("postgresql", **shop.settings)
        worker = await cluster.start_worker()
        # Sent while no worker of the app is there, so that nothing happens until Redis is back.
        run_id = await cluster.start_run("add", {"kind": "celery", "task": "shop.add", "args": [1]})
        await until(lambda: shop.waiting() == 1, timeout=PATIENCE, message="the message is there")
        server.kill()
        away = {"kind": "celery", "task": "shop.add", "args": [2]}
        failed = await cluster.start_run("away", away, retry={"max_attempts": 2, "delay": 600})
        waiting = await cluster.run_is(failed, lambda run: run.status == "queued" and run.attempt == 1)
        (attempt,) = await cluster.attempts(waiting.id)
        assert (attempt.outcome, "broker of the Celery app" in (attempt.error or "")) == ("failed", True), attempt.error
        await until(lambda: worker.logged("a step failed"), timeout=PATIENCE, message="it says so")
        await server.start()
        await shop.start()
        found = await cluster.ended(run_id)
        assert (found.status, found.result, found.attempt) == (RunStatus.SUCCEEDED, {"sum": 1}, 1)
        assert shop.member is not None
        shop.member.reap()


@pytest.mark.parametrize("shop", [pytest.param("rabbitmq", marks=pytest.mark.rabbitmq)], indirect=True)
async def test_without_the_code_of_the_app(make_cluster: Make, shop: Shop) -> None:
    """Two URLs are enough, and an untracked task needs no result backend."""
    urls = {"HORAE_CELERY_APP": "", "HORAE_CELERY_BROKER_URL": shop.broker.url}
    limits = {"HORAE_CELERY_TASKS": "finance=billing.*,*=shop.*"}
    limits["HORAE_CELERY_QUEUES"] = f"finance=billing,default={shop.broker.queue},*=nobody-*"
    settings = {name: value for name, value in {**shop.settings, **urls}.items() if value}
    cluster = await make_cluster("postgresql", **settings, HORAE_CELERY_RESULT_BACKEND=shop.backend)
    await cluster.store.transact(lambda tx: tx.access.add_project(Project(IDS.new(), "finance", "Finance")))
    # The store of the test saves jobs without the limits, as another process without these settings could.
    await cluster.start_worker(**limits)
    add = {"kind": "celery", "task": "shop.add", "args": [1], "queue": shop.broker.queue}
    found = await cluster.ended(await cluster.start_run("add", add, retry={"max_attempts": 1}))
    assert (found.status, found.result) == (RunStatus.SUCCEEDED, {"sum": 1}), found.error
    elsewhere = {**add, "queue": "nobody-declared-this"}
    found = await cluster.ended(await cluster.start_run("elsewhere", elsewhere, retry={"max_attempts": 1}))
    assert (found.status, "the broker refused the task" in (found.error or "")) == (RunStatus.FAILED, True), found.error
    for hostile in ({"task": "billing.pay"}, {"queue": "billing"}):
        found = await cluster.ended(await cluster.start_run(f"hostile {hostile}", {**add, **hostile}))
        assert (found.reason, "may not" in (found.error or "")) == ("permanent", True), found.error
    nap = {**shop.nap(0.1), "queue": shop.broker.queue, "track": False}
    found = await cluster.ended(await cluster.start_run("untracked", nap))
    assert (found.status, found.result) == (RunStatus.SUCCEEDED, {"task_id": task_id(found.id, 1)})
    await shop.pid(found.id)
