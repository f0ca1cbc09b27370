"""Credentials in definitions are refused, because definitions are kept forever: they must come from secrets, at least
in part."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from horae.domain.targets.http import HttpAuth, HttpTarget
from horae.domain.targets.templates import secrets_of

if TYPE_CHECKING:
    from horae.domain.targets import Target

_NAMES = frozenset(("authorization", "cookie"))
_ENDINGS = ("-key", "-token")
_HARMLESS = frozenset(("idempotency-key",))
_PLAIN = frozenset(("source", "file", "uri", "image"))  # never templates


def literal_credential(target: Target) -> str | None:
    """The field of an http target that contains a literal credential; None if there is none."""
    if not isinstance(target, HttpTarget):
        return None
    for name, value in target.headers.items():
        if _is_credential(name) and not secrets_of(value):
            return f"headers.{name}"
    return None if target.auth is None else _in_auth(target.auth)


def _is_credential(header: str) -> bool:
    name = header.lower()
    return name not in _HARMLESS and (name in _NAMES or name.endswith(_ENDINGS))


def _in_auth(auth: HttpAuth) -> str | None:
    if auth.bearer is not None and not secrets_of(auth.bearer):
        return "auth.bearer"
    # Some services accept a token as the user name, with an empty password.
    if auth.basic is None or secrets_of(auth.basic.password):
        return None
    if auth.basic.password:
        return "auth.basic.password"
    return None if secrets_of(auth.basic.username) else "auth.basic.username"


def place_of(target: Target, secret: str) -> str:
    """Where a target names a secret, as `.headers.X`; empty if unknown."""
    fields = target.model_dump(mode="json", exclude=set(_PLAIN))
    return next((f".{path}" for path, text in _texts(fields, "") if _names(path, text, secret)), "")


def _texts(value: Any, path: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, dict):
        for name, inner in value.items():
            yield from _texts(inner, f"{path}.{name}" if path else str(name))
    elif isinstance(value, list):
        for place, inner in enumerate(value):
            yield from _texts(inner, f"{path}[{place}]")


def _names(path: str, text: str, secret: str) -> bool:
    if path.startswith("sign_with["):
        return text == secret
    return secret in secrets_of(text)
