"""Every page, as an owner sees it with a little of everything in it: no errors, good for all readers, photographed.

A page that needs more (a running run, dead letters) is looked at by its own journeys.
"""

import re

import pytest
from playwright.async_api import expect

from .conftest import Visit
from .horae import Horae

PAGES = {
    "overview": "/",
    "jobs-owner": "/jobs",
    "job": "/jobs/{job}",
    "job-new": "/jobs/new",
    "job-edit": "/jobs/{job}/edit",
    "runs": "/runs",
    "run": "/runs/{run}",
    "dead-letters": "/dead-letters",
    "alerts": "/alerts",
    "calendar": "/calendar",
    "workers": "/workers",
    "functions": "/functions",
    "settings": "/settings",
}


@pytest.mark.parametrize("name", PAGES)
async def test_a_page(horae: Horae, visit: Visit, name: str):
    job = await horae.job(schedule={"every": "1h"}, tags=["finance"], description="What the page shows.")
    run = await horae.run(job["name"])
    owner = await visit(horae, as_="owner")
    await owner.open(PAGES[name].format(job=job["id"], run=run["id"]))
    await expect(owner.page.get_by_role("heading", level=1)).to_be_visible()
    await owner.look(name)
    await expect(owner.page).to_have_title(re.compile(r".+ · Horae$"))
