"""The process: takes batches of messages, submits them, and settles them after the commit."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass

from horae.domain.cluster import metrics
from horae.domain.cluster.meters import Meters
from horae.domain.cluster.readiness import STARTING, Readiness
from horae.domain.errors import BrokerUnavailable, HoraeError
from horae.intake.caller import IntakeKey, KeyRejected
from horae.intake.source import BrokerRefused, DeadMessage, IntakeMessage, Source
from horae.intake.submission import Submission, reason_of
from horae.lifecycle.trigger_many import Answer, Verdict
from horae.ports import Clock
from horae.processes.loop import Loop, log, measure

_IDLE = 1.0  # seconds to wait for a first message; the key is checked at least as often
_TEND = 5.0  # seconds
_FIRST_PAUSE, _LONGEST_PAUSE = 0.1, 5.0  # while the broker does not answer, or a quota is reached
_LOG_EVERY = 10.0  # seconds between two lines about refused messages
_GOODBYE = 3.0  # seconds to give back what was taken


@dataclass(frozen=True, slots=True)
class IntakeSettings:
    batch: int  # messages
    quota_wait: float  # seconds for which a full quota is waited for


class IntakeProcess:
    def __init__(
        self, source: Source, submission: Submission, key: IntakeKey, settings: IntakeSettings, clock: Clock
    ) -> None:
        self._source, self._submission, self._key = source, submission, key
        self._settings, self._clock = settings, clock
        self._loops = [Loop("take", self._step), Loop("tend", self._tend)]
        self._held: list[IntakeMessage] = []  # taken, and neither submitted nor refused yet
        self._next: asyncio.Task[list[IntakeMessage]] | None = None
        self._connected = self._ready = False
        self._away: str | None = None  # why the broker does not answer
        self._full: tuple[float, str] | None = None  # since when a quota is reached, and which
        self._pause = 0.0
        self._log_at = 0.0
        self._refused = 0  # since the last line
        self._rejected: KeyRejected | None = None
        self.hints_trouble: Callable[[], str | None] = lambda: None  # why hints are not sent: no obstacle here
        self.meters = Meters()
        measure(self._loops, self.meters)
        self.meters.level(metrics.INTAKE_CONNECTED, lambda: self._connected)
        for verdict in Verdict:
            self.meters.add(metrics.INTAKE, _shown(verdict), by=0)

    def readiness(self) -> Readiness:
        if self._rejected is not None:
            return Readiness((str(self._rejected),), leaving=True)
        if not self._ready and self._away is None:
            return STARTING
        reasons = [] if self._away is None else [self._away]
        if self._loops[0].trouble is not None:
            reasons.append("the database does not answer, or a step keeps failing: nothing is acknowledged")
        if self._full is not None:
            reasons.append(f"it waits for a quota: {self._full[1]}")
        return Readiness(tuple(reasons))

    async def run(self, stop: asyncio.Event) -> None:
        """Raises KeyRejected if its key is or becomes invalid."""
        tasks = [asyncio.create_task(loop.run()) for loop in self._loops]
        stopping = asyncio.create_task(stop.wait())
        await asyncio.wait([stopping, tasks[0]], return_when=asyncio.FIRST_COMPLETED)
        stopping.cancel()
        for loop in self._loops:
            loop.stop()
        await asyncio.gather(*tasks)
        await self._leave()
        if self._rejected is not None:
            raise self._rejected

    async def _leave(self) -> None:
        try:
            async with asyncio.timeout(_GOODBYE):
                if self._next is not None:
                    with suppress(HoraeError):
                        await self._next
                await self._source.close()
        except (HoraeError, TimeoutError) as error:
            log.warning("could not give back what was taken; it is delivered again later", reason=str(error))

    # ---- a step

    async def _step(self) -> float | None:
        try:
            principal = await self._key.principal()
        except KeyRejected as error:
            self._rejected = error
            for loop in self._loops:
                loop.stop()
            return None
        try:
            if not self._held:
                self._held = await self._received()
                if not self._held:
                    return 0
            began = self._clock.monotonic()
            if self._full is None and self._next is None:  # while the database works, the broker does, too
                self._next = asyncio.create_task(self._source.take(self._settings.batch, 0))
            answers = await self._submission.submit(self._held, principal)
            self.meters.observe(metrics.INTAKE_SECONDS, self._clock.monotonic() - began)
            return await self._settled(self._held, answers)
        except (BrokerUnavailable, BrokerRefused) as error:
            return self._lost(error)

    async def _received(self) -> list[IntakeMessage]:
        if not self._connected:
            await self._source.connect()
            self._connected, self._pause = True, 0.0
            if self._away is not None:
                log.info("the broker is back")
            elif not self._ready:
                log.info("intake ready", source=self._source.name)
            self._ready, self._away = True, None
        ahead, self._next = self._next, None
        found = [] if ahead is None else await ahead
        return found or await self._source.take(self._settings.batch, _IDLE)

    def _lost(self, error: HoraeError) -> float:
        """What was taken and not submitted yet is submitted all the same: it will be recognised when it comes again."""
        if self._away is None:
            log.warning("waiting for the broker", reason=str(error))
        self._connected, self._away = False, str(error)
        return self._longer()

    async def _settled(self, messages: Sequence[IntakeMessage], answers: Sequence[Answer]) -> float:
        """Keeps those that wait for a quota, removes the others from the source."""
        pairs = list(zip(messages, answers, strict=True))
        later = [(message, answer.error) for message, answer in pairs if answer.verdict is Verdict.LATER]
        expired = self._waited(later, progress=len(later) < len(messages))
        dead = [
            DeadMessage(message, str(answer.error)) for message, answer in pairs if answer.verdict is Verdict.REFUSED
        ]
        dead += [DeadMessage(message, str(error)) for message, error in later if expired]
        done = [message for message, answer in pairs if answer.verdict in (Verdict.SUBMITTED, Verdict.DUPLICATE)]
        self._held = [] if expired else [message for message, _ in later]
        self._count(answers, expired)
        await self._source.settle(done, dead)
        if not self._held:
            self._pause = 0.0
            return 0
        return self._longer()

    def _waited(self, later: Sequence[tuple[IntakeMessage, HoraeError | None]], *, progress: bool) -> bool:
        """Whether these have waited for a quota for too long."""
        now = self._clock.monotonic()
        if not later:
            self._full = None
            return False
        if self._full is None:
            log.warning("waiting for a quota", messages=len(later), reason=str(later[0][1]))
        if self._full is None or progress:
            self._full = now, str(later[0][1])
        if now - self._full[0] < self._settings.quota_wait:
            return False
        self._full = None
        return True

    def _longer(self) -> float:
        self._pause = min(max(self._pause * 2, _FIRST_PAUSE), _LONGEST_PAUSE)
        return self._pause

    def _count(self, answers: Sequence[Answer], expired: bool) -> None:
        for verdict in Verdict:
            if count := sum(answer.verdict is verdict for answer in answers):
                self.meters.add(metrics.INTAKE, _shown(verdict), by=count)
        refused = [
            answer.error
            for answer in answers
            if answer.verdict is Verdict.REFUSED or (expired and answer.verdict is Verdict.LATER)
        ]
        for error in refused:
            self.meters.add(metrics.INTAKE_REFUSED, reason_of(error))
        self._refused += len(refused)
        if refused and self._clock.monotonic() >= self._log_at:
            log.warning(
                "messages were moved to the dead-letter queue", count=self._refused, last=reason_of(refused[-1])
            )
            self._log_at, self._refused = self._clock.monotonic() + _LOG_EVERY, 0

    # ---- beside it

    async def _tend(self) -> float:
        if self._connected:
            with suppress(BrokerUnavailable, BrokerRefused):  # the next step notices
                await self._source.tend()
        return _TEND


def _shown(verdict: Verdict) -> str:
    return "delayed" if verdict is Verdict.LATER else verdict.value
