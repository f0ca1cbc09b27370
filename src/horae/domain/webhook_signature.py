"""Webhook signatures by the Standard Webhooks specification (HMAC-SHA256): the receiver can verify that a call is ours
and not a replay."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
from collections.abc import Iterable

PREFIX = "whsec_"


def signatures(keys: Iterable[bytes], call_id: str, timestamp: str, body: bytes) -> str:
    """The value of `webhook-signature`: one for each key, so that a new key can be introduced beside the old one."""
    message = f"{call_id}.{timestamp}.".encode() + body
    return " ".join(f"v1,{_signature(key, message)}" for key in keys)


def _signature(key: bytes, message: bytes) -> str:
    return base64.b64encode(hmac.new(key, message, hashlib.sha256).digest()).decode()


def key_bytes(secret: str) -> bytes:
    """`whsec_…` holds the key in Base64; any other text is the key itself. Raises ValueError, which never contains
    it."""
    if not secret.startswith(PREFIX):
        if not secret:
            raise ValueError("is empty")
        return secret.encode()
    try:
        key = base64.b64decode(secret.removeprefix(PREFIX), validate=True)
    except (binascii.Error, ValueError):
        key = b""
    if not key:
        raise ValueError(f"is not Base64 after {PREFIX}")
    return key
