"""The shapes of explanations in answers."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import BaseModel

from horae.domain.explain.explanation import Level


class GateView(BaseModel):
    """One condition for a run to start; `until` is when it clears automatically, `level` is its severity."""

    name: str
    state: Literal["open", "closed", "unknown", "info"]
    level: Level
    detail: str
    unblock: str | None
    until: datetime | None


class EntryView(BaseModel):
    """A past or expected event in the life of a run."""

    at: datetime
    event: str
    detail: str
    waited_ms: int | None
    waited_for: str | None


class JobExplanationView(BaseModel):
    """Why a job does or does not run, in one sentence and gate by gate; `cause` is the gate that the sentence names
    first, `level` the overall severity."""

    at: datetime
    summary: str
    level: Level
    cause: str | None
    gates: list[GateView]


class RunExplanationView(JobExplanationView):
    """Why a run does or does not start, and its timeline."""

    timeline: list[EntryView]
