"""Clients of the REST API, one that waits and one that is awaited.

    client = horae.Client("http://127.0.0.1:8080", token)
    client.jobs.create(name="hello", target={"kind": "script", "source": "echo hello"}, schedule={"every": "10s"})
    run = client.jobs.run("hello")

    async with horae.AsyncClient("http://127.0.0.1:8080", token) as client:
        run = await client.jobs.run("hello")

Answers are the API's JSON as dictionaries whose fields are attributes too; refusals are raised as the errors of
`horae.errors`, with the message and the field that the server named. What both can do is said once, in the modules of
the nouns; how they do it once, in engine.py.
"""

from __future__ import annotations

from collections.abc import Coroutine
from typing import Any, ClassVar, TypeVar

import httpx

from horae.sdk.accounts import Account, Keys, Projects, Users
from horae.sdk.alerts import Alerts
from horae.sdk.calls import Async, C, Request, Sync
from horae.sdk.channels import Channels
from horae.sdk.dead_letters import DeadLetters
from horae.sdk.drivers import AsyncDriver, SyncDriver, at_once
from horae.sdk.functions import Functions
from horae.sdk.installation import Installation
from horae.sdk.jobs import Jobs
from horae.sdk.pings import Badges, Pings
from horae.sdk.queues import Queues
from horae.sdk.runs import Operations, Runs
from horae.sdk.second_factor import SecondFactor
from horae.sdk.secrets import Secrets
from horae.sdk.sinks import Sinks
from horae.sdk.transport import Transport

T = TypeVar("T")


class Nouns(Installation[C]):
    """Everything a client offers."""

    _drive: ClassVar[type[SyncDriver] | type[AsyncDriver]]

    def __init__(
        self,
        url: str,
        token: str | httpx.Auth | None = None,
        *,
        project: str | None = None,
        timeout: float = 30.0,
        client: str = "sdk",
        retries: int = 2,
    ) -> None:
        transport = Transport(url, token, timeout, client, retries, project)
        driver = self._drive(transport)
        super().__init__(driver)
        self.url = transport.url
        self._engine, self._http = driver.engine, driver.http
        self.jobs: Jobs[C] = Jobs(driver)
        self.runs: Runs[C] = Runs(driver)
        self.operations: Operations[C] = Operations(driver)
        self.secrets: Secrets[C] = Secrets(driver)
        self.channels: Channels[C] = Channels(driver)
        self.sinks: Sinks[C] = Sinks(driver)
        self.dead_letters: DeadLetters[C] = DeadLetters(driver)
        self.queues: Queues[C] = Queues(driver)
        self.alerts: Alerts[C] = Alerts(driver)
        self.functions: Functions[C] = Functions(driver)
        self.pings: Pings[C] = Pings(driver)
        self.badges: Badges[C] = Badges(driver)
        self.users: Users[C] = Users(driver)
        self.projects: Projects[C] = Projects(driver)
        self.keys: Keys[C] = Keys(driver)
        self.account: Account[C] = Account(driver)
        self.second_factor: SecondFactor[C] = SecondFactor(driver)


class Client(Nouns[Sync]):
    """A client of one Horae server; thread-safe. Use it as a context manager, or call `close`."""

    _drive = SyncDriver

    def send(self, request: Request[T]) -> T:
        return at_once(self._engine.send(request))

    def close(self) -> None:
        at_once(self._engine.close())

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


class AsyncClient(Nouns[Async]):
    """Like `Client`, with awaitable methods, for any number of tasks of one event loop."""

    _drive = AsyncDriver

    def send(self, request: Request[T]) -> Coroutine[Any, Any, T]:
        return self._engine.send(request)

    async def close(self) -> None:
        await self._engine.close()

    async def __aenter__(self) -> AsyncClient:
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self.close()
