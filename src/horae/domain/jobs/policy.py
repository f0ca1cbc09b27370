"""Retry policies: the backoff before the next attempt, its jitter, and whether there is another attempt."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from horae.domain.text.measures import DURATION

Backoff = Literal["exponential", "linear", "fixed"]
Overlap = Literal["skip", "queue_one", "queue_all", "cancel_running", "allow"]
CatchUp = Literal["last", "all", "first", "none"]


class Retry(BaseModel):
    """When and how often a failed attempt is retried. `max_attempts` includes the first attempt; an exit status in
    `permanent_exit_codes` is final."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    max_attempts: Annotated[int, Field(ge=1, le=100)] = 3
    backoff: Backoff = "exponential"
    delay: Annotated[float, Field(ge=0, le=86_400, allow_inf_nan=False), DURATION] = 60
    max_delay: Annotated[float, Field(ge=0, le=604_800, allow_inf_nan=False), DURATION] = 3_600
    jitter: Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)] = 0.1
    permanent_exit_codes: Annotated[
        tuple[Annotated[int, Field(ge=1, le=255)], ...], Field(max_length=255, strict=False)
    ] = ()

    def filled_in(self, defaults: Retry) -> Retry:
        """With `defaults` for what was not given."""
        given = {name: getattr(self, name) for name in self.model_fields_set}
        return defaults.model_copy(update=given)

    def pause(self, made: int, chance: float, retry_after: float | None = None) -> float:
        """Seconds to wait after `made` attempts; `chance` in [0, 1) spreads by the jitter; a server's own `retry_after`
        is honoured. Neither ever exceeds `max_delay`."""
        if self.backoff == "exponential":
            # An exponent beyond 64 is past any max_delay; unbounded it would overflow a float.
            base = self.delay * 2.0 ** min(made - 1, 64)
        elif self.backoff == "linear":
            base = self.delay * made
        else:
            base = self.delay
        base *= 1 + self.jitter * (2 * chance - 1)
        if retry_after is not None:
            base = max(base, retry_after)
        return min(base, self.max_delay)


@dataclass(frozen=True, slots=True)
class Defaults:
    """The installation's defaults for jobs; resolved when a job is saved."""

    timeout: float = 300.0
    retry: Retry = field(default_factory=Retry)
    start_within: float | None = None
