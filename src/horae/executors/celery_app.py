"""The Celery app of a worker, for its event loop: each kind of call has one thread, and a limit of time. A broker that
does not answer can hold up that thread, nothing else."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from horae.domain.errors import BrokerUnavailable, ConfigurationError
from horae.domain.runs.outcome import Outcome
from horae.domain.runs.remote_task import RemoteWork, Sighting
from horae.executors.failure import failed
from horae.executors.threads import Threads

if TYPE_CHECKING:
    from horae.executors.celery_client import CeleryClient

T = TypeVar("T")

_PATIENCE = 15.0  # seconds for one call, which has its own, shorter limits


class _Unanswered(BrokerUnavailable):
    """A call was made and nothing is known of its effect."""


class _Line:
    """One call at a time, on its own thread."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._threads = Threads(1)
        self._turn = asyncio.Lock()
        self._last: asyncio.Future[tuple[Any, BaseException | None]] | None = None

    async def call(self, function: Callable[..., T], *arguments: Any) -> T:
        async with self._turn:
            if self._last is not None and not self._last.done():
                raise BrokerUnavailable(f"{self._what} of the Celery app is not responding")
            call = self._last = asyncio.ensure_future(self._threads.run(partial(function, *arguments), {}))
            await asyncio.wait({call}, timeout=_PATIENCE)
        if not call.done():
            raise _Unanswered(f"{self._what} of the Celery app did not answer within {_PATIENCE:g} s")
        value, error = call.result()
        if error is not None:
            raise error
        return value

    async def close(self) -> None:
        self._threads.close()
        if self._last is not None:
            self._last.cancel()
            with suppress(asyncio.CancelledError, Exception):
                await self._last


class CeleryApp:
    """`RemoteApp` for a Celery app."""

    def __init__(self, client: CeleryClient) -> None:
        self._client = client
        self.name = client.name
        self.untrackable = client.untrackable
        self.functions = client.functions()
        self.at_once = client.at_once
        self._sending, self._looking = _Line("the broker"), _Line("the backend")
        self._revoking, self._seeking = _Line("the broker"), _Line("the broker")

    async def send(self, work: Sequence[RemoteWork]) -> list[Outcome | None]:
        try:
            return await self._sending.call(self._client.send, work)
        except _Unanswered:
            return [None] * len(work)
        except BrokerUnavailable as error:
            return [failed(str(error))] * len(work)

    async def look(self, task_ids: Sequence[str]) -> Mapping[str, Sighting]:
        return await self._looking.call(self._client.look, task_ids)

    async def held(self, task_ids: Sequence[str]) -> Mapping[str, bool]:
        return await self._seeking.call(self._client.held, task_ids)

    async def revoke(self, task_ids: Sequence[str]) -> None:
        await self._revoking.call(self._client.revoke, task_ids)

    async def close(self) -> None:
        for line in (self._sending, self._looking, self._revoking, self._seeking):
            await line.close()


def load_celery(path: str | None, broker: str | None, backend: str | None) -> CeleryApp:
    """The app that the worker's settings name. Raises ConfigurationError."""
    try:
        from horae.executors.celery_client import CeleryClient
    except ModuleNotFoundError as error:
        raise ConfigurationError(
            f"the executor celery needs Celery ({error.name} is missing): pip install 'horae[celery]'"
        ) from None
    if path is not None:
        return CeleryApp(CeleryClient(_imported(path), imported=True))
    if broker is None:
        raise ConfigurationError(
            "the executor celery needs your app: set HORAE_CELERY_APP, such as shop.celery:app, or where its code "
            "cannot be imported HORAE_CELERY_BROKER_URL and HORAE_CELERY_RESULT_BACKEND"
        )
    from celery import Celery

    app = Celery("horae-calls", broker=broker, backend=backend, set_as_current=False)
    app.conf.update(task_serializer="json", result_serializer="json", accept_content=["json"])
    return CeleryApp(CeleryClient(app, imported=False))


def _imported(path: str) -> Any:
    from celery import Celery
    from celery.app.utils import find_app

    try:
        app = find_app(path)
        app.loader.import_default_modules()
        app.finalize(auto=True)
    except (Exception, SystemExit) as error:  # a module may raise anything while it is imported
        message = " ".join(str(error).split())
        raise ConfigurationError(
            f"HORAE_CELERY_APP: cannot import {path}: {type(error).__name__}: {message}"
        ) from error
    if not isinstance(app, Celery):
        raise ConfigurationError(f"HORAE_CELERY_APP: {path} is not a Celery app")
    return app
