"""Run metrics: an observer that counts what happens to runs, called once per batch."""

from __future__ import annotations

from collections import Counter

from horae.domain.cluster import metrics
from horae.domain.cluster.meters import Meters
from horae.domain.runs.events import Event, RunsEnded, RunsQueued, RunsRetried, RunsSkipped, RunsStarted
from horae.domain.runs.states import Trigger
from horae.ports import Clock


class RunMeter:
    def __init__(self, meters: Meters, clock: Clock) -> None:
        self._meters, self._clock = meters, clock

    def __call__(self, event: Event) -> None:
        meters = self._meters
        if isinstance(event, RunsEnded):
            for (status, place), count in Counter((run.status, run.place) for run in event.ended).items():
                meters.add(metrics.ENDED, status.value, place.kind or "", by=count)
        elif isinstance(event, RunsStarted):
            meters.add(metrics.STARTED, by=len(event.runs))
            lateness = meters.histogram(metrics.LATENESS)
            for run in event.runs:
                lateness.observe(max((run.started_at - run.due_at).total_seconds(), 0.0))
        elif isinstance(event, RunsQueued):
            self._queued(event)
        elif isinstance(event, RunsRetried):
            for outcome, count in Counter(one.outcome for one in event.retried).items():
                meters.add(metrics.RETRIED, outcome.value, by=count)
        elif isinstance(event, RunsSkipped):
            for skipped in event.skipped:
                meters.add(metrics.PASSED_OVER, str(skipped.reason), by=skipped.occurrences)

    def _queued(self, event: RunsQueued) -> None:
        for trigger, count in Counter(run.trigger for run in event.runs).items():
            self._meters.add(metrics.QUEUED, str(trigger), by=count)
        if due := [run.scheduled_for for run in event.runs if run.trigger == Trigger.SCHEDULE and run.scheduled_for]:
            now, lag = self._clock.now(), self._meters.histogram(metrics.FIRE_LAG)
            for at in due:
                lag.observe(max((now - at).total_seconds(), 0.0))
