"""A hostile owner's containers on a worker that is not root, by a real Podman: what they try, and that it does not
work."""

import shutil
import tempfile
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from horae.store.schema import migrate
from tests.databases import Databases, run
from tests.integration.cluster.cluster import Cluster
from tests.integration.cluster.hostile import NOBODY, give, open_way, start
from tests.integration.executors.containers import shell
from tests.integration.executors.podman import Podman
from tests.waiting import until

pytestmark = [pytest.mark.slow, pytest.mark.sqlite, pytest.mark.asyncio(loop_scope="module")]

KEY = "HORAE_SECRET_KEY"
_LIMITED = {"limits": {"memory": "64MiB", "processes": 20}}


@dataclass(frozen=True)
class Attempt:
    """A script for the container, and what must be seen: nothing on its output, or an error of the run. FOLDER is the
    cluster's."""

    name: str
    tries: str
    source: str
    error: str | None = None
    more: dict[str, Any] = field(default_factory=dict)


def mounting(name: str, source: str) -> Attempt:
    mounts = {"mounts": [{"source": source, "target": "/x"}]}
    return Attempt(name, f"mount {source}", "cat /x/*", error="does not allow mounting", more=mounts)


CATALOGUE = [
    Attempt("keys", "find Horae's keys in its environment", f"env | grep -E '{KEY}|HORAE_DATABASE' ; true"),
    Attempt("processes", "see the machine's", "[ $(ls -d /proc/[0-9]* | wc -l) -lt 10 ] || cat /proc/[0-9]*/comm"),
    Attempt("sockets", "find a socket to the service that started it", "find / -xdev -type s 2> /dev/null; true"),
    Attempt("devices", "make and read a disk's device", "mknod /disk b 8 0 2> /dev/null && cat /disk; true"),
    Attempt("mounts", "mount over what it sees", "mount -t tmpfs none /tmp 2> /dev/null && echo mounted; true"),
    Attempt("the kernel", "change its settings", "(echo 1 > /proc/sys/kernel/panic) 2> /dev/null && echo set; true"),
    Attempt(
        "capabilities",
        "have capabilities that containers do not need",
        # SYS_ADMIN, SYS_PTRACE, SYS_MODULE, NET_RAW, MKNOD
        "caps=0x$(grep CapEff /proc/self/status | cut -f2); [ $((caps & 0x8292000)) -eq 0 ] || echo $caps",
    ),
    Attempt("programs", "gain privileges by one", "grep -q 'NoNewPrivs:.1' /proc/self/status || echo possible"),
    mounting("the machine", "/"),
    mounting("the machine's accounts", "/etc"),
    mounting("the worker's data", "FOLDER/data"),
    mounting("by a link in the allowed folder", "FOLDER/shared/link"),
    Attempt(
        "processes without end",
        "fork until nothing else can start",
        "f() { sleep 60 & }; n=0; while [ $n -lt 60 ]; do f 2> /dev/null || exit 7; n=$((n+1)); done; echo sixty",
        error="exit code",
        more=_LIMITED,
    ),
    Attempt("memory", "use all of it", "head -c 300m /dev/zero | tail", error="out of memory", more=_LIMITED),
    Attempt("a deaf loop", "ignore TERM for ever", "trap '' TERM; while :; do :; done", error="took longer than"),
]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def cluster(databases: Databases, podman: Podman, nobody: str) -> AsyncIterator[Cluster]:
    folder = Path(tempfile.mkdtemp(prefix="horae-hostile-"))
    (folder / "shared").mkdir()
    (folder / "shared" / "link").symlink_to(folder / "data")
    open_way(folder)
    service = podman.serve(str(folder / "podman.sock"))
    give(folder / "podman.sock")
    url = databases.create("sqlite")
    run(migrate(url))
    made = Cluster(url, folder, {"HORAE_EXECUTORS": "container", "HORAE_GRACE": "500ms"})
    try:
        await made.open()
        host = f"unix://{folder}/podman.sock"
        await start(made, "worker", HORAE_CONTAINER_HOST=host, HORAE_CONTAINER_MOUNTS=f"{folder}/shared")
        yield made
        assert made.tracebacks() == []
        assert made.members[0].code is None
        await until(lambda: podman.containers() == [], timeout=30, message="no container is left")
    finally:
        await made.close()
        service.terminate()
        service.wait(10)
        shutil.rmtree(folder, ignore_errors=True)
        databases.drop(url)


@pytest.mark.parametrize("attempt", CATALOGUE, ids=lambda attempt: attempt.name.replace(" ", "-"))
async def test_an_attempt_of_a_container_fails(cluster: Cluster, attempt: Attempt) -> None:
    assert (cluster.folder / "data").stat().st_uid == NOBODY
    target = shell(attempt.source, **attempt.more)
    for mount in target.get("mounts", ()):
        target["mounts"] = [{**mount, "source": mount["source"].replace("FOLDER", str(cluster.folder))}]
    timeout = 3 if attempt.error == "took longer than" else 60
    run_id = await cluster.start_run(attempt.name, target, timeout=timeout, retry={"max_attempts": 1})
    ended = await cluster.ended(run_id)
    told = await cluster.log(run_id)
    if attempt.error is None:
        assert (ended.status, told) == ("succeeded", ""), ended.error
    else:
        assert (ended.status, attempt.error in (ended.error or "")) == ("failed", True), (ended.error, told)
    assert cluster.settings[KEY] not in told
