"""What the code of one project can reach on a worker that is not root: neither Horae's own nor others'."""

import asyncio
import secrets
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.integration.cluster.cluster import HORAE, KINDS, PATIENCE, Cluster, Make, eventually, execute
from tests.integration.cluster.hostile import (
    AS_NOBODY,
    NOBODY,
    PATH,
    give,
    needs_bubblewrap,
    needs_nobody,
    open_way,
    python,
    search,
    start,
)
from tests.integration.cluster.test_secrets import put
from tests.integration.up.running import Running

pytestmark = [pytest.mark.slow, needs_nobody]

VALUE = "another-project's-own-" + secrets.token_hex(8)  # tests that run beside this one have others
SCRATCH = f"/tmp/horae-{NOBODY}"


@pytest.fixture
def tmp_path() -> Iterator[Path]:
    """Not among pytest's, which every session closes to all but root when it starts."""
    with tempfile.TemporaryDirectory(prefix="horae-test-") as folder:
        yield Path(folder)


def wanted(cluster: Cluster) -> dict[str, str]:
    return {"key": cluster.settings["HORAE_SECRET_KEY"], "database": cluster.url, "secret": VALUE}


@pytest.mark.parametrize("kind", KINDS[::2])
async def test_no_process_shows_a_key(kind: str, make_cluster: Make) -> None:
    """Without a sandbox: environment and memory of the worker, its helpers, serve and scheduler stay closed."""
    cluster = await make_cluster(kind, HORAE_SCRIPT_SANDBOX="off")
    await put(cluster, "TOKEN", VALUE)
    await start(cluster, "serve")
    await start(cluster, "scheduler")
    await start(cluster, "worker")
    run = await cluster.ended(await cluster.start_run("peek", search(wanted(cluster))))
    assert run.status == "succeeded", run
    assert run.result["uid"] == 65534
    assert run.result["looked"]["processes"] > 4
    assert run.result["found"] == []


@pytest.mark.sqlite
async def test_unless_it_is_to_be_debugged(make_cluster: Make) -> None:
    """Also shows that the search finds what can be found."""
    cluster = await make_cluster("sqlite", HORAE_SCRIPT_SANDBOX="off", HORAE_DEBUGGABLE="true")
    await start(cluster, "worker")
    run = await cluster.ended(await cluster.start_run("peek", search(wanted(cluster))))
    assert {entry.rpartition(" of ")[0] for entry in run.result["found"]} >= {"key in environ", "key in memory"}


VICTIM = {
    "kind": "script",
    "source": "echo $TOKEN > $HORAE_RESULT.part; touch $STARTED; exec sleep 600",
    "env": {"TOKEN": "{{ secrets.TOKEN }}"},
}


def victim(cluster: Cluster) -> tuple[dict[str, Any], Path]:
    """A run of another project that has a secret, and a file that it makes when it is there."""
    begun = cluster.folder / "home" / "begun"
    return {**VICTIM, "env": {**VICTIM["env"], "STARTED": str(begun)}}, begun  # type: ignore[dict-item]


@needs_bubblewrap
@pytest.mark.parametrize("kind", KINDS[::2])
async def test_a_script_in_a_sandbox_finds_nothing_anywhere(kind: str, make_cluster: Make) -> None:
    """Processes, the data directory, configuration, key files, the database's file, folders of other attempts."""
    cluster = await make_cluster(kind, HORAE_SCRIPT_SANDBOX="auto")
    files = cluster.folder / "keys"
    files.mkdir()
    for name, value in (("key", cluster.settings["HORAE_SECRET_KEY"]), ("url", cluster.url)):
        (files / name).write_text(value)
        (files / name).chmod(0o400)
    give(files)
    by_file = {
        "HORAE_SECRET_KEY": "",
        "HORAE_DATABASE_URL": "",
        "HORAE_SECRET_KEY_FILE": str(files / "key"),
        "HORAE_DATABASE_URL_FILE": str(files / "url"),
    }
    await put(cluster, "TOKEN", VALUE)
    worker = await start(cluster, "worker", **by_file)
    await start(cluster, "scheduler")
    for place in (cluster.folder / "data", cluster.folder / "home" / ".config" / "horae"):
        place.mkdir(parents=True, exist_ok=True)
        (place / "client.json").write_text(cluster.settings["HORAE_SECRET_KEY"])
    give(cluster.folder / "home")
    give(cluster.folder / "data")
    target, begun = victim(cluster)
    await cluster.start_run("victim", target)
    await eventually(lambda: asyncio.to_thread(begun.exists), message="the victim runs")
    database = Path(cluster.url.removeprefix("sqlite:///")).parent if kind == "sqlite" else files
    looked_at = (cluster.folder / "data", cluster.folder / "home", files, database, SCRATCH, "/run", "/dev/shm", "/etc")
    run = await cluster.ended(await cluster.start_run("peek", search(wanted(cluster), *looked_at)))
    assert run.status == "succeeded", run
    assert run.result["found"] == []
    assert run.result["looked"]["files"] > 10
    assert worker.logged("scripts run as nobody")[0]["sandbox"] == "bubblewrap"


