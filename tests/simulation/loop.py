"""An event loop whose time jumps to the next timer, and in which a seed chooses who goes next.

Callbacks belong to a thread of a simulated process (an `Actor`), known by their context. Those of one actor keep their
order, as asyncio promises; between actors the seed chooses. What is stopped waits, and what is dead never runs again.
"""

from __future__ import annotations

import asyncio
import heapq
import random
from collections import deque
from collections.abc import Awaitable, Callable, Coroutine
from contextvars import Context, ContextVar, copy_context
from typing import Any, TypeVar

T = TypeVar("T")


class Actor:
    """One thread of a simulated process, or the world around them."""

    def __init__(self, name: str, main: Actor | None = None) -> None:
        self.name = name
        self.main = main or self
        self.ready: deque[asyncio.Handle] = deque()
        self.tasks: dict[asyncio.Task[Any], None] = {}
        self.stopped = self.dead = self.waiting_for_turn = False
        self.context = copy_context()
        self.context.run(ACTOR.set, self)


ACTOR: ContextVar[Actor] = ContextVar("actor")


class VirtualLoop(asyncio.AbstractEventLoop):
    def __init__(self, chance: random.Random) -> None:
        self._chance = chance
        self._now = 0.0
        self._timers: list[tuple[float, int, asyncio.TimerHandle, Actor]] = []
        self._count = 0
        self._turns: list[Actor] = []
        self._failure: BaseException | None = None
        self.buried: list[asyncio.Task[Any]] = []

    # What asyncio asks of a loop

    def time(self) -> float:
        return self._now

    def get_debug(self) -> bool:
        return False

    def is_running(self) -> bool:
        return True

    def is_closed(self) -> bool:
        return False

    def create_future(self) -> asyncio.Future[Any]:
        return asyncio.Future(loop=self)

    def create_task(self, coro: Any, *, name: str | None = None, context: Context | None = None) -> asyncio.Task[Any]:
        actor = (context or copy_context())[ACTOR]
        task: asyncio.Task[Any] = asyncio.Task(coro, loop=self, name=name, context=context)
        actor.tasks[task] = None
        task.add_done_callback(lambda done: actor.tasks.pop(done, None))
        return task

    def call_soon(  # type: ignore[override]
        self, callback: Callable[..., object], *args: Any, context: Context | None = None
    ) -> asyncio.Handle:
        context = context or copy_context()
        handle = asyncio.Handle(callback, args, self, context)
        self._enqueue(context[ACTOR], handle)
        return handle

    def call_soon_threadsafe(  # type: ignore[override]
        self, callback: Callable[..., object], *args: Any, context: Context | None = None
    ) -> asyncio.Handle:
        """From the thread of a heartbeat: it runs on the main one of the same process."""
        actor = (context or copy_context())[ACTOR]
        return self.call_soon(callback, *args, context=actor.main.context)

    def call_later(  # type: ignore[override]
        self, delay: float, callback: Callable[..., object], *args: Any, context: Context | None = None
    ) -> asyncio.TimerHandle:
        return self.call_at(self._now + delay, callback, *args, context=context)

    def call_at(  # type: ignore[override]
        self, when: float, callback: Callable[..., object], *args: Any, context: Context | None = None
    ) -> asyncio.TimerHandle:
        context = context or copy_context()
        timer = asyncio.TimerHandle(when, callback, args, self, context)
        self._count += 1
        heapq.heappush(self._timers, (when, self._count, timer, context[ACTOR]))
        return timer

    def _timer_handle_cancelled(self, handle: asyncio.TimerHandle) -> None:
        """It is passed over when its time comes."""

    def call_exception_handler(self, context: dict[str, Any]) -> None:
        error = context.get("exception")
        self.halt(error if isinstance(error, BaseException) else RuntimeError(str(context.get("message"))))

    # Running

    def halt(self, failure: BaseException) -> None:
        """Nothing more happens: something is wrong."""
        self._failure = self._failure or failure

    def run_until_complete(self, future: Awaitable[T]) -> T:  # type: ignore[override]
        asyncio.events._set_running_loop(self)
        try:
            task = asyncio.ensure_future(future, loop=self)
            while not task.done():
                if self._failure is not None:
                    raise self._failure
                self._step()
            if self._failure is not None:
                raise self._failure
            return task.result()
        finally:
            asyncio.events._set_running_loop(None)

    def _step(self) -> None:
        if not self._turns:
            self._advance()
            return
        place = self._chance.randrange(len(self._turns)) if len(self._turns) > 1 else 0
        actor = self._turns[place]
        if actor.dead or actor.stopped or not actor.ready:
            actor.waiting_for_turn = False
            self._turns.pop(place)
            return
        handle = actor.ready.popleft()
        if not handle.cancelled():
            handle._run()

    def _advance(self) -> None:
        """To the next timer, and all others that are due with it."""
        if not self._timers:
            raise RuntimeError("nothing will ever happen again")
        self._now = max(self._now, self._timers[0][0])
        while self._timers and self._timers[0][0] <= self._now:
            _, _, timer, actor = heapq.heappop(self._timers)
            if not timer.cancelled():
                self._enqueue(actor, timer)

    def _enqueue(self, actor: Actor, handle: asyncio.Handle) -> None:
        if actor.dead:
            return
        actor.ready.append(handle)
        if not actor.stopped:
            self._give_turn(actor)

    def _give_turn(self, actor: Actor) -> None:
        if not actor.waiting_for_turn:
            actor.waiting_for_turn = True
            self._turns.append(actor)

    # What happens to processes

    def spawn(self, actor: Actor, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        return actor.context.run(self.create_task, work)

    def begin(self, actor: Actor, work: Coroutine[Any, Any, Any]) -> None:
        """The same, without waiting for its end."""
        self.spawn(actor, work).add_done_callback(_no_failure)

    def stop_actor(self, actor: Actor) -> None:
        actor.stopped = True

    def continue_actor(self, actor: Actor) -> None:
        actor.stopped = False
        if actor.ready:
            self._give_turn(actor)

    def kill(self, actor: Actor) -> None:
        actor.dead = True
        actor.ready.clear()
        self.buried += actor.tasks
        actor.tasks = {}

    def close(self) -> None:
        """Drops everything that was under way, without running any of it."""
        self._timers.clear()
        for task in self.buried:
            task._log_destroy_pending = False  # type: ignore[attr-defined]
            try:
                task.get_coro().close()
            except Exception:  # it would rather go on; there is no one to report it to
                continue


def _no_failure(task: asyncio.Task[Any]) -> None:
    if not task.cancelled():
        task.result()


async def pause(seconds: float) -> None:
    """Virtual time passes."""
    loop = asyncio.get_running_loop()
    done = loop.create_future()
    timer = loop.call_later(seconds, _wake, done)
    try:
        await done
    finally:
        timer.cancel()


def _wake(future: asyncio.Future[None]) -> None:
    if not future.done():
        future.set_result(None)
