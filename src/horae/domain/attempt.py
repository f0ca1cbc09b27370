"""One try of a run by one worker, as an executor sees it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol

from horae.domain.job import JobSpec
from horae.domain.run import Claimed
from horae.domain.states import StopReason


class LogSink(Protocol):
    """Takes an attempt's output, in order and without waiting; it bounds what it keeps."""

    def write(self, stream: str, text: str) -> None:
        """`stream` is `stdout`, `stderr` or `system`."""
        ...


@dataclass(slots=True)
class Attempt:
    """What there is to run. `stop` is set, before the task is cancelled, to why it must end."""

    run: Claimed
    job: JobSpec
    deadline: float  # by Clock.monotonic
    open_log: Callable[[], LogSink]
    stop: StopReason | None = None
    grace: float = 5.0
    _log: LogSink | None = field(default=None, repr=False)

    @property
    def log(self) -> LogSink:
        """Made when first used: most attempts of small functions write nothing."""
        if self._log is None:
            self._log = self.open_log()
        return self._log

    @property
    def scheduled_for(self) -> datetime | None:
        return self.run.scheduled_for

    def template_values(self) -> dict[str, Any]:
        """What templates and environments may refer to."""
        run = self.run
        return {
            "run_id": run.id,
            "job_name": self.job.name,
            "attempt": run.attempt,
            "scheduled_for": run.scheduled_for,
            "trigger": run.trigger,
        }
