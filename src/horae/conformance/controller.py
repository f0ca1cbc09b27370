"""The controller as an agent sees it: hands out runs, keeps their leases, and misbehaves on request."""

from __future__ import annotations

import asyncio
import time
import uuid
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from horae.conformance.runs import HandedRun
from horae.conformance.shapes import complaint

LEASE, HEARTBEAT, LONGEST_WAIT, GRACE = 5.0, 0.5, 20.0, 1.0
LOG_LIMIT, MAX_BODY = 1_000_000, 1024 * 1024
Body = dict[str, Any]


@dataclass
class AgentRequest:
    """One request of the agent."""

    verb: str
    body: Body
    headers: dict[str, str]
    at: float
    connection: int


@dataclass
class Misbehaviour:
    """What to do with some requests instead of the usual: answer with an error, or lose the reply."""

    verb: str
    times: int = 1
    status: int = 0  # 0: process it, and drop the connection instead of answering
    kind: str = ""
    retry_after: int | None = None
    more: Body = field(default_factory=dict)
    when: Callable[[Body, Body], bool] = lambda request, answer: True
    hang: bool = False


class FailedAnswer(Exception):
    """An answer other than 200."""

    def __init__(self, status: int, kind: str, retry_after: int | None = None, **more: Any) -> None:
        super().__init__(kind)
        self.status, self.kind, self.retry_after, self.more = status, kind, retry_after, more


