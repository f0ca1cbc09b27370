"""What the code of one project can reach on a worker that is not root: neither Horae's own nor others'."""

from pathlib import Path

import pytest

from tests.integration.cluster.cluster import KINDS, PATIENCE, Cluster, Make
from tests.integration.cluster.hostile import (
    AS_NOBODY,
    NOBODY,
    PATH,
    PYTHON,
    give,
    needs_nobody,
    open_way,
    search,
    start,
)
from tests.integration.cluster.test_secrets import put
from tests.integration.up.running import Running

pytestmark = [pytest.mark.slow, needs_nobody]

VALUE = "another-project's-own-Pa55word"


def wanted(cluster: Cluster) -> dict[str, str]:
    return {"key": cluster.settings["HORAE_SECRET_KEY"], "database": cluster.url, "secret": VALUE}


@pytest.mark.parametrize("kind", KINDS)
async def test_no_process_shows_a_key(kind: str, make_cluster: Make) -> None:
    """Without a sandbox: environment and memory of the worker, its helpers, serve and scheduler stay closed."""
    cluster = await make_cluster(kind, HORAE_SCRIPT_SANDBOX="off")
    await put(cluster, "TOKEN", VALUE)
    await start(cluster, "serve")
    await start(cluster, "scheduler")
    await start(cluster, "worker")
    run = await cluster.ended(await cluster.start_run("peek", search(wanted(cluster))))
    assert run["status"] == "succeeded", run
    assert run["result"]["uid"] == 65534
    assert run["result"]["looked"]["processes"] > 4
    assert run["result"]["found"] == []


@pytest.mark.sqlite
async def test_unless_it_is_to_be_debugged(make_cluster: Make) -> None:
    """Also shows that the search finds what can be found."""
    cluster = await make_cluster("sqlite", HORAE_SCRIPT_SANDBOX="off", HORAE_DEBUGGABLE="true")
    await start(cluster, "worker")
    run = await cluster.ended(await cluster.start_run("peek", search(wanted(cluster))))
    assert {entry.rpartition(" of ")[0] for entry in run["result"]["found"]} >= {"key in environ", "key in memory"}


@pytest.mark.sqlite
async def test_nor_do_those_of_horae_up(tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    give(data)
    open_way(tmp_path)
    command = [*AS_NOBODY, str(PYTHON), "-m", "horae", "up"]
    tree = Running(command, data, PYTHONPATH=PATH, HOME=str(data), XDG_CACHE_HOME="", TMPDIR="")
    try:
        await tree.ready(PATIENCE)
        found = {process.pid: process.uids().real for process in tree.processes()}
        assert set(found.values()) == {NOBODY}
        # The kernel gives the files of a process that is closed to root.
        assert {Path(f"/proc/{pid}/environ").stat().st_uid for pid in found} == {0}
    finally:
        tree.kill()
