"""The functions that workers have registered, through the API."""

from __future__ import annotations

from horae.sdk.calls import C, Pages, Request, Resource, call, given, nothing, pages, part
from horae.sdk.records import FunctionInfo

__all__ = ["FunctionInfo", "Functions"]


class Functions(Resource[C]):
    @pages
    def list(self) -> Pages[FunctionInfo]:
        """By name."""
        return Pages("task-functions", FunctionInfo)

    @call
    def get(self, name: str) -> Request[FunctionInfo]:
        return Request("GET", f"task-functions/{part(name)}", read=FunctionInfo)

    @call
    def create(
        self,
        name: str,
        handler_path: str,
        *,
        display_name: str | None = None,
        description: str | None = None,
        queue: str | None = None,
        default_timeout: float | None = None,
    ) -> Request[FunctionInfo]:
        """Registers a function by its path, such as `shop.tasks.send_report`. For admins."""
        options = {
            "display_name": display_name,
            "description": description,
            "queue": queue,
            "default_timeout": default_timeout,
        }
        body = {"name": name, "handler_path": handler_path, **given(options)}
        return Request("POST", "task-functions", body, read=FunctionInfo)

    @call
    def edit(
        self,
        name: str,
        *,
        is_active: bool | None = None,
        display_name: str | None = None,
        description: str | None = None,
    ) -> Request[FunctionInfo]:
        """None leaves a field unchanged."""
        changes = given({"is_active": is_active, "display_name": display_name, "description": description})
        return Request("PATCH", f"task-functions/{part(name)}", changes, read=FunctionInfo)

    @call
    def delete(self, name: str) -> Request[None]:
        """Deletes a function that no worker has any more."""
        return Request("DELETE", f"task-functions/{part(name)}", read=nothing)
