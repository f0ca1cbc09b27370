"""Runs checks, several at a time: each has a controller and an agent of its own."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from horae.conformance.check import ConformanceCheck
from horae.conformance.stage import PATIENCE, Stage, Violated, opened

LONGEST = 90.0  # seconds for one check
_LISTED = "requests contain only what this page lists."


@dataclass(frozen=True)
class CheckVerdict:
    check: ConformanceCheck
    passed: bool
    skipped: bool = False
    sentence: str = ""  # the one that was violated
    found: str = ""  # what the agent did


async def verdicts(
    checks: Sequence[ConformanceCheck],
    command: Sequence[str],
    patience: float,
    *,
    at_a_time: int,
    tell: Callable[[CheckVerdict], None],
) -> list[CheckVerdict]:
    turn = asyncio.Semaphore(at_a_time)

    async def one(check: ConformanceCheck) -> CheckVerdict:
        async with turn:
            made = await verdict(check, command, patience)
        tell(made)
        return made

    return list(await asyncio.gather(*map(one, checks)))


async def verdict(check: ConformanceCheck, command: Sequence[str], patience: float = PATIENCE) -> CheckVerdict:
    async with opened(command, patience) as stage:
        try:
            async with asyncio.timeout(LONGEST):
                await check.run(stage)
        except Violated as violation:
            if _not_offered(check, stage):
                return CheckVerdict(check, passed=True, skipped=True, found=f"the agent does not offer {check.needs}")
            return CheckVerdict(check, passed=False, sentence=check.sentence, found=str(violation))
        except TimeoutError:
            return CheckVerdict(
                check, passed=False, sentence=check.sentence, found=f"not finished within {LONGEST:g} s"
            )
        if stage.controller.violations:
            return CheckVerdict(check, passed=False, sentence=_LISTED, found=stage.controller.violations[0])
        return CheckVerdict(check, passed=True)


def _not_offered(check: ConformanceCheck, stage: Stage) -> bool:
    registered = stage.controller.of("register")
    return bool(check.needs and registered) and check.needs not in registered[0].body.get("offers", [])
