"""Refresh tokens as text: `hr1.<session>.<generation>.<secret>.<mac>`.

The MAC distinguishes an issued token from a forged one: only reuse of an issued one may end a session. The digest in
the session's row says which token is valid now."""

from __future__ import annotations

import base64
import hashlib
import hmac
import re
import secrets
from collections.abc import Sequence
from dataclasses import dataclass

from horae.api.signing_in.jwt import derived
from horae.domain.text.ids import ID

_FORM = re.compile(rf"hr1\.({ID})\.([1-9][0-9]{{0,8}})(?:\.[0-9A-Za-z_-]{{43}}){{2}}", re.ASCII)
_PURPOSE = b"horae tokens 1: refresh"


@dataclass(frozen=True, slots=True)
class Refresh:
    """The contents of a genuine token, and its digest."""

    session_id: str
    generation: int
    digest: str


class RefreshTokens:
    def __init__(self, keys: Sequence[str]) -> None:
        self._keys = [derived(key, _PURPOSE) for key in keys]

    def mint(self, session_id: str, generation: int) -> tuple[str, str]:
        """The token and its digest."""
        named = f"hr1.{session_id}.{generation}.{secrets.token_urlsafe(32)}"
        text = f"{named}.{_mac(self._keys[0], named)}"
        return text, _digest(text)

    def read(self, text: str) -> Refresh | None:
        found = _FORM.fullmatch(text)
        if found is None:
            return None
        named, _, mac = text.rpartition(".")
        if not any(hmac.compare_digest(mac, _mac(key, named)) for key in self._keys):
            return None
        return Refresh(found[1], int(found[2]), _digest(text))


def _mac(key: bytes, text: str) -> str:
    return base64.urlsafe_b64encode(hmac.digest(key, text.encode(), "sha256")).rstrip(b"=").decode()


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
