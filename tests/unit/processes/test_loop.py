"""A loop that keeps failing reports its trouble in one line without values."""

import asyncio

import pytest

from horae.domain.cluster.trouble import LONGEST, trouble_text
from horae.domain.errors import StoreUnavailable
from horae.processes.loop import Loop, troubled


class Steps:
    """Fails as configured, then stops its loop."""

    def __init__(self, *outcomes: Exception | None) -> None:
        self.loop = Loop("claim", self.step)
        self.seen: list[str | None] = []
        self._outcomes = list(outcomes)

    async def step(self) -> float:
        self.seen.append(self.loop.trouble)
        outcome = self._outcomes.pop(0)
        if not self._outcomes:
            self.loop.stop()
        self.loop._pause = 0.0  # a test does not wait for it
        if outcome is not None:
            raise outcome
        return 0


@pytest.mark.parametrize("error", [RuntimeError("too many terms"), StoreUnavailable("too many terms")])
async def test_trouble_is_reported_after_repeated_failures_until_success(error: Exception) -> None:
    steps = Steps(error, error, error, None, None)
    async with asyncio.timeout(30):
        await steps.loop.run()
    told = f"claim: {type(error).__name__}: too many terms"
    assert steps.seen == [None, None, None, told, None]
    assert troubled([Loop("report", steps.step), steps.loop]) is None


def test_quoted_values_are_removed_from_error_messages() -> None:
    """A key of one project's data must not be read by those of another."""
    error = ValueError("Duplicate entry 'pay-salaries' for key \"jobs_name\"\nDETAIL: secret")
    assert trouble_text("fire", error) == "fire: ValueError: Duplicate entry … for key …"
    assert trouble_text("fire", KeyError("x")) == "fire: KeyError: …"
    assert trouble_text("fire", RuntimeError()) == "fire: RuntimeError"
    assert len(trouble_text("fire", RuntimeError("x" * 10_000))) == LONGEST
