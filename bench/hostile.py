"""The slowest definitions that are allowed (worst.py): what saving one takes, what filling one in takes, and how long
others wait for `/health` meanwhile."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress

from bench.figure import Figure
from bench.http import Client, api
from bench.options import Options
from bench.place import fresh
from bench.worst import INPUT, loops, targets
from horae.domain.template import TemplateFault, TemplateWork, fill_in

_OFTEN = 0.01  # seconds between two looks


async def measure(kind: str, options: Options) -> list[Figure]:
    saving: list[float] = []
    used: list[float] = []
    async with fresh(kind) as place, api(place) as (process, connect):
        client, other = await connect(), await connect()
        # Not the first of all: connections and statements are made now.
        await client.call("POST", "/api/v1/jobs", {"name": "plain", "target": {"kind": "script", "source": "true"}})

        async def save() -> None:
            for number, (_, target) in enumerate(targets()):
                before, began = process.cpu(), time.perf_counter()
                await client.call("POST", "/api/v1/jobs", {"name": f"worst {number}", "target": target})
                saving.append(time.perf_counter() - began)
                used.append(process.cpu() - before)

        saved = await _meanwhile(save, other)
        listed = await _meanwhile(lambda: client.call("GET", "/api/v1/jobs?limit=200"), other)
    rendering = await asyncio.to_thread(_rendering)
    title = place.title
    return [
        Figure("slowest definition: saving it", title, (max(saving) * 1e3,), "ms", floor=500, less=True),
        Figure("… processor time of serve meanwhile", title, (max(used) * 1e3,), "ms", floor=500, less=True),
        Figure("… /health meanwhile", title, (saved * 1e3,), "ms", floor=300, less=True),
        Figure("… /health while all are listed", title, (listed * 1e3,), "ms", floor=300, less=True),
        Figure("… filling it in, processor time", title, (rendering * 1e3,), "ms", floor=1_000, less=True),
    ]


async def _meanwhile(work: Callable[[], Awaitable[object]], other: Client) -> float:
    """The slowest answer that someone else got while this was done, in seconds."""
    waited = [0.0]

    async def look() -> None:
        while True:
            began = time.perf_counter()
            await other.call("GET", "/health")
            waited.append(time.perf_counter() - began)
            await asyncio.sleep(_OFTEN)

    looking = asyncio.create_task(look())
    await work()
    looking.cancel()
    with suppress(asyncio.CancelledError):
        await looking
    return max(waited)


def _rendering() -> float:
    """Of all templates of one attempt, the first time: they are compiled, too."""
    found = [_filled_in([text]) for text in loops()]
    for _, target in targets():
        fields = (target.get(name, {}) for name in ("env", "headers", "query"))
        found.append(_filled_in([text for texts in fields for text in texts.values()]))
    return max(found)


def _filled_in(texts: list[str]) -> float:
    work, began = TemplateWork(time.thread_time), time.thread_time()
    for text in texts:
        with suppress(TemplateFault):
            fill_in(text, lambda: {"input": INPUT, "run": {}, "job": {}, "secrets": {}}, work)
    return time.thread_time() - began
