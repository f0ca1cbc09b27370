"""Keys typed before the command palette has opened are not lost, and trigger no other shortcut."""

import asyncio

from playwright.async_api import Route, expect

from .conftest import Visit
from .horae import Horae


async def test_letters_wait_for_the_palette(horae: Horae, visit: Visit):
    owner = await visit(horae, as_="owner")
    page, asked, typed = owner.page, asyncio.Event(), asyncio.Event()

    async def later(route: Route) -> None:
        asked.set()
        await typed.wait()
        await route.continue_()

    await page.route("**/palette-*.js", later)
    await owner.open("/runs")
    await expect(page.get_by_role("heading", name="Runs")).to_be_visible()
    await page.keyboard.press("Control+k")
    await asked.wait()
    await page.keyboard.type("calendar")  # c makes a new job, elsewhere
    typed.set()
    await expect(page.get_by_role("combobox", name="Search jobs, pages and commands")).to_have_value("calendar")
    await page.keyboard.press("Enter")
    await expect(page).to_have_url(f"{horae.url}/calendar")
    await page.unroute_all()  # the window is used again
