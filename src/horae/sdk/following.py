"""Following: server-sent events, and when to ask again where the connection broke."""

from __future__ import annotations

import json
from typing import Any

Event = tuple[str, dict[str, Any]]

END = "end"  # the event after which nothing comes
_PAUSES = (0.2, 0.5, 1.0, 2.0, 4.0, 8.0)  # seconds before each further try to reach the server


class Follower:
    """Reads the lines of one stream after the other, and remembers where it is."""

    def __init__(self) -> None:
        self._last_id: str | None = None
        self._fields: dict[str, str] = {}
        self._failures = 0

    def headers(self) -> dict[str, str]:
        """For the next connection: from where to go on."""
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

    def pause(self) -> float | None:
        """How long to wait before the next connection; None to give up."""
        if self._failures >= len(_PAUSES):
            return None
        self._failures += 1
        return _PAUSES[self._failures - 1]
