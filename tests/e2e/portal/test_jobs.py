"""The list of jobs."""

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
    """With all its actions: nobody scrolls sideways to run a job."""
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
