"""One container, by name, and the calls about it."""

from __future__ import annotations

import asyncio
import io
import re
import secrets
import tarfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import PurePosixPath
from typing import Any, cast

from horae.executors import exits
from horae.executors.containers.service import Service, ServiceError, ServiceUnreachable
from horae.executors.containers.stream import ContainerStream, open_stream
from horae.executors.containers.work import PRIVATE, RESULT
from horae.executors.failure import RESULT_LIMIT, Refused

DEATH = 10.0  # seconds for the service to end what it killed
_POLL = "50ms"  # Podman polls this often whether a container has ended; Docker does not poll
# Errors of the services for a definition that will not work next time either.
_HOPELESS = (
    "not found", "no such file", "permission denied", "unable to find user", "no matching entries", "exec format error",
    "not a directory", "is a directory", "does not exist", "invalid",
)  # fmt: skip
_PREPARING = re.compile(r"^preparing container \w+ for attach: ")


class Container:
    def __init__(self, service: Service, name: str | None = None) -> None:
        self._service = service
        self.name = name or f"horae-{secrets.token_hex(8)}"

    async def create(self, body: dict[str, Any], files: Mapping[str, bytes]) -> None:
        try:
            await self._service.call("POST", "/containers/create", params={"name": self.name}, body=body)
        except ServiceError as error:
            raise _failure("created", error) from error
        await self.put(files)

    async def put(self, files: Mapping[str, bytes]) -> None:
        """Creates our folder in the container, with an empty result file that any user in it may write."""
        data = _packed({"result": b"", **files})
        await self._service.call("PUT", f"/containers/{self.name}/archive", params={"path": "/"}, data=data)

    async def attach(self) -> ContainerStream:
        """Its output."""
        return await self._attached("stdout=1&stderr=1")

    async def attach_input(self) -> ContainerStream:
        """Separate from its output: if input is left unread, Podman breaks the connection, and loses what else was on
        it."""
        return await self._attached("stdin=1")

    async def _attached(self, query: str) -> ContainerStream:
        try:
            return await open_stream(self._service, f"/containers/{self.name}/attach?stream=1&{query}")
        except ServiceError as error:  # Podman prepares the start here
            raise _failure("started", error) from error

    async def start(self) -> None:
        try:
            await self._service.call("POST", f"/containers/{self.name}/start")
        except ServiceError as error:
            raise _failure("started", error) from error

    async def wait(self) -> None:
        """Until it has ended."""
        await self._service.call("POST", f"/containers/{self.name}/wait", params={"interval": _POLL}, long=True)

    async def kill(self, signal: str) -> None:
        with suppress(ServiceError, ServiceUnreachable):  # it has ended meanwhile, or the sweep will find it
            await self._service.call("POST", f"/containers/{self.name}/kill", params={"signal": signal})

    async def state(self) -> dict[str, Any]:
        answer = await self._service.call("GET", f"/containers/{self.name}/json")
        return cast("dict[str, Any]", answer["State"])

    async def processes(self) -> int:
        """The number of processes in it."""
        form = "pid" if await self._service.is_podman() else "-eo pid"  # Podman's own form needs no `ps` in the image
        answer = await self._service.call("GET", f"/containers/{self.name}/top", params={"ps_args": form})
        return len(answer["Processes"])

    async def execute(self, body: dict[str, Any]) -> str:
        """Prepares a command in the running container; returns its id."""
        answer = await self._service.call("POST", f"/containers/{self.name}/exec", body=body)
        return cast("str", answer["Id"])

    async def begin(self, command: str) -> ContainerStream:
        """Starts a prepared command."""
        try:
            return await open_stream(self._service, f"/exec/{command}/start", {"Detach": False, "Tty": False})
        except ServiceError as error:
            raise _failure("used", error) from error

    async def exit_code(self, command: str) -> int | None:
        """None while the command runs."""
        answer = await self._service.call("GET", f"/exec/{command}/json")
        return None if answer["Running"] else int(answer["ExitCode"])

    async def result(self) -> tuple[str | None, str | None]:
        """The JSON that was left as the result, or the error in it."""
        try:
            path = f"/containers/{self.name}/archive"
            async with self._service.answer("GET", path, params={"path": RESULT}) as response:
                raw = await _read(response.content, 2 * RESULT_LIMIT)
        except ServiceError as error:
            return (None, None) if error.status == 404 else (None, f"the result cannot be read: {error}")
        return _unpacked(raw)

    async def remove(self) -> None:
        """Ends it, if it is alive, and removes it with its volumes."""
        with suppress(ServiceError, ServiceUnreachable):  # already gone, or the sweep will find it
            await self._service.call("DELETE", f"/containers/{self.name}", params={"force": "true", "v": "true"})


def _failure(what: str, error: ServiceError) -> Exception:
    message = f"the container cannot be {what}: {_PREPARING.sub('', str(error))}"
    if error.status == 400 or any(words in str(error).lower() for words in _HOPELESS):
        return Refused(message)
    return ServiceError(error.status, message)


def _packed(files: Mapping[str, bytes]) -> bytes:
    folder = PurePosixPath(PRIVATE).name
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as tar:
        tar.addfile(_entry(folder, tarfile.DIRTYPE, 0o777))
        for name, content in files.items():
            entry = _entry(f"{folder}/{name}", tarfile.REGTYPE, 0o666 if name == "result" else 0o644)
            entry.size = len(content)
            tar.addfile(entry, io.BytesIO(content))
        end = tar.offset
    # Without the usual padding: Podman stops reading at two empty blocks, and occasionally fails to pass on the rest.
    return buffer.getvalue()[: end + 2 * tarfile.BLOCKSIZE]


def _entry(name: str, kind: bytes, mode: int) -> tarfile.TarInfo:
    entry = tarfile.TarInfo(name)
    entry.type, entry.mode = kind, mode
    return entry


def _unpacked(raw: bytes) -> tuple[str | None, str | None]:
    try:
        with tarfile.open(fileobj=io.BytesIO(raw), mode="r:") as tar:
            entry = tar.next()
            if entry is None or not entry.isreg():
                return None, "the result is not a file"
            content = tar.extractfile(entry)
            if entry.size > RESULT_LIMIT or content is None:
                return None, exits.TOO_LONG
            return exits.parsed(content.read())
    except (tarfile.TarError, EOFError):
        return None, "the result is not a file"


async def _read(content: Any, limit: int) -> bytes:
    """The start of a response, up to a limit."""
    parts: list[bytes] = []
    size = 0
    async for part in content.iter_any():
        parts.append(part)
        size += len(part)
        if size >= limit:
            break
    return b"".join(parts)


async def ended(waiting: asyncio.Task[Any], within: float) -> bool:
    """Whether a task ends in time, however often this is cancelled meanwhile."""
    loop = asyncio.get_running_loop()
    deadline = loop.time() + within
    while not waiting.done() and (left := deadline - loop.time()) > 0:
        with suppress(asyncio.CancelledError):
            await asyncio.wait([waiting], timeout=left)
    return waiting.done()
