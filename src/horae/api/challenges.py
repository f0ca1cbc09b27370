"""What somebody gets whose password was right and does not suffice: a token for the next step of signing in, for a few
minutes. It opens nothing by itself."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

import jwt

from horae.api.jwt import ALGORITHM, ISSUER, derived

_PURPOSE = b"horae tokens 1: challenge"
_AUDIENCE = "horae-sign-in"
_CLAIMS = ["exp", "iat", "sub", "aud", "iss", "step", "pwd"]
_LEEWAY = 30
_LONGEST = 2_000

Step = Literal["code", "enrol"]
GOOD_FOR: dict[Step, timedelta] = {
    "code": timedelta(minutes=5),
    "enrol": timedelta(minutes=20),  # long enough to install an app
}


@dataclass(frozen=True, slots=True)
class Challenge:
    user_id: str
    password: str  # a fingerprint of the hash that was checked

    def is_for(self, stored: str) -> bool:
        """Whether the password is still the one that was checked."""
        return hmac.compare_digest(self.password, _fingerprint(stored))


class Challenges:
    def __init__(self, keys: Sequence[str]) -> None:
        self._keys = [derived(key, _PURPOSE) for key in keys]

    def mint(self, step: Step, user_id: str, checked: str, now: datetime) -> str:
        payload = {
            "iss": ISSUER,
            "aud": _AUDIENCE,
            "sub": user_id,
            "step": step,
            "pwd": _fingerprint(checked),
            "iat": now,
            "exp": now + GOOD_FOR[step],
        }
        return jwt.encode(payload, self._keys[0], ALGORITHM)

    def read(self, step: Step, text: str) -> Challenge | None:
        """None for whatever is wrong with it."""
        for key in self._keys if len(text) <= _LONGEST else ():
            try:
                found = jwt.decode(
                    text,
                    key,
                    algorithms=[ALGORITHM],
                    audience=_AUDIENCE,
                    issuer=ISSUER,
                    leeway=_LEEWAY,
                    options={"require": _CLAIMS},
                )
            except jwt.InvalidSignatureError:
                continue
            except jwt.PyJWTError:
                return None
            return Challenge(str(found["sub"]), str(found["pwd"])) if found["step"] == step else None
        return None


def _fingerprint(stored: str) -> str:
    return hashlib.sha256(stored.encode()).hexdigest()[:32]
