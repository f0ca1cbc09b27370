"""The kinds of schedules, from which everything that lists them is derived, from the API to shell completion. Those of
targets are in `domain/targets/`."""

from __future__ import annotations

from typing import Literal, get_args

ScheduleKind = Literal["cron", "every", "at", "after", "manual"]

SCHEDULE_KINDS: tuple[str, ...] = get_args(ScheduleKind)
