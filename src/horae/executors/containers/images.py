"""Images: whether they are present, and how they are pulled."""

from __future__ import annotations

import asyncio
import json
from typing import Any, cast

from horae.domain.runs.attempt import LogSink
from horae.executors.containers.credentials import RegistryCredentials
from horae.executors.containers.service import Service, ServiceError
from horae.executors.failure import Refused, one_line

# Errors of registries and services for an image that will not be there next time either.
_HOPELESS = (
    "manifest unknown", "name unknown", "not found", "does not exist", "denied", "unauthorized", "no such image",
    "image not known", "invalid reference", "no matching manifest", "no image found", "authentication required",
)  # fmt: skip


class PullError(Exception):
    """The image could not be pulled right now; the message says why."""


class Images:
    def __init__(self, service: Service, credentials: RegistryCredentials) -> None:
        self._service = service
        self._credentials = credentials
        self._pulling: dict[str, asyncio.Lock] = {}

    async def ensure(self, image: str, policy: str, log: LogSink) -> None:
        """Ensures that the image is present, or raises why it is not: Refused if it never will be."""
        if policy != "always" and await self.describe(image) is not None:
            return
        if policy == "never":
            raise Refused(f"the image {image} is not on this worker, and pull is never")
        lock = self._pulling.setdefault(image, asyncio.Lock())
        try:
            async with lock:
                if policy != "always" and await self.describe(image) is not None:
                    return  # another attempt pulled it meanwhile
                log.write("system", f"pulling {image}\n")
                await self._pull(image)
        finally:
            if not lock.locked():
                self._pulling.pop(image, None)

    async def describe(self, image: str) -> dict[str, Any] | None:
        """What the service knows about an image that is present."""
        try:
            return cast("dict[str, Any]", await self._service.call("GET", f"/images/{image}/json"))
        except ServiceError as error:
            if error.status == 404:
                return None
            raise

    async def _pull(self, image: str) -> None:
        complaint = None
        try:
            params, headers = {"fromImage": _complete(image)}, self._credentials.header(image)
            async with self._service.answer(
                "POST", "/images/create", params=params, headers=headers, long=True
            ) as response:
                async for line in response.content:
                    complaint = _complaint(line) or complaint
        except ServiceError as error:
            complaint = str(error)
        if complaint is None:
            return
        if any(words in complaint.lower() for words in _HOPELESS):
            raise Refused(f"the image {image} does not exist: {complaint}")
        raise PullError(f"the image {image} cannot be pulled now: {complaint}")


def _complaint(line: bytes) -> str | None:
    """The error in a line of progress, if any."""
    try:
        progress = json.loads(line)
    except ValueError:
        return None
    error = progress.get("error") if isinstance(progress, dict) else None
    return one_line(str(error)) if error else None


def _complete(image: str) -> str:
    """With a tag, without which all tags would be pulled."""
    return image if "@" in image or ":" in image.rpartition("/")[2] else f"{image}:latest"
