"""Two real versions on one database: a rolling upgrade in any order, and back again, while the work goes on.

The other version is the first one that may share a database with this tree (`FIRST_VERSION`), unpacked from git. Its
dependencies are those of this tree.
"""

import asyncio
import os
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator
from itertools import count

from horae import AsyncClient
from horae.domain.jobs.stored import FIRST_VERSION
from tests.faults.scenario import ALL, scenario
from tests.faults.stage import RETRY, Stage
from tests.first_version import first_version_is_here, unpack_first_version
from tests.integration.cluster.cluster import Member, environment

ROLES = ("serve", "scheduler", "worker")
BETWEEN = 6  # runs that end between two replacements
OCCURRENCES = 45


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
    await stage.plan(3, times=OCCURRENCES)  # saved by this tree, fired and carried out by whoever is there
    token = await stage.cluster.key("owner")
    programs = Programs(stage, cast, token)
    await programs.work()
    for version in ("new", "old"):
        for role in stage.chance.sample(ROLES, len(ROLES)):
            await cast.replace(role, version)
            await programs.work()


class Cast:
    """Who plays which role now. The successor is there before the predecessor goes: for a while there are both."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage
        self._old = {"PYTHONPATH": str(unpack_first_version(stage.cluster.folder / "first"))}
        assert self._imported() == self._old["PYTHONPATH"], "the old version would not be what runs"
        self.now: dict[str, Member] = {}

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
        self.now[role] = await starts[role](**(self._old if version == "old" else {}))
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
