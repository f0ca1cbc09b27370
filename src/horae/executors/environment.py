"""The environment variables of an attempt, on the worker's machine and in containers alike."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from horae.domain.template import TemplateFault
from horae.executors.aside import aside
from horae.executors.failure import Refused

if TYPE_CHECKING:
    from horae.domain.runs.attempt import Attempt


async def filled(attempt: Attempt, env: Mapping[str, str]) -> dict[str, str]:
    """The definition's own variables: templates, filled in for the attempt."""
    return await aside(attempt, lambda: _filled(attempt, env))


def _filled(attempt: Attempt, env: Mapping[str, str]) -> dict[str, str]:
    made: dict[str, str] = {}
    for name, text in env.items():
        try:
            made[name] = attempt.fill_in(text)
        except TemplateFault as fault:
            raise Refused(f"env.{name} cannot be filled in: {fault}") from None
        if "\0" in made[name]:
            raise Refused(f"env.{name} has a NUL character, which no environment can hold")
    return made


def about(attempt: Attempt) -> dict[str, str]:
    """The variables that describe the attempt."""
    run = attempt.run
    return {
        "HORAE_RUN_ID": run.id,
        "HORAE_JOB_NAME": attempt.job.name,
        "HORAE_ATTEMPT": str(run.attempt),
        "HORAE_SCHEDULED_FOR": _instant(run.scheduled_for),
        "HORAE_TRIGGER": run.trigger,
    }


def traced(attempt: Attempt) -> dict[str, str]:
    """The variables by which programs with OpenTelemetry join their caller's trace; a definition may override them."""
    return {} if attempt.traceparent is None else {"TRACEPARENT": attempt.traceparent}


def _instant(at: datetime | None) -> str:
    return "" if at is None else at.astimezone(UTC).isoformat().replace("+00:00", "Z")
