"""A secret of a project: a name, and a value that only attempts can see."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import datetime

from horae.domain.errors import HoraeError, InvalidInput
from horae.domain.text.checks import plain_text

NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,99}", re.ASCII)
LARGEST = 64 * 1024  # bytes
_UNKNOWN = re.compile(rf"no secret named ({NAME.pattern}) in this project", re.ASCII)


@dataclass(frozen=True, slots=True)
class Sealed:
    """An encrypted value, and the key that decrypts it."""

    project_id: str
    name: str
    text: str = field(repr=False)
    key_id: str


@dataclass(frozen=True, slots=True)
class SecretRecord:
    """A secret without its value."""

    name: str
    created_by: str
    created_at: datetime
    updated_by: str
    updated_at: datetime


@dataclass(frozen=True, slots=True)
class SecretUser:
    """A job whose current definition names a secret; `active`: it is neither disabled nor paused."""

    job_id: str
    name: str
    active: bool


class CannotOpen(HoraeError):
    """A sealed value that no key at hand opens."""

    def __init__(self, name: str, why: str) -> None:
        super().__init__(f"the secret {name} cannot be opened: {why}")


def check_name(name: str) -> str:
    if not NAME.fullmatch(name):
        raise InvalidInput("name", "must be at most 100 letters, digits and _, and must not begin with a digit")
    return name


def check_value(value: str) -> str:
    """Raises InvalidInput, which never contains the value."""
    try:
        plain_text(value)
    except ValueError as error:
        raise InvalidInput("value", str(error)) from None
    if not 1 <= len(value.encode()) <= LARGEST:
        raise InvalidInput("value", f"must have 1 to {LARGEST:,} bytes")
    return value


def unknown(name: str) -> str:
    return f"no secret named {name} in this project; create it with `horae secrets set {name}`"


def missing_name(error: str | None) -> str | None:
    """The secret's name in such an error of a run."""
    found = _UNKNOWN.match(error or "")
    return found[1] if found else None
