"""The list of runs, and the overview."""

import re
from pathlib import Path
from typing import Any

from playwright.async_api import expect

from tests.waiting import until

from .conftest import Visit
from .horae import Horae
from .test_run import waiting_for


async def test_filters_are_in_the_address(horae: Horae, visit: Visit):
    job = await horae.job(queue="letters")
    run = await horae.run(job["name"], until_ended=False)  # `horae up` serves all queues
    other = await horae.job()
    await horae.run(other["name"])
    viewer = await visit(horae, as_="viewer")
    page = viewer.page
    await viewer.open("/runs")
    await expect(page.get_by_role("link", name=other["name"])).to_be_visible()
    await page.get_by_label("Queue").select_option("letters")
    await expect(page.get_by_role("link", name=other["name"])).to_have_count(0)
    await page.get_by_label("Status").select_option("succeeded")
    await expect(page).to_have_url(re.compile(r"queue=letters&status=succeeded"))
    await page.get_by_label("Job").fill(job["name"])
    await page.get_by_label("Job").press("Enter")
    await expect(page).to_have_url(re.compile(rf"job={job['name']}"))
    await page.reload()
    await expect(page.get_by_role("link", name=job["name"])).to_have_attribute("href", f"/runs/{run['id']}")
    await page.get_by_label("Outcome of the last attempt").select_option("timed_out")
    await expect(page.get_by_role("link", name=job["name"])).to_have_count(0)
    await expect(page).to_have_url(re.compile(r"outcome=timed_out"))
    await page.get_by_role("button", name="Clear").click()
    await expect(page.get_by_role("link", name=other["name"]).first).to_be_visible()
    await viewer.look("runs-list")
    await page.get_by_label("Time").select_option("between")
    await page.get_by_label("Until").fill("2001-01-01T00:00:00")
    await expect(page.get_by_role("heading", name="No runs match")).to_be_visible()
    await expect(page).to_have_url(re.compile(r"until=2001-01-01T00"))
    await viewer.look("runs-between")


async def test_runs_come_and_end_by_themselves(horae: Horae, visit: Visit, tmp_path: Path):
    job = await horae.job(target=waiting_for(tmp_path / "go"))
    viewer = await visit(horae, as_="viewer")
    row = viewer.page.get_by_role("row").filter(has_text=job["name"])
    await viewer.open("/runs")
    await expect(viewer.page.get_by_role("heading", level=1)).to_be_visible()
    await horae.run(job["name"], until_ended=False)
    await expect(row).to_contain_text("running")
    (tmp_path / "go").touch()
    await expect(row).to_contain_text("succeeded")


async def test_cancel_and_retry_many(horae: Horae, visit: Visit, tmp_path: Path):
    job = await horae.job(target=waiting_for(tmp_path / "go"), max_instances=1, overlap="queue_all")
    await horae.call("POST", f"/jobs/{job['name']}/runs:batch", {"runs": [{}, {}, {}]})
    operator = await visit(horae, as_="operator")
    page = operator.page
    await operator.open(f"/runs?job={job['name']}")
    await expect(page.get_by_role("row")).to_have_count(4)
    await page.get_by_label("Select all on this page").check()
    await operator.look("runs-bulk")
    await page.get_by_role("toolbar").get_by_role("button", name="Cancel 3").click()
    await page.get_by_role("button", name="Cancel 3 runs").click()
    await expect(page.get_by_role("cell", name="cancelled", exact=True)).to_have_count(3, timeout=20_000)
    await expect(page.get_by_role("toolbar")).to_have_count(0)

    (tmp_path / "go").touch()
    await page.get_by_label("Select the cancelled run").first.check()
    await page.get_by_role("toolbar").get_by_role("button", name="Retry 1").click()
    await page.get_by_role("button", name="Retry 1 run").click()

    async def done() -> Any:
        found = await horae.call("GET", f"/runs?job={job['id']}&status=succeeded")
        return len(found["items"]) == 1

    await until(done, timeout=20)
    await expect(page.get_by_role("cell", name="succeeded", exact=True)).to_have_count(1)


async def test_the_overview_counts(horae: Horae, visit: Visit):
    good = await horae.job()
    bad = await horae.job(target={"kind": "script", "source": "exit 3"}, retry={"max_attempts": 1})
    for _ in range(3):
        await horae.run(good["name"])
    await horae.run(bad["name"])
    viewer = await visit(horae, as_="viewer")
    page = viewer.page
    await viewer.open("/")
    await expect(page.get_by_role("link", name=bad["name"])).to_be_visible()
    shown = re.compile(r"Runs that ended within 24 hours: [1-9]\d* succeeded, [1-9]\d* failed")
    await expect(page.get_by_role("img", name=shown)).to_be_visible()
    await expect(page.locator(".recharts-bar-rectangle").first).to_be_visible()
    await viewer.look("overview-busy")
    await page.get_by_text("7 d", exact=True).click()
    await expect(page).to_have_url(re.compile("span=week"))
    another = await horae.job(target={"kind": "script", "source": "exit 3"}, retry={"max_attempts": 1})
    await horae.run(another["name"])
    await expect(page.get_by_role("link", name=another["name"])).to_be_visible()  # by itself
