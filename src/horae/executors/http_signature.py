"""The keys that calls are signed with (domain/webhook_signature.py)."""

from __future__ import annotations

from horae.domain.webhook_signature import key_bytes, signatures
from horae.executors.failure import Refused

__all__ = ["key_of", "signatures"]


def key_of(name: str, secret: str) -> bytes:
    """Raises Refused, which names the secret and never its value."""
    try:
        return key_bytes(secret)
    except ValueError as error:
        raise Refused(f"the call cannot be signed: the secret {name} {error}") from None
