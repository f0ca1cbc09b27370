"""The functions that workers have registered, through the API."""

from __future__ import annotations

from horae.sdk.calls import C, Json, Pages, Request, Resource, call, given, nothing, pages, part
from horae.sdk.record import Record


class FunctionInfo(Record):
    """A function that workers have registered. `parameters` is the JSON Schema of its arguments."""

    __slots__ = ()

    name: str
    display_name: str
    description: str
    handler: str
    kind: str
    queue: str | None
    default_timeout: float | None
    parameters: Json
    is_active: bool
    is_system: bool
    first_seen_at: str
    last_seen_at: str


class Functions(Resource[C]):
    @pages
    def list(self) -> Pages[FunctionInfo]:
        """By name."""
        return Pages("task-functions", FunctionInfo)

    @call
    def get(self, name: str) -> Request[FunctionInfo]:
        return Request("GET", f"task-functions/{part(name)}", read=FunctionInfo)

    @call
    def edit(
        self,
        name: str,
        *,
        is_active: bool | None = None,
        display_name: str | None = None,
        description: str | None = None,
    ) -> Request[FunctionInfo]:
        """What is None stays."""
        changes = given({"is_active": is_active, "display_name": display_name, "description": description})
        return Request("PATCH", f"task-functions/{part(name)}", changes, read=FunctionInfo)

    @call
    def delete(self, name: str) -> Request[None]:
        """Forgets one that no worker has any more."""
        return Request("DELETE", f"task-functions/{part(name)}", read=nothing)
