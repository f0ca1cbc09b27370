"""Functions by path on a worker: a separate pool of processes, replaced when the set of paths changes."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from horae.domain.jobs.function_path import FoundPaths, allowed, path_fault
from horae.domain.jobs.task import Function
from horae.executors.functions.discovery import discover
from horae.executors.functions.link import FunctionOrigin
from horae.executors.functions.pool import FunctionPool

if TYPE_CHECKING:
    from horae.domain.runs.attempt import Attempt
    from horae.domain.runs.outcome import Outcome


@dataclass(slots=True)
class _Generation:
    """The pool of one set of paths, and how many calls it performs."""

    pool: FunctionPool
    calls: int = 0


class PathFunctions:
    """`origin` without imports; `modules`: the operator's limit of what may be imported (None: no limit)."""

    def __init__(self, origin: FunctionOrigin, *, slots: int, modules: Collection[str] | None = None) -> None:
        self._origin, self._slots, self._modules = origin, slots, modules
        self._current: _Generation | None = None
        self._generations: set[FunctionPool] = set()
        self.functions: Mapping[str, Function] = {}

    async def learn(self, paths: Mapping[str, str]) -> FoundPaths:
        """Replaces what is known by these paths, of functions by name. Calls in progress continue."""
        errors = {name: reason for name, path in paths.items() if (reason := self._refusal(path))}
        wanted = {name: path for name, path in paths.items() if name not in errors}
        found = await discover(self._importing(wanted), wanted) if wanted else FoundPaths()
        old, self._current = self._current, None
        self.functions = found.functions
        if found.functions:
            self._current = _Generation(
                FunctionPool(self._importing({name: wanted[name] for name in found.functions}), self._slots)
            )
            self._generations.add(self._current.pool)
        if old is not None:
            await self._retire(old)
        return replace(found, errors={**found.errors, **errors})

    async def call(self, request: bytes, attempt: Attempt) -> Outcome:
        generation = self._current
        assert generation is not None
        generation.calls += 1
        try:
            return await generation.pool.call(request, attempt)
        finally:
            generation.calls -= 1
            await self._retire(generation)

    async def close(self) -> None:
        self._current, self.functions = None, {}
        for pool in self._generations:
            await pool.close()

    async def _retire(self, generation: _Generation) -> None:
        """Ends the processes of paths that were replaced, after the last call."""
        if generation is not self._current and not generation.calls:
            self._generations.discard(generation.pool)
            await generation.pool.close()

    def _importing(self, paths: Mapping[str, str]) -> FunctionOrigin:
        return replace(self._origin, imports=[f"{name}={path}" for name, path in sorted(paths.items())])

    def _refusal(self, path: str) -> str | None:
        if not allowed(path, self._modules):
            return "HORAE_FUNCTION_PATHS of this worker does not allow it"
        return path_fault(path)
