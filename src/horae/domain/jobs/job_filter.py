"""Which jobs a list shows."""

from __future__ import annotations

from dataclasses import dataclass

from horae.domain.runs.states import JobStatus


@dataclass(frozen=True, slots=True)
class JobFilter:
    """None: any. `text` is a part of the name; `kind` is that of the target, `schedule` that of the schedule;
    `last_status` is that of the last run; `recurring` means `cron` or `every`."""

    text: str | None = None
    kind: str | None = None
    schedule: str | None = None
    status: JobStatus | None = None
    enabled: bool | None = None
    paused: bool | None = None
    tag: str | None = None
    queue: str | None = None
    last_status: str | None = None
    recurring: bool | None = None
