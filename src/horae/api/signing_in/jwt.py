"""Access tokens: JWTs that name the user and the session, valid for 15 minutes. Rights are read from the database, so
an ended session stops working within seconds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from horae import sealing

ALGORITHM = "HS256"  # the only one, regardless of what the token's header says
ISSUER, AUDIENCE = "horae", "horae-api"
_LEEWAY = 30  # seconds by which the clocks of servers may differ
_LONGEST = 2_000
GOOD_FOR = timedelta(minutes=15, seconds=-_LEEWAY)


class Signer:
    """Signs and verifies tokens for one audience. `keys` are the secret keys of the installation, the current one
    first; each purpose derives its own keys from them. The library takes 9 MiB, and is imported at first use: machines
    have API keys instead of tokens."""

    def __init__(self, keys: Sequence[str], purpose: bytes, audience: str, claims: tuple[str, ...]) -> None:
        self._keys = [derived(key, purpose) for key in keys]
        self._audience = audience
        self._required = ["exp", "iat", "sub", "aud", "iss", *claims]

    def sign(self, now: datetime, good_for: timedelta, **claims: str) -> str:
        import jwt

        payload = {"iss": ISSUER, "aud": self._audience, "iat": now, "exp": now + good_for, **claims}
        return jwt.encode(payload, self._keys[0], ALGORITHM)

    def verify(self, text: str) -> dict[str, Any] | None:
        """Its claims; None if it is invalid for any reason."""
        import jwt

        for key in self._keys if len(text) <= _LONGEST else ():
            try:
                return jwt.decode(
                    text,
                    key,
                    algorithms=[ALGORITHM],
                    audience=self._audience,
                    issuer=ISSUER,
                    leeway=_LEEWAY,
                    options={"require": self._required},
                )
            except jwt.InvalidSignatureError:
                continue
            except jwt.PyJWTError:
                return None
        return None


@dataclass(frozen=True, slots=True)
class Claims:
    user_id: str
    session_id: str


class AccessTokens:
    def __init__(self, keys: Sequence[str]) -> None:
        self._signer = Signer(keys, b"horae tokens 1: access", AUDIENCE, ("sid",))

    def mint(self, claims: Claims, now: datetime) -> str:
        return self._signer.sign(now, GOOD_FOR, sub=claims.user_id, sid=claims.session_id)

    def read(self, text: str) -> Claims | None:
        """None if it is invalid for any reason."""
        found = self._signer.verify(text)
        return Claims(found["sub"], found["sid"]) if found is not None and isinstance(found["sid"], str) else None


def derived(key: str, purpose: bytes) -> bytes:
    """A key for this purpose alone: a token signed for one part of Horae is invalid for every other."""
    return sealing.derived(key, purpose, 32)
