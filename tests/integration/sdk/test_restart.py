"""The clients over the end and the new beginning of a server, while they write, list and follow."""

import asyncio
import threading
from collections import Counter
from contextlib import suppress
from typing import Any

import pytest

import horae
from horae import errors
from tests.integration.cluster.cluster import PATIENCE, Cluster, Make, Member, free_port
from tests.integration.sdk.callers import Caller, calling
from tests.waiting import until

pytestmark = [pytest.mark.slow, pytest.mark.postgresql]


class Served:
    """A server that can be killed and restarted at the same address."""

    def __init__(self, cluster: Cluster) -> None:
        self.cluster, self._port = cluster, str(free_port())
        self.url = f"http://127.0.0.1:{self._port}"
        self.token = ""
        self._member: Member | None = None

    async def start(self) -> None:
        self._member = await self.cluster.start_serve(HORAE_PORT=self._port)

    async def restart(self) -> None:
        assert self._member is not None
        await self._member.kill()
        await self.start()


@pytest.fixture
async def served(make_cluster: Make) -> Served:
    cluster = await make_cluster("postgresql")
    made = Served(cluster)
    await made.start()
    made.token = await cluster.key("owner")
    return made


async def numbered(call: Caller) -> list[int]:
    return [run.input for run in await call("runs.list", job="count", limit=None)]


async def test_writing_over_a_restart_does_nothing_twice(served: Served) -> None:
    """What the server was at when it was killed may be in doubt for longer than a client asks; never is it done twice,
    and asked again under its own key it is done once."""
    async with calling(horae.AsyncClient, served.url, served.token, retries=3) as call:
        await call("jobs.create", name="count", target={"kind": "script", "source": "true"})
        done, doubtful = list[int](), list[int]()
        left = iter(range(200))

        async def write() -> None:
            for n in left:
                try:
                    assert (await call("jobs.run", "count", input=n, idempotency_key=f"run {n}")).input == n
                    done.append(n)
                except (errors.Unreachable, errors.Conflict, errors.TryLater):
                    doubtful.append(n)

        writing = asyncio.gather(*(write() for _ in range(8)))
        await until(lambda: len(done) > 30, timeout=PATIENCE)
        await served.restart()
        await asyncio.wait_for(writing, 2 * PATIENCE)
        found = Counter(await numbered(call))
        assert set(found.values()) == {1}
        assert set(done) <= set(found) <= set(done) | set(doubtful)
        for n in set(doubtful) & set(found):
            with suppress(errors.Conflict):  # it is still thought to be answered
                await call("jobs.run", "count", input=n, idempotency_key=f"run {n}")
        assert Counter(await numbered(call)) == found


async def test_threads_share_a_client(served: Served) -> None:
    with horae.Client(served.url, served.token) as client:
        client.jobs.create(name="count", target={"kind": "script", "source": "true"})
        failed: list[errors.HoraeError] = []

        def write(first: int) -> None:
            try:
                for n in range(first, first + 25):
                    client.jobs.run("count", input=n)
            except errors.HoraeError as error:
                failed.append(error)

        threads = [threading.Thread(target=write, args=(first,)) for first in range(0, 200, 25)]
        for thread in threads:
            thread.start()
        for thread in threads:
            await asyncio.to_thread(thread.join)
        assert failed == []
        assert Counter(run.input for run in client.runs.list(job="count", limit=None)) == Counter(range(200))


async def test_paging_while_rows_come(served: Served) -> None:
    """No existing item is missed or returned twice, however many are added meanwhile."""
    async with horae.AsyncClient(served.url, served.token) as client:
        await client.jobs.create(name="count", target={"kind": "script", "source": "true"})
        for first in range(0, 1_000, 500):
            await client.jobs.run_many("count", [{"input": n} for n in range(first, first + 500)])
        seen: list[int] = []
        async for run in client.runs.list(job="count", limit=None):
            seen.append(run.input)
            if len(seen) % 200 == 0:  # between two pages
                await client.jobs.run_many("count", [{"input": 10_000 + n} for n in range(50)])
        assert len(seen) == len(set(seen))
        assert [n for n in seen if n < 10_000] == list(range(999, -1, -1))


async def test_following_over_a_restart(served: Served) -> None:
    """A run's log, by both clients at once: whole, and nothing twice."""
    cluster = served.cluster
    await cluster.start_worker()
    gate = cluster.folder / "gate"
    source = f"echo first; while [ ! -e {gate} ]; do sleep 0.1; done; echo second; echo third"
    async with horae.AsyncClient(served.url, served.token) as client:
        await client.jobs.create(name="slow", target={"kind": "script", "source": source})
        run = await client.jobs.run("slow")
        told: dict[type, list[tuple[str, Any]]] = {horae.Client: [], horae.AsyncClient: []}

        def wait_for_it() -> None:
            with horae.Client(served.url, served.token) as waiting:
                told[horae.Client].extend(waiting.runs.follow(run.id))

        async def await_it() -> None:
            async for event in client.runs.follow(run.id):
                told[horae.AsyncClient].append(event)

        following = asyncio.gather(asyncio.to_thread(wait_for_it), await_it())
        await until(lambda: any(name == "log" for name, _ in told[horae.AsyncClient]), timeout=PATIENCE)
        await served.restart()
        gate.touch()
        await asyncio.wait_for(following, PATIENCE)
    for events in told.values():
        assert "".join(data["text"] for name, data in events if name == "log") == "first\nsecond\nthird\n"
        assert (events[-1][0], events[-1][1]["status"]) == ("end", "succeeded")
