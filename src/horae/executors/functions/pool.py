"""The pool as the worker sees it: which children are idle or busy, and the outcome of a call."""

from __future__ import annotations

import asyncio
import os
from collections import deque
from functools import partial
from typing import Any

from horae.domain.runs.attempt import Attempt
from horae.domain.runs.outcome import Outcome
from horae.domain.runs.states import AttemptOutcome, StopReason
from horae.executors.failure import failed
from horae.executors.functions.connection import ChildConnection, Reply
from horae.executors.functions.link import FunctionLink, FunctionOrigin

IDLE = 60.0  # seconds after which an unused child ends
_RESTING = 1.0  # seconds after which an unused child's lease is removed
_DEATH = 5.0  # seconds beyond the grace period after which waiting ends

_REASONS = {
    StopReason.CANCEL: "cancelled",
    StopReason.TIMEOUT: "timeout",
    StopReason.SHUTDOWN: "the worker is shutting down",
    StopReason.LEASE_LOST: "lease lost",
}


class Gone(Exception):
    """There will be no child for this call; the message says why."""


class FunctionPool:
    """At most `limit` children, forked as needed, reused, and ended when idle."""

    def __init__(self, origin: FunctionOrigin, limit: int, *, idle: float = IDLE) -> None:
        self._origin, self._limit, self._idle_for = origin, limit, idle
        self._link: FunctionLink | None = None
        self._number = 0
        self._children: dict[int, ChildConnection] = {}
        self._idle: list[ChildConnection] = []  # most recently used last, and used first
        self._waiting: deque[asyncio.Future[ChildConnection]] = deque()
        self._pruning: asyncio.TimerHandle | None = None
        self._gone_because = ""
        self._closed = False

    def warm(self) -> None:
        """Starts the template, so that the first call finds it ready. Needs no event loop yet."""
        if self._link is None:
            self._link = FunctionLink(self._origin, self._on_exit, self._on_gone)

    async def call(self, request: bytes, attempt: Attempt) -> Outcome:
        """Performs a call. On cancellation it ends the child and its descendants and lets the cancellation through,
        unless the function had already finished."""
        try:
            child = await self._take()
        except Gone as gone:
            return await self._lost(failed(str(gone)))
        attempt.lease.follow(child.leash.follow)
        try:
            reply = await child.call(request, attempt)
        except asyncio.CancelledError:
            return await self._stop(child, attempt)
        finally:
            attempt.lease.follow(None)
        self._release(child, reply, attempt)
        return await self._lost(reply.outcome) if reply.lost else reply.outcome

    async def _lost(self, outcome: Outcome) -> Outcome:
        """A closed pool reports nothing about its calls: the worker is about to interrupt them."""
        if self._closed:
            await asyncio.get_running_loop().create_future()
        return outcome

    async def close(self) -> None:
        """Ends everything."""
        self._closed = True
        if self._pruning is not None:
            self._pruning.cancel()
        if self._link is not None:
            link, self._link = self._link, None
            await link.close()
        self._lose_all("the worker stops")

    # Assigning children to calls

    async def _take(self) -> ChildConnection:
        while self._idle:
            child = self._idle.pop()
            if not child.leash.is_tight:
                return child
            child.hang_up()
        await self._started()
        if len(self._children) < self._limit:
            return self._fork()
        place: asyncio.Future[ChildConnection] = asyncio.get_running_loop().create_future()
        self._waiting.append(place)
        try:
            return await place
        except asyncio.CancelledError:
            if place.done() and not place.cancelled() and place.exception() is None:
                self._free(place.result())
            raise

    async def _started(self) -> None:
        """Waits until there is a template to fork from; raises Gone if there cannot be one."""
        if self._closed:
            raise Gone("the worker stops")
        self.warm()
        while self._link is not None and not self._link.is_ready:
            await self._link.ready()
        if self._link is None:
            raise Gone(self._gone_because)

    def _fork(self) -> ChildConnection:
        assert self._link is not None
        self._number += 1
        try:
            child, files = ChildConnection.open(self._number, partial(self._link.lease, self._number))
        except OSError as error:
            raise Gone(f"cannot start another process: {error.strerror}") from None
        try:
            self._link.fork(child.number, files)
        finally:
            for file in files:
                os.close(file)
        self._children[child.number] = child
        return child

    def _free(self, child: ChildConnection) -> None:
        """Gives it to the longest waiter, or makes it idle."""
        while self._waiting:
            place = self._waiting.popleft()
            if not place.done():
                place.set_result(child)
                return
        child.idle_since = asyncio.get_running_loop().time()
        self._idle.append(child)
        if self._pruning is None:
            self._pruning = asyncio.get_running_loop().call_later(_RESTING, self._prune)

    def _prune(self) -> None:
        """Releases children that have been idle for long: a child whose connection is closed exits."""
        loop = asyncio.get_running_loop()
        now = loop.time()
        while self._idle and self._idle[0].idle_since <= now - self._idle_for:
            self._idle.pop(0).hang_up()
        resting = [child for child in self._idle if child.idle_since <= now - _RESTING]
        for child in resting:
            child.leash.let_go()
        pause = _RESTING if len(resting) < len(self._idle) else self._idle_for
        self._pruning = loop.call_later(pause, self._prune) if self._idle else None

    # Ending children

    def _release(self, child: ChildConnection, reply: Reply, attempt: Attempt) -> None:
        """Decides about a child after its reply."""
        if reply.lost:
            return  # it has ended
        if reply.dirty:
            attempt.log.write("system", "ended what the function had left running\n")
        if reply.dirty or reply.stop_seen:
            self._kill(child)
        else:
            self._free(child)

    async def _stop(self, child: ChildConnection, attempt: Attempt) -> Outcome:
        """Ends a call in progress, and waits until all its processes are gone."""
        if child.reply is not None:
            self._release(child, child.reply, attempt)
        elif self._link is not None:
            grace = 0.0 if attempt.stop in (StopReason.LEASE_LOST, None) else attempt.grace
            self._say(attempt, "TERM" if grace else "KILL")
            self._link.end(child.number, grace)
            await self._dead(child, grace, attempt)
        reply = child.reply
        if reply is not None and not reply.stop_seen and reply.outcome.kind is AttemptOutcome.SUCCEEDED:
            return reply.outcome  # its work was done before the stop arrived
        raise asyncio.CancelledError

    def _say(self, attempt: Attempt, name: str) -> None:
        reason = "stopped" if attempt.stop is None else _REASONS[attempt.stop]
        attempt.log.write("system", f"{reason}: sent {name}\n")

    async def _dead(self, child: ChildConnection, grace: float, attempt: Attempt) -> None:
        loop = asyncio.get_running_loop()
        deadline = loop.time() + grace + _DEATH
        while not child.exited.done() and (left := deadline - loop.time()) > 0:
            answered = child.reply is not None
            try:
                await child.over(left)
            except asyncio.CancelledError:  # cancelled again: kill now
                self._say(attempt, "KILL")
                self._kill(child)
            if child.reply is not None and not answered:
                self._kill(child)  # the function is over; its process was asked to exit, and may not comply

    def _kill(self, child: ChildConnection) -> None:
        if self._link is not None:
            self._link.end(child.number, 0)

    def _on_exit(self, number: int, message: dict[str, Any]) -> None:
        child = self._children.pop(number, None)
        if child is None:
            return
        if child in self._idle:
            self._idle.remove(child)
        child.ended(message)
        if self._waiting and self._link is not None:  # there is room for another
            try:
                self._free(self._fork())
            except Gone as gone:
                self._give_up(str(gone))

    def _on_gone(self, why: str) -> None:
        self._link = None
        self._gone_because = why
        self._lose_all(why)

    def _lose_all(self, why: str) -> None:
        children, self._children = self._children, {}
        self._idle.clear()
        for child in children.values():
            child.ended({"failed": why})
        self._give_up(why)

    def _give_up(self, why: str) -> None:
        """Fails all calls that wait for a child."""
        while self._waiting:
            place = self._waiting.popleft()
            if not place.done():
                place.set_exception(Gone(why))
