"""Queues, through the API."""

from __future__ import annotations

from horae.sdk.calls import AsyncResource, Json, Pages, Request, Resource, call, pages, part


class QueueCalls:
    @pages
    def list(self) -> Pages:
        """By name, with what waits in each, and whether somebody serves it."""
        return Pages("queues", paged=False)

    @call
    def pause(self, name: str) -> Request[Json]:
        """Nothing of it is started any more; what runs goes on. For admins."""
        return Request("POST", f"queues/{part(name)}/pause")

    @call
    def resume(self, name: str) -> Request[Json]:
        return Request("POST", f"queues/{part(name)}/resume")


class Queues(QueueCalls, Resource):
    pass


class AsyncQueues(QueueCalls, AsyncResource):
    pass
