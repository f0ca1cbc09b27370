"""A job that waits for the end of another one's run."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Follower:
    """A job that starts when a run of `upstream_id` ends as `on` says."""

    upstream_id: str
    on: str
    id: str
    project_id: str
    version: int
    plan: str
    enabled: bool
    paused: bool
    bounded: bool = False  # whether its project has a quota of live runs
    function_off: bool = False  # whether the function of its name is disabled, if it calls one
