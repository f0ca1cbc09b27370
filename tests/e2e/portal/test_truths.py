"""Regressions of small errors in pages: one time zone, errors next to their field, hidden actions, the focus."""

import re

import pytest
from playwright.async_api import expect

from .conftest import Visit
from .horae import Horae

FOCUSED = "() => document.activeElement.matches(':focus-visible')"


async def test_a_job_page_has_one_clock(horae: Horae, visit: Visit):
    """An interval has no separate clock, so it is the reader's; cron has the one of its schedule."""
    interval = await horae.job(schedule={"every": "1h", "start_at": "2090-01-01T00:00:00Z"})
    await horae.run(interval["name"])
    await horae.run(interval["name"])
    viewer = await visit(horae, as_="viewer")  # in Berlin
    page = viewer.page
    await viewer.open(f"/jobs/{interval['id']}")
    await expect(page.get_by_text("Times on this page are in Europe/Berlin, your time zone.")).to_be_visible()
    next_ones = page.get_by_role("list", name="Occurrences")
    await expect(next_ones.get_by_role("listitem").first).to_contain_text("1 Jan 2090, 01:00")
    await expect(next_ones).not_to_contain_text("your time")
    await viewer.look("job-interval")

    cron = await horae.job(schedule={"cron": "0 9 * * *", "timezone": "Asia/Tokyo"})
    await viewer.open(f"/jobs/{cron['id']}")
    await expect(page.get_by_text("are in Asia/Tokyo, the schedule's time zone")).to_be_visible()
    await expect(next_ones.get_by_role("listitem").first).to_contain_text(", 09:00")
    await expect(next_ones.get_by_role("listitem").first).to_contain_text("01:00 your time")


async def test_why_goes_by_the_clock_of_its_page(horae: Horae, visit: Visit):
    interval = await horae.job(schedule={"every": "1h", "start_at": "2090-01-01T00:00:00Z"})
    cron = await horae.job(schedule={"cron": "0 9 1 1 *", "timezone": "Asia/Tokyo", "start_at": "2090-01-01T00:00:00Z"})
    later = await horae.run(interval["name"], until_ended=False, run_at="2090-07-01T00:00:00Z")
    viewer = await visit(horae, as_="viewer")  # in Berlin
    page = viewer.page
    panel = page.get_by_role("tabpanel")
    await viewer.open(f"/jobs/{interval['id']}?tab=why")
    await expect(panel.get_by_text("1 Jan 2090, 01:00:00").first).to_be_visible()
    await expect(panel).not_to_contain_text("UTC")
    await viewer.open(f"/jobs/{cron['id']}?tab=why")
    await expect(panel.get_by_text("1 Jan 2090, 09:00:00 GMT+9").first).to_be_visible()
    await expect(panel).not_to_contain_text("UTC")
    await expect(panel).not_to_contain_text("09:00 Asia/Tokyo")  # once is enough
    await viewer.open(f"/runs/{later['id']}?tab=why")
    await expect(panel.get_by_text("1 Jul 2090, 02:00:00").first).to_be_visible()
    await expect(panel).not_to_contain_text("UTC")
    waits = panel.get_by_role("listitem").filter(has_text="Wait until then")
    await expect(waits).to_be_visible()
    await expect(waits.get_by_role("button")).to_have_count(0)  # there is no command to copy
    await horae.call("POST", f"/runs/{later['id']}/cancel", {})


async def test_a_settings_page_that_does_not_exist(horae: Horae, visit: Visit):
    admin = await visit(horae, as_="admin")
    await admin.open("/settings/api-keys")
    await expect(admin.page.get_by_text("Page not found")).to_be_visible()
    await expect(admin.page.get_by_text("Not allowed for your role")).to_have_count(0)
    await admin.look("settings-unknown")


async def test_all_missing_fields_are_reported_at_once(horae: Horae, visit: Visit):
    taken = await horae.job()
    admin = await visit(horae, as_="admin")
    page = admin.page
    await admin.open("/jobs/new")
    await page.get_by_role("button", name="Create", exact=True).click()
    name, url = page.get_by_label("Name", exact=True), page.get_by_label("URL", exact=True)
    for field in (name, url):
        await expect(field).to_have_attribute("aria-invalid", "true")
        await expect(field).to_have_accessible_description(re.compile("Required"))
    await expect(name).to_be_focused()
    await admin.look("job-form-empty")

    await name.fill(taken["name"])
    await url.fill("http://127.0.0.1:1/")
    await expect(name).not_to_have_attribute("aria-invalid", "true")
    admin.forgive(409, "/jobs")
    await page.get_by_role("button", name="Create", exact=True).click()
    await expect(name).to_have_attribute("aria-invalid", "true")
    await expect(name).to_have_accessible_description(re.compile("exists already"))
    await expect(name).to_be_focused()


