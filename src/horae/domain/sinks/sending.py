"""How events are sent: as CloudEvents, in batches, with growing pauses after failures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import orjson

from horae.domain.notify.delivery import Sent
from horae.domain.notify.routing import fits
from horae.domain.sinks.sink import Gap, OutboxEvent, SinkSpec, WebhookSink
from horae.domain.sinks.types import OF_SINKS, PREFIX, SINK_GAP, expanded

BATCH = 500  # events that are read at a time
_FIRST_PAUSE, _LONGEST_PAUSE, _LONGEST_WISH = 1.0, 300.0, 3_600.0  # seconds
_REFUSALS = frozenset({400, 413, 422})  # answers about the event itself, not about the address
_MOST_REFUSALS = 10  # of one event, in about a quarter of an hour; then it is dropped
_OPTIONS = orjson.OPT_UTC_Z | orjson.OPT_NAIVE_UTC


class WireEvent(NamedTuple):
    """An event as it is sent. `key` is its routing key: project and type."""

    id: str
    type: str
    key: str
    body: bytes


class SinkPortion(NamedTuple):
    """What becomes of the events that were read: those to send, with the number of the row of each (None: of no row),
    those that the sink does not want, and those that are damaged."""

    wire: Sequence[tuple[WireEvent, int | None]]
    unwanted: Sequence[int]
    damaged: Sequence[int]


def portion(spec: SinkSpec, events: Sequence[OutboxEvent], gap: Gap | None, source: str) -> SinkPortion:
    wire: list[tuple[WireEvent, int | None]] = []
    unwanted: list[int] = []
    damaged: list[int] = []
    wanted = expanded(spec.types)
    if gap is not None:
        wire.append((_gap(gap, source), None))
    for event in events:
        if event.data is None:
            damaged.append(event.seq)
        elif event.type in OF_SINKS or (event.type in wanted and concerns(spec, event)):
            wire.append((wire_event(event, source), event.seq))
        else:
            unwanted.append(event.seq)
    return SinkPortion(wire, unwanted, damaged)


def concerns(spec: SinkSpec, event: OutboxEvent) -> bool:
    """By job and tags. What is left of a deleted job passes: neither its name nor its tags are known any more."""
    if event.job_name is None:
        return True
    name = event.job_name
    if spec.jobs and not any(fits(name, one) for one in spec.jobs):
        return False
    return not spec.tags or not event.tags.isdisjoint(spec.tags)


def wire_event(event: OutboxEvent, source: str) -> WireEvent:
    noun = event.type.partition(".")[0]
    document: dict[str, Any] = {
        "specversion": "1.0",
        "id": event.id,
        "source": source,
        "type": PREFIX + event.type,
        "subject": f"{noun}s/{event.subject}",
        "time": event.at,
        "datacontenttype": "application/json",
    }
    if event.project is not None:
        document["project"] = event.project
    data = dict(event.data or {})
    if event.job_name is not None:
        data["job_name"] = event.job_name
    return WireEvent(
        event.id, document["type"], f"{event.project or '_'}.{event.type}", _text({**document, "data": data})
    )


def _gap(gap: Gap, source: str) -> WireEvent:
    document = {
        "specversion": "1.0",
        "id": gap.id,
        "source": source,
        "type": PREFIX + SINK_GAP,
        "time": gap.last,
        "datacontenttype": "application/json",
        "data": {"count": gap.count, "from": gap.first, "until": gap.last},
    }
    return WireEvent(gap.id, PREFIX + SINK_GAP, f"_.{SINK_GAP}", _text(document))


def _text(document: dict[str, Any]) -> bytes:
    return orjson.dumps(document, option=_OPTIONS)


def most_at_once(spec: SinkSpec, tries: int) -> int:
    """How many events one call of an adapter gets. After a failure a single one, which shows whether it is over, and
    whether that event is to blame."""
    if tries:
        return 1
    return BATCH if not isinstance(spec.target, WebhookSink) else max(spec.target.batch, 50)


def pause_after(tries: int, chance: float, wish: float | None) -> float:
    """Seconds until the next try, after so many failures in a row."""
    pause = min(_FIRST_PAUSE * 2.0 ** min(tries - 1, 20), _LONGEST_PAUSE) * (0.75 + 0.5 * chance)
    return max(pause, min(wish or 0.0, _LONGEST_WISH))


def gives_up(sent: Sent, tries: int) -> bool:
    """Whether a single event is dropped: the receiver keeps answering that this request is wrong."""
    return sent.status in _REFUSALS and tries >= _MOST_REFUSALS
