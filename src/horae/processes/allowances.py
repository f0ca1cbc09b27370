"""The remaining log quota of projects for today. A worker queries the database now and then while there is something to
write, not at every line: a project that logs on several workers at once may exceed its quota by some seconds' worth."""

from __future__ import annotations

from collections import Counter
from datetime import date

from horae.domain.errors import HoraeError
from horae.ports import Clock, Controller
from horae.processes.loop import Loop, log

_FRESH = 5.0  # seconds


class Allowances:
    def __init__(self, controller: Controller, clock: Clock) -> None:
        self._controller, self._clock = controller, clock
        self._left: dict[str, int] = {}  # bytes; a project that is missing here has no quota
        self._spent: Counter[str] = Counter()
        self._until, self._day = 0.0, date.min
        self.loop = Loop("quotas", self._look)

    def keep(self, project_id: str, text: str) -> str:
        """As much of a text as may be kept."""
        left = self._left.get(project_id) if self._clock.now().date() == self._day else None
        if self._clock.monotonic() >= self._until or (left is not None and not self._spent):
            self.loop.wake.set()  # valid as long as its data is fresh
        if left is None:
            return text
        data = text.encode(errors="replace")
        if len(data) > left:
            data = data[: max(left, 0)]
            text = data.decode(errors="ignore")
        self._left[project_id] = left - len(data)
        self._spent[project_id] += len(data)
        return text

    async def _look(self) -> float | None:
        """Reports what was kept, and reads what is left."""
        if self._clock.monotonic() < self._until:
            return self._until - self._clock.monotonic()
        spent, self._spent = self._spent, Counter()
        try:
            left = await self._controller.spend_log(spent)
        except BaseException:
            self._spent += spent
            raise
        self._left = {project_id: room - self._spent[project_id] for project_id, room in left.items()}
        self._until, self._day = self._clock.monotonic() + _FRESH, self._clock.now().date()
        return _FRESH if self._spent else None

    async def flush(self) -> None:
        """Writes all of it, if the database is available."""
        self._until = 0
        try:
            if self._spent:
                await self._look()
        except HoraeError as error:
            log.warning("what runs logged was not counted", reason=str(error))
