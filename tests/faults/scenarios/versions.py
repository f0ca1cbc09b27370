"""Two real versions on one database: a rolling upgrade in any order, and back again, while the work goes on.

The other version is the first one that may share a database with this tree (`FIRST_VERSION`), unpacked from git. Its
dependencies are those of this tree.
"""

import asyncio
import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from itertools import count

import httpx

from horae import AsyncClient
from horae.domain.jobs.stored import FIRST_VERSION
from tests.faults.scenario import ALL, scenario
from tests.faults.stage import RETRY, Stage
from tests.first_version import first_version_is_here, unpack_first_version
from tests.integration.cluster.cluster import PATIENCE, Member, environment
from tests.integration.notifiers.receiving import Receiver, receiving
from tests.waiting import until

ROLES = ("serve", "scheduler", "worker")
BETWEEN = 6  # runs that end between two replacements
OCCURRENCES = 45
SOON = {"HORAE_ALERT_NO_WORKER": "8s"}  # the shortest threshold: alerts are evaluated every two seconds


@scenario(
    "two-versions",
    f"{FIRST_VERSION} beside this version: each of serve, scheduler and worker is replaced in turn, there and back",
    # The first version works on MariaDB, and not on MySQL itself, which may stand in for it.
    kinds=ALL if os.environ.get("HORAE_TEST_MYSQL_KIND", "mysql") == "mysql" else ("postgresql", "sqlite"),
    fast=("postgresql",),
    most=5,
    within=400,
    needs=f"commit {FIRST_VERSION} in the history of this clone",
    possible=first_version_is_here,
)
async def two_versions(stage: Stage) -> None:
    cast = Cast(stage)
    await asyncio.gather(*(cast.replace(role, "old") for role in ROLES))
    await stage.plan(3, times=OCCURRENCES)  # saved by this tree, fired and executed by either version
    token = await stage.cluster.key("owner")
    programs = Programs(stage, cast, token)
    watchers = Watchers(stage, cast, token, await stage.keep(receiving()))
    await programs.work()
    for version in ("new", "old"):
        for role in stage.chance.sample(ROLES, len(ROLES)):
            await cast.replace(role, version)
            await asyncio.gather(programs.work(), *([watchers.work()] if version == "new" else []))
        if version == "new":
            await watchers.all_told()
    watchers.nobody_told_twice()


class Cast:
    """Who plays which role now. The successor is there before the predecessor goes: for a while there are both."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage
        self._old = {"PYTHONPATH": str(unpack_first_version(stage.cluster.folder / "first"))}
        assert self._imported() == self._old["PYTHONPATH"], "the old version would not be what runs"
        self.now: dict[str, Member] = {}
        self.new: set[str] = set()  # the roles that this tree plays

    def _imported(self) -> str:
        code = "import horae, pathlib; print(pathlib.Path(horae.__file__).parents[1])"
        return subprocess.check_output([sys.executable, "-c", code], env=environment(self._old), text=True).strip()

    async def replace(self, role: str, version: str) -> None:
        cluster = self._stage.cluster
        starts: dict[str, Callable[..., Awaitable[Member]]] = {
            "serve": cluster.start_serve,
            "scheduler": cluster.start_scheduler,
            "worker": cluster.start_worker,
        }
        before = self.now.get(role)
        self.now[role] = await starts[role](**(self._old if version == "old" else SOON))
        self.new = self.new | {role} if version == "new" else self.new - {role}
        if before is not None:
            await self._stage.pass_by(self._stage.chance.random())  # side by side
            code = await before.stop()
            assert code == 0, f"the {role} stopped with {code}: {before.output[-2_000:]}"


class Programs:
    """Save, edit and run jobs at whichever server there is."""

    def __init__(self, stage: Stage, cast: Cast, token: str) -> None:
        self._stage, self._cast, self._token = stage, cast, token
        self._numbers: Iterator[int] = count(1)
        self._saved: list[str] = []

    async def work(self) -> None:
        """A job saved here, and edits and runs of those that servers of either version have saved."""
        url = f"http://127.0.0.1:{self._cast.now['serve'].port}"
        async with AsyncClient(url, self._token) as client:
            name = f"asked-{next(self._numbers)}"
            await client.jobs.create(name=name, target=self._stage.noting(0.1), retry=RETRY)
            self._saved.append(name)
            await client.jobs.edit(self._stage.chance.choice(self._saved), priority=self._stage.chance.randrange(10))
            runs = [await client.jobs.run(self._stage.chance.choice(self._saved)) for _ in range(BETWEEN)]
        ids = {run["id"] for run in runs}
        self._stage.checker.asked |= ids
        await self._stage.noted("end", lambda note: note.run_id in ids, count=BETWEEN)


class Watchers:
    """Use what only this version has, while the other works beside it: a channel, jobs with alerts and pings. Runs that
    the other version ends or sums are not announced; what this version ends is announced once."""

    def __init__(self, stage: Stage, cast: Cast, token: str, receiver: Receiver) -> None:
        self._stage, self._cast, self._token, self._receiver = stage, cast, token, receiver
        self._numbers: Iterator[int] = count(1)
        self._failed: list[str] = []
        self._pings: dict[str, str] = {}

    async def work(self) -> None:
        """A ping that fails at any new server; a job that fails where a new worker can read it."""
        if "serve" not in self._cast.new:
            return
        async with self._client() as client, httpx.AsyncClient(trust_env=False) as foreign:
            if not self._pings:
                target = {"kind": "webhook", "url": self._receiver.url}
                await client.channels.create("hook", target, repeat_after="1d", per_hour=1_000)
            n = next(self._numbers)
            ping = await client.pings.create(name=f"ping-{n}", schedule={"every": "1h"})
            (await foreign.get(f"{ping['url']}/fail")).raise_for_status()
            self._pings[f"ping-{n}"] = ping["url"]
            if "worker" in self._cast.new:
                await self._fail(client, f"bad-{n}")

    async def all_told(self) -> None:
        """Once all are new: what was left in the outbox meanwhile, an alert, and that pings have recovered."""
        async with self._client() as client, httpx.AsyncClient(trust_env=False) as foreign:
            await self._fail(client, "alerted")
            for url in self._pings.values():
                (await foreign.get(url)).raise_for_status()
        wanted = {("alert", "alerted"), *((kind, name) for kind in ("alert", "cleared") for name in self._pings)}
        wanted |= {("dead_letter", name) for name in self._failed}
        await until(lambda: wanted <= self._told().keys(), timeout=PATIENCE, message=f"{wanted} are told")

    def nobody_told_twice(self) -> None:
        twice = {notice: times for notice, times in self._told().items() if times > 1}
        assert not twice, f"told more than once: {twice}"

    def _client(self) -> AsyncClient:
        return AsyncClient(f"http://127.0.0.1:{self._cast.now['serve'].port}", self._token)

    async def _fail(self, client: AsyncClient, name: str) -> None:
        await client.jobs.create(
            name=name, target={"kind": "script", "source": "exit 3"}, retry={"max_attempts": 1}, alert={"failing": 1}
        )
        run = await client.jobs.run(name)
        self._stage.checker.asked.add(run["id"])
        self._stage.checker.may_fail.add(run["id"])
        assert (await self._stage.cluster.ended(run["id"])).status == "failed"
        self._failed.append(name)

    def _told(self) -> Counter[tuple[str, str]]:
        """What arrived, by kind and name. No one is killed here, so no message is sent again."""
        return Counter(
            (notice["kind"], notice["subject"]["name"])
            for _, _, body in self._receiver.got
            for notice in json.loads(body)["notices"]
        )
