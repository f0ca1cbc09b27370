"""Following: server-sent events, with the connection made anew when it breaks."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from typing import Any

from horae.sdk.answers import TryLater, Unreachable

Stream = Callable[[str, Mapping[str, str], Mapping[str, str]], AbstractContextManager[Iterator[str]]]
Event = tuple[str, dict[str, Any]]

_PAUSES = (0.2, 0.5, 1.0, 2.0, 4.0, 8.0)  # seconds before each further try to reach the server


def follow(stream: Stream, path: str, params: Mapping[str, str]) -> Iterator[Event]:
    """Events until one named `end`. Gives up when the server stays away."""
    last_id: str | None = None
    failures, pause = 0, threading.Event()
    while True:
        headers = {"accept": "text/event-stream", **({"last-event-id": last_id} if last_id else {})}
        try:
            with stream(path, params, headers) as lines:
                for event_id, name, data in _events(lines):
                    failures, last_id = 0, event_id or last_id
                    yield name, data
                    if name == "end":
                        return
        except (Unreachable, TryLater):
            if failures >= len(_PAUSES):
                raise
        # A stream that ended without its end was cut: by a server that stops, or by something on the way.
        pause.wait(_PAUSES[min(failures, len(_PAUSES) - 1)])
        failures += 1


def _events(lines: Iterator[str]) -> Iterator[tuple[str | None, str, dict[str, Any]]]:
    fields: dict[str, str] = {}
    for line in lines:
        if not line:
            if "data" in fields:
                yield fields.get("id"), fields.get("event", "message"), json.loads(fields["data"])
            fields = {}
        elif not line.startswith(":"):
            name, _, value = line.partition(":")
            fields[name] = value.removeprefix(" ")
