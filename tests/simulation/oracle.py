"""What must be true after every commit. Each rule sees the rows that the transaction changed, as they were and as they
are, who did it and by which verb; the first that is broken ends the world."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from tests.simulation import job_rules, process_rules, run_rules
from tests.simulation.connection import Change
from tests.simulation.mirror import Mirror, Row, Step

if TYPE_CHECKING:
    from tests.simulation.process import Process
    from tests.simulation.world import World


class Violation(Exception):
    """Something that must never be."""

    def __init__(self, what: str, *about: str | None) -> None:
        super().__init__(what)
        self.what = what
        self.about = {key for key in about if key is not None}  # of the rows in question


@lru_cache(maxsize=4096)
def parsed(spec: str) -> Any:
    return json.loads(spec)


class Oracle:
    def __init__(self, world: World, mirror: Mirror) -> None:
        self.world, self.mirror = world, mirror
        self.tokens: set[tuple[str, str]] = set()  # of all claims
        self.released: set[tuple[str, str]] = set()  # of claims that were undone
        self.known: set[str] = set()  # runs that there ever were
        self.fired: dict[str, dict[datetime, str]] = {}  # by job: occurrence → its row
        self.children: dict[tuple[str, str], str] = {}  # job and parent run → its row
        self.filled: dict[tuple[str, datetime], str] = {}  # backfill and occurrence → its run
        self.ended = dict.fromkeys(("succeeded", "failed", "cancelled", "skipped"), 0)  # occurrences
        self.fired_rows: dict[str, list[Row]] = {}  # by job: rows of its schedule, as they were inserted

    def broken(self, what: str, *, run: str | None = None, job: str | None = None, about: str | None = None) -> None:
        """Ends the world; no `except` of the product catches it."""
        violation = Violation(what, run, job, about)
        self.world.loop.halt(violation)
        raise violation

    def committed(self, process: Process, verb: str, began: datetime, now: datetime, changed: Sequence[Change]) -> Step:
        step = Step(process, verb, began, now)
        self.mirror.read(step, changed)
        run_rules.check(self, step)
        job_rules.check(self, step)
        process_rules.check(self, step)
        return step

    def spec(self, job_id: str, version: int) -> Any:
        return parsed(self.mirror.tables["job_versions"][f"{job_id}/{version}"]["spec"])
