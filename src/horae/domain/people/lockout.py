"""Lockout against brute force: a few wrong passwords are free, then each one doubles the wait."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Tries:
    """How many attempts there were, decaying over time, and when the last one was."""

    level: float
    at: datetime


@dataclass(frozen=True, slots=True)
class Lockout:
    free: int
    first: float  # seconds to wait after the last free attempt
    longest: float
    forget: float  # seconds after which one attempt is forgotten

    def level(self, tries: Tries, now: datetime) -> float:
        """What is left of earlier attempts."""
        return max(0.0, tries.level - max(0.0, (now - tries.at).total_seconds()) / self.forget)

    def begins(self, level: float) -> bool:
        """Whether one more attempt at this level is the one that starts the wait."""
        return self._over(level) < 0 <= self._over(level + 1)

    def _over(self, level: float) -> int:
        return int(level + 0.5) - self.free  # a little decays between two attempts

    def wait(self, tries: Tries, now: datetime) -> float:
        """Seconds until the next attempt is allowed; 0: now."""
        over = self._over(tries.level)
        if over < 0:
            return 0.0
        pause = min(self.longest, self.first * 2.0 ** min(over, 40))
        return max(0.0, pause - (now - tries.at).total_seconds())


ACCOUNT = Lockout(free=5, first=15.0, longest=900.0, forget=600.0)
GUESS = Lockout(free=10, first=15.0, longest=900.0, forget=60.0)  # of one user: codes of devices, enrolments
ADDRESS = Lockout(free=30, first=15.0, longest=900.0, forget=30.0)  # many people may share one
