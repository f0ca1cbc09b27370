"""Encrypts the values of secrets: AES-256-GCM, with keys derived from HORAE_SECRET_KEY for this purpose alone."""

from __future__ import annotations

import base64
import hmac
import os
from functools import cached_property
from typing import TYPE_CHECKING

from horae.domain.secrets.secret import CannotOpen, Sealed

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

_NONCE = 12  # bytes; random, and collisions are very unlikely for any realistic number of secrets
_SEALING = b"horae secrets 1: sealing"
_FINGERPRINT = b"horae secrets 1: key id"


class Keyring:
    """Encrypts with the current key, and decrypts with the previous one as well (the Seals of ports/outside.py)."""

    def __init__(self, key: str, previous: str | None = None) -> None:
        current = _Key(key)
        self.key_id = current.id
        self._keys = {current.id: current}
        if previous is not None:
            old = _Key(previous)
            self._keys.setdefault(old.id, old)

    def seal(self, project_id: str, name: str, value: str) -> Sealed:
        nonce = os.urandom(_NONCE)
        sealed = self._keys[self.key_id].cipher.encrypt(nonce, value.encode(), _place(project_id, name))
        return Sealed(project_id, name, base64.b64encode(nonce + sealed).decode(), self.key_id)

    def open(self, sealed: Sealed) -> str:
        from cryptography.exceptions import InvalidTag

        key = self._keys.get(sealed.key_id)
        if key is None:
            raise CannotOpen(sealed.name, "it was encrypted with another HORAE_SECRET_KEY")
        try:
            raw = base64.b64decode(sealed.text, validate=True)
            value = key.cipher.decrypt(raw[:_NONCE], raw[_NONCE:], _place(sealed.project_id, sealed.name))
        except (ValueError, InvalidTag):
            raise CannotOpen(sealed.name, "its row in the database was changed") from None
        return value.decode()


class _Key:
    """A key and its name. The name is derived separately, so it reveals nothing about the key."""

    def __init__(self, text: str) -> None:
        self._sealing = derived(text, _SEALING, 32)
        self.id = derived(text, _FINGERPRINT, 8).hex()

    @cached_property
    def cipher(self) -> AESGCM:
        """Imported at first use: it takes 6 MiB, and most processes never open a secret."""
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM

        return AESGCM(self._sealing)


def derived(text: str, purpose: bytes, size: int) -> bytes:
    """HKDF (RFC 5869) with SHA-256 and without salt, for at most one block: 32 bytes."""
    extracted = hmac.digest(bytes(32), text.encode(), "sha256")
    return hmac.digest(extracted, purpose + b"\x01", "sha256")[:size]


def _place(project_id: str, name: str) -> bytes:
    """What an encrypted value is bound to: moved to another row, it does not decrypt."""
    return f"{project_id}\0{name}".encode()
