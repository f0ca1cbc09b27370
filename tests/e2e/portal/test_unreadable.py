"""A job with an unreadable definition: every page keeps working, and reports it."""

import json
import re
import sqlite3

from playwright.async_api import expect

from .conftest import Visit
from .horae import Horae


def damage(horae: Horae, job_id: str) -> None:
    """As if a version to come had saved it."""
    with sqlite3.connect(horae.running.data_dir / "horae.db") as database:
        ((text,),) = database.execute("SELECT spec FROM job_versions WHERE job_id = ?", [job_id])
        spec = {**json.loads(text), "target": {"kind": "carrier-pigeon", "to": "Rome"}}
        spec["schedule"]["timezone"] = "Mars/Olympus"
        database.execute("UPDATE job_versions SET spec = ? WHERE job_id = ?", [json.dumps(spec), job_id])
        database.execute("UPDATE jobs SET plan = '{}' WHERE id = ?", [job_id])
    database.close()


async def test_it_is_shown_among_the_others_and_says_what_to_do(fresh_horae: Horae, visit: Visit):
    horae = fresh_horae
    bad = await horae.job("pigeons", schedule={"every": "1h"}, tags=["post"])
    await horae.job("letters", schedule={"every": "1h"}, tags=["post"])
    await horae.run("pigeons")
    damage(horae, bad["id"])
    editor = await visit(horae, as_="editor")
    page = editor.page
    await editor.open("/jobs")
    await expect(page.get_by_role("row").filter(has_text="letters")).to_be_visible()
    await expect(page.get_by_role("row").filter(has_text="pigeons").get_by_text("unreadable").last).to_be_visible()
    await editor.look("jobs-unreadable")
    await editor.open(f"/jobs/{bad['id']}")
    await expect(page.get_by_role("alert")).to_contain_text("cannot read the definition of this job")
    await expect(page.get_by_role("button", name="Run now")).to_have_count(0)
    await expect(page.get_by_role("link", name="Edit")).to_have_count(0)
    await editor.look("job-unreadable")
    for path in (f"/jobs/{bad['id']}/edit", f"/jobs/new?from={bad['id']}"):
        await editor.open(path)
        await expect(page.get_by_role("alert")).to_contain_text("has a kind that this version does not know")
        await expect(page.get_by_label("Definition")).to_contain_text("name: pigeons")
        await expect(page.get_by_role("textbox", name="Name")).to_have_count(0)  # no empty form to save over it
        await expect(page.get_by_role("button", name=re.compile("Save|Create|Review"))).to_have_count(0)
    await editor.look("job-unreadable-edit")
    await page.get_by_role("link", name="Earlier versions").click()
    await expect(page.get_by_role("tab", name="Versions")).to_have_attribute("aria-selected", "true")
    for tab in ("Runs", "Versions", "Why", "Definition"):
        await page.get_by_role("tab", name=tab).click()
        await expect(page.get_by_role("tabpanel")).to_be_visible()
    await page.get_by_role("tab", name="Why").click()
    await expect(page.get_by_role("tabpanel").get_by_text("cannot read its definition").first).to_be_visible()
    await editor.open("/runs")
    await expect(page.get_by_role("row").filter(has_text="pigeons").first).to_be_visible()
    await editor.open("/calendar")
    await expect(page.get_by_text("letters").first).to_be_visible()
