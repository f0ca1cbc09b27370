"""Alert settings from configuration and machine, and the loop of `serve` that notices when no scheduler is left."""

from __future__ import annotations

import shutil
from dataclasses import fields
from datetime import datetime
from pathlib import Path

from horae.config import Settings
from horae.domain.alerts.facts import Disk
from horae.domain.alerts.thresholds import Thresholds
from horae.lifecycle.watching.watch import Eyes, watch_schedulers
from horae.ports import Store
from horae.processes.alerting import Alerting
from horae.processes.loop import Loop
from horae.store.open import sqlite_path
from horae.wiring.engines import choice_of

_SETTLING = 15.0  # seconds
_LOOK = 15.0  # seconds


def thresholds_of(settings: Settings) -> Thresholds:
    return Thresholds(**{field.name: getattr(settings, f"alert_{field.name}") for field in fields(Thresholds)})


def settling(thresholds: Thresholds) -> float:
    """After everything was down for a while, workers have not registered yet and due jobs have not been fired: that
    must not raise alerts. A scheduler that takes over from another one has been up for longer."""
    return min(_SETTLING, thresholds.shortest or _SETTLING)


def disk_of(settings: Settings) -> Disk | None:
    """None if the database is not a file, or the disk cannot be read."""
    if not settings.database_url.startswith("sqlite:"):
        return None
    try:
        found = shutil.disk_usage(Path(sqlite_path(settings.database_url)).absolute().parent)
    except OSError:
        return None
    return Disk(found.free, found.total)


def scheduler_watch(store: Store, settings: Settings) -> Loop:
    """In every API process: they find the same, and the alert opens once."""
    alerting = Alerting(
        store, Eyes(thresholds_of(settings), settings.offline_after, settings.shard_lease, choice_of(settings))
    )
    absent_since: datetime | None = None

    async def look() -> float:
        nonlocal absent_since
        changes, absent_since = await store.read(
            watch_schedulers, shard_lease=settings.shard_lease, absent_since=absent_since
        )
        await alerting.apply(changes)
        return _LOOK

    return Loop("alerts", look)
