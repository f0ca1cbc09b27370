"""The kinds of targets and of schedules: everything that lists them, from the API to the shell's completion, takes them
from here."""

from __future__ import annotations

from typing import Literal, get_args

TargetKind = Literal["http", "script", "python", "container", "artifact"]
ScheduleKind = Literal["cron", "every", "at", "after", "manual"]

TARGET_KINDS: tuple[str, ...] = get_args(TargetKind)
SCHEDULE_KINDS: tuple[str, ...] = get_args(ScheduleKind)
