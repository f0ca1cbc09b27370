"""The page of a job: its configuration, its runs, and its actions."""

import re
from typing import Any

from playwright.async_api import expect

from tests.waiting import until

from .conftest import Visit
from .horae import Horae


async def test_the_page_shows_the_definition_and_results(horae: Horae, visit: Visit):
    fails = {"kind": "script", "source": 'test "$HORAE_ATTEMPT" = 2 || exit 1'}
    job = await horae.job(
        target=fails,
        retry={"max_attempts": 2, "delay": 0},
        schedule={"cron": "0 9 * * MON-FRI", "timezone": "America/New_York"},
        description="What the page shows.",
        tags=["finance"],
    )
    for _ in range(3):
        await horae.run(job["name"])
    viewer = await visit(horae, as_="viewer")
    page = viewer.page
    await viewer.open(f"/jobs/{job['id']}")
    await expect(page.get_by_role("heading", name=job["name"], level=1)).to_be_visible()
    await expect(page.get_by_text("At 09:00 on weekdays, America/New_York")).to_be_visible()
    await expect(page.get_by_role("list", name="Occurrences").get_by_role("listitem").first).to_contain_text(
        "your time"
    )
    await expect(page.get_by_role("list", name="Last 3 runs, 0 failed, newest on the right")).to_be_visible()
    await expect(page.get_by_role("img", name=re.compile("Runs in 1 hour of"))).to_be_visible()
    await expect(page.locator(".recharts-bar-rectangle")).to_have_count(3)
    await viewer.look("job-overview")
    for word in ("Run now", "Pause", "Edit", "More"):
        await expect(page.get_by_role("button", name=word, exact=True)).to_have_count(0)


async def test_run_now_with_an_input(horae: Horae, visit: Visit):
    job = await horae.job(target={"kind": "script", "source": "cat > $HORAE_RESULT"})
    operator = await visit(horae, as_="operator")
    page = operator.page
    await operator.open(f"/jobs/{job['id']}?tab=runs")
    await page.get_by_role("button", name="Run now").click()
    dialog = page.get_by_role("dialog")
    await dialog.get_by_role("textbox", name="Input").fill('{"a": ')
    await dialog.get_by_role("button", name="Run", exact=True).click()
    await expect(dialog.get_by_text("is not valid JSON")).to_be_visible()
    await operator.look("job-run-now")
    await dialog.get_by_role("textbox", name="Input").fill('{"a": 7}')
    await dialog.get_by_role("button", name="Run", exact=True).click()
    await expect(page.get_by_role("table").get_by_text("succeeded")).to_be_visible(timeout=20_000)
    runs = await horae.call("GET", f"/jobs/{job['id']}/runs")
    assert [run["result"] for run in runs["items"]] == [{"a": 7}]


async def test_pause_until_resume_and_switch_off(horae: Horae, visit: Visit):
    job = await horae.job(schedule={"every": "1h", "start_at": "2030-01-01T00:00:00Z"})
    editor = await visit(horae, as_="editor")
    page = editor.page
    await editor.open(f"/jobs/{job['id']}")
    await page.get_by_role("button", name="Pause", exact=True).click()
    await page.get_by_role("button", name="1 day").click()
    await page.get_by_role("button", name="Pause until then").click()
    await expect(page.get_by_text("until", exact=False).first).to_be_visible()
    await expect(page.get_by_role("button", name="Resume")).to_be_visible()
    await expect(page.get_by_role("link", name="Edit", exact=True)).to_have_count(0)  # it is code: for owners
    assert (await horae.call("GET", f"/jobs/{job['id']}"))["paused_until"]
    await editor.look("job-paused")
    await page.get_by_role("button", name="Resume").click()
    await expect(page.get_by_role("button", name="Pause", exact=True)).to_be_visible()
    await expect(page.get_by_role("switch")).to_have_count(0)  # nor may they switch it
    page = (await visit(horae, as_="owner")).page
    await page.goto(f"/jobs/{job['id']}")
    await page.get_by_role("switch").click()
    await expect(page.get_by_role("switch")).not_to_be_checked()
    await until(lambda: _enabled(horae, job["id"], False))
    await page.get_by_role("button", name="Undo").last.click()
    await until(lambda: _enabled(horae, job["id"], True))


async def _enabled(horae: Horae, job: str, wanted: bool) -> Any:
    return (await horae.call("GET", f"/jobs/{job}"))["enabled"] is wanted


async def test_versions_and_the_way_back(horae: Horae, visit: Visit):
    job = await horae.job(schedule={"every": "1h"})
    await horae.call("PATCH", f"/jobs/{job['id']}", {"schedule": {"every": "2h"}})
    await horae.call("PATCH", f"/jobs/{job['id']}", {"timeout": 60})
    owner = await visit(horae, as_="owner")
    page = owner.page
    await owner.open(f"/jobs/{job['id']}?tab=versions")
    await expect(page.get_by_role("heading", name="Version 2 → 3")).to_be_visible()
    await page.get_by_label("Compare from").select_option("1")
    await expect(page).to_have_url(re.compile("from=1"))
    await expect(page.get_by_text("every: 1h")).to_be_visible()
    await owner.look("job-versions")
    await page.get_by_role("button", name="Version 1", exact=True).click()
    await page.get_by_role("button", name="Roll back to 1").click()
    await page.get_by_role("dialog").get_by_role("button", name="Roll back").click()
    await expect(page.get_by_text("back to version 1, saved as version 4")).to_be_visible()
    await expect(page.get_by_role("button", name="Version 4", exact=True)).to_be_visible()
    now = await horae.call("GET", f"/jobs/{job['id']}")
    assert (now["schedule"]["every"], now["timeout"]) == ("1h", 300)


