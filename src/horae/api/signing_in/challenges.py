"""Second-factor challenge: a token for the next step of signing in, issued after a correct password and valid for a few
minutes. It grants no access."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from horae.api.signing_in.jwt import Signer

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
        self._signer = Signer(keys, b"horae tokens 1: challenge", "horae-sign-in", ("step", "pwd"))

    def mint(self, step: Step, user_id: str, checked: str, now: datetime) -> str:
        return self._signer.sign(now, GOOD_FOR[step], sub=user_id, step=step, pwd=_fingerprint(checked))

    def read(self, step: Step, text: str) -> Challenge | None:
        """None if it is invalid for any reason."""
        found = self._signer.verify(text)
        return Challenge(str(found["sub"]), str(found["pwd"])) if found is not None and found["step"] == step else None


def _fingerprint(stored: str) -> str:
    return hashlib.sha256(stored.encode()).hexdigest()[:32]
