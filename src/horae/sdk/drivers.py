"""The two ways to drive the engine: synchronously and asynchronously."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncGenerator, Awaitable, Coroutine, Iterator
from typing import Any, TypeVar

import httpx

from horae.sdk.answers import refusal
from horae.sdk.engine import ClientCore
from horae.sdk.transport import Transport

T = TypeVar("T")


class PlainWire:
    """Blocks: nothing here ever suspends."""

    def __init__(self, http: httpx.Client) -> None:
        self._http = http

    async def request(self, **arguments: Any) -> httpx.Response:
        return self._http.request(**arguments)

    async def lines(self, **arguments: Any) -> AsyncGenerator[str, None]:
        with self._http.stream(**arguments) as answer:
            if not answer.is_success:
                answer.read()
                raise refusal(answer)
            for line in answer.iter_lines():
                yield line

    async def pause(self, seconds: float) -> None:
        threading.Event().wait(seconds)

    async def close(self) -> None:
        self._http.close()


class AwaitedWire:
    """Suspends, on the loop that it was first used on."""

    def __init__(self, http: httpx.AsyncClient) -> None:
        self._http = http

    async def request(self, **arguments: Any) -> httpx.Response:
        return await self._http.request(**arguments)

    async def lines(self, **arguments: Any) -> AsyncGenerator[str, None]:
        async with self._http.stream(**arguments) as answer:
            if not answer.is_success:
                await answer.aread()
                raise refusal(answer)
            async for line in answer.aiter_lines():
                yield line

    async def pause(self, seconds: float) -> None:
        await asyncio.sleep(seconds)

    async def close(self) -> None:
        await self._http.aclose()


class SyncDriver:
    def __init__(self, transport: Transport) -> None:
        self.http = httpx.Client(**transport.options)
        self.engine = ClientCore(transport, PlainWire(self.http))

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        return at_once(work)

    def iterate(self, items: AsyncGenerator[T, None]) -> Iterator[T]:
        try:
            while True:
                try:
                    item = at_once(anext(items))
                except StopAsyncIteration:
                    return
                yield item
        finally:
            at_once(items.aclose())


class AsyncDriver:
    def __init__(self, transport: Transport) -> None:
        self.http = httpx.AsyncClient(**transport.options)
        self.engine = ClientCore(transport, AwaitedWire(self.http))

    def run(self, work: Coroutine[Any, Any, T]) -> Coroutine[Any, Any, T]:
        return work

    def iterate(self, items: AsyncGenerator[T, None]) -> AsyncGenerator[T, None]:
        return items


def at_once(work: Awaitable[T]) -> T:
    """Runs a coroutine that never suspends, and returns its result."""
    steps = work.__await__()
    try:
        next(steps)
    except StopIteration as end:
        value: T = end.value
        return value
    steps.close()
    raise RuntimeError("it would have to be awaited")
