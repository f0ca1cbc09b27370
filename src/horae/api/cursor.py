"""Opaque cursors: where a list continues, signed, and bound to the list and its filters.

Signed because a cursor becomes part of a query: a forged one, or one from another list, is refused with an error
instead of silently showing the wrong rows.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
from collections.abc import Sequence

from horae.domain.errors import InvalidInput

_MAC_BYTES = 12


def seal(key: str, scope: str, after: str | None) -> str | None:
    """`scope` names the list, the project and the filters."""
    if after is None:
        return None
    payload = after.encode()
    return base64.urlsafe_b64encode(_mac(key, scope, payload) + payload).rstrip(b"=").decode()


def unseal(keys: Sequence[str], scope: str, cursor: str | None) -> str | None:
    """`keys`: during a key rotation, clients in the middle of a list continue with the old key."""
    if cursor is None:
        return None
    try:
        raw = base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True)
    except (binascii.Error, ValueError):
        raw = b""
    mac, payload = raw[:_MAC_BYTES], raw[_MAC_BYTES:]
    if not any(hmac.compare_digest(mac, _mac(key, scope, payload)) for key in keys):
        raise InvalidInput("cursor", "is not a cursor of this list; start again without it")
    return payload.decode()


def _mac(key: str, scope: str, payload: bytes) -> bytes:
    message = b"horae-cursor\0" + scope.encode() + b"\0" + payload
    return hmac.new(key.encode(), message, hashlib.sha256).digest()[:_MAC_BYTES]
