"""The secrets of a project, through the API: written, listed, deleted; never read."""

from __future__ import annotations

from horae.sdk.calls import C, Pages, Request, Resource, call, nothing, pages, part
from horae.sdk.record import Record


class Secret(Record):
    """A secret as people see it; its value is never shown."""

    __slots__ = ()

    name: str
    created_by: str
    created_at: str
    updated_by: str
    updated_at: str


class Secrets(Resource[C]):
    @pages
    def list(self) -> Pages[Secret]:
        """By name, without their values."""
        return Pages("secrets", Secret)

    @call
    def set(self, name: str, value: str) -> Request[Secret]:
        """Makes a secret or replaces its value."""
        return Request("PUT", f"secrets/{part(name)}", {"value": value}, read=Secret)

    @call
    def delete(self, name: str, *, force: bool = False) -> Request[None]:
        """Refused while a job names it, unless by `force`."""
        return Request("DELETE", f"secrets/{part(name)}", params={"force": force or None}, read=nothing)
