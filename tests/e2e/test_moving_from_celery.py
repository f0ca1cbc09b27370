"""docs/moving-from-celery.md, followed with the project of examples/celery-shop: its commands are taken from the page
and executed, with real Celery workers, beat, Flower and Redis."""

import json
import os
import shutil
import sys
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import horae
from horae.sdk.runs import RunDetail
from tests.e2e.terminal import Pages, Shell, Terminal
from tests.integration.up.running import free_port
from tests.own_redis import OwnRedis, own_redis
from tests.waiting import until

pytestmark = [pytest.mark.slow, pytest.mark.sqlite, pytest.mark.redis, pytest.mark.timeout(420)]

ROOT = Path(__file__).resolve().parents[2]
GUIDE = Pages([ROOT / "docs" / "moving-from-celery.md"])
SHOP = ROOT / "examples" / "celery-shop"
JOBS = {"remind-customers", "nightly-report", "recount-stock"}


class Mover:
    """Someone who follows the guide, in the folder of the shop."""

    def __init__(self, folder: Path, redis: OwnRedis) -> None:
        self.folder, self.redis = folder, redis
        self.flower = f"http://127.0.0.1:{(flower_port := free_port())}"
        self._settings = {
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
            "SHOP_REDIS": f"redis://127.0.0.1:{redis.port}",
            "HORAE_DATA_DIR": str(folder.parent / "data"),
            "HORAE_PORT": str(free_port()),
            "FLOWER_PORT": str(flower_port),
            "FLOWER_UNAUTHENTICATED_API": "true",
        }
        self._shell = Shell(folder, **self._settings)
        self._open: dict[str, Terminal] = {}
        self._client: horae.Client | None = None
        self.done: set[str] = set()

    def _commands(self, block: str) -> str:
        self.done.add(block)
        return GUIDE.commands(block).replace("redis://127.0.0.1:6379", self._settings["SHOP_REDIS"])

    def types(self, block: str) -> str:
        """What the commands print."""
        return self._shell.run(self._commands(block))

    def says(self, command: str) -> str:
        """A command that is not in the guide."""
        return self._shell.run(command)

    @property
    def client(self) -> horae.Client:
        """To look at what commands have done, without a process for each look."""
        if self._client is None:
            left = json.loads((self.folder.parent / "data" / "client.json").read_text())
            self._client = horae.Client(left["url"], left["token"])
        return self._client

    def opens(self, block: str) -> Callable[[str], Any]:
        """A terminal with a command that stays; gives what waits for a sign of it."""
        name = f"{block} {len(self.done)}".replace(" ", "-")
        terminal = Terminal(self.folder.parent, f"cd shop\n{self._commands(block)}", name=name, **self._settings)
        self._open[block] = terminal
        return lambda sign: until(partial(terminal.says, sign), timeout=60, message=f"{block}: {sign}")

    def stops(self, *blocks: str) -> None:
        for block in blocks:
            self._open.pop(block).ctrl_c()

    def leaves(self) -> None:
        for terminal in self._open.values():
            terminal.kill()
        if self._client is not None:
            self._client.close()

    async def mailed(self, *lines: str) -> None:
        outbox = self.folder / "outbox.txt"
        await until(lambda: outbox.exists() and set(lines) <= set(outbox.read_text().splitlines()), message=str(lines))

    async def seen_by_flower(self, task: str) -> dict[str, Any]:
        """The latest task of that name in Flower, once it has succeeded."""

        def found() -> dict[str, Any] | None:
            try:
                with urllib.request.urlopen(f"{self.flower}/api/tasks?taskname={task}&state=SUCCESS") as answer:
                    tasks: dict[str, dict[str, Any]] = json.load(answer)
            except urllib.error.URLError:  # it does not listen yet
                return None
            return next(iter(tasks.values()), None)

        seen = await until(found, message=f"Flower sees {task}")
        assert seen is not None
        return seen

    def offered(self, function: str, slots: int) -> bool:
        """Whether a live worker with so many slots has the function."""
        workers = [one for one in self.client.workers() if one["status"] == "idle" and one["slots"] == slots]
        return any(f"python:{function}" in one["offers"] for one in workers)

    def ended(self, job: str) -> list[RunDetail]:
        """Its runs that succeeded, the newest first."""
        return [self.client.runs.get(run.id) for run in self.client.runs.list(job=job, status="succeeded")]


