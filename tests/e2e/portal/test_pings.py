"""A job that runs elsewhere: its ping is made, reports, fails, is paused, and has a badge."""

import asyncio
from urllib.request import urlopen

from playwright.async_api import expect

from .conftest import Visit
from .horae import Horae


async def reported(url: str) -> None:
    def read() -> bytes:
        with urlopen(url, timeout=20) as answer:
            return bytes(answer.read())

    assert await asyncio.to_thread(read) == b"OK"


async def test_a_ping_is_made_reports_and_is_paused(horae: Horae, visit: Visit):
    editor = await visit(horae, as_="editor")
    page = editor.page
    await editor.open("/pings")
    await expect(page.get_by_role("heading", name="No pings yet")).to_be_visible()
    await editor.look("pings-none")
    await page.get_by_role("button", name="New ping").first.click()
    sheet = page.get_by_role("dialog")
    await sheet.get_by_label("Name", exact=True).fill("backup of the shop")
    await editor.look("ping-form")
    await sheet.get_by_role("button", name="Create").click()
    await expect(page.get_by_role("heading", name="backup of the shop")).to_be_visible()

    ping = (await horae.call("GET", "/pings"))["items"][0]
    await expect(page.get_by_text(ping["url"]).first).to_be_visible()
    await reported(ping["url"])
    await expect(page.get_by_role("list", name="Events")).to_contain_text("success", timeout=30_000)
    await reported(f"{ping['url']}/3")
    await expect(page.get_by_role("list", name="Events")).to_contain_text("exit code 3", timeout=30_000)
    await editor.look("ping-down")

    await page.get_by_role("button", name="New badge").click()
    await page.get_by_role("dialog").get_by_role("button", name="Create").click()
    await expect(page.get_by_role("list", name="Badges").get_by_role("img")).to_be_visible()
    await editor.look("ping-badge")

    await page.get_by_role("button", name="Pause").click()
    await page.get_by_role("dialog").get_by_role("button", name="Pause").click()
    await expect(page.get_by_role("button", name="Resume")).to_be_visible()
    assert (await horae.call("GET", f"/pings/{ping['id']}"))["state"] == "paused"


async def test_a_viewer_sees_no_url(horae: Horae, visit: Visit):
    made = await horae.call("POST", "/pings", {"name": "theirs", "schedule": {"every": "1h"}})
    viewer = await visit(horae, as_="viewer")
    await viewer.open(f"/pings/{made['id']}")
    await expect(viewer.page.get_by_role("heading", name="theirs")).to_be_visible()
    await expect(viewer.page.get_by_text(made["url"])).to_have_count(0)
    await expect(viewer.page.get_by_role("button", name="Pause")).to_have_count(0)
