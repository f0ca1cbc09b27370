"""Parked runs through real processes: a worker calls, a service accepts, and a callback arrives or does not."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import aiohttp
import pytest
from aiohttp import web

from horae.domain.runs.states import AttemptOutcome
from horae.lifecycle.cancel import cancel_runs
from tests.integration.cluster.cluster import Cluster, Make, Member, eventually, free_port
from tests.waiting import until

pytestmark = pytest.mark.slow

SOON = {"max_attempts": 2, "backoff": "fixed", "delay": 0, "jitter": 0}


class Service:
    """Accepts every call with 202, and knows where each wants to be called back. `/early` calls back first."""

    def __init__(self, session: aiohttp.ClientSession) -> None:
        self.url = ""
        self.session = session
        self.addresses: dict[str, list[str]] = {}  # by the path that was called

    async def handle(self, request: web.Request) -> web.Response:
        address = request.headers["Horae-Callback-Url"]
        self.addresses.setdefault(request.path, []).append(address)
        if request.path == "/early":
            assert await self.tell(address, status="succeeded", result="early") == 200
        return web.Response(status=202)

    async def called(self, path: str, attempt: int = 1) -> str:
        """The address that came with the call."""
        await until(lambda: len(self.addresses.get(path, ())) >= attempt, timeout=40)
        return self.addresses[path][attempt - 1]

    async def tell(self, address: str, **body: Any) -> int:
        async with self.session.post(address, json=body) as answer:
            return answer.status


@pytest.fixture
async def service() -> AsyncIterator[Service]:
    async with aiohttp.ClientSession() as session:
        it = Service(session)
        app = web.Application()
        app.router.add_route("*", "/{path:.*}", it.handle)
        runner = web.AppRunner(app, access_log=None)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        it.url = f"http://127.0.0.1:{runner.addresses[0][1]}"
        yield it
        await runner.cleanup()


async def start(cluster: Cluster, service: Service, name: str, **fields: Any) -> str:
    callback = fields.pop("callback", {"timeout": 600})
    target = {"kind": "http", "url": f"{service.url}/{name}", "callback": callback}
    return await cluster.start_run(name, target, retry=SOON, **fields)


@pytest.mark.mysql
async def test_parked_runs_end_by_callback_timeout_or_cancellation(make_cluster: Make, service: Service) -> None:
    port = free_port()
    public = f"http://127.0.0.1:{port}"
    cluster = await make_cluster("mysql", HORAE_PUBLIC_URL=public, HORAE_PORT=str(port))
    await asyncio.gather(cluster.start_scheduler(), cluster.start_serve(HORAE_PORT=str(port)))
    worker = await cluster.start_worker("--slots", "1")

    # One slot, and yet all of them are under way.
    ids = {name: await start(cluster, service, name) for name in ("good", "bad", "cancelled", "early")}
    addresses = {name: await service.called(f"/{name}") for name in ids}
    assert (await cluster.ended(ids["early"])).result == "early"
    for name in ("good", "bad", "cancelled"):
        run = await cluster.run_is(ids[name], lambda run: run.parked, f"{name} is parked")
        assert (run.status, run.worker_id) == ("running", None)
        assert "answered with 202" in await cluster.log(ids[name], "system")
    await eventually(_idle, cluster, worker)

    # The worker's death is no one's concern.
    await worker.kill()
    assert await service.tell(addresses["good"], progress={"fraction": 0.5, "note": "half"}) == 200
    assert (await cluster.look(ids["good"])).progress == {"fraction": 0.5, "note": "half"}
    assert await service.tell(addresses["good"], status="succeeded", result={"rows": 7}) == 200
    run = await cluster.ended(ids["good"])
    assert (run.status, run.result, run.attempt) == ("succeeded", {"rows": 7}, 1)
    assert await service.tell(addresses["good"], status="failed") == 409
    await cluster.store.transact(
        cancel_runs, project_id=cluster.project_id, run_ids=[ids["cancelled"]], actor="the test"
    )
    assert (await cluster.look(ids["cancelled"])).status == "cancelled"
    assert await service.tell(addresses["cancelled"], status="succeeded") == 409

    # A failure is tried again, by another worker, and has its own address.
    assert await service.tell(addresses["bad"], status="failed", error="out of paper") == 200
    await cluster.start_worker("--slots", "1")
    again = await service.called("/bad", attempt=2)
    assert again != addresses["bad"]
    await cluster.run_is(ids["bad"], lambda run: run.parked)
    assert await service.tell(addresses["bad"], status="succeeded") == 409
    assert await service.tell(again, status="failed", error="still none", permanent=True) == 200
    run = await cluster.ended(ids["bad"])
    assert (run.status, run.reason, run.error) == ("failed", "permanent", "still none")
    assert [(a.outcome, a.error) for a in await cluster.attempts(ids["bad"])] == [("failed", "out of paper")]

    # Without a callback an attempt times out.
    late = await start(cluster, service, "late", callback={"timeout": 1})
    second = await service.called("/late", attempt=2)
    assert [a.outcome for a in await cluster.attempts(late)] == [AttemptOutcome.TIMED_OUT]
    assert await service.tell(service.addresses["/late"][0], status="succeeded") == 409
    await service.tell(second, status="succeeded")
    assert (await cluster.ended(late)).status in ("succeeded", "failed"), "whichever was first"
    refused = [line for member in cluster.members for line in member.logged("results refused")]
    assert refused == [], "a callback that overtakes its 202 is no loss"


async def _idle(cluster: Cluster, worker: Member) -> bool:
    return bool((await cluster.worker_row(worker))["busy"] == 0)


async def test_a_worker_that_knows_no_address_says_so(make_cluster: Make, service: Service) -> None:
    cluster = await make_cluster("sqlite")
    await cluster.start_worker()
    run = await cluster.ended(await start(cluster, service, "lost"))
    assert (run.status, run.reason, run.attempt) == ("failed", "permanent", 1)
    assert "HORAE_PUBLIC_URL" in str(run.error)
    assert service.addresses == {}
