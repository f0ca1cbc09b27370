"""What needs attention: seen on every page and in the tab, acknowledged, silenced, and over."""

import re
import sqlite3
from typing import Any

from playwright.async_api import expect

from tests.waiting import until

from .conftest import Visit
from .horae import Horae

FAILS = {"kind": "script", "source": "echo 'KeyError: price_eur' >&2; exit 3"}


async def failing(horae: Horae, name: str = "sync-crm") -> Any:
    """A job that failed three times in a row, and its alert."""
    job = await horae.job(name, target=FAILS, retry={"max_attempts": 1})
    for _ in range(3):
        await horae.run(name)
    return await until(lambda: _alert(horae, job), timeout=90)


async def _alert(horae: Horae, job: Any) -> Any:
    found = await horae.call("GET", f"/alerts?state=open&job={job['id']}")
    return found["items"][0] if found["items"] else None


async def test_an_alert_is_shown_everywhere_until_it_is_acknowledged(fresh_horae: Horae, visit: Visit):
    horae = fresh_horae
    await horae.admin()
    operator = await visit(horae, as_="operator")
    page = operator.page
    icon = page.locator("link[rel=icon]")
    await operator.open("/")
    await expect(page).to_have_title("Overview · Horae")
    await expect(icon).to_have_attribute("href", "/icon.svg")
    alert = await failing(horae)

    strip = page.get_by_role("region", name="Needs attention")
    await expect(strip).to_contain_text("sync-crm failed 3 times in a row")
    await expect(strip).to_contain_text("KeyError: price_eur")
    await expect(page).to_have_title("(1) Overview · Horae")
    await expect(icon).to_have_attribute("href", "/icon-critical.svg")
    menu = page.get_by_role("navigation", name="Main")
    await expect(menu.get_by_role("link", name=re.compile("Alerts.*1 alert needs attention"))).to_be_visible()
    await operator.look("overview-attention")
    await strip.get_by_role("link", name="Open run").click()
    await expect(page).to_have_url(re.compile("/runs/"))
    await expect(page).to_have_title(re.compile(r"^\(1\) "))

    await operator.open(f"/jobs/{alert['subject']['id']}")
    await expect(page.get_by_role("list", name="Open alerts")).to_contain_text("failed 3 times in a row")
    await operator.look("job-alert")
    await page.get_by_role("link", name="1 alert", exact=True).click()
    await expect(page.get_by_role("list", name="Alerts")).to_contain_text("sync-crm failed 3 times in a row")
    await operator.look("alerts-open")
    await page.get_by_role("button", name=re.compile("^Acknowledge")).click()
    await expect(page.get_by_text("acknowledged by operator-person")).to_be_visible()

    await expect(page).to_have_title("Alerts · Horae")
    await expect(icon).to_have_attribute("href", "/icon.svg")
    await operator.open("/")
    await expect(page.get_by_role("heading", name="Recent failures")).to_be_visible()
    await expect(strip).to_have_count(0)
    assert (await horae.call("GET", f"/alerts/{alert['id']}"))["acknowledged_by"] == "user:operator-person"


async def test_silenced_by_keyboard_and_undone(fresh_horae: Horae, visit: Visit):
    horae = fresh_horae
    await horae.admin()
    alert = await failing(horae)
    operator = await visit(horae, as_="operator")
    page = operator.page
    await operator.open("/alerts")
    await expect(page).to_have_title("(1) Alerts · Horae")
    await expect(page.get_by_role("list", name="Alerts").get_by_role("listitem")).to_have_count(1)
    await page.keyboard.press("j")
    await page.keyboard.press("s")
    dialog = page.get_by_role("dialog")
    await dialog.get_by_role("button", name="8 hours").click()
    await dialog.get_by_label("Note").fill("the CRM is being moved")
    await operator.look("alert-silence")
    await dialog.get_by_role("button", name="Silence").click()
    await expect(page.get_by_text("silenced until")).to_be_visible()
    await expect(page.get_by_text("the CRM is being moved")).to_be_visible()
    await expect(page).to_have_title("Alerts · Horae")
    await page.get_by_role("button", name="Undo").click()
    await expect(page).to_have_title("(1) Alerts · Horae")
    await expect(page.get_by_text("silenced until")).to_have_count(0)

    await page.get_by_role("link", name=alert["title"], exact=True).click()
    await expect(page.get_by_role("heading", level=1)).to_have_text(alert["title"])
    await page.get_by_role("textbox", name="Note").fill("asked the vendor")
    await page.get_by_role("button", name="Acknowledge with note").click()
    await expect(page.get_by_role("main").get_by_text("by operator-person")).to_be_visible()
    await operator.look("alert")


async def test_history_filters_and_a_viewer(fresh_horae: Horae, visit: Visit):
    horae = fresh_horae
    await horae.admin()
    viewer = await visit(horae, as_="viewer")
    page = viewer.page
    await viewer.open("/alerts")
    await expect(page.get_by_role("heading", name="All clear")).to_be_visible()
    await viewer.look("alerts-none")
    alert = await failing(horae)
    await expect(page.get_by_role("list", name="Alerts")).to_contain_text(alert["title"])
    for word in ("Acknowledge", "Silence"):
        await expect(page.get_by_role("button", name=word)).to_have_count(0)
    await page.get_by_label("Severity").select_option("warning")
    await expect(page.get_by_role("heading", name="No alerts match")).to_be_visible()
    await page.get_by_role("button", name="Clear filters").click()
    await expect(page.get_by_role("list", name="Alerts")).to_contain_text(alert["title"])
    # A paused job is not wrong; and no one waits here for the minute for which the rule must hold.
    await horae.call("POST", f"/jobs/{alert['subject']['id']}/pause")
    with sqlite3.connect(next(horae.running.data_dir.glob("*.db")), timeout=30) as db:
        db.execute("UPDATE alerts SET state = 'cleared', open_key = NULL, cleared_at = last_seen_at")
    await page.get_by_text("History", exact=True).click()
    await expect(page.get_by_role("list", name="Alerts")).to_contain_text("cleared")
    await viewer.look("alerts-history")
