"""What people read when a seed has failed: who did what when, as far as it concerns the rows in question."""

from __future__ import annotations

from collections.abc import Iterable

from tests.simulation.connection import Change
from tests.simulation.trace import Entry, Trace

_LONGEST = 120


def timeline(trace: Trace, wanted: set[str]) -> list[str]:
    chosen = [entry for entry in trace.entries if not wanted or _concerns(entry, wanted)]
    if len(chosen) > _LONGEST:
        skipped = len(chosen) - _LONGEST
        return [*map(str, chosen[:20]), f"    … {skipped} more …", *map(str, chosen[20 + skipped :])]
    return [str(entry) for entry in chosen]


def _concerns(entry: Entry, wanted: set[str]) -> bool:
    return entry.kind in ("fault", "note") or bool(_ids(entry.changed) & wanted)


def _ids(changed: Iterable[Change]) -> set[str]:
    return {key.partition("/")[0] for _, key in changed}
