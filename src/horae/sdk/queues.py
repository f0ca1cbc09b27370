"""Queues, through the API."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from horae.sdk.calls import C, Pages, Request, Resource, call, pages, part
from horae.sdk.records import Queue, QueueState, Reservation

__all__ = ["Queue", "QueueState", "Queues", "Reservation"]


class Queues(Resource[C]):
    @pages
    def list(self) -> Pages[Queue]:
        """By name, with the backlog of each, and whether a worker serves it."""
        return Pages("queues", Queue)

    @call
    def pause(self, name: str) -> Request[QueueState]:
        """No more of its runs start; running ones continue. For admins."""
        return Request("POST", f"queues/{part(name)}/pause", read=QueueState)

    @call
    def resume(self, name: str) -> Request[QueueState]:
        return Request("POST", f"queues/{part(name)}/resume", read=QueueState)

    @call
    def set(self, name: str, *, engine: Literal["database", "celery"] | None) -> Request[QueueState]:
        """Chooses the engine that carries its runs; None: that of the settings. For admins."""
        return Request("PATCH", f"queues/{part(name)}", {"engine": engine}, read=QueueState)

    @call
    def reserve(self, name: str, projects: Iterable[str]) -> Request[Reservation]:
        """Reserves it for the jobs of these projects, by their slugs; with none it is open to all. For admins."""
        return Request("PUT", f"queues/{part(name)}/projects", {"projects": [*projects]}, read=Reservation)
