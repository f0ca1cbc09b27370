"""Notification channels: created, tested against a real server, changed and deleted."""

import json
import re
from collections.abc import AsyncIterator
from pathlib import Path

import pytest_asyncio
from aiohttp import web
from playwright.async_api import Page, expect

from tests.integration.notifiers.receiving import Receiver, receiving

from .conftest import Visit
from .horae import Horae


@pytest_asyncio.fixture(loop_scope="session")
async def open_horae(built: None, tmp_path: Path) -> AsyncIterator[Horae]:
    """One whose channels may call servers of this machine."""
    running = await Horae.start(tmp_path, HORAE_HTTP_ALLOW_PRIVATE="true")
    try:
        await running.admin()
        yield running
    finally:
        running.stop()


async def choose(page: Page, name: str) -> None:
    await page.locator("label").filter(has=page.get_by_role("radio", name=re.compile(f"^{name}"))).click()


async def test_a_channel_is_made_tested_changed_and_deleted(open_horae: Horae, visit: Visit):
    async with receiving() as receiver:
        await _journey(open_horae, visit, receiver)


async def _journey(horae: Horae, visit: Visit, receiver: Receiver) -> None:
    editor = await visit(horae, as_="editor")
    page = editor.page
    await editor.open("/settings/channels")
    await expect(page.get_by_role("heading", name="No channels yet")).to_be_visible()
    await editor.look("channels-none")
    await page.get_by_role("button", name="New channel").first.click()
    sheet = page.get_by_role("dialog")
    await sheet.get_by_label("Name", exact=True).fill("on-call")
    await choose(page, "E-mail")
    await sheet.get_by_label("To", exact=True).fill("ops@example.org")
    await sheet.get_by_label("Use another mail server").check()
    await sheet.get_by_role("button", name="Add quiet hours").click()
    await editor.look("channel-form-email")
    await sheet.get_by_role("button", name="Remove window 1").click()
    await choose(page, "Webhook")
    await sheet.get_by_role("button", name="Create channel").click()
    await expect(sheet.get_by_text("is required")).to_be_visible()
    await sheet.get_by_label("URL", exact=True).fill(f"{receiver.url}/with-a-token")
    await sheet.get_by_label("Severity").select_option("warning")
    await sheet.get_by_role("textbox", name=re.compile("^Jobs")).fill("sync-*")
    await sheet.get_by_role("button", name="Create channel").click()
    await expect(page.get_by_test_id("once")).to_contain_text("whsec_")
    await editor.look("channel-key")
    await page.get_by_role("button", name="Done, I saved it").click()

    row = page.get_by_role("row").filter(has_text="on-call")
    await expect(row).to_contain_text("warning and above · sync-*")
    await expect(row).not_to_contain_text("token")  # the address says where, and no more
    await row.get_by_role("button", name="Test on-call").click()
    await expect(page.get_by_role("dialog")).to_contain_text("Delivered", timeout=60_000)
    await editor.look("channel-test-delivered")
    assert json.loads(receiver.got[0][2])["channel"] == "on-call"
    receiver.answers.append(web.Response(status=404))
    await page.get_by_role("button", name="Send again").click()
    await expect(page.get_by_role("dialog")).to_contain_text(re.compile("Failed: .*404"), timeout=60_000)
    await editor.look("channel-test-failed")
    await page.get_by_role("dialog").get_by_role("button", name="Close").last.click()
    await expect(row).to_contain_text("failed")
    await editor.look("channels")

    await row.get_by_role("button", name="More for on-call").click()
    await page.get_by_role("menuitem", name="Delivery log").click()
    log = page.get_by_role("list", name="Deliveries").get_by_role("listitem")
    await expect(log).to_have_count(2)
    await expect(log.first).to_contain_text("404")
    await expect(log.last).to_contain_text("delivered")
    await editor.look("channel-log")
    await page.keyboard.press("Escape")

    await row.get_by_role("button", name="More for on-call").click()
    await page.get_by_role("menuitem", name="Edit").click()
    await expect(sheet.get_by_role("textbox", name=re.compile("^URL"))).to_have_value("")  # never shown again
    await sheet.get_by_role("textbox", name=re.compile("^Tags")).fill("finance")
    await sheet.get_by_role("button", name="Save").click()
    await expect(row).to_contain_text("#finance")
    await row.get_by_role("button", name="Test on-call").click()
    await expect(page.get_by_role("dialog")).to_contain_text("Delivered", timeout=60_000)  # its secrets were kept
    await page.get_by_role("dialog").get_by_role("button", name="Close").last.click()

    await editor.open("/jobs/new")
    await page.get_by_label("Name", exact=True).fill("sync-crm")
    await page.get_by_label("URL", exact=True).fill("https://example.org/")
    await page.get_by_text("Alerts", exact=True).last.click()
    await page.get_by_label("Failures in a row").fill("1")
    await page.get_by_label("Not done by").fill("06:00")
    await page.get_by_text("Notify", exact=True).click()
    await page.get_by_label("on-call").check()
    await editor.look("job-form-alerts")
    await page.get_by_role("button", name="Create", exact=True).click()
    await expect(page.get_by_text("Created sync-crm")).to_be_visible()
    job = await horae.call("GET", "/jobs/sync-crm")
    assert job["notify"] == ["on-call"]
    assert {name: value for name, value in job["alert"].items() if value} == {"failing": 1, "done_by": "06:00"}

    await editor.open("/settings/channels")
    await row.get_by_role("button", name="More for on-call").click()
    await page.get_by_role("menuitem", name="Delete").click()
    editor.forgive(409, "/channels")
    await page.get_by_role("button", name="Delete", exact=True).click()
    await expect(page.get_by_role("dialog", name="Delete it anyway?")).to_contain_text("sync-crm")
    await page.get_by_role("button", name="Delete", exact=True).click()
    await expect(page.get_by_role("heading", name="No channels yet")).to_be_visible()


async def test_a_viewer_cannot_change_channels(open_horae: Horae, visit: Visit):
    target = {"kind": "slack", "url": "https://hooks.example.org/a-token"}
    await open_horae.call("POST", "/channels", {"name": "on-call", "target": target})
    viewer = await visit(open_horae, as_="viewer")
    await viewer.open("/settings/channels")
    row = viewer.page.get_by_role("row").filter(has_text="on-call")
    await expect(row).to_contain_text("nothing sent yet")
    await expect(viewer.page.get_by_role("button", name="New channel")).to_have_count(0)
    await row.get_by_role("button", name="More for on-call").click()
    await expect(viewer.page.get_by_role("menuitem")).to_have_count(1)
    await viewer.page.keyboard.press("Escape")
    admin = await visit(open_horae, as_="admin")
    await admin.open("/settings/channels")
    await admin.page.get_by_text("Installation", exact=True).click()
    await expect(admin.page.get_by_role("heading", name="No channels yet")).to_be_visible()
