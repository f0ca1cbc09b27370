"""Programs at the API while its database dies: what was acknowledged is there, what was asked for once is done once,
and those who follow the events see every end.

The programs use the SDK as anyone would, and ask again, under the same key, for what they got no answer to.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from itertools import count
from typing import Any

from horae import AsyncClient
from horae.api.signing_in.tokens import mint
from horae.domain.people.key import ApiKey
from horae.sdk.answers import ServerError, TryLater, Unreachable
from tests.faults.scenario import SERVERS, scenario
from tests.faults.scenarios.databases import at_its_own_server
from tests.faults.stage import Stage
from tests.integration.cluster.cluster import IDS, PATIENCE
from tests.waiting import until

PROGRAMS = 4
JOB = "asked-for"
PAUSE = 0.05  # between two wishes of a program


class Programs:
    """Each requests one run after another, until they are stopped."""

    def __init__(self, stage: Stage, url: str, token: str) -> None:
        self._stage = stage
        self.granted: dict[str, str] = {}  # the run of each key
        self.seen: dict[str, str] = {}  # the status of each run, by the events
        self._open = lambda: AsyncClient(url, token, retries=1, timeout=5)
        self._stopping = asyncio.Event()
        self.before = 0  # runs that no one wished for

    def stop(self) -> None:
        self._stopping.set()

    async def are_granted(self, more: int) -> None:
        enough = len(self.granted) + more
        await until(lambda: len(self.granted) >= enough, timeout=PATIENCE, message=f"{more} more runs are granted")

    def unseen(self) -> dict[str, str | None]:
        """Runs whose success was not reported, and what was reported about them."""
        heard = {run_id: self.seen.get(run_id) for run_id in self.granted.values()}
        return {run_id: status for run_id, status in heard.items() if status != "succeeded"}

    async def are_heard(self, following: asyncio.Task[None]) -> None:
        """Runs things until an event arrives: what happened before the stream began is not reported."""
        while not self.seen:
            self.before += len(await self._stage.ask_for(1))
            with suppress(AssertionError):
                await until(lambda: following.done() or self.seen, timeout=2)
            if following.done():
                following.result()

    async def wish(self, name: int) -> None:
        async with self._open() as client:
            for number in count():
                if self._stopping.is_set():
                    return
                await self._granted(client, f"{name}-{number}")
                await self._stage.pass_by(PAUSE)

    async def _granted(self, client: AsyncClient, key: str) -> None:
        while key not in self.granted:
            try:
                run = await client.jobs.run(JOB, idempotency_key=key)
            except (Unreachable, ServerError, TryLater):
                await self._stage.pass_by(PAUSE)
            else:
                self.granted[key] = run.id

    async def follow(self) -> None:
        async with self._open() as client:
            async for kind, run in client.events(kind="run"):
                if kind == "run":
                    self.seen[run["id"]] = run["status"]
                elif kind == "reset":  # more than events can report: the lists have it
                    self.seen |= {run.id: run.status async for run in client.runs.list(job=JOB)}


@asynccontextmanager
async def programs(stage: Stage, url: str) -> AsyncIterator[Programs]:
    at_work = Programs(stage, url, await _key(stage))
    following = asyncio.create_task(at_work.follow())
    wishing: list[asyncio.Task[None]] = []
    try:
        await asyncio.wait_for(at_work.are_heard(following), PATIENCE)
        wishing += [asyncio.create_task(at_work.wish(name)) for name in range(PROGRAMS)]
        yield at_work
        at_work.stop()
        await asyncio.wait_for(asyncio.gather(*wishing), PATIENCE)

        try:
            await until(lambda: following.done() or not at_work.unseen(), timeout=PATIENCE)
        except AssertionError:
            raise AssertionError(f"the events do not tell of {at_work.unseen()}") from None
        if following.done():
            following.result()  # why it has stopped
    finally:
        following.cancel()
        for task in wishing:
            task.cancel()
        await asyncio.gather(following, *wishing, return_exceptions=True)


async def _key(stage: Stage) -> str:
    token = mint()
    key = ApiKey(IDS.new(), stage.cluster.project_id, "program", "operator", token.prefix, token.digest, "the test")

    async def add(tx: Any) -> None:
        await tx.access.add_key(key)

    await stage.cluster.store.transact(add)
    return token.text


@scenario(
    "clients-at-work",
    "the database server dies and comes back while programs request runs through the API and follow its events",
    kinds=SERVERS,
    fast=("postgresql",),
    rounds=5,
    within=100,
    bound=5,
)
async def clients_at_work(stage: Stage) -> None:
    server, members = await at_its_own_server(stage)
    await stage.cluster.create(JOB, stage.noting())
    async with programs(stage, str(members.web.base_url)) as at_work:
        for _ in stage.rounds():
            await at_work.are_granted(10)
            await stage.pass_by(stage.chance.random())
            await server.kill()
            await stage.pass_by(stage.chance.choice((0.0, 0.5, 3.0)))
            await members.resumes(await server.back())
    stage.checker.asked |= set(at_work.granted.values())
    await stage.settle()
    made = await stage.cluster.count("run_history") - at_work.before
    assert made == len(set(at_work.granted.values())) == len(at_work.granted), "a wish made two runs, or two made one"
    await stage.every_slot(members.workers)
