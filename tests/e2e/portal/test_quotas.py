"""Quotas: admins set them, members see what is left, and get an error when nothing is."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx
from playwright.async_api import expect

from .conftest import Visit
from .horae import PASSWORD, Horae


@asynccontextmanager
async def admin_of(horae: Horae, slug: str) -> AsyncIterator[httpx.AsyncClient]:
    """The key of this Horae belongs to another project."""
    async with httpx.AsyncClient(base_url=f"{horae.url}/api/v1") as client:
        asked = {"username": await horae.admin(), "password": PASSWORD}
        token = (await client.post("/auth/login", json=asked)).json()["access_token"]
        client.headers.update({"authorization": f"Bearer {token}", "horae-project": slug})
        yield client


async def fill(horae: Horae, slug: str) -> None:
    """Four jobs and two live runs."""
    async with admin_of(horae, slug) as client:
        target = {"kind": "http", "url": "http://127.0.0.1:9/"}
        for number in range(4):
            job = {"name": f"job-{number}", "target": target, "queue": "nobody-serves-this"}
            assert (await client.post("/jobs", json=job)).status_code == 201
        assert (await client.post("/jobs/job-0/runs:batch", json={"runs": [{}, {}]})).status_code == 202


async def clear(horae: Horae, slug: str) -> None:
    """Other tests have the same people: an owner of two projects has other addresses, and what waits is an alarm."""
    async with admin_of(horae, slug) as client:
        for number in range(4):
            await client.delete(f"/jobs/job-{number}")
    await horae.call("POST", "/users", {"username": f"keeper-of-{slug}", "password": PASSWORD})
    await horae.call("PUT", f"/projects/{slug}/members/keeper-of-{slug}", {"role": "owner"})  # there must be one
    await horae.call("DELETE", f"/projects/{slug}/members/{await horae.person('owner')}")


async def test_an_admin_sets_quotas_and_owners_see_what_is_left(horae: Horae, visit: Visit):
    slug = horae.name("tenant")
    await horae.call("POST", "/projects", {"slug": slug})
    await horae.call("PUT", f"/projects/{slug}/members/{await horae.person('owner')}", {"role": "owner"})
    try:
        await quotas_are_seen(horae, visit, slug)
    finally:
        await clear(horae, slug)


async def quotas_are_seen(horae: Horae, visit: Visit, slug: str) -> None:
    admin = await visit(horae, as_="admin")
    page = admin.page
    await admin.open(f"/p/{slug}/settings/project")
    panel = page.locator("section", has=page.get_by_role("heading", name="Quotas"))
    await expect(panel.get_by_text("0, no limit").first).to_be_visible()
    await panel.get_by_role("button", name="Change").click()
    dialog = page.get_by_role("dialog")
    await dialog.get_by_label("Jobs").fill("few")
    await dialog.get_by_role("button", name="Save").click()
    await expect(dialog.get_by_text("Enter a whole number, or nothing.")).to_be_visible()
    await dialog.get_by_label("Jobs").fill("5")
    await expect(dialog.get_by_text("Enter a whole number, or nothing.")).to_have_count(0)
    await dialog.get_by_label("Live runs").fill("2")
    await dialog.get_by_label("Log output per day").fill("1.5 GiB")
    await dialog.get_by_label("Secrets").fill("0")
    await admin.look("settings-set-quotas")
    await dialog.get_by_role("button", name="Save").click()
    await expect(panel.get_by_text("0 of 5")).to_be_visible()
    await expect(panel.get_by_text("0 B of 1.5 GiB")).to_be_visible()

    await fill(horae, slug)

    owner = await visit(horae, as_="owner")
    page = owner.page
    owner.forgive(409, "/jobs/")
    await owner.open(f"/p/{slug}/jobs/job-1")
    await page.get_by_role("button", name="Run now").first.click()
    await page.get_by_role("dialog").get_by_role("button", name="Run", exact=True).click()
    await expect(page.get_by_text("quota live_runs is 2: 2 in use").first).to_be_visible()
    await owner.look("job-run-refused-by-quota")
    await owner.open(f"/p/{slug}/settings/project")
    panel = page.locator("section", has=page.get_by_role("heading", name="Quotas"))
    await expect(panel.get_by_text("4 of 5")).to_be_visible()
    await expect(panel.get_by_text("nearly used up")).to_have_count(1)
    await expect(panel.get_by_text("used up", exact=True)).to_have_count(1)
    await expect(panel.get_by_text("0, none allowed")).to_be_visible()
    await expect(panel.get_by_text("Last refused")).to_be_visible()
    await expect(panel.get_by_role("progressbar", name="Jobs: 80 % used")).to_be_visible()
    await expect(panel.get_by_role("button", name="Change")).to_have_count(0)
    await owner.look("settings-quotas")

    await horae.call("PATCH", f"/projects/{slug}/quotas", {"jobs": 3})
    await page.reload()
    await expect(panel.get_by_text("over the limit")).to_be_visible()