@pytest.mark.sqlite
async def test_without_a_sandbox_there_is_much_to_find(make_cluster: Make) -> None:
    """So that the test above means something, and because the log has to say so."""
    cluster = await make_cluster("sqlite")
    await put(cluster, "TOKEN", VALUE)
    worker = await start(cluster, "worker")
    target, begun = victim(cluster)
    await cluster.start_run("victim", target)
    await eventually(lambda: asyncio.to_thread(begun.exists), message="the victim runs")
    run = await cluster.ended(await cluster.start_run("peek", search(wanted(cluster), SCRATCH)))
    found = " ".join(run.result["found"])
    assert "secret in environ of sleep" in found
    assert "secret in /tmp/horae-65534/" in found
    assert "an owner of any project it serves is an admin" in worker.output
    (row,) = (await cluster.command("doctor", "--isolation"))["workers"]
    assert (row["user"], row["projects"], row["queues"]) == ("nobody", "all", "all")
    assert row["verdict"].startswith("an owner here is an admin: scripts run as nobody, the worker's own user")
    assert row["readable"][0].startswith("all files of the user nobody")
    api = await cluster.with_api("viewer")
    (shown,) = (await cluster.command("workers", **api))["items"]
    assert shown["isolation"]["sandbox"] == "none"
    assert shown["isolation"]["owner_is_admin"] is not None


@pytest.mark.sqlite
async def test_scripts_with_their_own_user(make_cluster: Make, tmp_path: Path) -> None:
    """The worker is root, its scripts are not: what is the worker's is closed to them without any sandbox."""
    cluster = await make_cluster("sqlite", HORAE_SCRIPT_USER="nobody")
    keys = tmp_path / "keys"
    keys.mkdir()
    (keys / "key").write_text(cluster.settings["HORAE_SECRET_KEY"])
    (keys / "key").chmod(0o400)
    open_way(tmp_path)
    worker = await start(cluster, "worker", before=(), HOME="/root")
    give(cluster.folder / "data", 0)
    (cluster.folder / "data").chmod(0o700)
    (cluster.folder / "data" / "client.json").write_text(cluster.settings["HORAE_SECRET_KEY"])
    target = search(wanted(cluster), cluster.folder / "data", keys, "/tmp/horae-0")
    target["interpreter"] = python()
    run = await cluster.ended(await cluster.start_run("peek", target))
    assert run.status == "succeeded", run
    assert run.result["uid"] == NOBODY
    assert run.result["found"] == []
    source = """
        id -u; id -g; echo $USER $HOME; stat -c '%U %a' $(dirname $HORAE_RESULT); cat; setsid sleep 600 &
        ls /tmp/horae-0/* 2> /dev/null; kill -0 $PPID 2> /dev/null || echo 'cannot signal'; echo 7 > $HORAE_RESULT
    """
    await cluster.create("who", {"kind": "script", "source": source})
    (run_id,) = await cluster.run("who")
    run = await cluster.ended(run_id)
    assert (run.status, run.result) == ("succeeded", 7)
    assert (await cluster.log(run_id)).split("\n")[:4] == ["65534", "65534", "nobody /nonexistent", "nobody 700"]
    assert "cannot signal" in await cluster.log(run_id)
    assert worker.logged("scripts run as nobody")


@pytest.mark.sqlite
@needs_bubblewrap
async def test_their_own_user_and_a_sandbox(make_cluster: Make) -> None:
    cluster = await make_cluster("sqlite", HORAE_SCRIPT_USER="nobody", HORAE_SCRIPT_SANDBOX="require")
    await put(cluster, "TOKEN", VALUE)
    await start(cluster, "worker", before=(), HOME="/root")
    target, begun = victim(cluster)
    await cluster.start_run("victim", target)
    await eventually(lambda: asyncio.to_thread(begun.exists), message="the victim runs")
    target = search(wanted(cluster), cluster.folder, "/tmp/horae-0")
    target["interpreter"] = python()
    run = await cluster.ended(await cluster.start_run("peek", target))
    assert (run.status, run.result["uid"], run.result["found"]) == ("succeeded", NOBODY, [])


@pytest.mark.sqlite
@pytest.mark.parametrize(
    ("user", "words"),
    [("no-such-user", "has no user no-such-user"), ("root", "must not be root"), ("0", "must not be root")],
)
async def test_a_user_that_cannot_be(user: str, words: str, make_cluster: Make) -> None:
    cluster = await make_cluster("sqlite")
    code, _, error = await execute([*HORAE, "worker"], {**cluster.settings, "HORAE_SCRIPT_USER": user})
    assert (code, words in error) == (2, True), error


@pytest.mark.sqlite
async def test_a_worker_that_is_not_root_has_no_other_users(make_cluster: Make) -> None:
    cluster = await make_cluster("sqlite")
    settings = {**cluster.settings, "PYTHONPATH": PATH, "HORAE_SCRIPT_USER": "daemon", "HOME": "/"}
    code, _, error = await execute([*AS_NOBODY, python(), "-m", "horae", "worker"], settings)
    assert (code, "requires a worker that runs as root" in error) == (2, True), error


@pytest.mark.sqlite
async def test_processes_of_horae_up_do_not_leak_their_key(tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    give(data)
    open_way(tmp_path)
    command = [*AS_NOBODY, python(), "-m", "horae", "up"]
    tree = Running(command, data, PYTHONPATH=PATH, HOME=str(data), XDG_CACHE_HOME="", TMPDIR="")
    try:
        await tree.ready(PATIENCE)
        found = {process.pid: process.uids().real for process in tree.processes()}
        assert set(found.values()) == {NOBODY}
        # The kernel gives the files of a process that is closed to root.
        assert {Path(f"/proc/{pid}/environ").stat().st_uid for pid in found} == {0}
    finally:
        tree.kill()
