"""Stranded runs are visible everywhere: a container job that no worker can run, and a worker that cannot claim."""

import re
import sqlite3
from typing import Any

from playwright.async_api import expect

from tests.waiting import until

from .conftest import Visit
from .horae import Horae

BREAK = """CREATE TRIGGER broken BEFORE UPDATE OF status ON runs WHEN NEW.status = 'running'
           BEGIN SELECT RAISE(ABORT, 'too many terms in compound SELECT'); END"""

LONG_AGO = "UPDATE runs SET due_at = due_at - 600000000"
LONG_FAILING = "UPDATE workers SET trouble_since = trouble_since - 600000000"


async def test_a_run_that_no_worker_can_take_is_seen_everywhere(fresh_horae: Horae, visit: Visit):
    horae = fresh_horae
    await horae.admin()
    job = await horae.job(target={"kind": "container", "image": "busybox"}, queue="gpu")
    await horae.call("POST", f"/jobs/{job['id']}/run", {})
    with sqlite3.connect(next(horae.running.data_dir.glob("*.db")), timeout=30) as db:
        db.execute(LONG_AGO)  # workers are restarted: an alert waits a minute
    owner = await visit(horae, as_="owner")
    page = owner.page
    await owner.open("/")
    strip = page.get_by_role("region", name="Needs attention")
    await expect(strip).to_contain_text("No worker can execute 1 run in queue 'gpu'", timeout=60_000)
    await expect(strip).to_contain_text("Fix: Start a worker that runs container targets")
    await owner.look("overview-stranded")
    await strip.get_by_role("link", name="Open workers").click()
    await expect(page).to_have_url(re.compile("/workers"))

    await owner.open("/jobs")
    mark = page.get_by_role("row").filter(has_text=job["name"]).get_by_role("link", name="cannot start")
    await expect(mark).to_be_visible()
    await owner.look("jobs-stranded")
    await mark.click()
    await expect(
        page.get_by_role("tabpanel").get_by_text(
            "is blocked: no live worker that serves queue 'gpu' offers 'container'"
        )
    ).to_be_visible()
    await page.get_by_role("tab", name="Overview").click()
    banner = page.get_by_role("region", name="Blocked")
    await expect(banner).to_contain_text("offers 'container'")
    await owner.look("job-stranded")

    await owner.open("/workers?tab=queues")
    await expect(page.get_by_role("row").filter(has_text="gpu")).to_contain_text("1 stranded")
    await owner.look("queues-stranded")

    await owner.open("/jobs/new")
    await expect(page.get_by_text("runs of this job would wait")).to_have_count(0)
    await page.get_by_role("radio", name="Container").click()
    await expect(page.get_by_text("No live worker in queue default offers container")).to_be_visible()
    await owner.look("job-form-no-worker")


async def test_a_worker_that_cannot_claim_is_seen(fresh_horae: Horae, visit: Visit):
    horae = fresh_horae
    await horae.admin()
    horae.is_broken = True
    with sqlite3.connect(next(horae.running.data_dir.glob("*.db")), timeout=30) as db:
        db.execute(BREAK)
    job = await horae.job()
    await horae.call("POST", f"/jobs/{job['id']}/run", {})

    async def failing() -> Any:
        return any(worker["trouble"] for worker in (await horae.call("GET", "/workers"))["items"])

    await until(failing, timeout=60)
    viewer = await visit(horae, as_="viewer")
    await viewer.open("/workers")
    await expect(viewer.page.get_by_text("Keeps failing to claim runs")).to_be_visible()
    await viewer.look("workers-failing")
    with sqlite3.connect(next(horae.running.data_dir.glob("*.db")), timeout=30) as db:
        db.execute(LONG_FAILING)  # an alert waits a minute
    await viewer.open("/")
    strip = viewer.page.get_by_role("region", name="Needs attention")
    await expect(strip).to_contain_text("keeps failing to claim runs", timeout=60_000)
    await viewer.look("overview-failing")
