"""Clients of the REST API, one that waits and one that is awaited.

    client = horae.Client("http://127.0.0.1:8080", token)
    client.jobs.create(name="hello", target={"kind": "script", "source": "echo hello"}, schedule={"every": "10s"})
    run = client.jobs.run("hello")

    async with horae.AsyncClient("http://127.0.0.1:8080", token) as client:
        run = await client.jobs.run("hello")

Answers are the API's JSON as dictionaries; refusals are raised as the errors of `horae.domain.errors`, with the
message and the field that the server named. What both can do is said once, in the modules of the nouns.
"""

from __future__ import annotations

import asyncio
import re
import threading
from collections.abc import AsyncIterator, Iterator, Mapping
from typing import Any, TypeVar

import httpx

from horae.domain.errors import NotFound
from horae.sdk.accounts import (
    Account,
    AsyncAccount,
    AsyncKeys,
    AsyncProjects,
    AsyncUsers,
    Keys,
    Projects,
    Users,
)
from horae.sdk.answers import TryLater, Unreachable, refusal
from horae.sdk.calls import AsyncResource, Json, Pages, Request, Resource, When, call, given, instant, pages, part
from horae.sdk.dead_letters import AsyncDeadLetters, DeadLetters
from horae.sdk.following import END, Event, Follower
from horae.sdk.functions import AsyncFunctions, Functions
from horae.sdk.jobs import AsyncJobs, Jobs
from horae.sdk.queues import AsyncQueues, Queues
from horae.sdk.runs import AsyncOperations, AsyncRuns, Operations, Runs
from horae.sdk.secrets import AsyncSecrets, Secrets
from horae.sdk.transport import Transport

T = TypeVar("T")
_ID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.ASCII)


class ClientCalls:
    """What belongs to no noun in particular."""

    @pages
    def workers(self) -> Pages:
        return Pages("workers", paged=False)

    @call
    def drain(self, worker: str) -> Request[Json]:
        """It ends what it has and takes nothing more. For admins."""
        return Request("POST", f"workers/{part(worker)}/drain")

    @pages
    def schedulers(self) -> Pages:
        return Pages("schedulers", paged=False)

    @pages
    def audit(self, *, limit: int | None = 50, **filters: Any) -> Pages:
        """What people did, newest first; filters: actor, action, kind, subject, since, until."""
        return Pages("audit", filters, limit)

    @call
    def preview(
        self,
        schedule: Json,
        count: int = 10,
        *,
        start: When = None,
        compare: Json | None = None,
        job: str | None = None,
    ) -> Request[Json]:
        """The next occurrences of a schedule that need not be anybody's; set against another schedule (`compare`), or
        against what a job does now (`job`)."""
        options = given({"from": instant(start), "compare": compare, "job": job})
        return Request("POST", "schedules/preview", {"schedule": schedule, "count": count, **options})


