"""Sinks of events, through the API."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypedDict, Unpack

from horae.sdk.calls import C, Json, Pages, Request, Resource, call, nothing, pages, part
from horae.sdk.records import NewSink, Sink, SinkTest

__all__ = ["NewSink", "Sink", "SinkTest", "Sinks"]


class SinkFields(TypedDict, total=False):
    """Which events a sink gets, how many may wait for it, and whether it is enabled."""

    enabled: bool
    types: Sequence[str]
    jobs: Sequence[str]
    tags: Sequence[str]
    keep_for: int | str
    max_waiting: int


class SinkChanges(SinkFields, total=False):
    name: str
    target: Json


class Sinks(Resource[C]):
    """Those of the project; with `installation`, those that get the events of all projects (admins only)."""

    @pages
    def list(self, *, installation: bool = False) -> Pages[Sink]:
        """By name, each with how sending goes."""
        return Pages("sinks", Sink, _scope(installation))

    @call
    def create(
        self, name: str, target: Json, *, installation: bool = False, **fields: Unpack[SinkFields]
    ) -> Request[NewSink]:
        """Creates a sink. The `signing_key` of a webhook is shown only here."""
        body = {"name": name, "target": target, **fields}
        return Request("POST", "sinks", body, params=_scope(installation), read=NewSink)

    @call
    def get(self, ref: str, *, installation: bool = False) -> Request[Sink]:
        """One sink, by id or name."""
        return Request("GET", f"sinks/{part(ref)}", params=_scope(installation), read=Sink)

    @call
    def edit(self, ref: str, *, installation: bool = False, **fields: Unpack[SinkChanges]) -> Request[Sink]:
        """Changes some fields; secrets that are not given stay as they are."""
        return Request("PATCH", f"sinks/{part(ref)}", fields, params=_scope(installation), read=Sink)

    @call
    def delete(self, ref: str, *, installation: bool = False) -> Request[None]:
        """With the events that wait for it."""
        return Request("DELETE", f"sinks/{part(ref)}", params=_scope(installation), read=nothing)

    @call
    def test(self, ref: str, *, installation: bool = False) -> Request[SinkTest]:
        """Queues a test event; `get` shows whether it was sent."""
        return Request("POST", f"sinks/{part(ref)}/test", params=_scope(installation), read=SinkTest)


def _scope(installation: bool) -> Json:
    return {"installation": installation or None}
