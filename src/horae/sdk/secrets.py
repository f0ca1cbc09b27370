"""The secrets of a project, through the API: set, list, delete; values are never read."""

from __future__ import annotations

from horae.sdk.calls import C, Pages, Request, Resource, call, nothing, pages, part
from horae.sdk.records import Secret

__all__ = ["Secret", "Secrets"]


class Secrets(Resource[C]):
    @pages
    def list(self) -> Pages[Secret]:
        """By name, without their values."""
        return Pages("secrets", Secret)

    @call
    def set(self, name: str, value: str) -> Request[Secret]:
        """Creates a secret or replaces its value."""
        return Request("PUT", f"secrets/{part(name)}", {"value": value}, read=Secret)

    @call
    def delete(self, name: str, *, force: bool = False) -> Request[None]:
        """Rejected while a job names it, unless `force` is set."""
        return Request("DELETE", f"secrets/{part(name)}", params={"force": force or None}, read=nothing)
