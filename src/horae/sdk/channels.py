"""Notification channels, through the API."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypedDict, Unpack

from horae.sdk.calls import C, Json, Pages, Request, Resource, call, nothing, pages, part
from horae.sdk.records import Channel, Delivery, NewChannel

__all__ = ["Channel", "Channels", "Delivery", "NewChannel"]


class ChannelFields(TypedDict, total=False):
    """The rules of a channel, and whether it is enabled."""

    enabled: bool
    events: Sequence[str]
    severity: str
    tags: Sequence[str]
    jobs: Sequence[str]
    named_only: bool
    quiet: Json | None
    digest: int | str
    repeat_after: int | str
    per_hour: int


class ChannelChanges(ChannelFields, total=False):
    name: str
    target: Json


class Channels(Resource[C]):
    """Those of the project; with `installation`, those for the installation's own alerts (admins only)."""

    @pages
    def list(self, *, installation: bool = False) -> Pages[Channel]:
        """By name, each with how its last delivery went."""
        return Pages("channels", Channel, _scope(installation))

    @call
    def create(
        self, name: str, target: Json, *, installation: bool = False, **fields: Unpack[ChannelFields]
    ) -> Request[NewChannel]:
        """Creates a channel; `fields` are its rules. The `signing_key` of a webhook is shown only here."""
        body = {"name": name, "target": target, **fields}
        return Request("POST", "channels", body, params=_scope(installation), read=NewChannel)

    @call
    def get(self, ref: str, *, installation: bool = False) -> Request[Channel]:
        """One channel, by id or name."""
        return Request("GET", f"channels/{part(ref)}", params=_scope(installation), read=Channel)

    @call
    def edit(self, ref: str, *, installation: bool = False, **fields: Unpack[ChannelChanges]) -> Request[Channel]:
        """Changes some fields; secrets that are not given stay as they are."""
        return Request("PATCH", f"channels/{part(ref)}", fields, params=_scope(installation), read=Channel)

    @call
    def delete(self, ref: str, *, force: bool = False, installation: bool = False) -> Request[None]:
        """Rejected while a job names it, unless `force` is set."""
        params = {"force": force or None, **_scope(installation)}
        return Request("DELETE", f"channels/{part(ref)}", params=params, read=nothing)

    @call
    def test(self, ref: str, *, installation: bool = False) -> Request[Delivery]:
        """Queues a test message; see `deliveries` for its outcome."""
        return Request("POST", f"channels/{part(ref)}/test", params=_scope(installation), read=Delivery)

    @pages
    def deliveries(self, ref: str, *, installation: bool = False, limit: int | None = 50) -> Pages[Delivery]:
        """The delivery log, newest first."""
        return Pages(f"channels/{part(ref)}/deliveries", Delivery, _scope(installation), limit)


def _scope(installation: bool) -> Json:
    return {"installation": installation or None}
