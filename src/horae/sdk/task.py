"""`@horae.task`: registers a function that jobs can run."""

from __future__ import annotations

import functools
import importlib
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, ParamSpec, TypeVar, overload

from horae.domain.errors import ConfigurationError, InvalidInput
from horae.domain.jobs.task import SYSTEM, Context, Function, Isolation, Registry, describe

if TYPE_CHECKING:
    from datetime import datetime

    from horae.domain.jobs.policy import Retry
    from horae.sdk.runs import Run

__all__ = ["ENTRY_POINTS", "Context", "Task", "load_tasks", "registry", "task"]

P = ParamSpec("P")
R = TypeVar("R")

ENTRY_POINTS = "horae.tasks"

registry = Registry()
"""The tasks of this process: filled by the decorator as modules are imported, read by its worker."""


class Task(Generic[P, R]):
    """A function that jobs can run. Called, it is still that function; enqueued, a worker calls it.

    Enqueuing goes through the API, at HORAE_URL with HORAE_TOKEN, or directly to the database if only
    HORAE_DATABASE_URL is set, and returns the run (or the runs).
    """

    def __init__(self, call: Callable[P, R], function: Function, **options: Any) -> None:
        self._call = call
        self._options = options
        self.function = function
        functools.update_wrapper(self, call)

    @property
    def name(self) -> str:
        return self.function.name

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        return self._call(*args, **kwargs)

    def options(
        self,
        *,
        run_at: datetime | str | None = None,
        priority: int | None = None,
        idempotency_key: str | None = None,
        traceparent: str | None = None,
    ) -> Task[P, R]:
        """The same task with options for enqueueing: `send.options(priority=9).enqueue(customer_id=7)`. Repeated calls
        add up."""
        given = {"run_at": run_at, "priority": priority, "idempotency_key": idempotency_key, "traceparent": traceparent}
        given = {name: value for name, value in given.items() if value is not None}
        return Task(self._call, self.function, **{**self._options, **given})

    # The client is imported on the first of these calls: a module of tasks is light.

    def enqueue(self, **arguments: Any) -> Run:
        """Enqueues one run with these arguments."""
        return self.enqueue_many([arguments])[0]

    def enqueue_many(self, batch: Sequence[Mapping[str, Any]]) -> list[Run]:
        """Up to 1,000 runs in one request, all or none; `batch` has the arguments of each."""
        from horae.sdk.connection import submitter
        from horae.sdk.drivers import at_once
        from horae.sdk.enqueue import Options, enqueue

        return at_once(enqueue(submitter(), self.function, batch, Options(**self._options)))

    async def enqueue_async(self, **arguments: Any) -> Run:
        """Like `enqueue`, but awaitable."""
        return (await self.enqueue_many_async([arguments]))[0]

    async def enqueue_many_async(self, batch: Sequence[Mapping[str, Any]]) -> list[Run]:
        """Like `enqueue_many`, but awaitable."""
        from horae.sdk.connection import async_submitter
        from horae.sdk.enqueue import Options, enqueue

        return await enqueue(async_submitter(), self.function, batch, Options(**self._options))

    def __repr__(self) -> str:
        return f"<task {self.name}>"


@overload
def task(function: Callable[P, R], /) -> Task[P, R]: ...
@overload
def task(
    *,
    name: str | None = None,
    display_name: str | None = None,
    description: str | None = None,
    queue: str | None = None,
    timeout: float | None = None,
    retry: Retry | None = None,
    isolation: Isolation | None = None,
) -> Callable[[Callable[P, R]], Task[P, R]]: ...
def task(
    function: Callable[P, R] | None = None,
    /,
    **options: Any,
) -> Task[P, R] | Callable[[Callable[P, R]], Task[P, R]]:
    """Registers a function under `name` (default: its own) for workers that import its module. Jobs refer to this name,
    so it must be unique among the tasks of a worker and survive a move to another module.

    An `async def` runs on the worker's event loop. A plain function runs in a separate process, which is killed when
    the run must stop; with `isolation="thread"` in a thread, which starts faster but cannot be killed.
    """

    def register(call: Callable[P, R]) -> Task[P, R]:
        made = describe(call, **options)
        if made.is_system:
            raise InvalidInput("name", f"{made.name}: names that begin with {SYSTEM!r} are Horae's own")
        registry.add(made)
        return Task(call, made)

    return register if function is None else register(function)


def load_tasks(modules: Iterable[str], *, folder: Path | None = None) -> Registry:
    """Imports modules (also from `folder`, by default the working directory) and the entry points `horae.tasks`, so
    that their tasks are registered. Raises ConfigurationError, in one line, if one cannot be imported."""
    from importlib.metadata import entry_points  # 20 ms that only workers need to spend

    here = str((folder or Path()).resolve())
    if here not in sys.path:
        sys.path.insert(0, here)
    for module in modules:
        _load(module, functools.partial(importlib.import_module, module))
    for point in entry_points(group=ENTRY_POINTS):
        _load(f"{point.value} (entry point {point.name})", point.load)
    return registry


def _load(what: str, load: Callable[[], object]) -> None:
    try:
        load()
    except (Exception, SystemExit) as error:  # a module may raise anything while it is imported
        message = " ".join(str(error).split())
        kind = "" if isinstance(error, ModuleNotFoundError) else f"{type(error).__name__}: "
        raise ConfigurationError(f"cannot import tasks from {what}: {kind}{message}") from error
