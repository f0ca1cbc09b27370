"""Functions that workers have registered, as the worker calls them and as their authors see a run.

Everything about a function is determined once, when it is registered, so a run costs little more than a call. Nothing
here imports pydantic, so that a module full of tasks imports fast.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args

from horae.domain.errors import InvalidInput

if TYPE_CHECKING:
    from horae.domain.jobs.policy import Retry
    from horae.domain.runs.attempt import Attempt, LogSink

Isolation = Literal["process", "thread"]

CONTEXT = "context"
SYSTEM = "horae."  # prefix of the names of Horae's own functions
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.]{0,199}", re.ASCII)
_NAMED = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)


class About(NamedTuple):
    """The run that a context describes."""

    run_id: str
    attempt: int  # 1 for the first attempt
    job_name: str
    scheduled_for: datetime | None  # the occurrence of this run; None if it was triggered
    traceparent: str | None = None  # of the attempt's trace (W3C Trace Context), if it has one

    @classmethod
    def of(cls, attempt: Attempt) -> About:
        run = attempt.run
        return cls(run.id, run.attempt, attempt.job.name, run.scheduled_for, attempt.traceparent)


class Context:
    """What a function can know about its run: it gets one by declaring a parameter named `context`."""

    __slots__ = ("_sink", "_stopped", "attempt", "job_name", "run_id", "scheduled_for", "stop_seen", "traceparent")

    def __init__(self, about: About, sink: LogSink, stopped: Callable[[], bool]) -> None:
        self.run_id, self.attempt, self.job_name, self.scheduled_for, self.traceparent = about
        self._sink = sink
        self._stopped = stopped
        self.stop_seen = False  # whether the function has noticed that it must stop

    @property
    def cancelled(self) -> bool:
        """Whether the run must stop: cancelled, timed out, or its worker is shutting down. A function in a thread
        cannot be stopped from outside, so a long one should check this now and then and return."""
        if not self.stop_seen:
            self.stop_seen = self._stopped()
        return self.stop_seen

    def log(self, text: str) -> None:
        """Adds a line to the run's log."""
        self._sink.write("stdout", text if text.endswith("\n") else f"{text}\n")

    def progress(self, fraction: float, note: str | None = None) -> None:
        """Reports progress, from 0 to 1; each report replaces the previous one."""
        self._sink.progress(float(fraction), None if note is None else str(note))


@dataclass(frozen=True, slots=True)
class Function:
    """A registered function and what its signature says."""

    name: str
    call: Callable[..., Any]
    kind: Literal["async", "process", "thread"]
    accepts: frozenset[str]
    requires: frozenset[str]
    takes_any: bool
    takes_context: bool
    display_name: str
    description: str
    queue: str | None = None
    timeout: float | None = None
    retry: Retry | None = None

    @property
    def is_async(self) -> bool:
        return self.kind == "async"

    @property
    def handler(self) -> str:
        """Where its code is, for display."""
        return _origin(self.call)

    @property
    def is_system(self) -> bool:
        """Whether it comes with Horae."""
        return self.name.startswith(SYSTEM)

    def misfit(self, arguments: Collection[str]) -> str | None:
        """What is wrong with a call with these argument names; None if they fit."""
        missing = self.requires.difference(arguments)
        unknown = () if self.takes_any else set(arguments) - self.accepts
        if self.takes_context and CONTEXT in arguments:
            unknown = {*unknown, CONTEXT}  # supplied by Horae, never by the caller
        if not missing and not unknown:
            return None
        parts = [f"missing {_listed(missing)}"] if missing else []
        parts += [f"unknown {_listed(unknown)}"] if unknown else []
        return f"{self.name}: {'; '.join(parts)}"


def describe(
    call: Callable[..., Any],
    *,
    name: str | None = None,
    display_name: str | None = None,
    description: str | None = None,
    queue: str | None = None,
    timeout: float | None = None,
    retry: Retry | None = None,
    isolation: Isolation | None = None,
) -> Function:
    """Reads a function's signature. Raises InvalidInput for one that no run could call."""
    name = getattr(call, "__name__", "") if name is None else name
    parameters = _parameters(call, name)
    named = {p.name: p for p in parameters if p.kind in _NAMED}
    takes_context = named.pop(CONTEXT, None) is not None
    if timeout is not None and not timeout > 0:
        raise InvalidInput("timeout", f"{name}: must be more than 0 seconds")
    return Function(
        name=name,
        call=call,
        kind=_kind(call, name, isolation),
        accepts=frozenset(named),
        requires=frozenset(n for n, p in named.items() if p.default is p.empty),
        takes_any=any(p.kind is p.VAR_KEYWORD for p in parameters),
        takes_context=takes_context,
        display_name=(display_name or spoken(name))[:200],
        description=_documentation(call) if description is None else description,
        queue=queue,
        timeout=timeout,
        retry=retry,
    )


def _documentation(call: Callable[..., Any]) -> str:
    """Its own, not that of its class: a Celery task is an object."""
    own = getattr(call, "__doc__", None)
    return inspect.cleandoc(own) if own and own != type(call).__doc__ else ""


def spoken(name: str) -> str:
    """A display name: `mail.send_report` is "Send report"."""
    words = name.rpartition(".")[2].replace("_", " ").strip()
    return words[:1].upper() + words[1:] or name


def named_well(name: str) -> bool:
    return _NAME.fullmatch(name) is not None


def _parameters(call: Callable[..., Any], name: str) -> list[inspect.Parameter]:
    if not named_well(name):
        raise InvalidInput("name", f"{name!r} is not a name for a task: use letters, digits, _ and . (up to 200)")
    if inspect.isgeneratorfunction(call) or inspect.isasyncgenfunction(call):
        raise InvalidInput(name, "a generator cannot be a task: return a value instead of yielding")
    try:
        parameters = list(inspect.signature(call).parameters.values())
    except (TypeError, ValueError):
        raise InvalidInput(name, "does not reveal its arguments: wrap it in your own function") from None
    if bad := [p.name for p in parameters if p.kind is p.POSITIONAL_ONLY]:
        raise InvalidInput(name, f"task arguments are passed by name: {_listed(bad)} must not be positional-only")
    return parameters


def _kind(call: Callable[..., Any], name: str, isolation: str | None) -> Literal["async", "process", "thread"]:
    if isolation is not None and isolation not in get_args(Isolation):
        raise InvalidInput("isolation", f'{name}: must be "process" or "thread"')
    if not inspect.iscoroutinefunction(call):
        return "thread" if isolation == "thread" else "process"
    if isolation is not None:
        raise InvalidInput("isolation", f"{name}: an async function runs on the event loop; make it a plain one")
    return "async"


@dataclass(slots=True)
class Registry:
    """The functions of a process by name."""

    functions: dict[str, Function] = field(default_factory=dict)

    def add(self, function: Function) -> None:
        """A name identifies one function; registering that function again (a reloaded module) replaces it."""
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
