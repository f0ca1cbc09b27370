"""Bugs of the engine of a broker, planted on purpose."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from horae.domain.runs.engine_choice import CurrentEngines
from horae.domain.runs.publication import Published, PublishStep, Republishing
from horae.processes.duties.publish import PublishDuty
from horae.store import portable
from horae.store.runs import claims
from tests.simulation.mutant import Mutant, Patch
from tests.simulation.rewrites import Misfit


def _claim_by_id_without(condition: str) -> list[Patch]:
    def take_named(*given: Any, **how: Any) -> str:
        sql = claims.take_named(*given, **how)
        if condition not in sql:
            raise Misfit(f"{condition!r} is not in {sql!r}")
        return sql.replace(condition, "")

    return [(portable, "take_named", take_named)]


def _without(condition: str) -> Callable[[], list[Patch]]:
    return partial(_claim_by_id_without, condition)


def _published_is_delivered() -> list[Patch]:
    original = Republishing.step

    def step(self: Republishing, run: Published, *given: Any) -> PublishStep:
        return PublishStep.NOTHING if run.published_at is not None else original(self, run, *given)

    return [(Republishing, "step", step)]


def _nobody_else_publishes() -> list[Patch]:
    async def publish(self: PublishDuty, runs: Any, **how: Any) -> None:
        return

    return [(PublishDuty, "_publish", publish)]


def _workers_follow_alone() -> list[Patch]:
    original = PublishDuty.step

    async def step(self: PublishDuty) -> float | None:
        """By the settings alone, on what its process knows."""
        engines = self.post.settings.engines
        own = CurrentEngines(replace(engines.choice, chosen={}, has_broker=False))
        self.post.settings = replace(self.post.settings, engines=own)
        return await original(self)

    return [(PublishDuty, "step", step)]


BROKER_MUTANTS = [
    Mutant(
        "a message outranks the state",
        "a message that comes twice or late starts a run that is running",
        patches=_without("status = 'queued' AND "),
        kind="broker",
    ),
    Mutant(
        "a message outranks the gate",
        "a late message starts a run that is held",
        patches=_without("AND NOT held "),
        kind="broker",
    ),
    Mutant(
        "a message outranks the time",
        "a message of an earlier attempt starts a retry too early",
        patches=_without("AND due_at <= horae_now() "),
        kind="broker",
    ),
    Mutant(
        "published is delivered",
        "what the broker loses is not published again",
        patches=_published_is_delivered,
        kind="broker",
    ),
    Mutant(
        "the scheduler publishes nothing",
        "what is due later, or was queued by a process that died, reaches no worker",
        patches=_nobody_else_publishes,
        kind="broker",
    ),
    Mutant(
        "the scheduler does not follow a queue",
        "when a queue moves to the broker, what was queued before reaches no worker",
        patches=_workers_follow_alone,
        kind="broker",
    ),
]
