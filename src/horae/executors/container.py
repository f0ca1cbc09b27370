"""Runs an image in a container on the worker's machine, with Docker or Podman."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, cast

from horae.domain.runs.outcome import Outcome
from horae.executors.containers.runner import ContainerRunner
from horae.executors.containers.warm import IDLE, WarmContainers
from horae.executors.containers.work import Bind, Bounds, ContainerWork
from horae.executors.failure import Refused, refused

if TYPE_CHECKING:
    from horae.domain.runs.attempt import Attempt
    from horae.domain.targets import ContainerTarget
    from horae.domain.targets.container import Mount


class ContainerExecutor:
    """Executes `container` targets; they may mount paths within the folders `mounts` of this machine. With `reuse` a
    container waits `idle` seconds for the next run."""

    def __init__(self, runner: ContainerRunner, *, mounts: Sequence[str] = (), idle: float = IDLE) -> None:
        self._runner = runner
        self._warm = WarmContainers(runner, idle=idle)
        self._allowed = mounts

    def offers(self) -> Iterable[str]:
        return ("container",)

    async def start(self) -> None:
        self._runner.ownership.start()

    async def execute(self, attempt: Attempt) -> Outcome:
        target = cast("ContainerTarget", attempt.job.target)
        try:
            work = self._work(target)
        except Refused as error:
            return refused(str(error))
        return await (self._warm if target.reuse else self._runner).run(attempt, work)

    async def close(self) -> None:
        await self._warm.close()
        await self._runner.close()

    def _work(self, target: ContainerTarget) -> ContainerWork:
        limits = target.limits
        return ContainerWork(
            image=target.image,
            command=target.command,
            entrypoint=target.entrypoint,
            env=target.env,
            cwd=target.cwd,
            user=target.user,
            mounts=[self._bind(mount) for mount in target.mounts],
            bounds=Bounds(limits.memory, limits.cpus, limits.processes),
            network=target.network,
            pull=target.pull,
        )

    def _bind(self, mount: Mount) -> Bind:
        """The mount with its links resolved: the real path must be allowed."""
        if not self._allowed:
            raise Refused("this worker allows no mounts (HORAE_CONTAINER_MOUNTS)")
        real = Path(os.path.realpath(mount.source))
        if not any(real.is_relative_to(os.path.realpath(folder)) for folder in self._allowed):
            raise Refused(f"this worker does not allow mounting {mount.source} (HORAE_CONTAINER_MOUNTS)")
        if not real.exists():
            raise Refused(f"{mount.source}, to be mounted, does not exist on this worker")
        return Bind(str(real), mount.target, mount.read_only)
