"""Warm containers: kept between the runs of one version of a job, each for one run at a time.

Such a container sleeps; a run is a command in it. A command cannot be ended on its own, so stopping it removes the
container. So does a command that leaves something running or runs out of memory. The sleep is bounded: an orphaned
container ends on its own.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from horae.domain.runs.outcome import Outcome
from horae.executors.containers.container import Container, ended
from horae.executors.containers.ending import outcome
from horae.executors.containers.runner import DRAIN, ContainerRunner, guarded, variables
from horae.executors.containers.service import ServiceError, to_the_end
from horae.executors.containers.work import INPUT, ContainerWork, check_mounts, creation, pairs
from horae.executors.failure import Refused

if TYPE_CHECKING:
    from horae.domain.runs.attempt import Attempt

IDLE = 300.0  # seconds that a container waits for the next run
LIFE = 6 * 3_600.0  # seconds after which a container begins no more runs
_MOST = 32  # containers waiting at a time
_LOOK = 1.0  # seconds between two checks whether a command has ended that holds its output open
_KILLED = 137
# Input comes from a file: if a command leaves it unread on its connection, Podman loses the output, too.
_WITH_INPUT = ("sh", "-c", f'exec "$@" < {INPUT}', "sh")

Key = tuple[str, int]  # the job and its version


@dataclass(slots=True)
class _Warm:
    container: Container
    key: Key
    image: dict[str, Any]  # what the image would run
    retire_at: float  # by the loop's clock
    expiry: asyncio.TimerHandle | None = None


class WarmContainers:
    """`idle` is how long a container waits for the next run."""

    def __init__(self, runner: ContainerRunner, *, idle: float = IDLE) -> None:
        self._runner = runner
        self._idle_for = idle
        self._idle: list[_Warm] = []  # most recently used last
        self._ending: set[asyncio.Task[None]] = set()

    async def run(self, attempt: Attempt, work: ContainerWork) -> Outcome:
        return await guarded(self._run(attempt, work))

    async def close(self) -> None:
        while self._idle:
            self._retire(self._idle[0])
        if self._ending:
            await asyncio.wait(self._ending)

    async def _run(self, attempt: Attempt, work: ContainerWork) -> Outcome:
        env = await variables(attempt, work)
        await self._runner.ownership.end_earlier(attempt)
        warm, command = await self._prepared(attempt, work, env)
        keep = False
        try:
            code = await self._carry_out(attempt, warm, command)
            result = await warm.container.result()
            keep = await self._is_clean(warm, code)
            state = {"ExitCode": code, "OOMKilled": not keep and code == _KILLED and await self._ran_out(warm)}
            return outcome(state, work.bounds, *result)
        finally:
            if keep:
                self._put_back(warm)
            else:
                await to_the_end(self._end(warm))

    async def _prepared(self, attempt: Attempt, work: ContainerWork, env: dict[str, str]) -> tuple[_Warm, str]:
        """A free container, or a new one, and the command in it, not started yet."""
        key = (attempt.run.job_id, attempt.run.version)
        for other in [warm for warm in self._idle if warm.key[0] == key[0] and warm.key != key]:
            self._retire(other)  # of another version
        while (warm := self._take(key)) is not None:
            try:
                return warm, await self._prepare(warm, work, env, attempt.run.input)
            except ServiceError:  # it has ended meanwhile
                await to_the_end(self._end(warm))
            except BaseException:
                await to_the_end(self._end(warm))
                raise
        warm = await self._make(attempt, key, work)
        try:
            return warm, await self._prepare(warm, work, env, attempt.run.input)
        except BaseException:
            await to_the_end(self._end(warm))
            raise

    async def _prepare(self, warm: _Warm, work: ContainerWork, env: dict[str, str], given: str | None) -> str:
        command = _command(work, warm.image)
        await warm.container.put({**work.files, "input": (given or "").encode()})
        body: dict[str, Any] = {
            "AttachStdout": True,
            "AttachStderr": True,
            "Cmd": [*_WITH_INPUT, *command] if given else command,
            "Env": pairs(env),
        }
        return await warm.container.execute(body)

    async def _make(self, attempt: Attempt, key: Key, work: ContainerWork) -> _Warm:
        await self._runner.images.ensure(work.image, work.pull, attempt.log)
        config = (await self._runner.images.describe(work.image) or {}).get("Config") or {}
        life = LIFE + attempt.job.timeout
        body = creation(work, {}, self._runner.ownership.labels_for(life), network=self._runner.network)
        body |= {"Entrypoint": ["sleep"], "Cmd": [str(round(life))]}
        container = Container(self._runner.service)
        warm = _Warm(container, key, config, asyncio.get_running_loop().time() + LIFE)
        self._runner.ownership.hold(container)
        try:
            await to_the_end(container.create(body, {}))
            check_mounts(work)
            await to_the_end(container.start())
        except Refused as error:
            await to_the_end(self._end(warm))
            if "sleep" in str(error):
                raise Refused(f"with reuse, the image must have the program sleep: {error}") from error
            raise
        except BaseException:
            await to_the_end(self._end(warm))
            raise
        return warm

    async def _carry_out(self, attempt: Attempt, warm: _Warm, command: str) -> int:
        stream = await warm.container.begin(command)
        output = asyncio.create_task(stream.pump(attempt.log))
        try:
            pause = _LOOK / 50
            while (code := await warm.container.exit_code(command)) is None:
                await asyncio.wait([output], timeout=_LOOK)
                if output.done():  # it is about to end, or has closed its output
                    await asyncio.sleep(pause)
                    pause = min(2 * pause, _LOOK)
            await asyncio.wait([output], timeout=DRAIN)
            return code
        except asyncio.CancelledError:
            attempt.log.write("system", f"{attempt.stop or 'stopped'}: sent KILL\n")
            await to_the_end(self._end(warm))
            await ended(output, DRAIN)
            raise
        finally:
            output.cancel()
            stream.close()

    async def _is_clean(self, warm: _Warm, code: int) -> bool:
        """Whether the next run finds nothing but the sleep."""
        try:
            return code != _KILLED and await warm.container.processes() == 1
        except ServiceError:
            return False

    async def _ran_out(self, warm: _Warm) -> bool:
        return bool((await warm.container.state()).get("OOMKilled"))

    # Containers that wait

    def _take(self, key: Key) -> _Warm | None:
        now = asyncio.get_running_loop().time()
        for warm in reversed([warm for warm in self._idle if warm.key == key]):
            if warm.retire_at < now:
                self._retire(warm)
                continue
            self._leave(warm)
            return warm
        return None

    def _put_back(self, warm: _Warm) -> None:
        warm.expiry = asyncio.get_running_loop().call_later(self._idle_for, self._retire, warm)
        self._idle.append(warm)
        if len(self._idle) > _MOST:
            self._retire(self._idle[0])

    def _leave(self, warm: _Warm) -> None:
        self._idle.remove(warm)
        if warm.expiry is not None:
            warm.expiry.cancel()

    def _retire(self, warm: _Warm) -> None:
        self._leave(warm)
        task = asyncio.create_task(self._end(warm))
        self._ending.add(task)
        task.add_done_callback(self._ending.discard)

    async def _end(self, warm: _Warm) -> None:
        await warm.container.remove()
        self._runner.ownership.let_go(warm.container)


def _command(work: ContainerWork, config: dict[str, Any]) -> list[str]:
    """What the image would run, as a command."""
    entrypoint = list(work.entrypoint) if work.entrypoint is not None else config.get("Entrypoint") or []
    own = [] if work.entrypoint is not None else config.get("Cmd") or []
    command = [*entrypoint, *(work.command or own)]
    if not command:
        raise Refused(f"the image {work.image} has no command, and the job does not set one")
    return command
