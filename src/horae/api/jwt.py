"""Access tokens: JWTs that say who and by which session, for a quarter of an hour. What the session may do is asked of
the database, so that a session that was ended stops working within seconds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

import jwt
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

ALGORITHM = "HS256"  # and no other, whatever a token says of itself
ISSUER, AUDIENCE = "horae", "horae-api"
_PURPOSE = b"horae tokens 1: access"
_LEEWAY = 30  # seconds by which the clocks of servers may differ
GOOD_FOR = timedelta(minutes=15, seconds=-_LEEWAY)
_CLAIMS = ["exp", "iat", "sub", "aud", "iss", "sid"]
_LONGEST = 2_000


@dataclass(frozen=True, slots=True)
class Claims:
    user_id: str
    session_id: str


class AccessTokens:
    """`keys` are the secret keys of the installation, the present one first."""

    def __init__(self, keys: Sequence[str]) -> None:
        self._keys = [derived(key, _PURPOSE) for key in keys]

    def mint(self, claims: Claims, now: datetime) -> str:
        payload = {
            "iss": ISSUER,
            "aud": AUDIENCE,
            "sub": claims.user_id,
            "sid": claims.session_id,
            "iat": now,
            "exp": now + GOOD_FOR,
        }
        return jwt.encode(payload, self._keys[0], ALGORITHM)

    def read(self, text: str) -> Claims | None:
        """None for whatever is wrong with it."""
        if len(text) > _LONGEST:
            return None
        for key in self._keys:
            try:
                found = jwt.decode(
                    text,
                    key,
                    algorithms=[ALGORITHM],
                    audience=AUDIENCE,
                    issuer=ISSUER,
                    leeway=_LEEWAY,
                    options={"require": _CLAIMS},
                )
            except jwt.InvalidSignatureError:
                continue
            except jwt.PyJWTError:
                return None
            sid = found["sid"]
            return Claims(found["sub"], sid) if isinstance(sid, str) else None
        return None


def derived(key: str, purpose: bytes) -> bytes:
    """A key for this purpose alone: what one part of Horae signs, no other takes for its own."""
    return HKDF(SHA256(), 32, salt=None, info=purpose).derive(key.encode())
