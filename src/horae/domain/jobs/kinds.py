"""The kinds of schedules: everything that lists them, from the API to the shell's completion, takes them from here.
Those of targets are in `domain/targets/`."""

from __future__ import annotations

from typing import Literal, get_args

ScheduleKind = Literal["cron", "every", "at", "after", "manual"]

SCHEDULE_KINDS: tuple[str, ...] = get_args(ScheduleKind)
