"""The page of a run: its live log, its timeline, and its actions."""

import os
import signal
from pathlib import Path
from typing import Any

from playwright.async_api import Page, expect

from .conftest import Visit
from .horae import Horae

ONCE = {"max_attempts": 1}


def waiting_for(file: Path, before: str = "", after: str = "") -> dict[str, Any]:
    """A script that goes on when this file is there."""
    source = f"{before}\nuntil [ -e '{file}' ]; do sleep 0.1; done\n{after}"
    return {"kind": "script", "interpreter": "bash", "source": source}


def log(page: Page) -> Any:
    return page.get_by_role("region", name="Log")


async def test_run_now_and_watch_its_log(horae: Horae, visit: Visit, tmp_path: Path):
    go = tmp_path / "go"
    before = r"printf 'one\n\033[32mgreen\033[0m <b>bold</b>\n'; echo oops >&2"
    job = await horae.job(target=waiting_for(go, before, "echo the end"))
    operator = await visit(horae, as_="operator")
    page = operator.page
    await operator.open(f"/jobs?q={job['name']}")
    await page.get_by_role("button", name=f"Run {job['name']} now").click()
    await page.get_by_role("button", name="Show").click()
    await expect(page.get_by_role("heading", level=1)).to_have_text(f"Run of {job['name']}")
    await expect(log(page)).to_contain_text("green <b>bold</b>")
    await expect(log(page)).to_contain_text("oops")
    await expect(page.get_by_text("lines, live")).to_be_visible()
    trace = page.url.rpartition("/")[2].replace("-", "")
    link = page.get_by_role("link", name=trace)
    await expect(link).to_have_attribute("href", f"https://traces.example.org/trace/{trace}")
    await expect(page.get_by_role("button", name="Copy trace ID")).to_be_visible()
    await expect(page.get_by_role("button", name="Cancel")).to_be_visible()
    await operator.look("run-running")

    await page.get_by_label("Stream").select_option("stderr")
    await expect(log(page)).not_to_contain_text("green")
    await page.get_by_label("Stream").select_option("")
    await page.get_by_label("Search log").fill("GREEN")
    await expect(page.get_by_text("1 of 1")).to_be_visible()
    await expect(log(page).locator("mark")).to_have_text("green")
    await page.get_by_label("Search log").fill("")

    go.touch()
    await expect(log(page)).to_contain_text("the end")
    await expect(page.get_by_role("main").get_by_text("succeeded").first).to_be_visible()
    await expect(page.get_by_role("button", name="Retry", exact=True)).to_be_visible()
    async with page.expect_download() as download:
        await page.get_by_role("button", name="Download log").click()
    assert (await (await download.value).path()).read_text().splitlines()[-1] == "the end"


async def test_cancel_a_running_run(horae: Horae, visit: Visit, tmp_path: Path):
    job = await horae.job(target=waiting_for(tmp_path / "never", "echo begun"))
    run = await horae.run(job["name"], until_ended=False)
    operator = await visit(horae, as_="operator")
    page = operator.page
    await operator.open(f"/runs/{run['id']}")
    await expect(log(page)).to_contain_text("begun")
    await page.get_by_role("button", name="Cancel").click()
    await page.get_by_role("button", name="Cancel the run").click()
    await expect(page.get_by_role("main").get_by_text("cancelled").first).to_be_visible(timeout=20_000)
    await expect(page.get_by_role("button", name="Retry", exact=True)).to_be_visible()


async def test_attempts_backoff_and_why(horae: Horae, visit: Visit):
    source = 'echo attempt $HORAE_ATTEMPT; echo "{\\"tried\\": $HORAE_ATTEMPT}" > $HORAE_RESULT; exit 3'
    retry = {"max_attempts": 3, "backoff": "fixed", "delay": 1, "jitter": 0}
    job = await horae.job(target={"kind": "script", "source": source}, retry=retry)
    run = await horae.run(job["name"], input={"day": "monday"})
    viewer = await visit(horae, as_="viewer")
    page = viewer.page
    await viewer.open(f"/runs/{run['id']}")
    timeline = page.get_by_role("table", name="Timeline of this run")
    await expect(timeline.get_by_role("rowheader").filter(has_text="Attempt")).to_have_count(3)
    await expect(timeline.get_by_role("rowheader").filter(has_text="Backoff")).to_have_count(2)
    await expect(page.get_by_role("region", name="Error")).to_contain_text("3")
    await page.get_by_label("Attempt", exact=True).select_option("2")
    await expect(log(page)).to_contain_text("attempt 2")
    await expect(log(page)).not_to_contain_text("attempt 1")
    await viewer.look("run-failed")

    await page.get_by_role("tab", name="Attempts").click()
    rows = page.get_by_role("table", name="Attempts").get_by_role("row")
    await expect(rows).to_have_count(4)
    await rows.nth(1).get_by_text("Result").click()
    await expect(rows.nth(1)).to_contain_text('"tried": 1')
    await viewer.look("run-attempts")
    await expect(page).to_have_url(f"{horae.url}/runs/{run['id']}?tab=attempts")
    await page.get_by_role("tab", name="Input and result").click()
    await expect(page.get_by_text('"monday"')).to_be_visible()
    await page.get_by_role("tab", name="Why").click()
    await expect(page.get_by_role("heading", name="Checks")).to_be_visible()
    await viewer.look("run-why")
    for word in ("Retry", "Redrive", "Discard"):
        await expect(page.get_by_role("button", name=word)).to_have_count(0)


