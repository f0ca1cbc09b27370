"""The list of jobs."""

import re

from playwright.async_api import expect

from .conftest import Visit
from .horae import Horae

PAYLOADS = [
    "<img src=x onerror=alert(1)>",
    "<script>alert(1)</script>",
    "{{constructor.constructor('alert(1)')()}}",
    "javascript:alert(1)",
    '"><svg onload=alert(1)>',
]


async def test_jobs_are_listed_and_searched(horae: Horae, visit: Visit):
    first, second = await horae.job(schedule={"every": "1h"}), await horae.job()
    await horae.run(first["name"])
    viewer = await visit(horae, as_="viewer")
    page = viewer.page
    await viewer.open("/jobs")
    await expect(page.get_by_role("link", name=first["name"])).to_be_visible()
    await viewer.look("jobs")
    await page.get_by_role("searchbox").fill(second["name"])
    await expect(page.get_by_role("link", name=first["name"])).to_have_count(0)
    await expect(page.get_by_role("link", name=second["name"])).to_be_visible()
    await expect(page).to_have_url(f"{horae.url}/jobs?q={second['name']}")
    await page.reload()
    await expect(page.get_by_role("link", name=second["name"])).to_be_visible()


async def test_jobs_are_filtered_by_failing_and_recurring(horae: Horae, visit: Visit):
    mark = horae.name("filters")
    fine = await horae.job(f"{mark}-fine", schedule={"every": "1h"})
    broken = await horae.job(f"{mark}-broken", target={"kind": "script", "source": "exit 3"}, retry={"max_attempts": 1})
    for job in (fine, broken):
        await horae.run(job["name"])
    viewer = await visit(horae, as_="viewer")
    page = viewer.page
    await viewer.open(f"/jobs?q={mark}")
    rows = page.get_by_role("row").filter(has_text=mark)
    await expect(rows).to_have_count(2)
    await expect(rows.filter(has_text="broken")).to_contain_text("failed")
    await expect(rows.filter(has_text="fine")).to_contain_text("succeeded")
    await viewer.look("jobs-last-run")
    await page.get_by_label("Last run", exact=True).select_option("failed")
    await expect(page).to_have_url(re.compile(r"last_status=failed"))
    await expect(rows).to_have_count(1)
    await expect(rows).to_contain_text("broken")
    await page.get_by_label("Last run", exact=True).select_option("")
    await page.get_by_label("Schedule").select_option("recurring")
    await expect(page).to_have_url(re.compile(r"recurring=true"))
    await expect(rows).to_have_count(1)
    await expect(rows).to_contain_text("fine")
    await page.reload()
    await expect(page.get_by_label("Schedule")).to_have_value("recurring")
    await page.get_by_label("Schedule").select_option("manual")
    await expect(rows).to_contain_text("broken")


async def test_text_of_others_is_shown_as_text(horae: Horae, visit: Visit):
    mark = horae.name("xss")
    names = [f"{mark} {payload}" for payload in PAYLOADS]
    for name, payload in zip(names, PAYLOADS, strict=True):
        await horae.job(name, description=payload, tags=["<b>tag</b>"])
    viewer = await visit(horae, as_="viewer")
    await viewer.open(f"/jobs?q={mark}")
    for name in names:
        await expect(viewer.page.get_by_role("link", name=name, exact=True)).to_be_visible()
    assert await viewer.page.locator("main img, main script").count() == 0


async def test_the_widest_row_fits_a_laptop(horae: Horae, visit: Visit):
    """With all its actions: no horizontal scrolling is needed to run a job."""
    name = horae.name("a-job-with-quite-a-long-name-that-somebody-gave-it")
    await horae.job(
        name,
        target={"kind": "script", "source": "test $HORAE_ATTEMPT = 1 # and much more that it does"},
        schedule={"cron": "*/10 4-6 * * MON-FRI", "timezone": "America/Argentina/Buenos_Aires"},
        tags=["finance", "nightly", "quarterly"],
        retry={"max_attempts": 1},
    )
    await horae.call("POST", f"/jobs/{name}/runs:batch", {"runs": [{} for _ in range(20)]})
    owner = await visit(horae, as_="owner")
    page = owner.page
    await owner.open(f"/jobs?q={name}")
    strip = page.get_by_role("list", name="Last 20 runs")
    await expect(strip.get_by_role("listitem")).to_have_count(20)
    box = page.locator("table").locator("xpath=..")
    assert await box.evaluate("box => box.scrollWidth <= box.clientWidth")
