"""Following server-sent events, and when to reconnect."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from horae.sdk.calls import Request

if TYPE_CHECKING:
    from horae.sdk.engine import ClientCore

Event = tuple[str, dict[str, Any]]

END = "end"  # the last event
_PAUSES = (0.2, 0.5, 1.0, 2.0, 4.0, 8.0)  # seconds before each further attempt to reach the server


@dataclass(frozen=True, slots=True)
class Stream:
    """A streaming response."""

    path: str
    params: Mapping[str, Any] = field(default_factory=dict)
    # The meaning of the end of a response: it broke off (the last event is named `end`), it must be requested again, or
    # that was all.
    at_end: Literal["broken", "again", "over"] = "broken"

    def request(self, headers: Mapping[str, str]) -> Request[Any]:
        return Request("GET", self.path, params=self.params, headers=headers)

    def through(self, engine: ClientCore) -> AsyncGenerator[Event, None]:
        return engine.follow(self)


class Follower:
    """Reads the lines of one stream after the other, and remembers its position."""

    def __init__(self) -> None:
        self._last_id: str | None = None
        self._fields: dict[str, str] = {}
        self._failures = 0

    def headers(self) -> dict[str, str]:
        """For the next connection: where to resume."""
        self._fields = {}
        return {"accept": "text/event-stream", **({"last-event-id": self._last_id} if self._last_id else {})}

    def feed(self, line: str) -> Event | None:
        """An event, if this line completes one."""
        if line:
            if not line.startswith(":"):
                name, _, value = line.partition(":")
                self._fields[name] = value.removeprefix(" ")
            return None
        fields, self._fields = self._fields, {}
        if "data" not in fields:
            return None
        self._failures, self._last_id = 0, fields.get("id", self._last_id)
        return fields.get("event", "message"), json.loads(fields["data"])

    def rest(self) -> None:
        """The server was there, and ended the stream properly."""
        self._failures = 0

    def pause(self) -> float | None:
        """How long to wait before the next connection; None to give up."""
        if self._failures >= len(_PAUSES):
            return None
        self._failures += 1
        return _PAUSES[self._failures - 1]
