"""Functions that workers have registered, as the worker calls them and as their authors see a run.

All that can be known of a function is found out once, when it is registered: a run then costs a call and little else.
Nothing here imports pydantic, so that a module full of tasks is imported in no time.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any

from horae.domain.errors import InvalidInput

if TYPE_CHECKING:
    from horae.domain.attempt import Attempt
    from horae.domain.policy import Retry

CONTEXT = "context"
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.]{0,199}", re.ASCII)
_NAMED = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)


class Context:
    """What a function may know of its run: it asks for one by a parameter named `context`."""

    __slots__ = ("_attempt", "_write", "told")

    def __init__(self, attempt: Attempt, write: Callable[[str], None]) -> None:
        self._attempt = attempt
        self._write = write
        self.told = False  # whether the function has learnt that it is to stop

    @property
    def run_id(self) -> str:
        return self._attempt.run.id

    @property
    def attempt(self) -> int:
        """1 for the first try."""
        return self._attempt.run.attempt

    @property
    def job_name(self) -> str:
        return self._attempt.job.name

    @property
    def scheduled_for(self) -> datetime | None:
        """The occurrence this run stands for; None when somebody triggered it."""
        return self._attempt.run.scheduled_for

    @property
    def cancelled(self) -> bool:
        """Whether the run is to stop: cancelled, out of time, or its worker is shutting down. A sync function
        cannot be killed, so a long one looks here now and then and returns."""
        if self._attempt.stop is None:
            return False
        self.told = True
        return True

    def log(self, text: str) -> None:
        """Adds a line to the run's log."""
        self._write(text if text.endswith("\n") else f"{text}\n")


@dataclass(frozen=True, slots=True)
class Function:
    """A registered function and what its signature says."""

    name: str
    call: Callable[..., Any]
    is_async: bool
    accepts: frozenset[str]
    requires: frozenset[str]
    takes_any: bool
    takes_context: bool
    queue: str | None = None
    timeout: float | None = None
    retry: Retry | None = None

    def misfit(self, arguments: Collection[str]) -> str | None:
        """What is wrong with a call by these argument names, in words; None if they fit."""
        missing = self.requires.difference(arguments)
        unknown = () if self.takes_any else set(arguments) - self.accepts
        if self.takes_context and CONTEXT in arguments:
            unknown = {*unknown, CONTEXT}  # Horae gives it, nobody else
        if not missing and not unknown:
            return None
        parts = [f"missing {_listed(missing)}"] if missing else []
        parts += [f"unknown {_listed(unknown)}"] if unknown else []
        return f"{self.name}: {'; '.join(parts)}"


def describe(
    call: Callable[..., Any],
    *,
    name: str | None = None,
    queue: str | None = None,
    timeout: float | None = None,
    retry: Retry | None = None,
) -> Function:
    """Reads a function's signature. Refuses, by InvalidInput, what no run could call."""
    name = getattr(call, "__name__", "") if name is None else name
    if not _NAME.fullmatch(name):
        raise InvalidInput("name", f"{name!r} is no name for a task: letters, digits, _ and . (up to 200) are")
    if inspect.isgeneratorfunction(call) or inspect.isasyncgenfunction(call):
        raise InvalidInput(name, "a generator cannot be a task: return a value instead of yielding")
    if timeout is not None and not timeout > 0:
        raise InvalidInput("timeout", f"{name}: must be more than 0 seconds")
    try:
        parameters = inspect.signature(call).parameters.values()
    except (TypeError, ValueError):
        raise InvalidInput(name, "does not tell its arguments: wrap it in a function of your own") from None
    if bad := [p.name for p in parameters if p.kind is p.POSITIONAL_ONLY]:
        raise InvalidInput(name, f"the arguments of a task have names: {_listed(bad)} must not be positional-only")
    named = {p.name: p for p in parameters if p.kind in _NAMED}
    takes_context = named.pop(CONTEXT, None) is not None
    return Function(
        name=name,
        call=call,
        is_async=inspect.iscoroutinefunction(call),
        accepts=frozenset(named),
        requires=frozenset(n for n, p in named.items() if p.default is p.empty),
        takes_any=any(p.kind is p.VAR_KEYWORD for p in parameters),
        takes_context=takes_context,
        queue=queue,
        timeout=timeout,
        retry=retry,
    )


@dataclass(slots=True)
class Registry:
    """The functions of a process by name."""

    functions: dict[str, Function] = field(default_factory=dict)

    def add(self, function: Function) -> None:
        """A name stands for one function; registering that function again (a module reloaded) replaces it."""
        known = self.functions.get(function.name)
        if known is not None and _origin(known.call) != _origin(function.call):
            raise InvalidInput(
                "name",
                f"two tasks are named {function.name}: {_origin(known.call)} and {_origin(function.call)};"
                " give one of them another name",
            )
        self.functions[function.name] = function

    def __iter__(self) -> Iterator[Function]:
        return iter(self.functions.values())

    def __len__(self) -> int:
        return len(self.functions)


def _origin(call: Callable[..., Any]) -> str:
    return f"{getattr(call, '__module__', '?')}.{getattr(call, '__qualname__', '?')}"


def _listed(names: Collection[str]) -> str:
    """`argument a` or `arguments a, b`; a long list is cut."""
    shown = ", ".join(sorted(names)[:10]) + (", …" if len(names) > 10 else "")
    return f"argument{'s' if len(names) > 1 else ''} {shown}"
