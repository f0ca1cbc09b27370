"""Time zones, the same on every host: names and rules come from the pinned `tzdata` package, never from what the
machine has installed. (If that package is missing, zoneinfo's own search is used.)

Calendars see a zone as segments: periods with one offset from UTC. Within a segment the wall clock runs evenly, so
daylight saving is fully described by where segments meet."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache, lru_cache
from importlib import resources
from itertools import pairwise
from zoneinfo import ZoneInfo, available_timezones

from horae.domain.time.instants import FIRST_SECOND, LAST_SECOND

# Names in a time zone directory that mean something else on each host, or no place at all.
_NO_PLACES = frozenset({"localtime", "posixrules", "Factory"})

_DAY = 86_400
_PROBE = 5 * _DAY  # since 1970 no zone has kept an offset for a shorter time (a test checks this)
_NEAR = 2 * _DAY  # how far the wall clock was ever moved, and more


@cache
def zone_names() -> frozenset[str]:
    try:
        names = resources.files("tzdata").joinpath("zones").read_text(encoding="ascii").split()
    except ModuleNotFoundError:
        names = list(available_timezones())
    return frozenset(names) - _NO_PLACES


@cache
def _by_folded_name() -> dict[str, str]:
    return {name.casefold(): name for name in zone_names()}


def zone_name(name: str) -> str:
    """The name itself, if it is a time zone's: spelled exactly, since databases and hosts differ about case."""
    if name in zone_names():
        return name
    meant = _by_folded_name().get(name.casefold()) if len(name) <= 64 else None
    hint = f"write {meant}" if meant else "give a name such as Europe/Berlin or UTC"
    raise ValueError(f"is not a known time zone; {hint}")


@cache
def zone(name: str) -> ZoneInfo:
    zone_name(name)
    try:
        with resources.files("tzdata").joinpath("zoneinfo", *name.split("/")).open("rb") as file:
            return ZoneInfo.from_file(file, key=name)
    except ModuleNotFoundError:
        return ZoneInfo(name)


@dataclass(frozen=True, slots=True)
class Segment:
    """From `start` up to, not including, `end` (seconds since 1970 in UTC) wall clocks show UTC + `offset`.
    Wall clock times are seconds too: those of UTC plus the offset."""

    start: int
    end: int
    offset: int
    gap: int  # how much the wall clock jumped forward at `start`
    seen: int  # wall clock times before this one were already shown before `start`
    again: int  # wall clock times from this one on are shown again after `end`


@lru_cache(maxsize=4_096)
def segments(name: str, year: int) -> tuple[Segment, ...]:
    """The segments of one year (of UTC), in order and without holes."""
    start = _second(year)
    end = _second(year + 1)
    changes = _changes(name, start - _NEAR, end + _NEAR)
    bounds = [start, *(at for at, _, _ in changes if start < at < end), end]
    return tuple(
        Segment(
            start=lower,
            end=upper,
            offset=(offset := _offset(name, lower)),
            gap=max(0, offset - _offset(name, lower - 1)),
            seen=max((at + before for at, before, _ in changes if at <= lower), default=lower + offset),
            again=min((at + now for at, _, now in changes if at >= upper), default=upper + offset),
        )
        for lower, upper in pairwise(bounds)
    )


# Fixed, and by far the most used: one segment, so that nothing is ever looked up.
_UTC = frozenset({"UTC", "Etc/UTC"})
_ALWAYS = Segment(FIRST_SECOND, LAST_SECOND + 1, 0, 0, FIRST_SECOND, LAST_SECOND + 1)


def segment_at(name: str, second: int) -> Segment:
    """The segment that holds `second`, which must lie within the calendar."""
    if name in _UTC:
        return _ALWAYS
    parts = segments(name, datetime.fromtimestamp(second, UTC).year)
    for part in parts:
        if second < part.end:
            return part
    raise AssertionError("a year's segments cover the year")


def _second(year: int) -> int:
    return int(datetime(year, 1, 1, tzinfo=UTC).timestamp())


def _offset(name: str, second: int) -> int:
    offset = datetime.fromtimestamp(second, zone(name)).utcoffset()
    return int(offset.total_seconds()) if offset is not None else 0


def _changes(name: str, start: int, end: int) -> list[tuple[int, int, int]]:
    """When the offset changes, and from what to what. zoneinfo does not expose it: probe, then bisect."""
    found = []
    before = _offset(name, start)
    for probe in range(start + _PROBE, end + _PROBE, _PROBE):
        now = _offset(name, probe)
        if now != before:
            low, high = probe - _PROBE, probe
            at = low + bisect_left(range(low, high), True, key=lambda second: _offset(name, second) != before)
            found.append((at, before, now))
            before = now
    return found
