"""The secrets of a project, through the API: written, listed, deleted; never read."""

from __future__ import annotations

from horae.sdk.calls import AsyncResource, Json, Pages, Request, Resource, call, nothing, pages, part


class SecretCalls:
    @pages
    def list(self) -> Pages:
        """By name, without their values."""
        return Pages("secrets")

    @call
    def set(self, name: str, value: str) -> Request[Json]:
        """Makes a secret or replaces its value."""
        return Request("PUT", f"secrets/{part(name)}", {"value": value})

    @call
    def delete(self, name: str, *, force: bool = False) -> Request[None]:
        """Refused while a job names it, unless by `force`."""
        return Request("DELETE", f"secrets/{part(name)}", params={"force": force or None}, read=nothing)


class Secrets(SecretCalls, Resource):
    pass


class AsyncSecrets(SecretCalls, AsyncResource):
    pass
