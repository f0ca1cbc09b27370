"""Intakes inside the test, on its own database and a real broker."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress

import pytest

from horae import config
from horae.domain.errors import HoraeError
from horae.intake.address import parse_address
from horae.intake.caller import IntakeKey
from horae.intake.process import IntakeProcess, IntakeSettings
from horae.intake.submission import Submission
from horae.wiring.intake import source_of
from horae.wiring.shared import CLOCK, IDS, defaults_of
from tests.integration.cluster.cluster import Cluster, Make, eventually
from tests.integration.cluster.conftest import make_cluster, migrated
from tests.integration.intake.brokers import EACH, SourceUnderTest

__all__ = ["make_cluster", "migrated"]
MAIL = {"kind": "http", "url": "http://127.0.0.1:9/"}


class RunningIntake:
    """`process` is the intake, `task` runs it; `source` is its own."""

    def __init__(self, cluster: Cluster, url: str, key: str, batch: int, quota_wait: float) -> None:
        self.source = source_of(parse_address(url), batch)
        settings = config.load(cluster.settings)
        keys = [str(settings.secret_key)]
        submission = Submission(cluster.store, IDS, defaults_of(settings), keys, self.source.name)
        self.process = IntakeProcess(
            self.source, submission, IntakeKey(key, cluster.store, CLOCK), IntakeSettings(batch, quota_wait), CLOCK
        )
        self._stop = asyncio.Event()
        self.task = asyncio.create_task(self.process.run(self._stop))

    def count(self, result: str) -> int:
        counts = {family.name: found for family, found in self.process.meters.numbers()}
        return int(counts["horae_intake_requests_total"].get((result,), 0))

    async def stop(self) -> None:
        self._stop.set()
        await self.task

    async def die(self) -> None:
        """Without giving anything back."""
        self.task.cancel()
        with suppress(asyncio.CancelledError):
            await self.task


class Intakes:
    def __init__(self, cluster: Cluster, source: SourceUnderTest) -> None:
        self.cluster, self.source = cluster, source
        self._all: list[RunningIntake] = []

    async def start(
        self, *, role: str = "operator", key: str = "", url: str = "", batch: int = 100, quota_wait: float = 60
    ) -> RunningIntake:
        token = key or await self.cluster.key(role)
        self._all.append(RunningIntake(self.cluster, url or self.source.url, token, batch, quota_wait))
        return self._all[-1]

    async def taken(self) -> None:
        """Nothing waits in the source any more."""
        await eventually(self._none_waits, message="everything is taken")

    async def _none_waits(self) -> bool:
        return await self.source.waiting() == 0

    async def runs(self, count: int) -> None:
        async def as_many() -> bool:
            return await self.cluster.count("runs") >= count

        await eventually(as_many, message=f"{count} runs")
        assert await self.cluster.count("runs") == count

    async def close(self) -> None:
        for intake in self._all:
            if not intake.task.done():
                with suppress(HoraeError):
                    await intake.stop()


@pytest.fixture(params=EACH)
async def source(request: pytest.FixtureRequest) -> AsyncIterator[SourceUnderTest]:
    made = SourceUnderTest(request.param)
    yield made
    await made.clean()


@pytest.fixture
async def intakes(source: SourceUnderTest, make_cluster: Make) -> AsyncIterator[Intakes]:
    """On SQLite, with a job `mail`."""
    cluster = await make_cluster("sqlite")
    await cluster.create("mail", MAIL)
    made = Intakes(cluster, source)
    yield made
    await made.close()
