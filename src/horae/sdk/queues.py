"""Queues, through the API."""

from __future__ import annotations

from collections.abc import Iterable

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
    want what none of them offers. `projects` are those that it is `reserved` for."""

    __slots__ = ()

    stranded: int
    queued: int
    running: int
    workers: int
    served: bool
    reserved: bool
    projects: list[str]


class Reservation(Record):
    __slots__ = ()

    name: str
    projects: list[str]


class Queues(Resource[C]):
    @pages
    def list(self) -> Pages[Queue]:
        """By name, with what waits in each, and whether somebody serves it."""
        return Pages("queues", Queue)

    @call
    def pause(self, name: str) -> Request[QueueState]:
        """Nothing of it is started any more; what runs goes on. For admins."""
        return Request("POST", f"queues/{part(name)}/pause", read=QueueState)

    @call
    def resume(self, name: str) -> Request[QueueState]:
        return Request("POST", f"queues/{part(name)}/resume", read=QueueState)

    @call
    def reserve(self, name: str, projects: Iterable[str]) -> Request[Reservation]:
        """For the jobs of these projects alone, by their slugs; with none it is open to all. For admins."""
        return Request("PUT", f"queues/{part(name)}/projects", {"projects": [*projects]}, read=Reservation)
