"""Workers, queues and schedulers."""

from typing import Any

from playwright.async_api import expect

from .conftest import Visit
from .horae import Horae


async def test_a_worker_with_its_runs_is_drained(fresh_horae: Horae, visit: Visit):
    horae = fresh_horae
    await horae.admin()
    job = await horae.job(target={"kind": "script", "source": "sleep 60"})
    run = await horae.run(job["name"], until_ended=False)
    admin = await visit(horae, as_="admin")
    page = admin.page
    await admin.open("/workers")
    worker = (await horae.call("GET", "/workers"))["items"][0]
    card = page.get_by_role("article", name=f"Worker {worker['name']}")
    await expect(card.get_by_role("link", name=job["name"])).to_be_visible()
    await expect(card).to_contain_text("1 of 16")
    await admin.look("workers-busy")
    await card.get_by_role("link", name=job["name"]).click()
    await expect(page).to_have_url(f"{horae.url}/runs/{run['id']}")
    await page.go_back()

    await card.get_by_role("button", name="Drain").click()
    await page.get_by_role("dialog").get_by_role("button", name="Drain").click()
    await expect(card.get_by_text("draining", exact=True)).to_be_visible()
    await expect(card.get_by_role("button", name="Drain")).to_have_count(0)
    await expect(card).to_contain_text("drained by user:admin-person")
    assert (await horae.call("GET", "/workers"))["items"][0]["drain_requested_by"] == "user:admin-person"
    await horae.call("POST", f"/runs/{run['id']}/cancel", {})


async def test_a_queue_is_paused_and_resumed(horae: Horae, visit: Visit):
    queue = horae.name("queue")
    await horae.job(queue=queue)
    admin = await visit(horae, as_="admin")
    page = admin.page
    await admin.open("/workers?tab=queues")
    row = page.get_by_role("row").filter(has_text=queue)
    await row.get_by_role("button", name=f"Pause the queue {queue}").click()
    await page.get_by_role("dialog").get_by_role("button", name="Pause").click()
    await expect(row.get_by_text("paused", exact=True)).to_be_visible()
    await expect(row).to_contain_text("by user:admin-person")
    await admin.look("queues")

    async def paused() -> Any:
        found = {one["name"]: one for one in (await horae.call("GET", "/queues"))["items"]}
        return found[queue]["paused"]

    assert await paused()
    await row.get_by_role("button", name=f"Resume the queue {queue}").click()
    await expect(row.get_by_role("button", name=f"Pause the queue {queue}")).to_be_visible()
    await expect(page.get_by_text(f"Resumed {queue}")).to_be_visible()
    assert not await paused()


async def test_schedulers_and_their_shards(horae: Horae, visit: Visit):
    viewer = await visit(horae, as_="viewer")
    await viewer.open("/workers?tab=schedulers")
    await expect(viewer.page.get_by_role("img", name="64 shards, each with an owner")).to_be_visible()
    await expect(viewer.page.get_by_role("article", name="Scheduler A")).to_contain_text("64 shards: 0–63")
    await viewer.look("schedulers")
