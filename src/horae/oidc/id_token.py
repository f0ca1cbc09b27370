"""Verifies ID tokens (OpenID Connect Core 3.1.3.7)."""

from __future__ import annotations

import hmac
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

import jwt

from horae.domain.people.single_sign_on import NotAccepted, Refusal
from horae.oidc.keys import ALGORITHMS, SigningKey

LEEWAY = 60  # seconds by which the provider's clock may differ
LONGEST = 65_536  # characters
_OLDEST = timedelta(hours=1)  # it was issued a moment ago, for the code that was just exchanged
_NEEDED = ["iss", "sub", "aud", "exp", "iat"]


def header(token: str, allowed: Sequence[str]) -> tuple[str | None, str]:
    """The key id and the algorithm of a token, if that algorithm is allowed."""
    if len(token) > LONGEST:
        raise rejected("the ID token is too long")
    try:
        found = jwt.get_unverified_header(token)
    except jwt.PyJWTError:
        raise rejected("the ID token is not a JWT") from None
    algorithm, id = found.get("alg"), found.get("kid")
    if algorithm not in ALGORITHMS or (allowed and algorithm not in allowed):
        raise rejected("the ID token is signed with an algorithm that is not allowed")
    if "crit" in found:
        raise rejected("the ID token has critical headers that are not supported")
    return (id if isinstance(id, str) else None), algorithm


def verify(
    token: str, keys: Sequence[SigningKey], algorithm: str, *, issuer: str, client_id: str, nonce: str, now: datetime
) -> dict[str, Any]:
    """Its claims. Raises NotAccepted, with a reason that contains nothing of the token."""
    claims = _signed(token, keys, algorithm, issuer, client_id)
    audience, party = claims["aud"], claims.get("azp")
    if isinstance(audience, list) and len(audience) > 1 and party is None:
        raise rejected("the ID token is for several clients and does not name one")
    if party is not None and party != client_id:
        raise rejected("the ID token was issued to another client (azp)")
    given = claims.get("nonce")
    if not isinstance(given, str) or not hmac.compare_digest(given.encode(), nonce.encode()):
        raise rejected("the ID token belongs to another sign-in (nonce)")
    if now.timestamp() - claims["iat"] > _OLDEST.total_seconds():
        raise rejected("the ID token was issued long ago (iat)")
    return claims


def _signed(token: str, keys: Sequence[SigningKey], algorithm: str, issuer: str, client_id: str) -> dict[str, Any]:
    why = "the ID token is not signed by any of the provider's keys"
    for key in keys:
        try:
            found: dict[str, Any] = jwt.decode(
                token,
                key.public,
                algorithms=[algorithm],
                audience=client_id,
                issuer=issuer,
                leeway=LEEWAY,
                options={"require": _NEEDED, "verify_iat": True, "verify_nbf": True},
            )
        except (jwt.InvalidSignatureError, jwt.InvalidKeyError):
            continue
        except (jwt.PyJWTError, ValueError, TypeError, OverflowError) as error:
            why = f"the ID token is not valid: {type(error).__name__}"
            continue
        return found
    raise rejected(why)


def rejected(why: str) -> NotAccepted:
    return NotAccepted(Refusal.REJECTED, why)
