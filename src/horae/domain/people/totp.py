"""Time-based one-time passwords (RFC 6238): SHA-1, six digits, a new code every 30 seconds. Every authenticator app
supports these parameters."""

from __future__ import annotations

import base64
import hmac
from datetime import datetime
from urllib.parse import quote, urlencode

DIGITS = 6
PERIOD = 30  # seconds
WINDOW = 1  # steps by which a phone's clock may be off, in either direction
SECRET_BYTES = 20  # as long as SHA-1's output, which RFC 4226 recommends
ISSUER = "Horae"


def step_at(now: datetime) -> int:
    return int(now.timestamp()) // PERIOD


def code_at(secret: bytes, step: int) -> str:
    digest = hmac.digest(secret, step.to_bytes(8, "big"), "sha1")
    offset = digest[-1] & 0x0F
    number = int.from_bytes(digest[offset : offset + 4], "big") & 0x7FFF_FFFF
    return f"{number % 10**DIGITS:0{DIGITS}}"


def matching_step(secret: bytes, code: str, now: datetime, used: int | None) -> int | None:
    """The step whose code this is. One that is not after the last step `used` no longer counts: an observer of a code
    being typed must not be able to use it again."""
    found = None
    for step in range(step_at(now) - WINDOW, step_at(now) + WINDOW + 1):
        if hmac.compare_digest(code_at(secret, step).encode(), code.encode()):  # all are compared, in the same time
            found = step
    return None if found is None or (used is not None and found <= used) else found


def is_code(text: str) -> bool:
    return len(text) == DIGITS and text.isascii() and text.isdigit()


def written(secret: bytes) -> str:
    """As typed into an app: base32, without padding."""
    return base64.b32encode(secret).decode().rstrip("=")


def read(text: str) -> bytes:
    return base64.b32decode(text + "=" * (-len(text) % 8))


def uri(secret: bytes, username: str, host: str | None) -> str:
    """The content of the QR code. `host` distinguishes installations in the app. Digits, period and algorithm are the
    defaults of the apps and left out: the code is easier to scan without them."""
    issuer = ISSUER if host is None else f"{ISSUER} {host}"
    about = {"secret": written(secret), "issuer": issuer}
    return f"otpauth://totp/{quote(issuer, safe='')}:{quote(username, safe='')}?{urlencode(about, quote_via=quote)}"
