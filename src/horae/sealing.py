"""Encrypts the values of secrets: AES-256-GCM, with keys derived from HORAE_SECRET_KEY for this purpose alone."""

from __future__ import annotations

import base64
import os

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from horae.domain.secrets.secret import CannotOpen, Sealed

_NONCE = 12  # bytes; random, and collisions are very unlikely for any realistic number of secrets
_SEALING = b"horae secrets 1: sealing"
_FINGERPRINT = b"horae secrets 1: key id"


class Keyring:
    """Encrypts with the current key, and decrypts with the previous one as well (the Seals of ports/outside.py)."""

    def __init__(self, key: str, previous: str | None = None) -> None:
        self.key_id, current = _key(key)
        self._keys = {self.key_id: current}
        if previous is not None:
            key_id, old = _key(previous)
            self._keys.setdefault(key_id, old)

    def seal(self, project_id: str, name: str, value: str) -> Sealed:
        nonce = os.urandom(_NONCE)
        sealed = self._keys[self.key_id].encrypt(nonce, value.encode(), _place(project_id, name))
        return Sealed(project_id, name, base64.b64encode(nonce + sealed).decode(), self.key_id)

    def open(self, sealed: Sealed) -> str:
        key = self._keys.get(sealed.key_id)
        if key is None:
            raise CannotOpen(sealed.name, "it was encrypted with another HORAE_SECRET_KEY")
        try:
            raw = base64.b64decode(sealed.text, validate=True)
            value = key.decrypt(raw[:_NONCE], raw[_NONCE:], _place(sealed.project_id, sealed.name))
        except (ValueError, InvalidTag):
            raise CannotOpen(sealed.name, "its row in the database was changed") from None
        return value.decode()


def _key(text: str) -> tuple[str, AESGCM]:
    """The key and its name. The name is derived separately, so it reveals nothing about the key."""
    return _derive(text, _FINGERPRINT, 8).hex(), AESGCM(_derive(text, _SEALING, 32))


def _derive(text: str, purpose: bytes, size: int) -> bytes:
    return HKDF(SHA256(), size, salt=None, info=purpose).derive(text.encode())


def _place(project_id: str, name: str) -> bytes:
    """What an encrypted value is bound to: moved to another row, it does not decrypt."""
    return f"{project_id}\0{name}".encode()
