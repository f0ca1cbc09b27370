"""Times in the right time zone; and the pages on a phone."""

from playwright.async_api import expect

from .conftest import Visit
from .horae import Horae
from .visitor import PHONE


async def test_times_of_a_run_are_also_shown_in_the_job_s_time_zone(horae: Horae, visit: Visit):
    job = await horae.job(schedule={"cron": "0 0 1 1 *", "timezone": "Asia/Tokyo"})
    await horae.run(job["name"])
    viewer = await visit(horae, as_="viewer")
    page = viewer.page
    await viewer.open(f"/runs?job={job['name']}")
    row = page.get_by_role("row").filter(has_text=job["name"])
    await row.get_by_role("time").last.hover()
    await expect(page.get_by_role("tooltip")).to_contain_text("Asia/Tokyo")
    await expect(page.get_by_role("tooltip")).to_contain_text("CE")  # CET or CEST: the reader's own

    await page.set_viewport_size(PHONE)
    await viewer.open(f"/jobs/{job['id']}?tab=definition")
    await expect(page.get_by_role("tab", name="Definition")).to_be_in_viewport(ratio=0.9)
