"""Gets archives into the cache, with a process for each missing one (fetch.py)."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from horae.executors.artifacts.cache import Cache, Lock
from horae.executors.artifacts.download import Unavailable
from horae.executors.failure import Refused

if TYPE_CHECKING:
    from horae.domain.runs.attempt import LogSink
    from horae.domain.targets import ArtifactTarget

_TRIES = 5  # another worker's process may remove an entry before it is used
_TAG = f"{sys.implementation.cache_tag}"


@dataclass(frozen=True, slots=True)
class CacheOptions:
    """Where archives come from and are cached. `environment` is the worker's: it contains credentials."""

    cache: Path
    environment: Mapping[str, str]
    cache_limit: int = 10 * 2**30
    limit: int = 2**30  # bytes of one archive
    schemes: Sequence[str] = ("file", "s3")
    folders: Sequence[str] = ()  # of this machine, from which archives may be read
    may_install: bool = False


@dataclass(frozen=True, slots=True)
class Unpacked:
    """An archive's files, and the virtual environment for them."""

    files: Path
    environment: Path | None


class Fetcher:
    def __init__(self, store: CacheOptions) -> None:
        self._store = store
        self._cache = Cache(store.cache)

    @asynccontextmanager
    async def unpacked(self, target: ArtifactTarget, log: LogSink) -> AsyncIterator[Unpacked]:
        """The archive's files, available inside the context. Raises Refused or Unavailable, in one sentence."""
        if target.install and not self._store.may_install:
            raise Refused("this worker does not install requirements (HORAE_ARTIFACT_INSTALL)")
        digest = target.digest.partition(":")[2]
        environment = f"{digest}-{_TAG}" if target.install else None
        locks = await self._locked(target, digest, environment, log)
        try:
            made = None if environment is None else self._cache.content(environment)
            yield Unpacked(self._cache.content(digest), made)
        finally:
            for lock in locks:
                lock.release()

    async def _locked(self, target: ArtifactTarget, digest: str, environment: str | None, log: LogSink) -> list[Lock]:
        names = [digest] if environment is None else [digest, environment]
        for _ in range(_TRIES):
            locks = [lock for name in names if (lock := self._cache.use(name)) is not None]
            if len(locks) == len(names):
                return locks
            for lock in locks:
                lock.release()
            log.write("system", f"fetching {target.uri}\n")
            await self._fetch(target, environment)
        raise Unavailable("the archive does not fit in the cache (HORAE_ARTIFACT_CACHE_LIMIT)")

    async def _fetch(self, target: ArtifactTarget, environment: str | None) -> None:
        store = self._store
        request = {
            "parent": os.getpid(),
            "uri": target.uri,
            "digest": target.digest,
            "environment": environment,
            "cache": str(store.cache),
            "cache_limit": store.cache_limit,
            "limit": store.limit,
            "schemes": list(store.schemes),
            "folders": list(store.folders),
        }
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "horae.executors.artifacts.fetch",
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            env=dict(store.environment),
            start_new_session=True,
        )
        try:
            output, _ = await process.communicate(json.dumps(request).encode())
        finally:
            if process.returncode is None:
                with suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
                await process.wait()
        _raise(output, process.returncode)


def _raise(output: bytes, status: int | None) -> None:
    """The process's answer, as an exception if it failed."""
    try:
        answer = json.loads(output)
    except ValueError:
        raise Unavailable(f"the process that fetches archives ended unexpectedly (status {status})") from None
    if "refused" in answer:
        raise Refused(answer["refused"])
    if "failed" in answer:
        raise Unavailable(answer["failed"])
