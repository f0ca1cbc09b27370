"""The portal in Chromium: what the first load of the jobs page costs with 10,000 jobs in the table, whether paging
through them is smooth, and whether the page stays alive while runs end by the thousand.

A long task is one that kept the page from answering for more than 50 ms, as the browser itself reports.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from secrets import token_urlsafe
from typing import Any

from playwright.async_api import Browser, Page, async_playwright

from bench import jobs, queue
from bench.figure import Figure
from bench.http import Client, api
from bench.options import Options
from bench.place import NoServer, Place, fresh
from bench.process import horae
from horae import wiring
from tests.e2e.portal.chromium import FLAGS, program

JOBS = 10_000
LOADS = 5
PAGES = 10
ROW = "main table tbody tr a"
WATCH = """
window.longTasks = [];
new PerformanceObserver(list => longTasks.push(...list.getEntries().map(task => [task.startTime, task.duration])))
    .observe({ type: "longtask", buffered: true });
new MutationObserver((_, observer) => {
    if (document.querySelector("ROW")) { window.firstRow = performance.now(); observer.disconnect(); }
}).observe(document, { childList: true, subtree: true });
""".replace("ROW", ROW)
SIZES = """() => performance.getEntriesByType("resource").filter(one => one.name.endsWith(".js"))
    .reduce((sum, one) => sum + one.encodedBodySize, 0)"""


async def measure(kind: str, options: Options) -> list[Figure]:
    async with fresh(kind) as place:
        now = wiring.CLOCK.now()
        await jobs.insert(place, jobs.specs(jobs.crons(0)), JOBS, lambda n: now + timedelta(days=1, seconds=n), now)
        await jobs.analyse(place)
        async with api(place) as (_, connect), signed_in(await connect()) as page:
            return [*await _loads(page, place), *await _paging(page, place), *await _events(page, place, options)]


async def _loads(page: Page, place: Place) -> list[Figure]:
    """Each as if for the first time: nothing is kept."""
    session = await page.context.new_cdp_session(page)
    await session.send("Network.setCacheDisabled", {"cacheDisabled": True})
    shown, interactive, size = [], [], 0.0
    for _ in range(LOADS):
        await page.goto("/jobs")
        await page.locator(ROW).first.wait_for()
        await _quiet(page)
        first = float(await page.evaluate("() => firstRow"))
        busy = [start + duration for start, duration in await _long_tasks(page) if start < first + 1_000]
        shown.append(first)
        interactive.append(max([first, *busy]))
        size = float(await page.evaluate(SIZES)) / 1000
    await session.send("Network.setCacheDisabled", {"cacheDisabled": False})
    return [
        Figure("portal: JavaScript of the jobs page, compressed", place.title, (size,), "KB", 250, less=True),
        Figure("portal: … first row shown after", place.title, tuple(shown), "ms", less=True),
        Figure("portal: … interactive after", place.title, tuple(interactive), "ms", 1_000, less=True),
    ]


async def _paging(page: Page, place: Place) -> list[Figure]:
    """Through the first pages of 10,000 jobs."""
    took = []
    await _forget(page)
    for _ in range(PAGES):
        before = await page.locator(ROW).first.inner_text()
        began = time.perf_counter()
        await page.get_by_role("button", name="Next", exact=True).click()
        await page.wait_for_function(
            "([row, text]) => (document.querySelector(row)?.innerText ?? text) !== text", arg=[ROW, before]
        )
        took.append((time.perf_counter() - began) * 1000)
    longest = max((duration for _, duration in await _long_tasks(page)), default=0.0)
    return [
        Figure(f"portal: next page of {JOBS:,} jobs", place.title, tuple(took), "ms", less=True),
        Figure("portal: … longest task of paging", place.title, (longest,), "ms", less=True),
    ]


async def _events(page: Page, place: Place, options: Options) -> list[Figure]:
    """Runs that end as quickly as a worker can, on the page that lists them."""
    async with place.store() as store:
        job = await queue.manual_job(store, "nothing")
        await page.goto("/runs")
        await page.get_by_role("heading", level=1).wait_for()
        await _quiet(page)
        await _forget(page)
        await queue.fill(store, job, options.runs)
        began = time.perf_counter()
        async with horae(place, "worker", "--import", "bench.tasks", "--slots", str(options.slots)):
            async with asyncio.timeout(120):
                while await _live(place):  # noqa: ASYNC110 - it looks at a database, which sets no event here
                    await asyncio.sleep(0.2)
        seconds = time.perf_counter() - began
    tasks = [duration for _, duration in await _long_tasks(page)]
    return [
        Figure("portal: runs that ended while /runs was looked at", place.title, (options.runs / seconds,), "/s"),
        Figure("portal: … longest task meanwhile", place.title, (max(tasks, default=0.0),), "ms", less=True),
        Figure("portal: … of the time in long tasks", place.title, (sum(tasks) / seconds / 10,), "%", less=True),
    ]


async def _live(place: Place) -> int:
    (row,) = await place.ask("SELECT COUNT(*) AS n FROM runs")
    return int(row["n"])


# ---- the browser


@asynccontextmanager
async def signed_in(client: Client) -> AsyncIterator[Page]:
    """A browser in which an owner has signed in by the form."""
    password = token_urlsafe(20)
    await client.call("POST", "/api/v1/users", {"username": "bench", "password": password})
    await client.call("PUT", "/api/v1/projects/default/members/bench", {"role": "owner"})
    async with _chromium() as browser:
        context = await browser.new_context(base_url=client.url, viewport={"width": 1280, "height": 800})
        page = await context.new_page()
        await page.add_init_script(WATCH)
        await page.goto("/jobs")
        await page.get_by_label("Name").fill("bench")
        await page.get_by_label("Password").fill(password)
        await page.get_by_role("button", name="Sign in").click()
        await page.locator(ROW).first.wait_for()
        yield page


@asynccontextmanager
async def _chromium() -> AsyncIterator[Browser]:
    found = program()
    if found is None:
        raise NoServer("no Chromium (Debian: apt-get install chromium)")
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=found, args=FLAGS)
        try:
            yield browser
        finally:
            await browser.close()


async def _quiet(page: Page) -> None:
    """Until half a second has passed without a long task."""
    quiet = "() => performance.now() - Math.max(0, ...longTasks.map(([start, duration]) => start + duration)) > 500"
    await page.wait_for_function(quiet)


async def _long_tasks(page: Page) -> list[tuple[float, float]]:
    found: list[Any] = await page.evaluate("() => longTasks")
    return [(float(start), float(duration)) for start, duration in found]


async def _forget(page: Page) -> None:
    await page.evaluate("() => { longTasks.length = 0; }")
