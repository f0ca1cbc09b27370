"""Tokens in URLs of pings and badges. The row is found by the digest, so a database dump contains no plaintext token;
the encrypted token serves to show the URL again."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, field

from horae.domain.secrets.secret import Sealed

_TOKEN = re.compile(r"[0-9A-Za-z_-]{32}", re.ASCII)


@dataclass(frozen=True, slots=True)
class UrlToken:
    """A new token: the digest that finds it, and the encrypted form that shows it."""

    digest: str
    sealed: Sealed = field(repr=False)


def digest(token: str) -> str | None:
    """A plain SHA-256, since a token has 192 random bits; None if it cannot be a token."""
    return hashlib.sha256(token.encode()).hexdigest() if _TOKEN.fullmatch(token) else None


def place(kind: str, row_id: str) -> str:
    """The context a token is encrypted for. No secret can have such a name, as it contains a space."""
    return f"{kind} {row_id}"


def row_of(sealed: Sealed) -> str:
    return sealed.name.partition(" ")[2]