async def test_a_backfill_with_its_progress(horae: Horae, visit: Visit):
    slow = {"kind": "script", "source": "sleep 1"}
    job = await horae.job(target=slow, schedule={"cron": "0 * * * *"}, enabled=False)
    operator = await visit(horae, as_="operator")
    page = operator.page
    await operator.open(f"/jobs/{job['id']}")
    await page.get_by_role("button", name="More", exact=True).click()
    await page.get_by_role("menuitem", name="Backfill").click()
    await page.get_by_label("From").fill("2026-01-01T00:00")
    await page.get_by_label("To", exact=True).fill("2026-01-01T03:00")
    await expect(page.get_by_text("4 occurrences").first).to_be_visible()
    await operator.look("job-backfill")
    await page.get_by_role("button", name="Run 4 occurrences").click()
    await expect(page.get_by_role("progressbar", name="Backfill")).to_be_visible()
    await expect(page.get_by_text("Backfill done")).to_be_visible(timeout=60_000)
    await expect(page.get_by_text("4 of 4")).to_be_visible()
    runs = await horae.call("GET", f"/jobs/{job['id']}/runs?trigger=backfill")
    assert len(runs["items"]) == 4


async def test_why_it_does_not_run(horae: Horae, visit: Visit):
    job = await horae.job(schedule={"every": "1h"}, queue="nobody-serves-this-one")
    await horae.call("POST", f"/jobs/{job['id']}/pause")
    viewer = await visit(horae, as_="viewer")
    await viewer.open(f"/jobs/{job['id']}?tab=why")
    await expect(viewer.page.get_by_text("Paused (intended)")).to_be_visible()
    await viewer.look("job-why")


async def test_why_names_the_root_cause_first(horae: Horae, visit: Visit):
    """A stranded run blocks its own job's schedule."""
    target = {"kind": "container", "image": "busybox"}
    job = await horae.job(target=target, schedule={"every": "1s"})
    viewer = await visit(horae, as_="viewer")
    await viewer.open(f"/jobs/{job['id']}?tab=why")
    checks = viewer.page.get_by_role("listitem").filter(has_text="Capability")
    await expect(checks).to_contain_text("offers 'container'")
    await expect(
        viewer.page.get_by_text(re.compile("is blocked: no live worker .* also blocked by overlap"))
    ).to_be_visible()
    first = viewer.page.get_by_role("tabpanel").get_by_role("listitem").first
    await expect(first).to_contain_text("Capability (problem)")
    await expect(first).to_contain_text("Fix:")
    await viewer.look("job-why-blocked")


async def test_a_healthy_job_has_no_red(horae: Horae, visit: Visit):
    job = await horae.job(schedule={"every": "1h", "start_at": "2020-01-01T00:00:00Z"})
    viewer = await visit(horae, as_="viewer")
    await viewer.open(f"/jobs/{job['id']}?tab=why")
    panel = viewer.page.get_by_role("tabpanel")
    await expect(panel.get_by_text("is fine and waiting")).to_be_visible()
    await expect(panel.get_by_text("(problem)")).to_have_count(0)
    await viewer.look("job-why-healthy")


async def test_its_definition_as_a_file(horae: Horae, visit: Visit):
    job = await horae.job(target={"kind": "script", "source": "echo a\necho b\n"}, schedule={"every": "1h"})
    viewer = await visit(horae, as_="viewer")
    page = viewer.page
    await viewer.open(f"/jobs/{job['id']}")
    await page.get_by_role("tab", name="Definition").click()
    await expect(page).to_have_url(re.compile("tab=definition"))
    await expect(page.get_by_text("source: |")).to_be_visible()
    await viewer.look("job-definition")
    await page.get_by_text("JSON", exact=True).click()
    await expect(page.get_by_text('"source": "echo a\\necho b\\n"')).to_be_visible()


async def test_the_latest_failure_again_and_the_end(horae: Horae, visit: Visit):
    job = await horae.job(target={"kind": "script", "source": "exit 1"}, retry={"max_attempts": 1})
    assert (await horae.run(job["name"]))["status"] == "failed"
    owner = await visit(horae, as_="owner")
    page = owner.page
    await owner.open(f"/jobs/{job['id']}")
    await page.get_by_role("button", name="More", exact=True).click()
    await page.get_by_role("menuitem", name="Retry the latest failed run").click()
    await expect(page.get_by_text("Retrying the latest failed run")).to_be_visible()
    owner.forgive(404, job["id"])  # what still looks at it
    await page.get_by_role("button", name="More", exact=True).click()
    await page.get_by_role("menuitem", name="Delete").click()
    await page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    await expect(page.get_by_role("heading", name="Jobs", exact=True)).to_be_visible()
    await owner.open(f"/jobs/{job['id']}")
    await expect(page.get_by_role("alert")).to_contain_text("It may have been deleted")
