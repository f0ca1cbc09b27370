"""Each version of a job has its own URL."""

from playwright.async_api import expect

from .conftest import Visit
from .horae import Horae


async def test_a_link_opens_a_version_with_what_it_changed(horae: Horae, visit: Visit):
    job = await horae.job(description="first")
    for words in ("second", "third"):
        await horae.call("PATCH", f"/jobs/{job['id']}", {"description": words})
    owner = await visit(horae, as_="owner")
    page = owner.page
    await owner.open(f"/settings/audit?subject={job['id']}")
    await page.get_by_role("link", name="version 2").click()
    await expect(page).to_have_url(f"{horae.url}/jobs/{job['id']}?tab=versions&version=2")
    await expect(page.get_by_role("heading", name="Version 1 → 2")).to_be_visible()
    await expect(page.get_by_text("description: second")).to_be_visible()
    await expect(page.get_by_text("description: third")).to_have_count(0)
    await page.get_by_role("link", name="Link to version 3").click()
    await expect(page.get_by_role("heading", name="Version 2 → 3")).to_be_visible()
    await page.get_by_role("button", name="Version 1", exact=True).click()
    await expect(page.get_by_role("heading", name="Version 1", exact=True)).to_be_visible()
    await page.go_back()
    await expect(page).to_have_url(f"{horae.url}/jobs/{job['id']}?tab=versions&version=3")

    for number in range(51):  # the list shows 50 at first
        await horae.call("PATCH", f"/jobs/{job['id']}", {"description": str(number)})
    await owner.open(f"/jobs/{job['id']}?tab=versions&version=3")
    await expect(page.get_by_role("heading", name="Version 2 → 3")).to_be_visible()
    owner.forgive(404, "/versions/99")
    await owner.open(f"/jobs/{job['id']}?tab=versions&version=99")
    await expect(page.get_by_role("alert")).to_contain_text("no version 99")
