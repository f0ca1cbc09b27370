"""Both clients, called alike: one test for the two of them."""

import asyncio
import inspect
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from operator import attrgetter
from typing import Any

import horae


class Caller:
    """Calls a client's methods by their names; the sync client in a thread, as a server in the same test may need its
    loop."""

    def __init__(self, client: Any) -> None:
        self.client = client
        self.called: set[str] = set()

    async def __call__(self, name: str, /, *args: Any, **kwargs: Any) -> Any:
        """What the method gives; of what gives one after the other, a list."""
        self.called.add(name)
        method = attrgetter(name)(self.client)
        if isinstance(self.client, horae.AsyncClient):
            given = method(*args, **kwargs)
            return await given if inspect.isawaitable(given) else [item async for item in given]

        def call() -> Any:
            given = method(*args, **kwargs)
            return list(given) if inspect.isgenerator(given) else given

        return await asyncio.to_thread(call)


@asynccontextmanager
async def calling(kind: Callable[..., Any], *args: Any, **kwargs: Any) -> AsyncIterator[Caller]:
    client = kind(*args, **kwargs)
    try:
        yield Caller(client)
    finally:
        closed = client.close()
        if inspect.isawaitable(closed):
            await closed
