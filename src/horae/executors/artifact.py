"""Runs a function or a command of an archive: like a script on the worker's machine, or in a container."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, cast

from horae.domain.runs.outcome import Outcome
from horae.domain.runs.states import AttemptOutcome
from horae.domain.targets.locked import overridden
from horae.executors.artifacts import launcher
from horae.executors.artifacts.download import Unavailable
from horae.executors.artifacts.fetcher import Fetcher, Unpacked
from horae.executors.commands import Command, CommandRunner
from horae.executors.containers.work import PRIVATE, RESULT, Bind, Bounds, ContainerWork
from horae.executors.failure import Refused, clean, failed, one_line, refused

if TYPE_CHECKING:
    from horae.domain.runs.attempt import Attempt
    from horae.domain.targets import ArtifactTarget
    from horae.executors.containers.runner import ContainerRunner

_LAUNCHER = Path(launcher.__file__)
_MOUNTED = "/artifact"


class ArtifactExecutor:
    """Executes `artifact` targets; those with an image only if there are `containers`."""

    def __init__(self, fetcher: Fetcher, runner: CommandRunner, containers: ContainerRunner | None = None) -> None:
        self._fetcher = fetcher
        self._runner = runner
        self._containers = containers

    def offers(self) -> Iterable[str]:
        return ("artifact",) if self._containers is None else ("artifact", "artifact:container")

    async def execute(self, attempt: Attempt) -> Outcome:
        target = cast("ArtifactTarget", attempt.job.target)
        try:
            _check_locked(target, attempt.run.input)
            async with self._fetcher.unpacked(target, attempt.log) as unpacked:
                return _reported(await self._run(attempt, target, unpacked), target)
        except Refused as error:
            return refused(str(error))
        except Unavailable as error:
            return failed(str(error))

    async def close(self) -> None:
        await self._runner.close()
        if self._containers is not None:
            await self._containers.close()

    async def _run(self, attempt: Attempt, target: ArtifactTarget, unpacked: Unpacked) -> Outcome:
        if target.image is None:
            return await self._runner.run(
                attempt, lambda folder: self._command(target, unpacked, folder), limits=target.limits
            )
        if self._containers is None:
            raise Refused("this worker does not run containers (HORAE_EXECUTORS)")
        return await self._containers.run(attempt, _work(target, target.image, unpacked.files))

    def _command(self, target: ArtifactTarget, unpacked: Unpacked, folder: Path) -> Command:
        python, env, path = sys.executable, {}, self._runner.path
        if unpacked.environment is not None:
            python = str(unpacked.environment / "bin" / "python")
            path = f"{unpacked.environment / 'bin'}:{path}"
            env = {"PATH": path, "VIRTUAL_ENV": str(unpacked.environment)}
        if isinstance(target.entrypoint, str):
            arguments = folder / "arguments"
            arguments.write_text(json.dumps(target.arguments))
            argv = [python, "-u", str(_LAUNCHER), target.entrypoint, str(arguments), str(folder / "result")]
        else:
            argv = _found(target.entrypoint, unpacked.files, str(unpacked.files), path, python)
        env |= {"PYTHONDONTWRITEBYTECODE": "1", **target.env}
        own = [str(folder) for folder in (unpacked.files, unpacked.environment) if folder is not None]
        return Command(argv, env, str(unpacked.files), own=own)


def _check_locked(target: ArtifactTarget, text: str | None) -> None:
    if target.locked and text is not None and (reason := overridden(target.locked, json.loads(text))):
        raise Refused(f"the input {reason}")


def _work(target: ArtifactTarget, image: str, files: Path) -> ContainerWork:
    limits = target.limits
    put: dict[str, bytes] = {}
    if isinstance(target.entrypoint, str):
        put = {"launcher.py": _LAUNCHER.read_bytes(), "arguments": json.dumps(target.arguments).encode()}
        argv = ["python3", "-u", f"{PRIVATE}/launcher.py", target.entrypoint, f"{PRIVATE}/arguments", RESULT]
    else:
        argv = _found(target.entrypoint, files, _MOUNTED, None, None)
    return ContainerWork(
        image=image,
        entrypoint=argv[:1],
        command=argv[1:],
        env={"PYTHONDONTWRITEBYTECODE": "1", **target.env},
        cwd=_MOUNTED,
        mounts=[Bind(str(files), _MOUNTED)],
        bounds=Bounds(limits.memory, None, limits.processes, limits.cpu, limits.files),
        files=put,
    )


def _found(command: tuple[str, ...], files: Path, seen_as: str, path: str | None, python: str | None) -> list[str]:
    """The command with its program resolved: in the archive, otherwise on the PATH."""
    program, *arguments = command
    if not program.startswith("/") and (files / program).is_file():
        return [f"{seen_as}/{program}", *arguments]
    if "/" in program and not program.startswith("/"):
        raise Refused(f"the archive has no file {program}")
    if program == "python" and python is not None:
        return [python, "-u", *arguments]
    if path is not None and shutil.which(program, path=path) is None:
        raise Refused(f"neither the archive nor this worker has the program {program}")
    return [program, *arguments]


def _reported(outcome: Outcome, target: ArtifactTarget) -> Outcome:
    """An outcome as it is, or the launcher's report about a function that failed."""
    if outcome.exit_code != launcher.FAILED or outcome.result is None or not isinstance(target.entrypoint, str):
        return outcome
    found = json.loads(outcome.result)
    report = found.get(launcher.REPORT) if isinstance(found, dict) else None
    if not isinstance(report, dict):
        return outcome
    return replace(
        outcome,
        kind=AttemptOutcome.FAILED,
        result=None,
        error=one_line(str(report.get("error"))),
        traceback=None if report.get("traceback") is None else clean(str(report["traceback"])),
        permanent=bool(report.get("permanent")),
        retry_after=_seconds(report.get("retry_after")),
    )


def _seconds(value: object) -> float | None:
    return min(float(value), 31_536_000.0) if isinstance(value, int | float) and value >= 0 else None
