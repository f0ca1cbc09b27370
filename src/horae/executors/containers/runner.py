"""Runs work in a dedicated container: created for one attempt, ended and removed with it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from contextlib import suppress
from typing import TYPE_CHECKING

from horae.domain.runs.outcome import Outcome
from horae.domain.runs.states import StopReason
from horae.executors import environment
from horae.executors.containers.container import DEATH, Container, ended
from horae.executors.containers.credentials import RegistryCredentials
from horae.executors.containers.ending import outcome
from horae.executors.containers.images import Images, PullError
from horae.executors.containers.ownership import Ownership
from horae.executors.containers.service import Service, ServiceError, ServiceUnreachable, to_the_end
from horae.executors.containers.work import RESULT, ContainerWork, check_mounts, creation
from horae.executors.failure import Refused, failed, refused

if TYPE_CHECKING:
    from horae.domain.runs.attempt import Attempt

START = 120.0  # seconds for a start that must finish before what it started can be ended
DRAIN = 1.0  # seconds for output to arrive after a container has ended


class ContainerRunner:
    """One runner serves all executors of a worker that use containers."""

    def __init__(
        self,
        service: Service,
        ownership: Ownership,
        credentials: RegistryCredentials | None = None,
        *,
        network: str | None = None,
    ) -> None:
        self.service = service
        self.network = network
        self.ownership = ownership
        self.images = Images(service, credentials or RegistryCredentials())

    async def run(self, attempt: Attempt, work: ContainerWork) -> Outcome:
        """On cancellation, the container is gone before the cancellation propagates."""
        return await guarded(self._run(attempt, work))

    async def close(self) -> None:
        await self.ownership.close()
        await self.service.close()

    async def _run(self, attempt: Attempt, work: ContainerWork) -> Outcome:
        env = await variables(attempt, work)
        await self.ownership.end_earlier(attempt)
        await self.images.ensure(work.image, work.pull, attempt.log)
        container = Container(self.service)
        with self.ownership.of(container):
            try:
                labels, stdin = self.ownership.labels(attempt), bool(attempt.run.input)
                body = creation(work, env, labels, stdin=stdin, network=self.network)
                await to_the_end(container.create(body, work.files))
                check_mounts(work)
                await self._attend(attempt, container)
                result = await container.result()
                return outcome(await container.state(), work.bounds, *result)
            finally:
                await to_the_end(container.remove())

    async def _attend(self, attempt: Attempt, container: Container) -> None:
        """From the start to the end of a container, with its input and output; ends it when the attempt must stop."""
        stream = await container.attach()
        output = asyncio.create_task(stream.pump(attempt.log))
        starting = asyncio.create_task(container.start())
        waiting = asyncio.create_task(_lived(attempt, container, starting))
        try:
            await asyncio.shield(waiting)
        except asyncio.CancelledError:
            # It had already ended: that outcome counts, the stop came too late.
            if not waiting.done():
                await ended(starting, START)
                await _end(attempt, container, waiting)
                raise
            waiting.result()
        finally:
            await ended(output, DRAIN)  # the rest of its output
            waiting.cancel()
            output.cancel()
            stream.close()


async def _lived(attempt: Attempt, container: Container, starting: asyncio.Task[None]) -> None:
    """From a container's start to its end."""
    await starting
    sending = asyncio.create_task(_send(container, attempt.run.input)) if attempt.run.input else None
    try:
        await container.wait()
    finally:
        if sending is not None:
            sending.cancel()
            await asyncio.wait([sending])


async def _send(container: Container, text: str) -> None:
    """The whole input; then it ends."""
    try:
        stream = await container.attach_input()
    except (Refused, ServiceError, ServiceUnreachable):  # it has ended meanwhile
        return
    try:
        await stream.send(text.encode())
        await stream.over()
    finally:
        stream.close()


async def _end(attempt: Attempt, container: Container, waiting: asyncio.Task[None]) -> None:
    """TERM, then KILL after the grace period; at once if the lease was lost, or if this is cancelled meanwhile."""
    why = attempt.stop or "stopped"
    grace = 0 if attempt.stop is StopReason.LEASE_LOST else attempt.grace
    if grace > 0:
        attempt.log.write("system", f"{why}: sent TERM\n")
        with suppress(asyncio.CancelledError):
            await container.kill("TERM")
            await asyncio.wait([waiting], timeout=grace)
        if waiting.done():
            return
    attempt.log.write("system", f"{why}: sent KILL\n")
    with suppress(asyncio.CancelledError):
        await to_the_end(container.kill("KILL"))
    await ended(waiting, DEATH)


async def variables(attempt: Attempt, work: ContainerWork) -> dict[str, str]:
    own = await environment.filled(attempt, work.env)
    return {**environment.traced(attempt), **own, **environment.about(attempt), "HORAE_RESULT": RESULT}


async def guarded(work: Awaitable[Outcome]) -> Outcome:
    """Turns errors of the service and of the definition into an outcome."""
    try:
        return await work
    except Refused as error:
        return refused(str(error))
    except (PullError, ServiceError, ServiceUnreachable) as error:
        return failed(str(error))
