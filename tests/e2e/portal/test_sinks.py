"""Sinks of events: created, edited, tested against a real server, disabled and deleted."""

import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest_asyncio
from playwright.async_api import expect

from tests.integration.notifiers.receiving import receiving
from tests.waiting import until

from .conftest import Visit
from .horae import Horae


@pytest_asyncio.fixture(loop_scope="session")
async def open_horae(built: None, tmp_path: Path) -> AsyncIterator[Horae]:
    """One whose sinks may call servers of this machine."""
    running = await Horae.start(tmp_path, HORAE_HTTP_ALLOW_PRIVATE="true")
    try:
        await running.admin()
        yield running
    finally:
        running.stop()


async def test_a_sink_is_made_edited_tested_disabled_and_deleted(open_horae: Horae, visit: Visit):
    owner = await visit(open_horae, as_="owner")
    page = owner.page
    async with receiving() as receiver:
        await owner.open("/settings/sinks")
        await expect(page.get_by_role("heading", name="No sinks yet")).to_be_visible()
        await page.get_by_role("button", name="New sink").first.click()
        dialog = page.get_by_role("dialog")
        await dialog.get_by_label("Name", exact=True).fill("warehouse")
        await dialog.get_by_label("URL", exact=True).fill(f"{receiver.url}/with-a-token")
        await dialog.get_by_label("Types", exact=True).fill("run.dreamt")
        owner.forgive(422, "/sinks")
        await dialog.get_by_role("button", name="Create sink").click()
        await expect(dialog.get_by_text("must be one of")).to_be_visible()
        await dialog.get_by_label("Types", exact=True).fill("run.ended, job.*")
        await owner.look("sink-form")
        await dialog.get_by_role("button", name="Create sink").click()
        await expect(page.get_by_test_id("once")).to_contain_text("whsec_")
        await page.get_by_role("button", name="Done, I saved it").click()

        row = page.get_by_role("row").filter(has_text="warehouse")
        await expect(row).to_contain_text("run.ended, job.*")
        await expect(row).not_to_contain_text("token")
        await row.get_by_role("button", name="More for warehouse").click()
        await page.get_by_role("menuitem", name="Edit").click()
        await expect(dialog.get_by_label("Types", exact=True)).to_have_value("run.ended, job.*")
        await dialog.get_by_label("Types", exact=True).fill("run.ended")
        await dialog.get_by_label("Tags", exact=True).fill("finance")
        await owner.look("sink-edit")
        await dialog.get_by_role("button", name="Save sink").click()  # its URL stays
        await expect(row).to_contain_text("run.ended of #finance")
        await row.get_by_role("button", name="Test warehouse").click()
        await until(lambda: receiver.got, timeout=60)
        assert json.loads(receiver.got[0][2])["type"] == "horae.sink.test"
        await expect(row).to_contain_text("1 sent", timeout=30_000)
        await owner.look("sinks")
    await row.get_by_role("button", name="More for warehouse").click()
    await page.get_by_role("menuitem", name="Disable").click()
    await expect(row).to_contain_text("disabled")
    await row.get_by_role("button", name="More for warehouse").click()
    await page.get_by_role("menuitem", name="Delete").click()
    await page.get_by_role("button", name="Delete", exact=True).click()
    await expect(page.get_by_role("heading", name="No sinks yet")).to_be_visible()
