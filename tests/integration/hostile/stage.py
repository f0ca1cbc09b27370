"""A shared cluster that is not root's, with two projects: `alpha` minds its own business, `beta` is hostile. One owner,
editor and viewer each; both have code on the same workers, and alpha also a queue and its own worker."""

import asyncio
import secrets
import shutil
import socket
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

import httpx
import psutil

from horae.accounts.keys import create_key
from horae.accounts.projects import create_project
from horae.api.signing_in.tokens import mint
from horae.domain.people.key import ApiKey
from horae.domain.people.project import Project
from horae.lifecycle.reservations import reserve_queue
from tests.integration.cluster.cluster import IDS, PATIENCE, Cluster, Member, Row, eventually
from tests.integration.cluster.hostile import give, open_way, start

ROLES = ("owner", "editor", "viewer")
SETTINGS = {
    "HORAE_EXECUTORS": "http,python,script,artifact",
    "HORAE_HTTP_ALLOW_PRIVATE": "false",
    "HORAE_SCRIPT_SANDBOX": "require",
    "HORAE_SCRIPT_MEMORY": "128MiB",
    "HORAE_SCRIPT_PROCESSES": "40",
    "HORAE_LOG_LIMIT": "64KiB",
    "HORAE_ARTIFACT_LIMIT": "1MiB",
    "HORAE_GRACE": "500ms",
}
LATE = timedelta(seconds=30)  # far more than a busy machine needs, far less than any attempt could last
RESIDENT = """
echo $TOKEN > $HORAE_RESULT.part; echo $TOKEN > /dev/shm/token; echo $TOKEN > /tmp/alpha-$$ && rm /tmp/alpha-$$
echo "alpha's own log"; exec sleep 3600
"""


