"""The provider's public keys (JWKS): cached for a while, and fetched again for an unknown key id, but rate-limited,
since anyone can invent one."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

import jwt
from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePublicKey
from cryptography.hazmat.primitives.asymmetric.ed448 import Ed448PublicKey
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey

from horae.oidc.kept import SealedState
from horae.oidc.wire import ask, unavailable
from horae.ports import Clock

KEPT = 600.0  # seconds
EVERY = 30.0  # seconds between two fetches for an unknown key
_MOST = 100
_SHORTEST_RSA = 2_048
_WHAT = "keys"

# Only algorithms that need the provider's private key. With none or HS256, anyone could sign with public values.
ALGORITHMS: dict[str, tuple[type[Any], ...]] = {
    **dict.fromkeys(("RS256", "RS384", "RS512", "PS256", "PS384", "PS512"), (RSAPublicKey,)),
    **dict.fromkeys(("ES256", "ES384", "ES512"), (EllipticCurvePublicKey,)),
    "EdDSA": (Ed25519PublicKey, Ed448PublicKey),
}


@dataclass(frozen=True, slots=True)
class SigningKey:
    id: str | None
    algorithm: str | None
    public: Any

    def fits(self, id: str | None, algorithm: str) -> bool:
        if id is not None and self.id is not None and id != self.id:
            return False
        return self.algorithm in (None, algorithm) and isinstance(self.public, ALGORITHMS[algorithm])


class SigningKeySet:
    """`where` returns their URL."""

    def __init__(self, clock: Clock, where: Callable[[], Awaitable[str]]) -> None:
        self._where = where
        self._kept = SealedState(clock, self._fetch)

    async def find(self, id: str | None, algorithm: str) -> list[SigningKey]:
        """The keys that may have signed a token with this header."""
        for age in (KEPT, EVERY):
            found = [key for key in await self._kept.get(age) if key.fits(id, algorithm)]
            if found:
                return found
        return []

    async def _fetch(self) -> list[SigningKey]:
        answer = await ask("GET", await self._where(), _WHAT)
        listed = answer.body.get("keys")
        if answer.status != 200 or not isinstance(listed, list):
            raise unavailable(_WHAT, f"there are none in its answer ({answer.status})")
        return [key for one in listed[:_MOST] if (key := _key(one)) is not None]


def _key(given: Any) -> SigningKey | None:
    """None if it is not a public key for verification."""
    if not isinstance(given, Mapping) or given.get("use", "sig") != "sig" or given.get("kty") == "oct":
        return None
    operations = given.get("key_ops", ["verify"])
    if not isinstance(operations, list) or "verify" not in operations:
        return None
    try:
        public = jwt.PyJWK(dict(given)).key
    except (jwt.PyJWTError, ValueError, TypeError, KeyError):
        return None  # of a kind that this library does not support
    if isinstance(public, RSAPublicKey) and public.key_size < _SHORTEST_RSA:
        return None
    id, algorithm = given.get("kid"), given.get("alg")
    return SigningKey(id if isinstance(id, str) else None, algorithm if isinstance(algorithm, str) else None, public)
