"""Unresolved failures: by cause, redriven and discarded."""

import asyncio
from pathlib import Path
from typing import Any

from playwright.async_api import Page, Route, expect

from tests.waiting import until

from .conftest import Visit
from .horae import Horae

ONCE = {"max_attempts": 1}
LETTERS = "**/api/v1/dead-letters?*"


async def failures(horae: Horae, many: int, *, source: str = "exit 3", **fields: Any) -> Any:
    """A job, and so many dead letters of it."""
    job = await horae.job(target={"kind": "script", "source": source}, retry=ONCE, **fields)
    runs = [{"input": n} for n in range(many)]
    await horae.call("POST", f"/jobs/{job['name']}/runs:batch", {"runs": runs})
    await until(lambda: _is(horae, job, many), timeout=60)
    return job


async def _is(horae: Horae, job: Any, many: int) -> Any:
    groups = await horae.call("GET", f"/dead-letters/groups?job={job['id']}")
    return sum(group["count"] for group in groups["items"]) == many


def tray(page: Page) -> Any:
    return page.get_by_role("dialog", name="Operations")


async def test_failure_to_dead_letter_to_redrive(horae: Horae, visit: Visit, tmp_path: Path):
    mended = tmp_path / "mended"
    job = await failures(horae, 3, source=f"[ -e '{mended}' ] || {{ echo 'the disk is full' >&2; exit 3; }}")
    operator = await visit(horae, as_="operator")
    page = operator.page
    await operator.open(f"/dead-letters?job={job['name']}")
    group = page.get_by_role("listitem").filter(has_text=job["name"])
    await expect(group).to_contain_text("the disk is full")
    await expect(group).to_contain_text("exit code 3")
    await operator.look("dead-letters-causes")
    await group.get_by_role("link").first.click()
    await expect(page.get_by_role("table", name="Dead letters").get_by_role("row")).to_have_count(4)
    await operator.look("dead-letters-cause")

    mended.touch()
    await page.get_by_label("Select all on this page").check()
    await page.get_by_role("toolbar").get_by_role("button", name="Redrive").click()
    await operator.look("dead-letters-redrive")
    await page.get_by_role("button", name="Redrive 3").click()
    await expect(tray(page).get_by_text("3 of 3")).to_be_visible(timeout=30_000)
    await operator.look("operations")
    await page.keyboard.press("Escape")
    await expect(page.get_by_role("heading", name="Nothing left here")).to_be_visible()
    runs: Any = await until(lambda: _succeeded(horae, job, 3), timeout=30)
    assert {run["trigger"] for run in runs} == {"retry"}


async def _succeeded(horae: Horae, job: Any, many: int) -> Any:
    found = (await horae.call("GET", f"/runs?job={job['id']}&status=succeeded"))["items"]
    return found if len(found) == many else None


async def test_all_matches_over_several_pages_and_leaving_the_page(horae: Horae, visit: Visit):
    job = await failures(horae, 60)
    operator = await visit(horae, as_="operator")
    page = operator.page
    answer = asyncio.Event()
    await page.route(LETTERS, lambda route: answered(route, answer))
    await operator.open(f"/dead-letters?view=all&job={job['name']}")
    every = page.get_by_label("Select all on this page")
    await expect(every).to_be_disabled()  # there is nothing to select yet
    answer.set()
    await every.check()
    await page.unroute(LETTERS)
    await expect(page.get_by_role("toolbar")).to_contain_text("50 dead letters")
    await page.get_by_role("button", name="Select all 60 that match").click()
    await expect(page.get_by_role("toolbar")).to_contain_text("60 dead letters")
    await operator.look("dead-letters-all")
    await page.get_by_role("button", name="Next").click()
    await expect(page.get_by_role("checkbox", checked=True)).to_have_count(11)
    await page.get_by_role("toolbar").get_by_role("button", name="Redrive").click()
    await page.get_by_label("Rate").fill("2")
    await page.get_by_role("button", name="Redrive 60").click()
    await expect(tray(page).get_by_role("progressbar")).to_be_visible()
    await operator.open("/jobs")  # another page, and the whole of it read again
    await page.get_by_role("button", name="1 operation in progress").click()
    await expect(tray(page)).to_contain_text("of 60")
    await tray(page).get_by_role("button", name="Cancel").click()
    await page.get_by_role("button", name="Cancel the redrive").click()
    await expect(tray(page)).to_contain_text("cancelled")
    left = await horae.call("GET", f"/dead-letters/groups?job={job['id']}")
    assert sum(group["count"] for group in left["items"]) > 0


