"""The engine of both clients: sending and retrying, pagination, following a stream across broken connections.

It is written as coroutines over `Wire`, the few operations that differ: how to send a request, read lines, and wait.
Those of the sync client never suspend, so its coroutines run to completion in one step (drivers.py).
"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any, Protocol, TypeVar

import httpx

from horae.domain.errors import NotFound
from horae.sdk.answers import TryLater, Unreachable
from horae.sdk.calls import Pages, Request
from horae.sdk.following import END, Event, Follower, Stream
from horae.sdk.transport import Transport

T = TypeVar("T")


class Wire(Protocol):
    """The operations that differ between the sync and the async client."""

    async def request(self, **arguments: Any) -> httpx.Response: ...

    def lines(self, **arguments: Any) -> AsyncGenerator[str, None]:
        """The lines of a streaming response; raises if the request was refused."""
        ...

    async def pause(self, seconds: float) -> None: ...

    async def close(self) -> None: ...


class ClientCore:
    def __init__(self, transport: Transport, wire: Wire) -> None:
        self._transport, self._wire = transport, wire
        self.url = transport.url

    async def send(self, request: Request[T]) -> T:
        """Sends one request, and retries if that is harmless."""
        try:
            return await self._send(request)
        except NotFound:
            if request.otherwise is None:
                raise
        return await self._send(request.otherwise)

    async def _send(self, request: Request[T]) -> T:
        arguments, tries = self._transport.arguments(request), 0
        while True:
            tries += 1
            came: httpx.Response | httpx.RequestError
            try:
                came = await self._wire.request(**arguments)
            except httpx.RequestError as error:
                came = error
            pause = self._transport.pause(request, tries, came)
            if pause is None:
                return self._transport.value(request, came)
            await self._wire.pause(pause)

    async def each(self, pages: Pages[T]) -> AsyncGenerator[T, None]:
        """The items of a list, page after page."""
        given, cursor = 0, pages.start
        while pages.limit is None or given < pages.limit:
            page = await self.send(pages.request(given, cursor))
            for item in page["items"]:
                yield pages.read(item)
            given, cursor = given + len(page["items"]), page["next_cursor"]
            if cursor is None:
                return

    async def follow(self, stream: Stream) -> AsyncGenerator[Event, None]:
        """The events of a streaming response, across reconnects."""
        follower = Follower()
        while True:
            arguments = self._transport.arguments(stream.request(follower.headers()))
            try:
                async with aclosing(self._wire.lines(**arguments)) as lines:
                    async for line in lines:
                        if (event := follower.feed(line)) is not None:
                            yield event
                            if stream.at_end == "broken" and event[0] == END:
                                return
            except (httpx.RequestError, TryLater) as error:
                broken: Exception = error
            else:
                if stream.at_end == "over":
                    return
                if stream.at_end == "again":
                    follower.rest()
                broken = Unreachable(f"{self._transport.url} ended the stream before its end")
            await self._wire.pause(self._transport.next_connection(follower.pause(), broken))

    async def close(self) -> None:
        await self._wire.close()