async def test_a_viewer_gets_no_form(horae: Horae, visit: Visit):
    job = await horae.job()
    viewer = await visit(horae, as_="viewer")
    for path in ("/jobs/new", f"/jobs/{job['id']}/edit"):
        await viewer.open(path)
        await expect(viewer.page.get_by_role("alert")).to_contain_text("Not allowed for your role")
        await expect(viewer.page.locator("main form")).to_have_count(0)
    await viewer.look("job-new-viewer")


@pytest.mark.parametrize("path", ["/jobs/{job}", "/workers"])
async def test_a_click_on_a_tab_leaves_no_focus_ring(horae: Horae, visit: Visit, path: str):
    job = await horae.job()
    viewer = await visit(horae, as_="viewer")
    page = viewer.page
    await viewer.open(path.format(job=job["id"]))
    tab = page.get_by_role("tab").nth(2)
    await tab.click()
    await expect(tab).to_have_attribute("aria-selected", "true")
    assert not await page.evaluate(FOCUSED), await page.evaluate("() => document.activeElement.outerHTML.slice(0, 200)")
    await page.keyboard.press("ArrowLeft")  # the keyboard still shows where it is
    await expect(page.get_by_role("tab").nth(1)).to_be_focused()
    assert await page.evaluate(FOCUSED)


async def test_why_names_runs_as_links(horae: Horae, visit: Visit):
    target = {"kind": "script", "source": "sleep 60"}
    job = await horae.job(target=target, schedule={"every": "1h"}, max_instances=1, overlap="skip")
    run = await horae.run(job["name"], until_ended=False)
    viewer = await visit(horae, as_="viewer")
    await viewer.open(f"/jobs/{job['id']}?tab=why")
    await viewer.page.get_by_role("main").get_by_role("link", name=run["id"]).first.click()
    await expect(viewer.page).to_have_url(f"{horae.url}/runs/{run['id']}")
    await horae.call("POST", f"/runs/{run['id']}/cancel", {})


async def test_a_job_from_its_creation_to_its_end(horae: Horae, visit: Visit):
    """No request on the way asks for what is not there."""
    admin = await visit(horae, as_="admin")
    page = admin.page
    name = horae.name("journey")
    await admin.open("/jobs/new?kind=script")
    await page.get_by_label("Name", exact=True).fill(name)
    editor = page.get_by_role("textbox", name="Script", exact=True)
    await editor.click()
    await page.keyboard.type("echo hello")
    await page.get_by_role("button", name="Create", exact=True).click()
    await expect(page.get_by_role("heading", name=name, level=1)).to_be_visible()
    await page.get_by_role("link", name="Edit").click()
    await page.get_by_label("Description").fill("What it is for.")
    await page.get_by_role("button", name="Review changes").click()
    await page.get_by_role("dialog").get_by_role("button", name="Save", exact=True).click()
    await expect(page.get_by_text(f"Saved {name}")).to_be_visible()
    await page.get_by_role("button", name="Run now").click()
    await page.get_by_role("dialog").get_by_role("button", name="Run", exact=True).click()
    await page.get_by_role("button", name="Show").first.click()
    await expect(page.get_by_text("hello").first).to_be_visible()
    await page.get_by_role("main").get_by_role("link", name=name).first.click()
    await expect(page.get_by_role("button", name="Run now")).to_be_visible()
    await page.get_by_role("button", name="More").click()
    await page.get_by_role("menuitem", name="Delete").click()
    await page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    await expect(page.get_by_role("heading", name="Jobs", level=1)).to_be_visible()
    await expect(page.get_by_role("link", name=name)).to_have_count(0)
    admin.forgive(404, "/jobs/")
    await page.go_back()  # to what was the job's page, which says that the job is gone
    await expect(page.get_by_role("alert")).to_be_visible()
