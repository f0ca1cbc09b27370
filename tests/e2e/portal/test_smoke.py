"""The same on PostgreSQL: sign in, see a job, see its run end."""

import pytest
from playwright.async_api import expect

from .conftest import Visit
from .horae import Horae


@pytest.mark.postgresql
async def test_a_run_on_postgresql(postgresql_horae: Horae, visit: Visit):
    horae = postgresql_horae
    job = await horae.job()
    admin = await visit(horae, as_="admin")
    await admin.open("/jobs")
    await expect(admin.page.get_by_role("link", name=job["name"])).to_be_visible()
    run = await horae.run(job["name"])
    assert run["status"] == "succeeded"
    await admin.open("/runs")
    await expect(admin.page.get_by_role("link", name=job["name"]).first).to_be_visible()
