"""The executors under test, on the loop that workers have."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from pathlib import Path

import pytest
import uvloop
from aiohttp import web

from horae.clock import SystemClock
from horae.domain.jobs.task import Registry
from horae.executors.commands import CommandRunner
from horae.executors.container import ContainerExecutor
from horae.executors.http import HttpExecutor
from horae.executors.python import PythonExecutor
from horae.executors.script import ScriptExecutor
from tests.integration.executors.calls import Handler, Server
from tests.integration.executors.containers import executor_on
from tests.integration.executors.podman import Podman
from tests.integration.executors.scripts import ENVIRONMENT
from tests.integration.executors.tasks import ORIGIN


def pytest_asyncio_loop_factories() -> Mapping[str, Callable[[], asyncio.AbstractEventLoop]]:
    return {"uvloop": uvloop.new_event_loop}


@pytest.fixture
async def script(tmp_path: Path) -> AsyncIterator[ScriptExecutor]:
    executor = ScriptExecutor(CommandRunner(ENVIRONMENT, scratch=tmp_path))
    yield executor
    await executor.close()
    assert list(tmp_path.glob("horae-*")) == [], "nothing is left behind"


@pytest.fixture
async def registry() -> Registry:
    return Registry()


@pytest.fixture
async def python(registry: Registry) -> AsyncIterator[PythonExecutor]:
    executor = PythonExecutor(registry, ORIGIN, slots=4)
    yield executor
    await executor.close()


@pytest.fixture
async def server() -> AsyncIterator[Server]:
    it = Server()
    runner = web.AppRunner(_app(it.handle), access_log=None, handler_cancellation=True)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    it.url = f"http://127.0.0.1:{runner.addresses[0][1]}/"
    yield it
    await runner.cleanup()


def _app(handler: Handler) -> web.Application:
    app = web.Application()
    app.router.add_route("*", "/{path:.*}", handler)
    return app


@pytest.fixture
async def http() -> AsyncIterator[HttpExecutor]:
    executor = HttpExecutor(SystemClock(), version="1.2.3", allow_private=True)
    yield executor
    await executor.close()


@pytest.fixture
async def strict() -> AsyncIterator[HttpExecutor]:
    executor = HttpExecutor(SystemClock(), version="1.2.3")
    yield executor
    await executor.close()


@pytest.fixture
async def container(podman: Podman) -> AsyncIterator[ContainerExecutor]:
    async with executor_on(podman.socket) as executor:
        yield executor


@pytest.fixture
def nothing_is_left(podman: Podman) -> Iterator[None]:
    yield
    assert podman.containers() == []
