"""Pings and badges, through the API."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypedDict, Unpack

from horae.sdk.calls import (
    C,
    Json,
    Pages,
    Request,
    Resource,
    When,
    call,
    given,
    if_match,
    instant,
    nothing,
    pages,
    part,
)
from horae.sdk.records import Badge, Ping, PingCounts, PingEvent, PingEventDetail

__all__ = [
    "Badge",
    "Badges",
    "Ping",
    "PingChanges",
    "PingCounts",
    "PingEvent",
    "PingEventDetail",
    "PingFields",
    "Pings",
]


class PingFields(TypedDict, total=False):
    """The optional fields of a ping; the defaults are the server's."""

    description: str
    tags: Sequence[str]
    schedule: Json
    grace: float | str
    timeout: float | str | None


class PingChanges(PingFields, total=False):
    name: str


class PingFilters(TypedDict, total=False):
    """Filters; None: any. `q` is a part of the name."""

    q: str | None
    state: str | None
    tag: str | None


class Pings(Resource[C]):
    @call
    def create(self, *, name: str, **fields: Unpack[PingFields]) -> Request[Ping]:
        """Its `url` is what the monitored job calls."""
        return Request("POST", "pings", {"name": name, **fields}, read=Ping)

    @pages
    def list(self, *, limit: int | None = None, **filters: Unpack[PingFilters]) -> Pages[Ping]:
        """By name."""
        return Pages("pings", Ping, filters, limit)

    @call
    def get(self, ping: str) -> Request[Ping]:
        return Request("GET", f"pings/{part(ping)}", read=Ping)

    @call
    def edit(self, ping: str, *, version: int | None = None, **changes: Unpack[PingChanges]) -> Request[Ping]:
        """Changes some fields; with `version`, only if the ping has not changed since."""
        return Request("PATCH", f"pings/{part(ping)}", changes, headers=if_match(version), read=Ping)

    @call
    def delete(self, ping: str, *, version: int | None = None) -> Request[None]:
        """With its events and badges; its URL stops working."""
        return Request("DELETE", f"pings/{part(ping)}", headers=if_match(version), read=nothing)

    @call
    def pause(self, ping: str, *, until: When = None) -> Request[Ping]:
        """Expects no signal and opens no alert until `until`, or until it is resumed."""
        return Request("POST", f"pings/{part(ping)}/pause", given({"until": instant(until)}), read=Ping)

    @call
    def resume(self, ping: str) -> Request[Ping]:
        return Request("POST", f"pings/{part(ping)}/resume", read=Ping)

    @call
    def rotate(self, ping: str) -> Request[Ping]:
        """Replaces the URL; the old one stops working at once."""
        return Request("POST", f"pings/{part(ping)}/rotate", read=Ping)

    @pages
    def events(self, ping: str, *, limit: int | None = None) -> Pages[PingEvent]:
        """Its events, newest first."""
        return Pages(f"pings/{part(ping)}/events", PingEvent, {}, limit)

    @call
    def event(self, ping: str, n: int) -> Request[PingEventDetail]:
        """One event, with the body that was sent."""
        return Request("GET", f"pings/{part(ping)}/events/{n}", read=PingEventDetail)

    @call
    def counts(self) -> Request[PingCounts]:
        """How many pings are in each state."""
        return Request("GET", "monitoring/pings", read=PingCounts)


class Badges(Resource[C]):
    @call
    def create(self, *, kind: str, subject: str, label: str | None = None) -> Request[Badge]:
        """For a job or a ping, by name or id. Anyone who knows its URL sees the label and the state."""
        return Request("POST", "badges", given({"kind": kind, "subject": subject, "label": label}), read=Badge)

    @pages
    def list(self, *, kind: str | None = None, subject: str | None = None, limit: int | None = None) -> Pages[Badge]:
        return Pages("badges", Badge, {"kind": kind, "subject": subject}, limit)

    @call
    def delete(self, badge: str) -> Request[None]:
        """Its URL stops working within seconds."""
        return Request("DELETE", f"badges/{part(badge)}", read=nothing)