async def test_retry_with_changed_input(horae: Horae, visit: Visit):
    job = await horae.job(target={"kind": "script", "source": "grep -q good"}, retry=ONCE)
    run = await horae.run(job["name"], input="bad")
    assert run["status"] == "failed"
    operator = await visit(horae, as_="operator")
    page = operator.page
    await operator.open(f"/runs/{run['id']}")
    await page.get_by_role("button", name="Retry with changed input").click()
    editor = page.get_by_role("textbox", name="Input")
    await editor.fill("{")
    await expect(page.get_by_role("alert")).to_contain_text("Invalid JSON")
    await operator.look("run-retry")
    await editor.fill('"good"')
    await page.get_by_role("dialog").get_by_role("button", name="Retry").click()
    await expect(page).not_to_have_url(f"{horae.url}/runs/{run['id']}")
    await expect(page.get_by_role("main").get_by_text("succeeded").first).to_be_visible(timeout=20_000)
    await expect(page.get_by_role("link", name=f"{run['id'][:8]}…")).to_be_visible()
    letters = await horae.call("GET", f"/dead-letters?job={job['id']}")
    assert letters["items"] == []


async def test_a_worker_dies(fresh_horae: Horae, visit: Visit, tmp_path: Path):
    horae = fresh_horae
    await horae.admin()
    job = await horae.job(target=waiting_for(tmp_path / "go", "echo begun"))
    run = await horae.run(job["name"], until_ended=False)
    operator = await visit(horae, as_="operator")
    page = operator.page
    await operator.open(f"/runs/{run['id']}")
    await expect(log(page)).to_contain_text("begun")
    (worker,) = (await horae.call("GET", "/workers"))["items"]
    os.kill(worker["pid"], signal.SIGKILL)
    await expect(page.get_by_role("main").get_by_text("lost").first).to_be_visible(timeout=60_000)
    await expect(page.get_by_role("rowheader").filter(has_text="Attempt 2")).to_be_visible(timeout=60_000)
    (tmp_path / "go").touch()
    await expect(page.get_by_role("main").get_by_text("succeeded").first).to_be_visible(timeout=60_000)
    await operator.open("/")
    await expect(page.get_by_text("offline").first).to_be_visible()


async def test_the_log_of_a_failed_run_opens_at_its_end(horae: Horae, visit: Visit):
    source = "seq -f 'l%.0f' 2000; echo 'ValueError: bad row' >&2; exit 1"
    job = await horae.job(target={"kind": "script", "source": source}, retry={"max_attempts": 1})
    run = await horae.run(job["name"])
    viewer = await visit(horae, as_="viewer")
    await viewer.open(f"/runs/{run['id']}")
    await expect(log(viewer.page).get_by_text("ValueError: bad row")).to_be_visible()
    await expect(log(viewer.page).get_by_text("l1", exact=True)).to_have_count(0)


async def test_100_000_lines(horae: Horae, visit: Visit):
    long = "head -c 20000 /dev/zero | tr '\\0' x; echo"
    job = await horae.job(target={"kind": "script", "source": f"seq -f 'l%.0f' 100000\n{long}\necho last"})
    run = await horae.run(job["name"])
    assert run["status"] == "succeeded"
    viewer = await visit(horae, as_="viewer")
    page = viewer.page
    await viewer.open(f"/runs/{run['id']}")
    await expect(page.get_by_text("100,002 lines")).to_be_visible(timeout=30_000)
    assert await log(page).locator("div.absolute").count() < 200
    await page.get_by_label("Search log").fill("l99999")
    await expect(page.get_by_text("1 of 1")).to_be_visible()
    await expect(log(page).locator("mark")).to_be_visible()
    await page.get_by_label("Search log").fill("")
    await page.get_by_role("button", name="Follow").click()
    await expect(log(page).get_by_text("last", exact=True)).to_be_visible()
    await page.get_by_role("button", name="18,000 characters").click()
    await expect(page.get_by_role("dialog")).to_contain_text("20,000 characters")
    await page.keyboard.press("Escape")
    await log(page).hover()
    await page.mouse.wheel(0, -4_000)
    await expect(page.get_by_role("button", name="Follow")).to_have_attribute("aria-pressed", "false")
    await log(page).focus()
    await page.keyboard.press("Home")
    await expect(log(page).get_by_text("l1", exact=True)).to_be_visible()
    await viewer.look("run-long-log")


async def test_text_of_a_run_is_text(horae: Horae, visit: Visit):
    payload = "<img src=x onerror=alert(1)>"
    source = f"echo '{payload}'; echo '{payload}' >&2; echo '{{\"x\": \"{payload}\"}}' > $HORAE_RESULT; exit 3"
    job = await horae.job(f"{horae.name('xss')} {payload}", target={"kind": "script", "source": source}, retry=ONCE)
    run = await horae.run(job["id"], input=payload)
    viewer = await visit(horae, as_="viewer")
    page = viewer.page
    for tab in ("", "?tab=data", "?tab=attempts", "?tab=why"):
        await viewer.open(f"/runs/{run['id']}{tab}")
        await expect(page.get_by_role("heading", level=1)).to_contain_text(payload)
        await expect(page.get_by_role("tabpanel")).to_be_visible()
        assert await page.locator("main img").count() == 0
    await viewer.open(f"/dead-letters?job={job['id']}&view=all")
    await expect(page.get_by_role("link", name=payload)).to_be_visible()
    assert await page.locator("main img").count() == 0


async def test_a_run_that_is_not_there(horae: Horae, visit: Visit):
    viewer = await visit(horae, as_="viewer")
    missing = "01a1de05-bc6e-7493-ac17-5c90c59c6a0f"
    viewer.forgive(404, f"/runs/{missing}")
    await viewer.open(f"/runs/{missing}")
    await expect(viewer.page.get_by_role("alert")).to_contain_text("no such run")