class Client(ClientCalls, Resource):
    """Speaks to one Horae. Use it as a context manager, or call `close`."""

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
        super().__init__(self)
        self._wire = Transport(url, token, timeout, client, retries, project)
        self._http = httpx.Client(**self._wire.options)
        self.url = self._wire.url
        self.jobs = Jobs(self)
        self.runs = Runs(self)
        self.operations = Operations(self)
        self.secrets = Secrets(self)
        self.dead_letters = DeadLetters(self)
        self.queues = Queues(self)
        self.functions = Functions(self)
        self.users = Users(self)
        self.projects = Projects(self)
        self.keys = Keys(self)
        self.account = Account(self)

    def explain(self, id: str) -> Json:
        """Why a job (its name or id) or a run (its id) does or does not run."""
        if _ID.fullmatch(id):
            try:
                return self.runs.explain(id)
            except NotFound:
                pass
        return self.jobs.explain(id)

    def send(self, request: Request[T]) -> T:
        """One request, repeated where that can do no harm."""
        arguments, tries = self._wire.arguments(request), 0
        while True:
            tries += 1
            came: httpx.Response | httpx.TransportError
            try:
                came = self._http.request(**arguments)
            except httpx.TransportError as error:
                came = error
            pause = self._wire.pause(request, tries, came)
            if pause is None:
                return self._wire.value(request, came)
            threading.Event().wait(pause)

    def each(self, pages: Pages) -> Iterator[Json]:
        """The items of a list, page after page."""
        given, cursor = 0, pages.start
        while pages.limit is None or given < pages.limit:
            page = self.send(pages.request(given, cursor))
            yield from page["items"]
            given, cursor = given + len(page["items"]), page["next_cursor"]
            if cursor is None:
                return

    def follow(self, path: str, params: Mapping[str, str]) -> Iterator[Event]:
        """The events of an answer that goes on, until the one named `end`."""
        follower = Follower()
        while True:
            try:
                with self._http.stream(
                    "GET", self._wire.address(path), params=params, headers=follower.headers()
                ) as answer:
                    if not answer.is_success:
                        answer.read()
                        raise refusal(answer)
                    for line in answer.iter_lines():
                        if (event := follower.feed(line)) is not None:
                            yield event
                            if event[0] == END:
                                return
            except (httpx.TransportError, TryLater) as error:
                broken: Exception = error
            else:
                broken = Unreachable(f"{self.url} ended the stream before its end")
            threading.Event().wait(self._wire.next_connection(follower.pause(), broken))

    def close(self) -> None:
        self._http.close()

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


class AsyncClient(ClientCalls, AsyncResource):
    """As `Client`, to be awaited."""

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
        super().__init__(self)
        self._wire = Transport(url, token, timeout, client, retries, project)
        self._http = httpx.AsyncClient(**self._wire.options)
        self.url = self._wire.url
        self.jobs = AsyncJobs(self)
        self.runs = AsyncRuns(self)
        self.operations = AsyncOperations(self)
        self.secrets = AsyncSecrets(self)
        self.dead_letters = AsyncDeadLetters(self)
        self.queues = AsyncQueues(self)
        self.functions = AsyncFunctions(self)
        self.users = AsyncUsers(self)
        self.projects = AsyncProjects(self)
        self.keys = AsyncKeys(self)
        self.account = AsyncAccount(self)

    async def explain(self, id: str) -> Json:
        """Why a job (its name or id) or a run (its id) does or does not run."""
        if _ID.fullmatch(id):
            try:
                return await self.runs.explain(id)
            except NotFound:
                pass
        return await self.jobs.explain(id)

    async def send(self, request: Request[T]) -> T:
        """One request, repeated where that can do no harm."""
        arguments, tries = self._wire.arguments(request), 0
        while True:
            tries += 1
            came: httpx.Response | httpx.TransportError
            try:
                came = await self._http.request(**arguments)
            except httpx.TransportError as error:
                came = error
            pause = self._wire.pause(request, tries, came)
            if pause is None:
                return self._wire.value(request, came)
            await asyncio.sleep(pause)

    async def each(self, pages: Pages) -> AsyncIterator[Json]:
        """The items of a list, page after page."""
        given, cursor = 0, pages.start
        while pages.limit is None or given < pages.limit:
            page = await self.send(pages.request(given, cursor))
            for item in page["items"]:
                yield item
            given, cursor = given + len(page["items"]), page["next_cursor"]
            if cursor is None:
                return

    async def follow(self, path: str, params: Mapping[str, str]) -> AsyncIterator[Event]:
        """The events of an answer that goes on, until the one named `end`."""
        follower = Follower()
        while True:
            try:
                async with self._http.stream(
                    "GET", self._wire.address(path), params=params, headers=follower.headers()
                ) as answer:
                    if not answer.is_success:
                        await answer.aread()
                        raise refusal(answer)
                    async for line in answer.aiter_lines():
                        if (event := follower.feed(line)) is not None:
                            yield event
                            if event[0] == END:
                                return
            except (httpx.TransportError, TryLater) as error:
                broken: Exception = error
            else:
                broken = Unreachable(f"{self.url} ended the stream before its end")
            await asyncio.sleep(self._wire.next_connection(follower.pause(), broken))

    async def close(self) -> None:
        await self._http.aclose()

    async def __aenter__(self) -> AsyncClient:
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self.close()
