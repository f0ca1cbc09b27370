"""The second factor of an account: who must have one, what proves it, and the recovery codes for a lost phone."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from horae.domain.people.account import User
from horae.domain.people.lockout import Lockout
from horae.domain.secrets.secret import Sealed

Policy = Literal["optional", "admins", "required"]

RECOVERY_CODES = 10
_ALPHABET = "abcdefghjkmnpqrstuvwxyz23456789"  # without the ambiguous i, l, o, 0 and 1
_LENGTH, _GROUP = 16, 4  # 79 bits: a plain digest cannot be brute-forced
SEALED_AS = "second factor"  # no secret of a project can have this name
PENDING_FOR = timedelta(hours=1)  # seconds that an enrolment waits for its first code
CODES = Lockout(free=5, first=30.0, longest=3600.0, forget=3600.0)  # stricter than passwords: a code is short


@dataclass(frozen=True, slots=True)
class SecondFactor:
    """An authenticator app in use, or (`confirmed_at` None) one that has not shown its first code yet."""

    user_id: str
    sealed: Sealed
    used_step: int | None
    created_at: datetime
    confirmed_at: datetime | None

    def expired_at(self, now: datetime) -> bool:
        return self.confirmed_at is None and now - self.created_at > PENDING_FOR


@dataclass(frozen=True, slots=True)
class Standing:
    """A user's second factor as they see it."""

    since: datetime | None
    recovery_codes: int  # that are left


def required(policy: Policy, user: User) -> bool:
    return policy == "required" or (policy == "admins" and user.is_admin)


def normal(code: str) -> str:
    """Without the separators that people and apps put between the characters."""
    return "".join(c for c in code.lower() if not c.isspace() and c != "-")


def new_recovery_codes(below: Callable[[int], int]) -> list[str]:
    """`below(n)` is a random number below n."""
    texts = ("".join(_ALPHABET[below(len(_ALPHABET))] for _ in range(_LENGTH)) for _ in range(RECOVERY_CODES))
    return ["-".join(text[at : at + _GROUP] for at in range(0, _LENGTH, _GROUP)) for text in texts]


def recovery_digest(user_id: str, code: str) -> str:
    return hashlib.sha256(f"{user_id}\0{normal(code)}".encode()).hexdigest()
