"""Callback URLs: where the called service reports the outcome. The token in the URL names a run and one of its
attempts, and is signed, so nothing is stored for it and it cannot be forged. An attempt's number is never reused: this
token fences the attempt, as the lease's token fences a worker."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import struct
from collections.abc import Sequence
from dataclasses import dataclass, field
from uuid import UUID

PATH = "/api/v1/callbacks/"
_FORM = struct.Struct(">16sI")
_LENGTH = _FORM.size + hashlib.sha256().digest_size
_LONGEST = 100  # characters that are worth decoding


@dataclass(frozen=True, slots=True)
class Callbacks:
    """Creates URLs below `base`, the public URL of this installation."""

    base: str
    key: str = field(repr=False)

    def address(self, run_id: str, attempt: int) -> str:
        return f"{self.base.rstrip('/')}{PATH}{seal(self.key, run_id, attempt)}"


def seal(key: str, run_id: str, attempt: int) -> str:
    named = _FORM.pack(UUID(run_id).bytes, attempt)
    return base64.urlsafe_b64encode(named + _mac(key, named)).rstrip(b"=").decode()


def unseal(keys: Sequence[str], token: str) -> tuple[str, int] | None:
    """The run and the attempt that a token was signed for with one of these keys; None if it was not."""
    if len(token) > _LONGEST or not token.isascii():
        return None
    try:
        raw = base64.b64decode(token + "=" * (-len(token) % 4), altchars=b"-_", validate=True)
    except (binascii.Error, ValueError):
        return None
    if len(raw) != _LENGTH:
        return None
    named, mac = raw[: _FORM.size], raw[_FORM.size :]
    if not any(hmac.compare_digest(mac, _mac(key, named)) for key in keys):
        return None
    run, attempt = _FORM.unpack(named)
    return str(UUID(bytes=run)), attempt


def _mac(key: str, named: bytes) -> bytes:
    return hmac.new(key.encode(), b"horae-callback\0" + named, hashlib.sha256).digest()
