"""A cluster of real processes on a real database, as a test drives it: started, watched, paused, killed, reaped."""

import asyncio
import ctypes
import json
import os
import secrets
import signal
import socket
import subprocess
import sys
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

import orjson
import psutil
import pytest

from horae import config, wiring
from horae.accounts.keys import create_key
from horae.api.signing_in.tokens import mint
from horae.clock import SystemIds
from horae.domain.jobs.job import JobSpec
from horae.domain.people.key import ApiKey
from horae.domain.runs.attempts import AttemptRecord
from horae.domain.runs.run_record import RunRecord
from horae.domain.runs.states import LIVE, Trigger
from horae.lifecycle.submit import TriggerRequest, create_job, trigger
from horae.ports import Wakeups
from horae.store.store import SqlStore
from horae.wiring.engines import close_engine
from tests.waiting import until

T = TypeVar("T")
Row = dict[str, Any]
KINDS = [pytest.param(kind, marks=getattr(pytest.mark, kind)) for kind in ("postgresql", "mysql", "sqlite")]
SERVERS = KINDS[:2]
ROOT = Path(__file__).parents[3]
HORAE = [sys.executable, "-m", "horae"]
TASKS = "tests.integration.cluster.tasks"
PATIENCE = 40.0  # seconds that something may take on a busy machine; nothing waits this long for luck
IDS = SystemIds()
READY = {"worker": "worker ready", "intake": "intake ready", "scheduler": "scheduler ready", "serve": "serving"}
_PR_SET_PDEATHSIG = 1
_prctl = ctypes.CDLL(None).prctl if sys.platform == "linux" else None


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def environment(settings: Mapping[str, str]) -> dict[str, str]:
    """The test's own environment with these settings and no others."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("HORAE_")}
    return clean | dict(settings)


def is_alive(pid: int) -> bool:
    try:
        return bool(psutil.Process(pid).status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False


class Member:
    """One process. Its log goes to a file, a JSON object per line."""

    def __init__(self, role: str, arguments: Sequence[str], settings: Mapping[str, str], log: Path) -> None:
        self.role = role
        self.port = int(settings.get("HORAE_PORT", "0"))
        self._log = log
        with log.open("ab") as output:
            self._popen = subprocess.Popen(
                list(arguments),
                cwd=ROOT,
                env=environment(settings),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                preexec_fn=_die_with_the_test,  # noqa: PLW1509 (one system call)
            )
        self.pid = self._popen.pid
        self._offspring: set[int] = set()

    @property
    def code(self) -> int | None:
        return self._popen.poll()

    @property
    def output(self) -> str:
        return self._log.read_text(errors="replace")

    @property
    def id(self) -> str:
        """Its id among the workers or schedulers."""
        return str(self.logged(READY[self.role])[0][self.role])

    def lines(self) -> list[Row]:
        found = []
        for line in self.output.splitlines():
            with suppress(ValueError):
                found.append(json.loads(line))
        return [line for line in found if isinstance(line, dict)]

    def logged(self, event: str) -> list[Row]:
        """The lines of the log whose event contains this text."""
        return [line for line in self.lines() if event in line.get("event", "")]

    async def ready(self) -> "Member":
        await until(
            lambda: self.logged(READY[self.role]) or self.code is not None,
            timeout=PATIENCE,
            message=f"a {self.role} is ready",
        )
        assert self.code is None, self.output
        return self

    def children(self) -> list[int]:
        with suppress(psutil.NoSuchProcess):
            self._offspring |= {child.pid for child in psutil.Process(self.pid).children(recursive=True)}
        return [pid for pid in self._offspring if is_alive(pid)]

    def signal(self, number: int) -> None:
        self.children()  # remembered, to see that they end with it
        self._popen.send_signal(number)

    def pause(self) -> None:
        self.signal(signal.SIGSTOP)

    def resume(self) -> None:
        self.signal(signal.SIGCONT)

    async def kill(self) -> None:
        self.signal(signal.SIGKILL)
        await self.ended()

    async def stop(self) -> int:
        """Asks for an orderly stop and waits for it; its exit code."""
        self.signal(signal.SIGTERM)
        return await self.ended()

    async def ended(self) -> int:
        await until(lambda: self.code is not None, timeout=PATIENCE, message=f"the end of the {self.role}")
        assert self.code is not None
        return self.code

    def reap(self) -> None:
        """The end of the test: nothing of it may stay."""
        self.children()
        if self._popen.poll() is None:
            self._popen.kill()
        self._popen.wait()
        for pid in self._offspring:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


def _die_with_the_test() -> None:
    if _prctl is not None:
        _prctl(_PR_SET_PDEATHSIG, int(signal.SIGKILL), 0, 0, 0)


class Cluster:
    """Processes that share a database, and the test's own look into it."""

    def __init__(self, url: str, folder: Path, settings: Mapping[str, str]) -> None:
        self.url, self.folder = url, folder
        self.settings = {
            "HORAE_DATABASE_URL": url,
            "HORAE_SECRET_KEY": secrets.token_hex(32),
            "HORAE_DATA_DIR": str(folder / "data"),
            "HORAE_EXECUTORS": "http,python,script",
            "HORAE_HTTP_ALLOW_PRIVATE": "true",
            "HORAE_SCRIPT_SANDBOX": "off",  # tests ask for the pids of scripts, and for what they leave on disk
            "HORAE_LOG_FORMAT": "json",
            **settings,
        }
        self.members: list[Member] = []
        self._store: SqlStore | None = None
        self._wakeups: Wakeups | None = None
        self.project_id = ""

    async def open(self) -> "Cluster":
        """Opens the store as the API does: what the test asks for is hinted to those who wait for it."""
        settings = config.load(self.settings)
        self._wakeups = wiring.wakeups_for(settings)
        self._store = await wiring.store_for(settings, self._wakeups, connections=2)
        await self._wakeups.start((), lambda _: None)
        self.project_id = (await self.store.read(lambda tx: tx.access.default_project())).id
        return self

    async def close(self) -> None:
        self.reap()
        if self._store is not None:
            await close_engine(self._store)
        if self._wakeups is not None:
            await self._wakeups.close()
        if self._store is not None:
            await self._store.close()

    @property
    def store(self) -> SqlStore:
        assert self._store is not None, "the cluster is not open"
        return self._store

    def reap(self) -> None:
        for member in self.members:
            member.reap()

    # Processes

    def start(self, role: str, *arguments: str, before: Sequence[str] = (), **settings: str) -> Member:
        """Starts a process without waiting for it; `before` is a command that starts it in turn."""
        number = len(self.members) + 1
        member = Member(
            role,
            [*before, *HORAE, role, *arguments],
            {**self.settings, **settings},
            self.folder / f"{role}-{number}.log",
        )
        self.members.append(member)
        return member

    async def start_worker(self, *arguments: str, before: Sequence[str] = (), **settings: str) -> Member:
        return await self.start("worker", "--import", TASKS, *arguments, before=before, **settings).ready()

    async def start_workers(self, count: int, *arguments: str, **settings: str) -> list[Member]:
        workers = [self.start("worker", "--import", TASKS, *arguments, **settings) for _ in range(count)]
        return [await worker.ready() for worker in workers]

    async def start_scheduler(self, *, before: Sequence[str] = (), **settings: str) -> Member:
        return await self.start("scheduler", before=before, **settings).ready()

    async def start_serve(self, *, before: Sequence[str] = (), **settings: str) -> Member:
        return await self.start("serve", before=before, **{"HORAE_PORT": str(free_port()), **settings}).ready()

    def member(self, process_id: str | None) -> Member:
        """The worker or scheduler of that id."""
        return next(m for m in self.members if m.role != "serve" and m.logged(READY[m.role]) and m.id == process_id)

    async def command(self, *arguments: str, **settings: str) -> Any:
        """What a command of the command line prints as JSON."""
        return await command([*HORAE, *arguments, "--json"], {**self.settings, **settings})

    async def key(self, role: str) -> str:
        """The token of a new API key, as `horae keys create` makes one."""
        token = mint()
        key = ApiKey(IDS.new(), self.project_id, "test", role, token.prefix, token.digest, "the test", None)
        await self.store.transact(create_key, key=key, maker="admin")
        return token.text

    async def with_api(self, role: str = "owner") -> dict[str, str]:
        """Starts a `serve`; the settings with which a program finds it."""
        serve = await self.start_serve()
        return {"HORAE_URL": f"http://127.0.0.1:{serve.port}", "HORAE_TOKEN": await self.key(role)}

    def tracebacks(self) -> list[str]:
        return [f"{m.role}: {m.output[-3_000:]}" for m in self.members if "Traceback" in m.output]

    # Jobs and runs

    async def create(self, name: str, target: Row, **fields: Any) -> str:
        """A job; its id."""
        (job_id,) = await self.create_many([{"name": name, "target": target, **fields}])
        return job_id

    async def create_many(self, jobs: Sequence[Row]) -> list[str]:
        specs = [JobSpec.model_validate_json(orjson.dumps(job)) for job in jobs]
        return [
            job_id for start in range(0, len(specs), 100) for job_id in await self._save(specs[start : start + 100])
        ]

    async def _save(self, specs: Sequence[JobSpec]) -> list[str]:
        ids = [IDS.new() for _ in specs]

        async def save(tx: Any) -> None:
            for job_id, spec in zip(ids, specs, strict=True):
                await create_job(
                    tx, job_id=job_id, project_id=self.project_id, spec=spec, enabled=True, actor="the test"
                )

        await self.store.transact(save)
        return ids

    async def run(self, job: str, count: int = 1) -> list[str]:
        """Triggers a job so many times; the ids of the runs."""
        requests = [TriggerRequest(IDS.new()) for _ in range(count)]
        await self.store.transact(
            trigger, project_id=self.project_id, ref=job, runs=requests, trigger=Trigger.API, actor="the test"
        )
        return [request.run_id for request in requests]

    async def start_run(self, name: str, target: Row, **fields: Any) -> str:
        """A job and one run of it; the run's id."""
        await self.create(name, target, **fields)
        (run_id,) = await self.run(name)
        return run_id

    async def look(self, run_id: str) -> RunRecord:
        found = await self.store.read(lambda tx: tx.runs.find(self.project_id, run_id))
        assert found is not None, f"the run {run_id} vanished"
        return found

    async def run_is(self, run_id: str, check: Callable[[RunRecord], object], message: str = "") -> RunRecord:
        """Waits until a run is as wished; the run."""

        async def as_wished() -> RunRecord | None:
            run = await self.look(run_id)
            return run if check(run) else None

        found = await eventually(as_wished, message=message or f"the run {run_id} is as wished")
        assert found is not None
        return found

    async def running(self, run_id: str, attempt: int = 1) -> RunRecord:
        return await self.run_is(
            run_id, lambda run: run.status == "running" and run.attempt == attempt, f"attempt {attempt} runs"
        )

    async def ended(self, run_id: str) -> RunRecord:
        return await self.run_is(run_id, lambda run: run.status not in LIVE, "the run ends")

    async def attempts(self, run_id: str) -> list[AttemptRecord]:
        return await self.store.read(lambda tx: tx.runs.attempts(run_id))

    async def log(self, run_id: str, stream: str = "stdout") -> str:
        lines = await self.store.read(lambda tx: tx.logs.read(run_id))
        return "".join(line.text for line in lines if line.stream == stream)

    async def ask(self, sql: str, **params: Any) -> list[Row]:
        rows = await self.store.read(_fetch, sql, params or None)
        return [{key: row[key] for key in row.keys()} for row in rows]  # noqa: SIM118 (sqlite3.Row iterates values)

    async def tell(self, sql: str, **params: Any) -> None:
        await self.store.transact(_execute, sql, params or None)

    async def count(self, what: str) -> int:
        """How many rows: `runs WHERE status = 'running'`."""
        (row,) = await self.ask(f"SELECT COUNT(*) AS n FROM {what}")
        return int(row["n"])

    async def worker_row(self, member: Member) -> Row:
        (row,) = await self.ask("SELECT * FROM workers WHERE id = :id", id=member.id)
        return row

    async def shards(self) -> dict[str | None, int]:
        """How many shards each scheduler owns."""
        owned: dict[str | None, int] = {}
        for shard in await self.store.read(lambda tx: tx.processes.shards()):
            owned[shard.owner_id] = owned.get(shard.owner_id, 0) + 1
        return owned


async def _fetch(tx: Any, sql: str, params: Row | None) -> Any:
    return await tx._db.fetch(sql, params)


async def _execute(tx: Any, sql: str, params: Row | None) -> None:
    await tx._db.execute(sql, params)


async def command(arguments: Sequence[str], settings: Mapping[str, str]) -> Any:
    code, out, err = await execute(arguments, settings)
    assert code == 0, err
    return json.loads(out)


async def execute(arguments: Sequence[str], settings: Mapping[str, str]) -> tuple[int, str, str]:
    """Runs a command to its end; exit code, output, errors."""
    process = await asyncio.create_subprocess_exec(
        *arguments,
        cwd=ROOT,
        env=environment(settings),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    try:
        async with asyncio.timeout(PATIENCE):
            out, err = await process.communicate()
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    assert process.returncode is not None
    return process.returncode, out.decode(), err.decode()


async def eventually(check: Callable[..., Awaitable[T]], *args: Any, timeout: float = PATIENCE, message: str = "") -> T:
    """Asks until the answer is true, and returns it."""

    async def ask() -> T:
        return await check(*args)

    return await until(ask, timeout=timeout, message=message or check.__qualname__, every=0.05)


Make = Callable[..., Awaitable[Cluster]]