class PlayedController:
    def __init__(self, key: str) -> None:
        self.key = key
        self.received: list[AgentRequest] = []
        self.violations: list[str] = []
        self.misbehaviours: list[Misbehaviour] = []
        self.changed = asyncio.Event()
        self.drain = False
        self.log_full_from: int | None = None  # characters of output after which nothing more is kept
        self.future = False  # whether answers have fields of the future
        self._queue: list[HandedRun] = []
        self._runs: dict[str, HandedRun] = {}
        self._workers: dict[str, str] = {}  # by instance
        self._stopped = False  # a draining claim was made, or a goodbye
        self._verbs: dict[str, Callable[[Body], Awaitable[Body]]] = {
            "register": self._register,
            "claim": self._claim,
            "renew": self._renew,
            "signals": self._signals,
            "report": self._report,
            "release": self._release,
            "goodbye": self._goodbye,
        }

    def queue(self, run: HandedRun) -> HandedRun:
        self._queue.append(run)
        self._runs[run.id] = run
        self.changed.set()
        return run

    def misbehave(self, verb: str, **how: Any) -> Misbehaviour:
        made = Misbehaviour(verb, **how)
        self.misbehaviours.append(made)
        return made

    def of(self, verb: str) -> list[AgentRequest]:
        return [request for request in self.received if request.verb == verb]

    def note(self, verb: str, body: Body, headers: dict[str, str], connection: int) -> None:
        self.received.append(AgentRequest(verb, body, headers, time.monotonic(), connection))
        if why := complaint(verb, body):
            self.violations.append(why)
        if verb != "register" and body.get("worker_id") not in self._workers.values():
            self.violations.append(f"{verb}: worker_id is not the one that register returned")
        self.changed.set()

    async def answer(self, verb: str, body: Body) -> Body:
        made = await self._verbs[verb](body)
        self.changed.set()
        return {**made, "of_the_future": {"nested": [1, 2, 3]}} if self.future else made

    # ---- the verbs

    async def _register(self, body: Body) -> Body:
        worker = self._workers.setdefault(body["instance"], str(uuid.uuid4()))
        return {
            "worker_id": worker,
            "protocol": 1,
            "name": body.get("name") or "agent-1",
            "queues": body.get("queues", []),
            "offers": body["offers"],
            "projects": [],
            "lease_seconds": LEASE,
            "heartbeat_seconds": HEARTBEAT,
            "longest_wait_seconds": LONGEST_WAIT,
            "log_limit": LOG_LIMIT,
            "max_body_bytes": MAX_BODY,
            "grace_seconds": GRACE,
        }

    async def _claim(self, body: Body) -> Body:
        arrived = time.monotonic()
        self._stopped |= body.get("status") == "draining"
        taken = [run for run in self._runs.values() if run.token == body["token"] and not run.over]
        if not taken or not body.get("again"):
            taken = await self._take(body, arrived + (0 if body.get("again") else body.get("wait", 0)))
        now = time.monotonic()
        for run in taken:
            run.lease_until = now + LEASE
        return {
            "runs": [self._extended(run.as_run()) for run in taken],
            "jobs": [self._extended(run.as_job()) for run in taken],
            "more": False,
            "waited_seconds": now - arrived,
            "lease_seconds": LEASE,
            "drain": self.drain,
        }

    async def _take(self, body: Body, until: float) -> list[HandedRun]:
        while True:
            wanted = 0 if self._stopped or self.drain else body["slots"]
            if self._queue and wanted:
                taken, self._queue = self._queue[:wanted], self._queue[wanted:]
                for run in taken:
                    run.token = body["token"]
                    run.taken += 1
                return taken
            left = until - time.monotonic()
            if left <= 0 or self._stopped or self.drain:
                return []
            await self.wait(min(left, 0.05))

    async def wait(self, most: float) -> None:
        """Until something happened, or so many seconds."""
        self.changed.clear()
        try:
            await asyncio.wait_for(self.changed.wait(), most)
        except TimeoutError:
            return

    def _extended(self, made: Body) -> Body:
        return {**made, "of_the_future": "ignore me"} if self.future else made

    async def _renew(self, body: Body) -> Body:
        renewed, cancel, lost = [], [], []
        for held in body["runs"]:
            run = self._held(held)
            if run is None or run.lost:
                lost.append(held["id"])
                continue
            run.lease_until = time.monotonic() + LEASE
            renewed.append(run.id)
            if run.cancelled:
                cancel.append(run.id)
        return {"renewed": renewed, "cancel": cancel, "lost": lost, "drain": self.drain}

    def _held(self, held: Body) -> HandedRun | None:
        run = self._runs.get(held["id"])
        return run if run is not None and run.token == held["token"] and not run.over else None

    async def _signals(self, body: Body) -> Body:
        until = time.monotonic() + body.get("wait", 0)
        while True:
            cancel = any(run.cancelled and not run.over for run in self._runs.values())
            if cancel or self.drain or time.monotonic() >= until:
                return {"cancel": cancel, "drain": self.drain}
            await self.wait(0.1)

    async def _report(self, body: Body) -> Body:
        full = [run.id for chunk in body.get("logs", []) if (run := self._log(chunk)) is not None]
        for told in body.get("progress", []):
            if (run := self._held(told)) is not None:
                run.progress.append(told)
        refused = [outcome["id"] for outcome in body.get("outcomes", []) if not self._settle(outcome)]
        return {"refused": refused, "log_full": sorted(set(full))}

    def _log(self, chunk: Body) -> HandedRun | None:
        """The run, if nothing more of its output is kept."""
        run = self._runs.get(chunk["id"])
        if run is None or run.token != chunk["token"]:
            return None
        known = run.chunks.setdefault(chunk["seq"], chunk)
        if known["text"] != chunk["text"]:
            self.violations.append("report: a chunk was sent again with another text")
        elif known is chunk and run.over:
            self.violations.append("report: output came after the outcome of its attempt")
        kept = sum(len(one["text"]) for one in run.chunks.values())
        return run if self.log_full_from is not None and kept >= self.log_full_from else None

    def _settle(self, outcome: Body) -> bool:
        known = self._runs.get(outcome["id"])
        if known is not None:
            known.sent_outcomes.append(outcome)
            if outcome["kind"] not in ("succeeded", "parked") and not outcome.get("error"):
                self.violations.append(f"report: an outcome of kind {outcome['kind']} has no error")
        run = self._held(outcome)
        if run is None or run.lost or time.monotonic() > run.lease_until:
            return False
        run.outcome = outcome
        return True

    async def _release(self, body: Body) -> Body:
        released = 0
        for held in body["runs"]:
            if (run := self._held(held)) is not None:
                run.released = held
                released += 1
        return {"released": released}

    async def _goodbye(self, body: Body) -> Body:
        self._stopped = True
        return {}
