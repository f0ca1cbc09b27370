"""The cause of a program's failure is the last line of its error output, without the secrets that it was given."""

from collections.abc import Iterable, Mapping

import pytest

from horae.clock import SystemClock
from horae.domain.runs.attempt import Attempt, Lease
from horae.domain.runs.claim import Claimed
from horae.domain.runs.outcome import Outcome
from horae.domain.runs.states import AttemptOutcome
from horae.processes.logbook import LogBook
from horae.processes.prefetch import Arrival, Ready
from horae.processes.slots import Slots
from horae.processes.vault import Opened
from tests.unit.processes.test_slots import JOB, NOW
from tests.waiting import until

CLOCK = SystemClock()
FAILED = Outcome(AttemptOutcome.FAILED, error="exit code 1", exit_code=1)
LIMIT = 1_000


class Printing:
    """Prints, and fails."""

    def __init__(self, *pieces: tuple[str, str]) -> None:
        self._pieces = pieces

    def offers(self) -> Iterable[str]:
        return ("script",)

    async def execute(self, attempt: Attempt) -> Outcome:
        for stream, text in self._pieces:
            attempt.log.write(stream, text)
        return FAILED

    async def close(self) -> None:
        pass


async def error_of(*pieces: tuple[str, str], secrets: Mapping[str, str] | None = None) -> str | None:
    done: list[Outcome] = []
    slots = Slots(
        {"script": Printing(*pieces)},
        CLOCK,
        LogBook(CLOCK, LIMIT),
        lambda attempt, outcome, seconds: done.append(outcome),
        grace=1,
    )
    run = Claimed("run", "job", 1, "project", "api", None, 1, 0, None, NOW, NOW, "token")
    opened, arrival = None if secrets is None else Opened(secrets), Arrival(CLOCK.monotonic(), NOW)
    slots.start([Ready(run, JOB, opened, Lease(), arrival)])
    await until(lambda: done)
    return done[0].error


@pytest.mark.parametrize("secrets", [None, {"KEY": "hunter2hunter2"}])
async def test_the_last_line_of_stderr(secrets: Mapping[str, str] | None) -> None:
    printed = [
        ("stdout", "3 rows\n"),
        ("stderr", "Traceback\n  File\nKeyErr"),
        ("stdout", "x\n"),
        ("stderr", "or: 'a'\n"),
    ]
    assert await error_of(*printed, secrets=secrets) == "exit code 1: KeyError: 'a'"
    assert await error_of(("stdout", "only this\n"), secrets=secrets) == "exit code 1"
    assert await error_of(secrets=secrets) == "exit code 1"


@pytest.mark.parametrize("secrets", [None, {"KEY": "hunter2hunter2"}])
async def test_also_behind_the_end_of_a_log_that_is_full(secrets: Mapping[str, str] | None) -> None:
    printed = [("stderr", "noise\n" * LIMIT), ("stderr", "disk full\n")]
    assert await error_of(*printed, secrets=secrets) == "exit code 1: disk full"


async def test_secrets_are_redacted() -> None:
    secrets = {"KEY": "hunter2hunter2", "PEM": "-----BEGIN\nshort\nlines\n-----END"}
    for pieces in (
        ["bad key hunter2hunter2 given\n"],
        ["bad key hunter2", "hunter2 given\n"],
        ["bad key hunter2", "hunter2 given"],
    ):
        found = await error_of(*(("stderr", piece) for piece in pieces), secrets=secrets)
        assert found == "exit code 1: bad key [secret KEY] given"
    assert await error_of(("stderr", secrets["PEM"]), secrets=secrets) == "exit code 1: [secret PEM]"
    long = await error_of(("stderr", "x" * 490 + "hunter2hunter2"), secrets=secrets)
    assert long is not None
    assert "hunter" not in long