@pytest.fixture
def mover(tmp_path: Path) -> Iterator[Mover]:
    shutil.copytree(SHOP, tmp_path / "shop", ignore=shutil.ignore_patterns("__pycache__", "*.db", "outbox.txt"))
    with own_redis(tmp_path, free_port()) as redis:
        made = Mover(tmp_path / "shop", redis)
        try:
            yield made
        finally:
            made.leaves()


def test_the_guide_shows_what_the_patches_do() -> None:
    guide = (ROOT / "docs" / "moving-from-celery.md").read_text()
    patch = (SHOP / "steps" / "3-send-mail.patch").read_text().splitlines()
    shown = [line for block in guide.split("```diff\n")[1:] for line in block.partition("```")[0].splitlines()]
    assert shown
    assert [line for line in shown if line.startswith(("+", "-")) and line not in patch] == []


async def test_step_by_step(mover: Mover) -> None:
    await mover.redis.start()
    await celery_alone(mover)
    await instead_of_beat(mover)
    await the_same_broker(mover)
    await a_task_becomes_a_function(mover)
    await without_celery(mover)
    assert mover.done == GUIDE.names  # everything that is marked is executed


async def celery_alone(mover: Mover) -> None:
    worker, beat, _ = mover.opens("worker"), mover.opens("beat"), mover.opens("flower")
    await worker("ready.")
    mover.types("first order")
    await mover.mailed("sent ann@example.com: Receipt 1")
    await beat("Sending due task remind-customers")
    assert await mover.seen_by_flower("shop.tasks.remind_customers")


async def instead_of_beat(mover: Mover) -> None:
    await mover.opens("horae")("Horae is running")
    mover.stops("beat")
    listed = mover.types("schedule")
    assert all(job in listed for job in JOBS)
    mover.types("tracked")
    (report,) = mover.ended("nightly-report")
    assert report["result"] == {"orders": 1, "cents": 4200, "currency": "EUR"}
    assert (await mover.seen_by_flower("shop.tasks.nightly_report"))["result"].count("4200") == 1
    await until(lambda: mover.ended("remind-customers"), message="the schedule fires")
    mover.types("back to beat")
    assert not any(job.enabled for job in mover.client.jobs.list())
    for job in JOBS:
        mover.client.jobs.enable(job)


async def the_same_broker(mover: Mover) -> None:
    mover.stops("horae")
    engine, worker = mover.opens("engine"), mover.opens("engine worker")
    await engine("Horae is running")
    await worker("ready.")
    mover.types("by path")
    await until(lambda: mover.offered("recount_stock", slots=4))
    assert "north: shelf 20 of 20" in mover.types("carried")
    (run,) = mover.ended("recount-stock")
    assert (await mover.seen_by_flower("horae.run"))["uuid"] == run["id"]
    mover.types("back to the task")
    target = mover.client.jobs.get("recount-stock").target
    assert target is not None
    assert target["kind"] == "celery"


async def a_task_becomes_a_function(mover: Mover) -> None:
    before = {path: path.read_text() for path in mover.folder.glob("shop/*.py")}
    mover.stops("worker")
    mover.types("patch")
    worker, functions = mover.opens("worker"), mover.opens("functions")
    await worker("ready.")
    await functions("worker ready")
    mover.types("second order")
    mover.says("celery -A shop call shop.tasks.send_mail --queue mail --args '[1, \"Late\"]'")  # sent before the change
    await mover.mailed("deferred bob@grey.example: Receipt 2", "sent bob@grey.example: Receipt 2")
    await mover.mailed("sent ann@example.com: Late 1")
    await until(lambda: len(mover.ended("send_mail")) == 2)
    assert sorted(run["attempt"] for run in mover.ended("send_mail")) == [1, 2]
    mover.types("patch back")
    assert {path: path.read_text() for path in mover.folder.glob("shop/*.py")} == before
    mover.types("patch")


async def without_celery(mover: Mover) -> None:
    mover.types("last patch")
    mover.stops("functions")
    await mover.opens("functions")("worker ready")
    mover.types("new targets")
    await until(lambda: not list(mover.client.runs.list(status="running")), message="Celery has no more tasks of Horae")
    mover.stops("worker", "engine worker", "flower", "functions", "engine")
    mover.redis.kill()
    await mover.opens("final")("Horae is running")
    mover.types("last order")
    await mover.mailed("sent eve@example.com: Receipt 3")
    assert mover.ended("nightly-report")[0]["result"]["cents"] in (6100, 6800)  # it may be faster than the last order
    assert list(mover.client.runs.list(status="failed")) == []
    mover.stops("final")
