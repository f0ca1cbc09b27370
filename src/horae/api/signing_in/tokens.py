"""API keys as text: `horae_<prefix>_<secret>`. Only the digest is stored; the prefix finds it, and the rest is compared
in constant time (no timing attack).

A plain SHA-256 is enough: the secret has 256 random bits, so guessing is hopeless and a slow hash would add nothing.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from dataclasses import dataclass, field

_TOKEN = re.compile(r"horae_([0-9a-f]{16})_([0-9A-Za-z_-]{43})", re.ASCII)


@dataclass(frozen=True, slots=True)
class Token:
    """A new key; `text` is shown once and not stored."""

    text: str = field(repr=False)
    prefix: str
    digest: str


def mint() -> Token:
    prefix = secrets.token_hex(8)
    text = f"horae_{prefix}_{secrets.token_urlsafe(32)}"
    return Token(text, prefix, digest(text))


def prefix_of(text: str) -> str | None:
    """The prefix, if this looks like a key at all."""
    match = _TOKEN.fullmatch(text)
    return match[1] if match else None


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def matches(text: str, stored: str) -> bool:
    return hmac.compare_digest(digest(text), stored)