@dataclass
class Stage:
    cluster: Cluster
    secret: str = field(default_factory=lambda: "alpha-" + secrets.token_hex(12))
    keys: dict[str, str] = field(default_factory=dict)  # "beta owner" -> token
    projects: dict[str, str] = field(default_factory=dict)
    url: str = ""
    listener: socket.socket = field(default_factory=lambda: socket.socket(socket.AF_UNIX))
    resident: str = ""  # the id of alpha's run that is always there
    names: int = 0

    # ---- setting up

    async def set_up(self) -> None:
        cluster = self.cluster
        for slug in ("alpha", "beta"):
            project = Project(IDS.new(), slug, slug)
            await cluster.store.transact(create_project, project=project, actor="the test")
            self.projects[slug] = project.id
            for role in ROLES:
                self.keys[f"{slug} {role}"] = await self._key(slug, role)
        await cluster.store.transact(reserve_queue, name="vault", slugs=["alpha"], actor="the test")
        settings = {**SETTINGS, **self._files()}
        serve, _, self.worker, self.bound = await asyncio.gather(
            start(cluster, "serve", **settings),
            start(cluster, "scheduler", **settings),
            start(cluster, "worker", **settings),
            start(cluster, "worker", "--projects", "alpha", **settings),
        )
        self.url = f"http://127.0.0.1:{serve.port}"
        await self._populate()

    def _files(self) -> dict[str, str]:
        """What there is to be stolen: keys in files, a socket of a container service, someone's sign-in."""
        folder = self.folder
        values = {"key": self.cluster.settings["HORAE_SECRET_KEY"], "url": self.cluster.url}
        for name, value in values.items():
            (folder / name).write_text(value)
            (folder / name).chmod(0o400)
        login = folder / "home" / ".config" / "horae" / "login.json"
        login.parent.mkdir(parents=True)
        login.write_text(self.secret)
        (folder / "data").mkdir()
        (folder / "data" / "client.json").write_text(self.secret)
        (folder / "artifacts").mkdir()
        self.listener.bind(str(folder / "docker.sock"))
        self.listener.listen()
        give(folder)
        open_way(folder)
        return {
            "HORAE_SECRET_KEY": "",
            "HORAE_DATABASE_URL": "",
            "HORAE_SECRET_KEY_FILE": str(folder / "key"),
            "HORAE_DATABASE_URL_FILE": str(folder / "url"),
            "HORAE_ARTIFACT_FOLDERS": str(folder / "artifacts"),
            "HORAE_CONTAINER_HOST": f"unix://{folder / 'docker.sock'}",
        }

    async def _key(self, slug: str, role: str) -> str:
        token = mint()
        key = ApiKey(IDS.new(), self.projects[slug], f"{slug}-{role}", role, token.prefix, token.digest, "the test")
        await self.cluster.store.transact(create_key, key=key, maker="admin")
        return token.text

    async def _populate(self) -> None:
        """Alpha's: jobs of each second, a script that holds a secret, one on the queue that is its own."""
        await self.expect(201, "alpha owner", "PUT", "/secrets/TOKEN", json={"value": self.secret})
        clock: Row = {"target": {"kind": "python", "function": "nothing"}, "schedule": {"every": "1s"}}
        clock |= {"catch_up": "all", "overlap": "allow"}
        await self.expect(201, "alpha owner", "POST", "/jobs", json={"name": "clock", "queue": "vault", **clock})
        await self.expect(201, "alpha owner", "POST", "/jobs", json={"name": "tick", **clock})
        script = {"kind": "script", "source": RESIDENT, "env": {"TOKEN": "{{ secrets.TOKEN }}"}}
        await self.expect(201, "alpha owner", "POST", "/jobs", json={"name": "resident", "target": script})
        kept = {"name": "kept", "target": {"kind": "script", "source": "true"}, "queue": "vault"}
        await self.expect(201, "alpha owner", "POST", "/jobs", json=kept)
        self.resident = (await self.expect(202, "alpha owner", "POST", "/jobs/resident/run", json={}))["id"]
        await eventually(self._resident_spoke, message="alpha's script runs")

    async def _resident_spoke(self) -> bool:
        return "own log" in await self.log("alpha owner", self.resident)

    # ---- what people do

    @property
    def folder(self) -> Path:
        return self.cluster.folder

    @property
    def key_material(self) -> dict[str, str]:
        """What no attempt may come to know."""
        settings = self.cluster.settings
        return {"key": settings["HORAE_SECRET_KEY"], "database": self.cluster.url, "secret": self.secret}

    async def call(self, who: str | None, method: str, path: str, **more: Any) -> httpx.Response:
        headers = {**({"authorization": f"Bearer {self.keys[who]}"} if who else {}), **more.pop("headers", {})}
        async with httpx.AsyncClient(base_url=self.url, timeout=PATIENCE, trust_env=False) as client:
            return await client.request(method, f"/api/v1{path}", headers=headers, **more)

    async def expect(self, status: int, who: str | None, method: str, path: str, **more: Any) -> Any:
        answer = await self.call(who, method, path, **more)
        assert answer.status_code == status, f"{method} {path} by {who}: {answer.status_code} {answer.text[:500]}"
        return answer.json() if answer.content else None

    async def log(self, who: str, run_id: str) -> str:
        return (await self.call(who, "GET", f"/runs/{run_id}/log?format=text")).text

    async def submit(self, target: Row, who: str = "beta owner", **fields: Any) -> str:
        """A run of its own job; its id."""
        self.names += 1
        name = f"attempt-{self.names}"
        retry = {"max_attempts": 1}
        await self.expect(201, who, "POST", "/jobs", json={"name": name, "target": target, "retry": retry, **fields})
        return str((await self.expect(202, who, "POST", f"/jobs/{name}/run", json={}))["id"])

    async def ended(self, run_id: str, who: str = "beta owner") -> Row:
        async def look() -> Row:
            run: Row = await self.expect(200, who, "GET", f"/runs/{run_id}")
            return run if run["finished_at"] else {}

        return await eventually(look, timeout=2 * PATIENCE, message="the attempt ends")

    async def play(self, target: Row, who: str = "beta owner", **fields: Any) -> Row:
        return await self.ended(await self.submit(target, who, **fields), who)

    # ---- what must hold all the while

    async def undisturbed(self, since: datetime) -> None:
        """No process was restarted, alpha's script is alive, and what was due since then has been done."""
        assert [member.role for member in self.cluster.members if member.code is not None] == []
        run = await self.expect(200, "alpha owner", "GET", f"/runs/{self.resident}")
        assert (run["status"], run["attempt"]) == ("running", 1), run
        for job in ("clock", "tick"):
            await eventually(self._done_since, job, since, message=f"alpha's {job} goes on")

    async def _done_since(self, job: str, since: datetime) -> bool:
        runs = await self.expect(200, "alpha viewer", "GET", f"/jobs/{job}/runs?status=succeeded&limit=1")
        return any(datetime.fromisoformat(run["scheduled_for"]) > since for run in runs["items"])

    async def on_time(self) -> None:
        """Alpha's clock has not missed a second, and none of its runs began late, by the platform's own record."""
        sql = "SELECT * FROM run_history WHERE job_id IN (SELECT id FROM jobs WHERE name = 'clock')"
        runs = sorted(await self.cluster.ask(sql), key=lambda run: run["scheduled_for"])
        assert {run["status"] for run in runs} == {"succeeded"}
        assert {later["scheduled_for"] - one["scheduled_for"] for one, later in pairwise(runs)} <= {
            timedelta(seconds=1)
        }
        assert max(run["started_at"] - run["scheduled_for"] for run in runs) < LATE

    def workers(self) -> list[Member]:
        return [self.worker, self.bound]

    def memory(self) -> int:
        """Of everything that Horae itself runs, in bytes."""
        return sum(psutil.Process(member.pid).memory_info().rss for member in self.cluster.members)


@asynccontextmanager
async def staged(url: str) -> AsyncIterator[Stage]:
    # Not among pytest's temporary folders, which every session closes to all but root when it starts.
    folder = Path(tempfile.mkdtemp(prefix="horae-hostile-"))
    cluster = Cluster(url, folder, {})
    await cluster.open()
    stage = Stage(cluster)
    try:
        await stage.set_up()
        yield stage
        await stage.on_time()
        assert cluster.tracebacks() == []
    finally:
        stage.listener.close()
        await cluster.close()
        shutil.rmtree(folder, ignore_errors=True)


def now() -> datetime:
    return datetime.fromtimestamp(time.time()).astimezone()
