"""The functions that workers have registered, through the API."""

from __future__ import annotations

from typing import Any

from horae.sdk.calls import AsyncResource, Json, Pages, Request, Resource, call, nothing, pages, part


class FunctionCalls:
    @pages
    def list(self) -> Pages:
        """By name."""
        return Pages("task-functions")

    @call
    def get(self, name: str) -> Request[Json]:
        return Request("GET", f"task-functions/{part(name)}")

    @call
    def edit(self, name: str, **changes: Any) -> Request[Json]:
        """Changes `is_active`, `display_name` or `description`."""
        return Request("PATCH", f"task-functions/{part(name)}", changes)

    @call
    def delete(self, name: str) -> Request[None]:
        """Forgets one that no worker has any more."""
        return Request("DELETE", f"task-functions/{part(name)}", read=nothing)


class Functions(FunctionCalls, Resource):
    pass


class AsyncFunctions(FunctionCalls, AsyncResource):
    pass
