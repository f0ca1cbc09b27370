"""A running Horae for the journeys: its address, its users, and its data."""

import json
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import count
from pathlib import Path
from typing import Any, Self
from uuid import uuid4

import httpx

from horae.config import SECRET_FILE
from tests.integration.up.running import UP, Running
from tests.waiting import until

PASSWORD = "seven green herons wade"
GREETING = "Horae is running"
LINK = re.compile(r"link=(\S+/setup#hf1_[\w-]+)")


class Horae:
    """A separate `horae up`: API with portal, a scheduler and a worker."""

    def __init__(self, running: Running) -> None:
        self.running = running
        self.is_broken = False  # by its test, on purpose
        self.url = f"http://127.0.0.1:{running.port}"
        token = json.loads((running.data_dir / "client.json").read_text())["token"]
        self._client = httpx.AsyncClient(
            base_url=f"{self.url}/api/v1", headers={"authorization": f"Bearer {token}"}, timeout=60
        )
        self._people: set[str] = set()
        self._names = count()

    @classmethod
    async def start(cls, folder: Path, **environment: str) -> Self:
        running = Running([*UP], folder / "data", **environment)
        try:
            await running.ready(timeout=60)
            return cls(running)
        except BaseException:
            running.kill()
            raise

    def stop(self) -> None:
        output = self.running.output
        self.running.kill()
        assert self.is_broken or "Traceback" not in output, output

    async def start_again(self) -> None:
        """After `running.kill()`: on the same data, at the same address."""
        greeted = self.running.output.count(GREETING)
        self.running = Running([*UP], self.running.data_dir, HORAE_PORT=str(self.running.port))
        await until(lambda: self.running.output.count(GREETING) > greeted, timeout=90)

    async def serve_alone(self, **environment: str) -> None:
        """After the whole tree has ended: only the API, at the same address."""
        data = self.running.data_dir
        environment["HORAE_SECRET_KEY"] = (data / SECRET_FILE).read_text().strip()
        environment["HORAE_PORT"] = str(self.running.port)
        self.running = Running([*UP[:-1], "serve"], data, **environment)
        await until(self._answers, timeout=90)

    @asynccontextmanager
    async def another_worker(self, *arguments: str, **environment: str) -> AsyncIterator[None]:
        """Beside the one there is."""
        data = self.running.data_dir
        environment["HORAE_SECRET_KEY"] = (data / SECRET_FILE).read_text().strip()
        worker = Running([*UP[:-1], "worker", *arguments], data, **environment)
        try:
            await until(lambda: "worker ready" in worker.output, timeout=60)
            yield
        finally:
            worker.kill()

    async def _answers(self) -> Any:
        try:
            return (await self._client.get(f"{self.url}/health/live")).is_success
        except httpx.TransportError:
            return False

    async def call(self, method: str, path: str, body: Any = None) -> Any:
        """Through the API, as an admin."""
        answer = await self._client.request(method, path, json=body)
        assert answer.is_success, f"{method} {path}: {answer.text}"
        return answer.json() if answer.content else None

    async def refusal(self, body: Any) -> list[tuple[str, str]]:
        """Which fields of a job the API does not take, and its words for why."""
        answer = await self._client.post("/jobs", json=body)
        assert answer.status_code == 422, answer.text
        return [(one["field"], one["message"]) for one in answer.json()["errors"]]

    # ---- people

    async def link(self) -> str:
        """What makes the first admin, as it was printed: an address with a one-time token behind the #."""
        found = await until(lambda: LINK.findall(self.running.output))
        return str(found[0])

    async def admin(self) -> str:
        """An admin of the installation who also owns the project."""
        return await self.person("admin")

    async def person(self, role: str) -> str:
        """The name of a user who has this role in the default project."""
        name = f"{role}-person"
        if name not in self._people:
            body = {"username": name, "password": PASSWORD, "is_admin": role == "admin"}
            await self.call("POST", "/users", body)
            member = {"role": "owner" if role == "admin" else role}
            await self.call("PUT", f"/projects/default/members/{name}", member)
            self._people.add(name)
        return name

    # ---- things

    async def job(self, name: str | None = None, **fields: Any) -> Any:
        """A manual script job by default."""
        body = {"name": name or self.name("job"), "target": {"kind": "script", "source": "echo hello"}, **fields}
        return await self.call("POST", "/jobs", body)

    async def run(self, job: str, *, until_ended: bool = True, **fields: Any) -> Any:
        """Asks for a run, and waits for its end."""
        run = await self.call("POST", f"/jobs/{job}/run", fields)

        async def ended() -> Any:
            found = await self.call("GET", f"/runs/{run['id']}")
            return found if found["finished_at"] else None

        return await until(ended, timeout=30) if until_ended else run

    def name(self, kind: str) -> str:
        """One that no one else has."""
        return f"{kind}-{next(self._names)}-{uuid4().hex[:6]}"
