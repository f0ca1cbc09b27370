"""A page whose code cannot be loaded: the server is down, or was upgraded while the tab was open."""

import re

import pytest
from playwright.async_api import Page, Route, expect

from .conftest import Visit
from .horae import Horae

CHUNK = re.compile(r"/assets/calendar-page-[\w-]+\.js$")
ASSETS = re.compile(r"/(assets|health)/")


def link(page: Page, name: str):
    return page.get_by_role("navigation").get_by_role("link", name=name).first


async def test_a_server_that_was_away(fresh_horae: Horae, visit: Visit):
    """Not a blank page: it says so, and comes by itself when the server does."""
    await fresh_horae.admin()
    admin = await visit(fresh_horae, as_="admin")
    page = admin.page
    await admin.open("/jobs")
    await expect(page.get_by_role("heading", name="Jobs", level=1)).to_be_visible()
    with admin.outage():
        fresh_horae.running.kill()
        await link(page, "Calendar").click()
        problem = page.get_by_role("main").get_by_role("alert")
        await expect(problem).to_contain_text("This page could not be loaded")
        await expect(problem).to_contain_text("loads as soon as it is back")
        await problem.get_by_role("button", name="Reload").click()  # no one would answer: the portal stays
        await admin.look("page-not-loaded")
        await link(page, "Jobs").click()  # what was fetched before still works
        await expect(page.get_by_role("heading", name="Jobs", level=1)).to_be_visible()
        await link(page, "Calendar").click()
        await expect(problem).to_be_visible()
        await fresh_horae.start_again()
        await expect(page.get_by_role("heading", name="Calendar", level=1)).to_be_visible()


async def test_requests_that_fail_for_a_while(horae: Horae, visit: Visit):
    viewer = await visit(horae, as_="viewer")
    page = viewer.page
    await viewer.open("/jobs")
    await expect(page.get_by_role("heading", name="Jobs", level=1)).to_be_visible()

    async def fail(route: Route) -> None:
        await route.abort()

    with viewer.outage():
        await page.route(ASSETS, fail)
        await link(page, "Calendar").click()
        await expect(page.get_by_role("main").get_by_role("alert")).to_contain_text("This page could not be loaded")
        await page.unroute(ASSETS)
        await expect(page.get_by_role("heading", name="Calendar", level=1)).to_be_visible()


@pytest.mark.parametrize("forever", [False, True], ids=["upgraded", "damaged"])
async def test_a_chunk_that_is_gone(horae: Horae, visit: Visit, forever: bool):
    """After an upgrade one reload brings the new build. A damaged build does not make the tab reload forever."""
    viewer = await visit(horae, as_="viewer")
    page = viewer.page
    viewer.forgive(404, "/assets/calendar-page")
    await viewer.open("/jobs")
    await expect(page.get_by_role("heading", name="Jobs", level=1)).to_be_visible()
    asked = 0

    async def gone(route: Route) -> None:
        nonlocal asked
        asked += 1
        await route.fulfill(status=404, content_type="application/json", body="{}")

    await page.route(CHUNK, gone, times=None if forever else 1)
    await link(page, "Calendar").click()
    if not forever:
        await expect(page.get_by_role("heading", name="Calendar", level=1)).to_be_visible()
        return
    problem = page.get_by_role("main").get_by_role("alert")
    await expect(problem).to_contain_text("Reload to get the current version")
    assert asked == 2  # once, and once after the reload
    await page.unroute(CHUNK)
    await problem.get_by_role("button", name="Reload").click()
    await expect(page.get_by_role("heading", name="Calendar", level=1)).to_be_visible()
