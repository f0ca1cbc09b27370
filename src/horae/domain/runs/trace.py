"""Trace context (W3C): the `traceparent` that a caller sends, and the ids of a run's own spans. They are derived from
the run's id, so that processes that never communicate, and attempts after a crash, agree on them."""

from __future__ import annotations

import re
from hashlib import blake2b
from typing import NamedTuple

HEADER = "traceparent"
LENGTH = 55
_LONGEST = 512  # characters that are read
# Versions after 00 may add fields; ff is forbidden, and so are ids of zeros.
_TRACEPARENT = re.compile(
    r"(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-.*)?", re.ASCII
)
_RANDOM = 8  # trailing hexadecimal digits that are random even in a UUIDv7, which may use those before as a counter
_ALL = 1 << 4 * _RANDOM


class TraceContext(NamedTuple):
    """A position in a trace: the parent of the next span."""

    trace_id: str
    span_id: str
    sampled: bool

    @property
    def header(self) -> str:
        return f"00-{self.trace_id}-{self.span_id}-{'01' if self.sampled else '00'}"


def parse_traceparent(text: str) -> TraceContext | None:
    """None if malformed: the specification says to continue as if there were none."""
    found = _TRACEPARENT.fullmatch(text) if len(text) <= _LONGEST else None
    if found is None:
        return None
    version, trace_id, span_id, flags, more = found.groups()
    if version == "00" and more is not None:
        return None
    return TraceContext(trace_id, span_id, sampled=int(flags, 16) & 1 == 1)


def trace_id_of(run_id: str, traceparent: str | None) -> str:
    """The trace id of a run: its caller's, or its own, which is the run's id without hyphens."""
    return run_id.replace("-", "") if traceparent is None else traceparent[3:35]


def span_id_of(run_id: str, what: str) -> str:
    return blake2b(f"{run_id} {what}".encode(), digest_size=8).hexdigest()


def is_sampled(trace_id: str, share: float) -> bool:
    """Whether a trace that Horae starts is in this sampled share. Every process decides alike."""
    return int(trace_id[-_RANDOM:], 16) < share * _ALL
