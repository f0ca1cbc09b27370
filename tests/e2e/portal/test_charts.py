"""The charts of the overview: a page that was just opened shows the past, and a bar leads to the runs behind it."""

import math
import re
from datetime import timedelta
from random import Random
from typing import Any

from playwright.async_api import expect

from horae.clock import SystemClock, SystemIds
from horae.domain.runs.series import INSTALLATION, MINUTE, WHOLE, Bucket, Slot, begin
from horae.domain.runs.spread import bucket
from horae.store import open_store
from horae.store.counts.series import merge
from horae.store.store import SqlTransaction
from tests.waiting import until

from .conftest import Visit
from .horae import Horae

SPANS = (
    ("1 h", "hour", "1 hour"),
    ("24 h", "day", "24 hours"),
    ("7 d", "week", "7 days"),
    ("30 d", "month", "30 days"),
)


async def past(horae: Horae, days: float) -> None:
    """What schedulers would have recorded: days with nights, an hour without a scheduler, and one with failures."""
    chance, clock = Random(4), SystemClock()
    now = clock.now()
    store = await open_store(
        f"sqlite:///{horae.running.data_dir}/horae.db", clock=clock, ids=SystemIds(), connections=1
    )
    project_id = (await store.read(lambda tx: tx.access.default_project())).id
    added: dict[Slot, Bucket] = {}
    for minute in range(5, int(days * 1440), 1 if days < 2 else 20):
        at = now - timedelta(minutes=minute)
        if 20 < minute < 32 or 300 < minute < 360:
            continue
        load = 1 + math.sin(minute / 1440 * 2 * math.pi)
        failed = chance.randint(3, 9) if 120 < minute < 180 else chance.randint(0, 1)
        late = {bucket(int(10 ** chance.uniform(1, 2.5 + load))): 10}
        mine = Bucket(
            ended={"succeeded": int(20 * load) + chance.randint(0, 9), "failed": failed, "cancelled": minute % 31 == 0},
            lateness=late,
            duration=late,
            samples=1,
            queued=int(9 * load),
            running=int(8 * load),
            most_queued=int(9 * load),
            oldest_ms=int(4_000 * load**3),
            most_running=int(8 * load),
        )
        for whose, bucket_of_it in ((project_id, mine), (INSTALLATION, Bucket(samples=1, slots=16))):
            added.setdefault(Slot(whose, WHOLE, MINUTE, begin(at, MINUTE)), Bucket()).add(bucket_of_it)

    async def add(tx: SqlTransaction) -> None:
        await merge(tx._db, tx._dialect, added)

    await store.transact(add)  # type: ignore[arg-type]
    await store.close()


async def test_a_page_that_was_just_opened_shows_the_past(fresh_horae: Horae, visit: Visit):
    await past(fresh_horae, 1.5)
    await past(fresh_horae, 31)
    viewer = await visit(fresh_horae, as_="viewer")
    page = viewer.page
    await viewer.open("/")
    for label, name, words in SPANS:
        await page.get_by_text(label, exact=True).click()
        shown = page.get_by_role("img", name=re.compile(rf"Runs that ended within {words}: [\d,]{{2,}} succeeded"))
        await expect(shown).to_be_visible()
        for chart in ("Longest wait of a due run", "Share of all slots", "Delay between due time and start"):
            await expect(page.get_by_role("img", name=re.compile(chart))).to_be_visible()
        await expect(page.locator(".recharts-bar-rectangle path").first).to_be_visible()
        await viewer.look(f"overview-charts-{name}")


async def test_a_bar_leads_to_the_runs_behind_it(horae: Horae, visit: Visit):
    bad = await horae.job(target={"kind": "script", "source": "exit 3"}, retry={"max_attempts": 1})
    runs = [await horae.run(bad["name"]) for _ in range(2)]
    minute = f"{runs[-1]['finished_at'][:16]}:00Z"

    async def counted() -> Any:
        found = await horae.call("GET", f"/monitoring/series?metric=ended&step=1m&since={minute}")
        return bool(found["points"] and (found["points"][0]["ended"] or {}).get("failed"))

    await until(counted, timeout=60)  # otherwise the last bar is of jobs that failed before
    viewer = await visit(horae, as_="viewer")
    page = viewer.page
    await viewer.open("/?span=hour")
    bar = page.locator(".recharts-bar").nth(1).locator(".recharts-bar-rectangle path").last
    await expect(bar).to_be_visible()
    await bar.click()
    await expect(page).to_have_url(re.compile(r"/runs\?status=failed&.*ended_since=.+&ended_until=.+"))
    await expect(page.get_by_role("link", name=bad["name"]).first).to_be_visible()
    await page.go_back()
    await page.get_by_text("As a table").click()
    await page.get_by_role("link", name=re.compile(r"\d+ failed from")).first.click()
    await expect(page).to_have_url(re.compile(r"/runs\?status=failed&.*ended_since=.+&ended_until=.+"))
    await expect(page.get_by_role("link", name=bad["name"]).first).to_be_visible()
    await page.get_by_role("button", name=re.compile("Remove the filter: Ended from")).click()
    await expect(page).to_have_url(re.compile(r"/runs\?status=failed$"))
    await viewer.open("/?span=hour")
    await page.get_by_text("As a table").click()
    await viewer.look("overview-as-a-table")
