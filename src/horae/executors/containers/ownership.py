"""Ownership of containers, by their labels, so that none outlives its worker for long.

A killed worker cannot end its containers: they are not its children. So every worker checks, at startup and
periodically, for containers of workers that are certainly dead, for its own that it could not remove, and for those
past their deadline; and before a run is retried, everything that earlier attempts left is ended.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from horae.executors.containers.container import Container
from horae.executors.containers.service import Service, ServiceError, ServiceUnreachable

if TYPE_CHECKING:
    from horae.domain.runs.attempt import Attempt
    from horae.ports import Clock

RUN, ATTEMPT, JOB = "io.horae.run", "io.horae.attempt", "io.horae.job"
WORKER, OWNER, UNTIL = "io.horae.worker", "io.horae.owner", "io.horae.until"
_MARGIN = 60.0  # seconds after its deadline before a container counts as left behind
_EVERY = 15.0  # seconds between two checks


@dataclass(frozen=True, slots=True)
class Owner:
    """A worker's process: `text` identifies it, `is_dead` says whether the process with that text is certainly gone,
    `name` is for display."""

    name: str
    text: str
    is_dead: Callable[[str], bool]


class Ownership:
    def __init__(self, service: Service, owner: Owner, clock: Clock) -> None:
        self._service, self._owner, self._clock = service, owner, clock
        self._held: set[str] = set()
        self._sweeping: asyncio.Task[None] | None = None

    def labels(self, attempt: Attempt) -> dict[str, str]:
        """For a container that serves one attempt."""
        run = attempt.run
        left = attempt.deadline - self._clock.monotonic() + attempt.grace
        about = {RUN: run.id, ATTEMPT: str(run.attempt), JOB: attempt.job.name}
        return about | self.labels_for(left)

    def labels_for(self, seconds: float) -> dict[str, str]:
        """For a container that is needed for at most this long."""
        until = self._clock.now().timestamp() + seconds + _MARGIN
        return {WORKER: self._owner.name, OWNER: self._owner.text, UNTIL: str(round(until))}

    @contextmanager
    def of(self, container: Container) -> Iterator[None]:
        """Inside the context, the container is in use."""
        self.hold(container)
        try:
            yield
        finally:
            self.let_go(container)

    def hold(self, container: Container) -> None:
        self._held.add(container.name)

    def let_go(self, container: Container) -> None:
        self._held.discard(container.name)

    async def end_earlier(self, attempt: Attempt) -> None:
        """Ends what earlier attempts of the run have left: their lease is lost, since this attempt holds it. Warm
        containers are not labelled with their run, but those of a dead worker are ended too."""
        if attempt.run.attempt > 1:
            for found in await self._list(f"{RUN}={attempt.run.id}"):
                await Container(self._service, found["Id"]).remove()
            await self.sweep()

    def start(self) -> None:
        """Sweeps what is left behind, now and periodically."""
        if self._sweeping is None:
            self._sweeping = asyncio.create_task(self._keep_sweeping())

    async def close(self) -> None:
        if self._sweeping is not None:
            self._sweeping.cancel()
            await asyncio.wait([self._sweeping])
            self._sweeping = None

    async def sweep(self) -> None:
        for found in await self._list(OWNER):
            if self._is_left_behind(found):
                await Container(self._service, found["Id"]).remove()

    def _is_left_behind(self, found: dict[str, Any]) -> bool:
        labels = found["Labels"]
        owner, until = labels[OWNER], labels.get(UNTIL, "")
        if owner == self._owner.text:
            return not any(name.lstrip("/") in self._held for name in found["Names"])
        past = until.isdecimal() and int(until) < self._clock.now().timestamp()
        return past or self._owner.is_dead(owner)

    async def _list(self, label: str) -> list[dict[str, Any]]:
        params = {"all": "true", "filters": json.dumps({"label": [label]})}
        found: list[dict[str, Any]] = await self._service.call("GET", "/containers/json", params=params)
        return found

    async def _keep_sweeping(self) -> None:
        while True:
            with suppress(ServiceError, ServiceUnreachable):  # the runs will report it
                await self.sweep()
            await asyncio.sleep(_EVERY)
