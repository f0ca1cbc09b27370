"""An attempt: one try of a run by one worker under a lease, as an executor sees it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol

from horae.domain.jobs.job import JobSpec
from horae.domain.runs.claim import Claimed
from horae.domain.runs.states import StopReason
from horae.domain.template import TemplateWork, fill_in

_QUICKLY_READ = 16_384  # characters of JSON


class LogSink(Protocol):
    """Takes an attempt's output, in order and without waiting; it bounds what it keeps."""

    def write(self, stream: str, text: str) -> None:
        """`stream` is `stdout`, `stderr` or `system`."""
        ...

    def progress(self, fraction: float, note: str | None) -> None:
        """Progress from 0 to 1; each report replaces the previous one."""
        ...


class Lease:
    """How long an attempt certainly belongs to this worker, by Clock.monotonic. The heartbeat extends it, from its own
    thread."""

    __slots__ = ("_follower", "until")

    def __init__(self, until: float = float("inf")) -> None:
        self.until = until
        self._follower: Callable[[float], None] | None = None

    def move(self, until: float) -> None:
        """0: it is lost."""
        self.until = until
        if (follower := self._follower) is not None:
            follower(until)

    def follow(self, follower: Callable[[float], None] | None) -> None:
        """For executors that must stop on time even if the worker's loop is blocked or the worker is suspended: called
        on each extension, from the heartbeat's thread."""
        self._follower = follower
        if follower is not None:
            follower(self.until)


@dataclass(slots=True)
class Attempt:
    """What to run. Before its task is cancelled, `stop` is set to the reason."""

    run: Claimed
    job: JobSpec
    deadline: float  # by Clock.monotonic
    open_log: Callable[[], LogSink]
    stop: StopReason | None = None
    grace: float = 5.0
    lease: Lease = field(default_factory=Lease)
    secrets: Mapping[str, str] = field(default_factory=dict, repr=False)  # those that the target names
    span: str | None = None  # the traceparent of its own span, where this worker traces it
    _log: LogSink | None = field(default=None, repr=False)
    _work: TemplateWork | None = field(default=None, repr=False)
    _values: dict[str, Any] | None = field(default=None, repr=False)

    @property
    def log(self) -> LogSink:
        """Created on first use: most small functions write nothing."""
        if self._log is None:
            self._log = self.open_log()
        return self._log

    @property
    def work(self) -> TemplateWork:
        """The budget that its templates share."""
        if self._work is None:
            self._work = TemplateWork()
        return self._work

    @work.setter
    def work(self, work: TemplateWork) -> None:
        self._work = work

    @property
    def traceparent(self) -> str | None:
        """The trace context for everything it calls."""
        return self.span or self.run.traceparent

    @property
    def scheduled_for(self) -> datetime | None:
        return self.run.scheduled_for

    def fill_in(self, text: str) -> str:
        """A template of the target (see domain/template/) with this attempt's values. Raises TemplateFault."""
        return fill_in(text, self._shown, self.work)

    def _shown(self) -> dict[str, Any]:
        if self._values is None:
            if self.work.quick and len(self.run.input or "") > _QUICKLY_READ:
                raise self.work.too_much("the input has to be read")
            self._values = self._read()
        return self._values

    def _read(self) -> dict[str, Any]:
        run = self.run
        at = run.scheduled_for
        return {
            "run": {
                "id": run.id,
                "attempt": run.attempt,
                "trigger": str(run.trigger),
                "scheduled_for": None if at is None else at.isoformat(),
            },
            "job": {"id": run.job_id, "name": self.job.name, "version": run.version},
            "input": None if run.input is None else json.loads(run.input),
            "secrets": self.secrets,
        }