async def answered(route: Route, answer: asyncio.Event) -> None:
    await answer.wait()
    await route.continue_()


async def test_redrive_with_another_input(horae: Horae, visit: Visit):
    job = await failures(horae, 2, source="grep -q good")
    operator = await visit(horae, as_="operator")
    page = operator.page
    await operator.open(f"/dead-letters?job={job['name']}")
    await page.get_by_role("button", name="Redrive all").click()
    await page.get_by_label("Change the input").check()
    await page.get_by_role("textbox", name="Input").fill('"good"')
    await page.get_by_role("button", name="Redrive 2").click()
    await until(lambda: _succeeded(horae, job, 2), timeout=30)
    await expect(page.get_by_role("heading", name="No dead letters match")).to_be_visible()


async def test_redriving_one_cause_leaves_the_others(horae: Horae, visit: Visit):
    source = "read n; echo \"KeyError: 'row$((n % 2 + 1))'\" | tr 12 ab >&2; exit $((n % 2 + 1))"
    job = await failures(horae, 4, source=source)
    operator = await visit(horae, as_="operator")
    page = operator.page
    await operator.open(f"/dead-letters?job={job['name']}")
    await expect(page.get_by_role("listitem").filter(has_text=job["name"])).to_have_count(2)
    first = page.get_by_role("listitem").filter(has_text="KeyError: 'rowa'")
    await expect(first).to_contain_text("exit code 1")
    await operator.look("dead-letters-two-causes")
    await first.get_by_role("button", name="Discard").click()
    dialog = page.get_by_role("dialog")
    await dialog.get_by_label("Reason").fill("a known one")
    await dialog.get_by_role("button", name="Discard 2").click()
    await expect(first).to_have_count(0)
    await expect(page.get_by_role("listitem").filter(has_text="KeyError: 'rowb'")).to_contain_text("exit code 2")


async def test_discard_with_a_reason(horae: Horae, visit: Visit):
    job = await failures(horae, 2)
    owner = await visit(horae, as_="owner")
    page = owner.page
    await owner.open(f"/dead-letters?view=all&job={job['name']}")
    await page.get_by_label("Select the run of").first.check()
    await page.get_by_role("toolbar").get_by_role("button", name="Discard").click()
    dialog = page.get_by_role("dialog")
    await expect(dialog.get_by_role("button", name="Discard 1")).to_be_disabled()
    await dialog.get_by_label("Reason").fill("known, and mended")
    await dialog.get_by_role("button", name="Discard 1").click()
    await expect(page.get_by_role("table", name="Dead letters").get_by_role("row")).to_have_count(2)
    told = await horae.call("GET", "/audit?action=dead_letter.discard&limit=1")
    assert "known, and mended" in str(told["items"])


async def test_a_viewer_looks_and_does_nothing(horae: Horae, visit: Visit):
    job = await failures(horae, 1)
    viewer = await visit(horae, as_="viewer")
    page = viewer.page
    for view in ("causes", "all"):
        await viewer.open(f"/dead-letters?view={view}&job={job['name']}")
        await expect(page.get_by_role("main").get_by_text(job["name"]).last).to_be_visible()
        assert await page.get_by_role("main").get_by_role("checkbox").count() == 0
        for word in ("Redrive", "Discard"):
            await expect(page.get_by_role("button", name=word)).to_have_count(0)
