"""Device authorization (RFC 8628), for devices without a browser: they show a code, and a signed-in user approves
it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from horae.domain.errors import InvalidInput

GOOD_FOR = timedelta(minutes=10)
PAUSE = 5  # seconds between two polls at first
SLOWER = 5  # seconds more after a poll that came too early
_EARLY = timedelta(seconds=1)  # tolerance for network jitter
# RFC 8628, 6.1: consonants alone form no words, and none looks like a digit. 20^8 are too many to guess.
ALPHABET = "BCDFGHJKLMNPQRSTVWXZ"
LENGTH = 8


@dataclass(frozen=True, slots=True)
class NewDevice:
    digest: str
    user_code: str
    client: str
    address: str
    pause: int = PAUSE


@dataclass(frozen=True, slots=True)
class Device:
    digest: str
    user_code: str
    client: str
    address: str
    created_at: datetime
    expires_at: datetime
    pause: int
    polled_at: datetime | None
    user_id: str | None  # who approved it
    session_id: str | None
    denied_at: datetime | None

    def is_past(self, now: datetime) -> bool:
        return now >= self.expires_at

    def waits_at(self, now: datetime) -> bool:
        return self.user_id is None and self.denied_at is None and not self.is_past(now)

    def too_early(self, now: datetime) -> bool:
        return self.polled_at is not None and now - self.polled_at < timedelta(seconds=self.pause) - _EARLY


class Waiting(StrEnum):
    """The answer to a device that polls until it is signed in; the terms of RFC 8628."""

    PENDING = "authorization_pending"
    SLOW_DOWN = "slow_down"
    DENIED = "access_denied"
    EXPIRED = "expired_token"


def user_code(text: str) -> str:
    """The canonical form: capitals, without the dash that makes it easier to read."""
    code = re.sub(r"[\s-]", "", text).upper()
    if len(code) != LENGTH or not set(code) <= set(ALPHABET):
        raise InvalidInput("user_code", "must be a code such as BCDF-GHJK, as the device shows it")
    return code


def shown(code: str) -> str:
    return f"{code[:4]}-{code[4:]}"
