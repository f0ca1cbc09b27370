"""Containers and archives under real workers, which are killed, stopped and started again."""

from collections.abc import Iterator

import pytest

from tests.integration.cluster.cluster import PATIENCE, Make
from tests.integration.executors.archives import digest, zipped
from tests.integration.executors.containers import shell
from tests.integration.executors.podman import Podman
from tests.waiting import until

pytestmark = [pytest.mark.slow, pytest.mark.sqlite]


@pytest.fixture
def settings(podman: Podman) -> Iterator[dict[str, str]]:
    yield {"HORAE_EXECUTORS": "container,artifact", "HORAE_CONTAINER_HOST": f"unix://{podman.socket}"}
    podman.run("rm", "--all", "--force", "--time=0")


async def test_a_killed_worker_s_container_is_ended_before_the_next_attempt(make_cluster: Make, podman, settings):
    cluster = await make_cluster("sqlite", HORAE_LEASE="10m", **settings)
    await cluster.start_scheduler()
    await cluster.start_workers(2)
    source = "echo $HORAE_ATTEMPT; [ $HORAE_ATTEMPT -gt 1 ] || sleep 600"
    run_id = await cluster.start_run("hangs", shell(source), retry={"max_attempts": 3, "delay": 0})
    await until(podman.containers, timeout=PATIENCE)
    await cluster.member((await cluster.running(run_id)).worker_id).kill()
    run = await cluster.ended(run_id)
    assert (run.status, run.attempt) == ("succeeded", 2)
    await until(lambda: podman.containers() == [], timeout=PATIENCE)


async def test_the_next_worker_ends_what_the_last_one_has_left(make_cluster: Make, podman, settings):
    cluster = await make_cluster("sqlite", HORAE_LEASE="10m", **settings)
    first = await cluster.start_worker()
    await cluster.start_run("hangs", shell("sleep 600"))
    await until(podman.containers, timeout=PATIENCE)
    await first.kill()
    assert len(podman.containers()) == 1
    await cluster.start_worker("--queues", "another")
    await until(lambda: podman.containers() == [], timeout=PATIENCE)


async def test_warm_containers_end_with_their_worker(make_cluster: Make, podman, settings):
    cluster = await make_cluster("sqlite", **settings)
    worker = await cluster.start_worker()
    await cluster.create("warm", shell("true", reuse=True))
    for _ in range(2):
        (run_id,) = await cluster.run("warm")
        assert (await cluster.ended(run_id)).status == "succeeded"
    assert len(podman.containers()) == 1
    assert await worker.stop() == 0
    assert podman.containers() == []


async def test_a_time_limit_ends_a_container(make_cluster: Make, podman, settings):
    cluster = await make_cluster("sqlite", **settings)
    await cluster.start_worker()
    target = shell("trap 'exit 0' TERM; while :; do sleep 0.1; done")
    run_id = await cluster.start_run("slow", target, timeout=1, retry={"max_attempts": 1})
    run = await cluster.ended(run_id)
    assert (run.status, run.error) == ("failed", "took longer than its timeout of 1 s")
    assert podman.containers() == []


async def test_an_archive_is_run(make_cluster: Make, settings, tmp_path):
    content = zipped({"m.py": "def f(n): return n + 1"})
    (tmp_path / "m.zip").write_bytes(content)
    cluster = await make_cluster(
        "sqlite", HORAE_ARTIFACT_CACHE=str(tmp_path / "cache"), HORAE_ARTIFACT_FOLDERS=str(tmp_path), **settings
    )
    await cluster.start_worker()
    target = {"kind": "artifact", "uri": f"file://{tmp_path}/m.zip", "digest": digest(content), "entrypoint": "m:f"}
    run = await cluster.ended(await cluster.start_run("archive", {**target, "arguments": {"n": 1}}))
    assert (run.status, run.result) == ("succeeded", 2)
