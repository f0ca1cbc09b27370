"""Workers, queues and schedulers."""

import os
import signal
from pathlib import Path
from typing import Any

import pytest
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


@pytest.mark.redis
async def test_the_engine_of_a_queue_is_chosen(built: None, tmp_path: Path, visit: Visit):
    horae = await Horae.start(tmp_path, HORAE_BROKER_URL=os.environ["HORAE_TEST_REDIS_URL"])
    try:
        await horae.admin()
        job = await horae.job(queue="heavy")
        admin = await visit(horae, as_="admin")
        page = admin.page
        await admin.open("/workers?tab=queues")
        await page.get_by_label("Engine of the queue heavy").select_option("celery")
        await page.get_by_role("dialog").get_by_role("button", name="Change").click()
        await expect(page.get_by_label("Engine of the queue heavy")).to_have_value("celery")
        (queue,) = (await horae.call("GET", "/queues"))["items"]
        assert (queue["engine"], queue["carried_by"]) == ("celery", "celery")
        await admin.look("queue-engine")

        await page.get_by_label("Engine of the queue heavy").select_option("database")
        await page.get_by_role("dialog").get_by_role("button", name="Change").click()
        await expect(page.get_by_label("Engine of the queue heavy")).to_have_value("database")
        assert (await horae.run(job["name"]))["status"] == "succeeded"
    finally:
        horae.stop()


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


@pytest.mark.parametrize("orderly", [True, False], ids=["stopped", "killed"])
async def test_the_overview_distinguishes_dead_workers_from_stopped_ones(
    fresh_horae: Horae, visit: Visit, orderly: bool
):
    horae = fresh_horae
    await horae.admin()
    if orderly:
        horae.running.signal_parent(signal.SIGTERM)
        await horae.running.ended(timeout=60)
    else:
        horae.running.kill()
    await horae.serve_alone(HORAE_OFFLINE_AFTER="1s", HORAE_SHARD_LEASE="1s")
    admin = await visit(horae, as_="admin")
    page = admin.page
    await admin.open("/")
    await expect(page.get_by_text("No live workers (1 stopped)" if orderly else "(1 offline)")).to_be_visible()
    await expect(page.get_by_text("No live schedulers: nothing fires")).to_be_visible()
    dead = page.get_by_role("listitem").filter(has_text="Scheduler on")
    await expect(dead).to_have_count(0 if orderly else 1)  # one that says goodbye disappears
    if not orderly:
        await expect(dead).to_contain_text("offline")
    await admin.look("overview-stopped" if orderly else "overview-killed")

    await admin.open("/workers")
    title = "Stopped" if orderly else "Offline"
    await page.locator("summary").filter(has_text=title).click()
    card = page.get_by_role("article")
    await expect(card.get_by_text(title.lower(), exact=True).first).to_be_visible()
    await admin.look("workers-stopped" if orderly else "workers-offline")
    await admin.open("/workers?tab=schedulers")
    if orderly:
        await expect(page.get_by_text("No scheduler is running")).to_be_visible()
    else:
        await expect(page.get_by_role("img", name="64 shards, 64 without an owner")).to_be_visible()
        await expect(page.get_by_role("article", name="Scheduler A")).to_contain_text("offline")
        await admin.look("schedulers-offline")


async def test_workers_that_were_stopped_come_after_the_living(fresh_horae: Horae, visit: Visit):
    """Each deployment leaves one: no incident."""
    horae = fresh_horae
    await horae.admin()
    horae.running.signal_parent(signal.SIGTERM)
    await horae.running.ended(timeout=60)
    await horae.start_again()
    admin = await visit(horae, as_="admin")
    await admin.open("/")
    await expect(admin.page.get_by_text("1 worker, 0 of 16 slots busy, 1 stopped")).to_be_visible()
    await expect(admin.page.get_by_text("offline")).to_have_count(0)
    await admin.look("overview-restarted")


async def test_how_workers_keep_projects_apart(fresh_horae: Horae, visit: Visit):
    """One that runs scripts as itself, one bound to a project that runs none: what each means for owners."""
    horae = fresh_horae
    await horae.admin()
    await horae.call("PUT", "/queues/vault/projects", {"projects": ["default"]})
    async with horae.another_worker("--projects", "default", HORAE_EXECUTORS="http"):
        viewer = await visit(horae, as_="viewer")
        page = viewer.page
        await viewer.open("/workers")
        await page.get_by_role("tab", name="Isolation").click()
        table = page.get_by_role("table", name="Isolation")
        workers = {tuple(one["projects"]): one for one in (await horae.call("GET", "/workers"))["items"]}
        open_ = table.get_by_role("row").filter(has_text=workers[()]["name"])
        await expect(open_).to_contain_text("all projects")
        await expect(open_).to_contain_text("without a sandbox")
        await expect(open_).to_contain_text("HORAE_SCRIPT_SANDBOX is off")
        await expect(open_).to_contain_text("as good as admins")
        for words in workers[()]["isolation"]["readable"]:
            await expect(open_).to_contain_text(words)
        bound = table.get_by_role("row").filter(has_text=workers[("default",)]["name"])
        await expect(bound).to_contain_text("vault")
        await expect(bound).to_contain_text("runs neither scripts nor artifacts")
        await expect(bound).to_contain_text("kept apart")
        await viewer.look("isolation")
