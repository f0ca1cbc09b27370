"""A night in fifteen minutes: pages of the portal stay open while twenty runs end each second. What leaks in a night
has to grow here: the heap after a collection, the elements of the page, what listens to them; and what hammers asks too
often."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from statistics import median

from playwright.async_api import CDPSession, Page

from bench.figure import Figure
from bench.http import Client, api
from bench.options import Options
from bench.place import fresh
from bench.portal import signed_in
from bench.process import horae

PATHS = ("/", "/jobs", "/runs", "/workers", "/calendar")
JOBS = 20
EVERY = 15.0  # seconds between two looks
LEAST = 0.5  # of the runs that are due must end while the pages are open
HEAP, NODES, LISTENERS = "heap", "elements", "listeners"


@dataclass
class Open:
    """A page that stays open."""

    path: str
    page: Page
    session: CDPSession
    requests: int = 0
    seen: dict[str, list[float]] = field(default_factory=lambda: {HEAP: [], NODES: [], LISTENERS: []})

    async def look(self) -> None:
        await self.session.send("HeapProfiler.collectGarbage")
        heap = await self.session.send("Runtime.getHeapUsage")
        counts = await self.session.send("Memory.getDOMCounters")
        self.seen[HEAP].append(heap["usedSize"] / 1e6)
        self.seen[NODES].append(counts["nodes"])
        self.seen[LISTENERS].append(counts["jsEventListeners"])

    async def is_alive(self, minutes: float) -> None:
        """A page that shows nothing and asks for nothing leaks nothing either."""
        shown = await self.page.get_by_role("heading", level=1).count()
        if not shown or self.requests < 20 * minutes:
            raise AssertionError(f"{self.path} shows {shown} headings and asked {self.requests} times")

    def figures(self, place: str, minutes: float) -> list[Figure]:
        name = f"night: {self.path}"
        end = self.seen[HEAP][-len(self.seen[HEAP]) // 4 :]
        return [
            Figure(f"{name}, heap at the end", place, (median(end),), "MB", less=True),
            *(
                Figure(f"{name}, {what}, last quarter ÷ second", place, (grown(values),), "", 1.25, less=True)
                for what, values in self.seen.items()
            ),
            Figure(f"{name}, requests", place, (self.requests / minutes,), "a minute", 300, less=True),
        ]


def grown(values: Sequence[float]) -> float:
    """Of the least in each: peaks come and go, what leaks never goes. The first quarter is warming up."""
    quarter = max(len(values) // 4, 1)
    return min(values[-quarter:]) / min(values[quarter : 2 * quarter] or values)


async def measure(kind: str, options: Options) -> list[Figure]:
    async with AsyncExitStack() as stack:
        place = await stack.enter_async_context(fresh(kind))
        for words in (("scheduler",), ("worker", "--import", "bench.tasks")):
            await stack.enter_async_context(horae(place, *words))
        _, connect = await stack.enter_async_context(api(place))
        client = await connect()
        await _give_work(client)
        first = await stack.enter_async_context(signed_in(client))
        pages = [await _opened(first, path) for path in PATHS]
        await first.close()  # a browser has six connections to a server: with six pages that follow there is none left
        began = time.monotonic()
        while (minutes := (time.monotonic() - began) / 60) < options.minutes:
            await asyncio.sleep(EVERY)
            for page in pages:
                await page.look()
        (row,) = await place.ask("SELECT COUNT(*) AS n FROM run_history")
        if row["n"] < JOBS * 60 * minutes * LEAST:
            raise AssertionError(f"only {row['n']} runs ended: nothing much happened that the pages could show")
        for page in pages:
            await page.is_alive(minutes)
        return [figure for page in pages for figure in page.figures(place.title, minutes)]


async def _give_work(client: Client) -> None:
    target = {"kind": "python", "function": "nothing"}
    for n in range(JOBS):
        job = {"name": f"every-second-{n}", "target": target, "schedule": {"every": "1s"}}
        await client.call("POST", "/api/v1/jobs", job)


async def _opened(signed_in_page: Page, path: str) -> Open:
    page = await signed_in_page.context.new_page()
    made = Open(path, page, await signed_in_page.context.new_cdp_session(page))

    def count(_: object) -> None:
        made.requests += 1

    page.on("request", count)
    await page.goto(path)
    return made
