"""Database servers of a scenario's own, to be stopped, killed, filled and locked at will.

async with own_server("postgresql") as server:
    url = await server.database(stage)      # the stage's cluster is on it from now on
    server.kill()                           # PostgreSQL: an immediate stop; MariaDB: kill -9
    await server.back()
"""

import asyncio
import os
import secrets
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import psutil
from sqlalchemy.engine import make_url

from horae.sdk.task import Task
from tests.databases import create_mysql, create_postgresql, mysql, postgresql
from tests.faults.stage import Stage
from tests.functions import register
from tests.integration.cluster import tasks
from tests.integration.cluster.cluster import HORAE, ROOT, execute
from tests.waiting import until

sys.path.append(str(ROOT / "tools"))
from machine import alive, signal_group
from newer_kinds import KINDS as NEWER_KINDS
from poolers import PgBouncer
from server_kinds import KINDS, Server

_TEMPLATE = "template_of_horae"


class OwnServer:
    def __init__(self, kind: str, folder: Path) -> None:
        self.kind = kind
        version = os.environ.get(f"HORAE_TEST_{kind.upper()}_KIND", kind)
        self._server: Server = {**KINDS, **NEWER_KINDS, "pgbouncer": PgBouncer}[version](folder, folder, fast=True)
        self._url = ""

    def start(self) -> None:
        self._server.find_or_install(may_install=os.geteuid() == 0)
        self._url = self._server.start()

    @property
    def port(self) -> int:
        return make_url(self._url).port or 0

    async def database(self, stage: Stage) -> str:
        """A database with the schema and the functions of the tests, on which the stage's cluster is from now on."""
        server = make_url(self._url)
        make = create_postgresql if self.kind == "postgresql" else create_mysql
        name, template = f"horae_{secrets.token_hex(6)}", server.set(database=_TEMPLATE)
        if not await self._has_template():
            await make(server, _TEMPLATE, None)
            await _fill(template.render_as_string(hide_password=False))
        await make(server, name, _TEMPLATE)
        place = server.set(database=name)
        await self._let_in(name)
        url = place.set(username="plain", password="plain").render_as_string(hide_password=False)
        await stage.cluster.close()
        stage.cluster.url = stage.cluster.settings["HORAE_DATABASE_URL"] = url
        await stage.cluster.open()
        return url

    async def _has_template(self) -> bool:
        if self.kind == "postgresql":
            found = await self.ask("SELECT 1 FROM pg_database WHERE datname = 'template_of_horae'")
        else:
            found = await self.ask("SELECT 1 FROM information_schema.schemata WHERE schema_name = 'template_of_horae'")
        return bool(found)

    async def ask(self, *statements: str) -> list[Any]:
        """Says something to the server as its administrator; the rows of the last statement."""
        rows: list[Any] = []
        if self.kind == "postgresql":
            async with postgresql(make_url(self._url)) as connection:
                for statement in statements:
                    rows = await connection.fetch(statement)
            return rows
        async with mysql(make_url(self._url)) as cursor:
            for statement in statements:
                await cursor.execute(statement)
                rows = list(await cursor.fetchall())
        return rows

    async def connections(self) -> int:
        """How many Horae has there."""
        if self.kind == "postgresql":
            rows = await self.ask("SELECT count(*) FROM pg_stat_activity WHERE application_name LIKE 'horae%'")
        else:
            rows = await self.ask("SELECT count(*) FROM information_schema.processlist WHERE user = 'plain'")
        return int(rows[0][0])

    async def kill(self) -> None:
        """At once, without a word to its clients or to its files."""
        state = self._state()
        signal_group(state["pid"], signal.SIGQUIT if self.kind == "postgresql" else signal.SIGKILL)
        await until(lambda: not alive(state["pid"], state["started"]), timeout=30, message="the server is dead")
        with suppress(ChildProcessError):  # until it is reaped, MySQL takes it for one that still uses its socket
            await asyncio.to_thread(os.waitpid, state["pid"], 0)

    async def back(self) -> float:
        """Starts it again on what it left behind; the moment at which it answers, on the clock of `time.time`."""
        self._server.launch(self.port)
        await until(lambda: self._server.ready(self.port), timeout=60, message="the server is back", every=0.05)
        return time.time()

    async def read_only(self, on: bool) -> None:
        """From now on, for the sessions there are as well."""
        if self.kind == "postgresql":
            await self.ask(
                "SET default_transaction_read_only = off",
                f"ALTER SYSTEM SET default_transaction_read_only = {'on' if on else 'off'}",
                "SELECT pg_reload_conf()",
            )
        else:
            await self.ask(f"SET GLOBAL read_only = {int(on)}")

    @asynccontextmanager
    async def crowded(self) -> AsyncIterator[None]:
        """Throws everyone out and has no place for them, until the end of the context."""
        if self.kind == "postgresql":
            await self.ask(
                "ALTER ROLE plain CONNECTION LIMIT 0",
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'plain'",
            )
            yield
            await self.ask("ALTER ROLE plain CONNECTION LIMIT -1")
            return
        async with AsyncExitStack() as others:
            for _ in range(10):  # the least that the server can be limited to
                await others.enter_async_context(mysql(make_url(self._url)))
            await self.ask("SET GLOBAL max_connections = 10", "KILL USER plain")
            yield
            await self.ask("SET GLOBAL max_connections = 300")

    async def _let_in(self, name: str) -> None:
        """An ordinary user: an administrator may do what others may not, such as change what is read-only."""
        if self.kind == "mysql":
            await self.ask(
                "CREATE USER IF NOT EXISTS plain@'%' IDENTIFIED BY 'plain'", f"GRANT ALL ON {name}.* TO plain@'%'"
            )
        elif not await self.ask("SELECT 1 FROM pg_roles WHERE rolname = 'plain'"):
            await self.ask("CREATE ROLE plain LOGIN", "GRANT horae TO plain")  # what is the owner's is its own

    def pause(self) -> None:
        self._signal_all(signal.SIGSTOP)

    def resume(self) -> None:
        self._signal_all(signal.SIGCONT)

    def _signal_all(self, number: signal.Signals) -> None:
        """PostgreSQL's processes are each their own group."""
        server = psutil.Process(self._state()["pid"])
        for process in (server, *server.children(recursive=True)):
            with suppress(psutil.NoSuchProcess):
                process.send_signal(number)

    def stop(self) -> None:
        with suppress(psutil.NoSuchProcess):
            self.resume()
        self._server.stop()

    def _state(self) -> dict[str, Any]:
        state = self._server.state()
        assert state is not None
        return state


async def _fill(url: str) -> None:
    """In its own process: Alembic keeps what it is at in globals, and other scenarios may be at it as well."""
    code, _, said = await execute([*HORAE, "migrate"], {"HORAE_DATABASE_URL": url})
    assert code == 0, said
    await register(url, *(task.function for task in vars(tasks).values() if isinstance(task, Task)))


@asynccontextmanager
async def own_server(kind: str) -> AsyncIterator[OwnServer]:
    memory = Path("/dev/shm")
    folder = Path(tempfile.mkdtemp(prefix="horae-own-", dir=memory if os.access(memory, os.W_OK) else None))
    folder.chmod(0o711)
    server = OwnServer(kind, folder)
    try:
        await asyncio.to_thread(server.start)
        yield server
    finally:
        await asyncio.to_thread(server.stop)
        shutil.rmtree(folder, ignore_errors=True)
