"""Queues, through the API."""

from __future__ import annotations

from horae.sdk.calls import C, Pages, Request, Resource, call, pages, part
from horae.sdk.record import Record


class QueueState(Record):
    __slots__ = ()

    name: str
    paused: bool
    paused_at: str | None
    paused_by: str | None


class Queue(QueueState):
    """`queued` and `running` are this project's; `workers` are those alive that serve it. `stranded` of the queued ones
    want what none of them offers."""

    __slots__ = ()

    stranded: int
    queued: int
    running: int
    workers: int
    served: bool


class Queues(Resource[C]):
    @pages
    def list(self) -> Pages[Queue]:
        """By name, with what waits in each, and whether somebody serves it."""
        return Pages("queues", Queue, paged=False)

    @call
    def pause(self, name: str) -> Request[QueueState]:
        """Nothing of it is started any more; what runs goes on. For admins."""
        return Request("POST", f"queues/{part(name)}/pause", read=QueueState)

    @call
    def resume(self, name: str) -> Request[QueueState]:
        return Request("POST", f"queues/{part(name)}/resume", read=QueueState)
