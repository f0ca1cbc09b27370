"""Docker's or Podman's API on its Unix socket: calls, and their failures in one sentence.

Paths have no version, so that each service uses its own.
"""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import AsyncIterator, Coroutine, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, TypeVar

import aiohttp

from horae.domain.errors import ConfigurationError
from horae.executors.failure import one_line

T = TypeVar("T")
BASE = "http://localhost"
_QUICK = aiohttp.ClientTimeout(total=120, sock_connect=10)
_LONG = aiohttp.ClientTimeout(total=None, sock_connect=10)
_ERROR_BODY = 16 * 1024
_MISSING = "no socket of Docker or Podman was found: set HORAE_CONTAINER_HOST to unix:///path/of/its.sock"


class ServiceError(Exception):
    """The service refused or failed; its own message, in one line."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


class ServiceUnreachable(Exception):
    """The socket does not respond, or not in time."""


class Service:
    """`socket` is the path of a Unix socket; None: there is none, and every call fails with that message."""

    def __init__(self, socket: str | None) -> None:
        self._socket = socket
        self._session: aiohttp.ClientSession | None = None
        self._podman: bool | None = None

    @property
    def socket(self) -> str:
        if self._socket is None:
            raise ServiceUnreachable(_MISSING)
        return self._socket

    async def call(
        self,
        method: str,
        path: str,
        *,
        params: Mapping[str, str] | None = None,
        body: Any = None,
        data: bytes | None = None,
        long: bool = False,
    ) -> Any:
        """The answer's JSON, None if it has none. With `long` there is no timeout."""
        async with self.answer(method, path, params=params, body=body, data=data, long=long) as response:
            raw = await response.read()
        try:
            return json.loads(raw) if raw else None  # Podman does not always say that it is JSON
        except ValueError:
            raise ServiceError(response.status, "the container service returned a response that is not JSON") from None

    @asynccontextmanager
    async def answer(
        self,
        method: str,
        path: str,
        *,
        params: Mapping[str, str] | None = None,
        body: Any = None,
        data: bytes | None = None,
        headers: Mapping[str, str] | None = None,
        long: bool = False,
    ) -> AsyncIterator[aiohttp.ClientResponse]:
        """The answer, not read yet. Raises ServiceError for a status of 400 and more."""
        headers = {"Content-Type": "application/x-tar"} if data is not None else headers
        try:
            async with self._open().request(
                method,
                BASE + path,
                params=params,
                json=body,
                data=data,
                headers=headers,
                timeout=_LONG if long else _QUICK,
            ) as response:
                if response.status >= 400:
                    raise failure(response.status, await response.content.read(_ERROR_BODY))
                yield response
        except (aiohttp.ClientError, OSError) as error:  # TimeoutError is an OSError
            raise self.unreachable(error) from error

    async def is_podman(self) -> bool:
        if self._podman is None:
            version = await self.call("GET", "/version")
            self._podman = any("podman" in str(part.get("Name")).lower() for part in version.get("Components") or ())
        return self._podman

    def unreachable(self, error: BaseException) -> ServiceUnreachable:
        reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
        return ServiceUnreachable(one_line(f"the container service at {self._socket} is not responding: {reason}"))

    async def close(self) -> None:
        if self._session is not None:
            await self._session.close()
            self._session = None

    def _open(self) -> aiohttp.ClientSession:
        if self._session is None:
            connector = aiohttp.UnixConnector(self.socket, limit=0)
            self._session = aiohttp.ClientSession(connector=connector, timeout=_QUICK)
        return self._session


def failure(status: int, raw: bytes) -> ServiceError:
    try:
        message = json.loads(raw)["message"]
    except (ValueError, KeyError, TypeError):
        message = raw.decode(errors="replace") or f"HTTP {status}"
    return ServiceError(status, one_line(str(message)))


async def to_the_end(work: Coroutine[Any, Any, T]) -> T:
    """Awaits something that must not be left half-done: a cancellation is propagated when it has ended."""
    task = asyncio.ensure_future(work)
    cancelled = False
    while not task.done():
        try:
            await asyncio.shield(task)
        except asyncio.CancelledError:
            if task.cancelled():
                raise
            cancelled = True
        except Exception:  # raised below
            break
    if cancelled:
        task.exception()  # retrieved: the cancellation matters more
        raise asyncio.CancelledError
    return task.result()


def find_socket(host: str | None, environment: Mapping[str, str]) -> str | None:
    """The socket's path: from the setting, from DOCKER_HOST or CONTAINER_HOST, or the usual place of Docker and
    Podman."""
    given = host or environment.get("DOCKER_HOST") or environment.get("CONTAINER_HOST")
    if given:
        if not given.startswith("unix://"):
            raise ConfigurationError(
                "DOCKER_HOST is not a Unix socket: set HORAE_CONTAINER_HOST to unix:///path/of/its.sock"
            )
        return given.removeprefix("unix://")
    own = environment.get("XDG_RUNTIME_DIR")
    places = [f"{own}/docker.sock", f"{own}/podman/podman.sock"] if own else []
    places += ["/var/run/docker.sock", "/run/podman/podman.sock"]
    return next((place for place in places if Path(place).is_socket() and os.access(place, os.W_OK)), None)
