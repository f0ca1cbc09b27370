"""Parsers for the values of settings. Each raises ValueError with a message that follows the setting's name, says what
is expected, and never repeats the value (it may be a secret)."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, TypeVar

from horae.domain.people.quota import MOST, Quota
from horae.domain.people.single_sign_on import grant
from horae.domain.text.sizes import bytes_in
from horae.domain.time.durations import seconds_in

T = TypeVar("T")
KEY_BYTES = 32
_KNOWN_KEYS = re.compile(
    r"change.?me|change.?this|your.?secret|super.?secret|secret.?key|insecure|example|password|0123456789",
    re.IGNORECASE,
)


def duration(low: float, high: float) -> Callable[[Any], float]:
    def read(raw: Any) -> float:
        seconds = float(seconds_in(raw.strip() if isinstance(raw, str) else raw))
        if not low <= seconds <= high:
            raise ValueError(f"must be from {show(low)}s to {show(high)}s")
        return seconds

    return read


def size(low: int, high: int) -> Callable[[Any], int]:
    def read(raw: Any) -> int:
        found = bytes_in(str(raw).strip())
        if not low <= found <= high:
            raise ValueError(f"must be from {low} to {high} bytes")
        return found

    return read


def whole(low: int, high: int) -> Callable[[Any], int]:
    def read(raw: Any) -> int:
        sign = str(raw).strip()
        if isinstance(raw, bool) or not re.fullmatch(r"-?\d{1,18}", sign, re.ASCII) or not low <= int(sign) <= high:
            raise ValueError(f"must be a whole number from {low} to {high}")
        return int(sign)

    return read


def share(raw: Any) -> float:
    try:
        found = float(str(raw).strip())
    except ValueError:
        found = -1.0
    if isinstance(raw, bool) or not 0 <= found <= 1:
        raise ValueError("must be a number from 0 to 1")
    return found


def boolean(raw: Any) -> bool:
    word = str(raw).strip().lower()
    if word in ("true", "yes", "on", "1"):
        return True
    if word in ("false", "no", "off", "0"):
        return False
    raise ValueError("must be true or false")


def choice(*allowed: str) -> Callable[[Any], str]:
    def read(raw: Any) -> str:
        word = str(raw).strip().lower()
        if word not in allowed:
            raise ValueError("must be one of " + ", ".join(allowed))
        return word

    return read


def words(raw: Any) -> tuple[str, ...]:
    """A list in TOML, or comma-separated words."""
    parts = raw.split(",") if isinstance(raw, str) else raw
    if not isinstance(parts, list) or not all(isinstance(part, str) for part in parts):
        raise ValueError("must be a list of words separated by commas")
    found = tuple(dict.fromkeys(part.strip() for part in parts if part.strip()))
    if not found:
        raise ValueError("must name at least one")
    return found


def job_names(raw: Any) -> tuple[str, ...]:
    """Jobs as `project/name`."""
    found = words(raw)
    if len(found) > 100 or not all(re.fullmatch(r"[^/]{1,63}/.{1,200}", one) for one in found):
        raise ValueError("must be at most 100 jobs, each as project/name, such as finance/nightly-report")
    return found


def folders(raw: Any) -> tuple[str, ...]:
    """Absolute paths."""
    found = words(raw)
    if not all(folder.startswith("/") for folder in found):
        raise ValueError("must be absolute paths separated by commas")
    return found


def mapping(value: Callable[[Any], T]) -> Callable[[Any], dict[str, T]]:
    """A table in TOML, or comma-separated `name=value` pairs."""

    def read(raw: Any) -> dict[str, T]:
        if isinstance(raw, str):
            pairs = [part.partition("=") for part in raw.split(",") if part.strip()]
            if not all(sign for _, sign, _ in pairs):
                raise ValueError("must be pairs such as mail=celery,default=database")
            raw = {name.strip(): given for name, _, given in pairs}
        if not isinstance(raw, dict):
            raise ValueError("must be a table of names and values")
        return {name: value(given) for name, given in raw.items()}

    return read


def by_project(raw: Any) -> dict[str, tuple[str, ...]]:
    """Names or patterns of projects, `shop=shop.*,shop=mail.send,*=common.*`; in TOML, a table of lists."""
    named: list[tuple[Any, Any]] = []
    if isinstance(raw, str):
        pairs = [part.partition("=") for part in raw.split(",") if part.strip()]
        named = [(slug.strip(), one.strip()) for slug, _, one in pairs]
    elif isinstance(raw, dict):
        named = [(slug, one) for slug, given in raw.items() for one in (given if isinstance(given, list) else [given])]
    if not named or not all(isinstance(one, str) and slug and one for slug, one in named):
        raise ValueError("must be pairs of a project and a name or pattern, such as shop=shop.*,*=common.*")
    return {slug: tuple(one for other, one in named if other == slug) for slug, _ in named}


def grants(raw: Any) -> tuple[str, ...]:
    """Roles of groups: `admins=admin,team-a=team-a:editor`. Separated by semicolons or lines, the names of groups may
    contain commas; in TOML, a table whose values are a grant or a list of them."""
    if isinstance(raw, str):
        parts = re.split(r"[;\n]" if re.search(r"[;\n]", raw) else ",", raw)
    elif isinstance(raw, dict):
        several = ((group, one if isinstance(one, list) else [one]) for group, one in raw.items())
        parts = [f"{group}={given}" for group, gives in several for given in gives]
    else:
        parts = raw if isinstance(raw, list) and all(isinstance(part, str) for part in raw) else [""]
    found = tuple(dict.fromkeys(part.strip() for part in parts if part.strip()))
    if not found:
        raise ValueError("must name at least one group and its role, such as horae-admins=admin")
    for part in found:
        grant(part)
    return found


def scopes(raw: Any) -> tuple[str, ...]:
    found = words(raw.replace(" ", ",") if isinstance(raw, str) else raw)
    if "openid" not in found:
        raise ValueError("must have openid among the scopes, such as openid,profile,email")
    if not all(re.fullmatch(r"[\x21\x23-\x5b\x5d-\x7e]+", one) for one in found):
        raise ValueError("must be scopes separated by spaces or commas")
    return found


def quotas(raw: Any) -> dict[str, int]:
    """A table in TOML, or comma-separated `name=number` pairs; numbers may be sizes."""
    try:
        found = mapping(size(0, MOST))(raw)
    except ValueError:
        raise ValueError("must be pairs such as jobs=1000,live_runs=10000,log_bytes_per_day=1GiB") from None
    for name in found:
        if name not in list(Quota):
            raise ValueError("must name quotas: " + ", ".join(Quota))
    return found


def line(raw: Any) -> str:
    """Text without control characters."""
    if not isinstance(raw, str) or not raw.strip() or not raw.strip().isprintable():
        raise ValueError("must be one line of text")
    return raw.strip()


def directory(raw: Any) -> Path:
    return Path(line(raw)).expanduser().absolute()


def secret_key(raw: Any) -> str:
    """A key that cannot be guessed: long enough, and not a well-known example."""
    key = line(raw)
    if len(key.encode()) < KEY_BYTES:
        raise ValueError(
            f"is too short: it needs at least {KEY_BYTES} bytes, such as the output of `openssl rand -hex 32`"
        )
    if len(set(key)) < 8 or _KNOWN_KEYS.search(key):
        raise ValueError("is a well-known or guessable value: create one with `openssl rand -hex 32`")
    return key


def closest(word: str, known: Iterable[str]) -> str | None:
    """The name that was probably meant."""
    found = difflib.get_close_matches(word, list(known), n=1, cutoff=0.6)
    return found[0] if found else None


def show(value: Any) -> str:
    """A setting's value as text that its parser accepts."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return f"{value:.6f}".rstrip("0").rstrip(".")
    if isinstance(value, tuple):
        return "".join(f"{part};" for part in value) if any("," in part for part in value) else ",".join(value)
    if isinstance(value, dict):
        return ",".join(f"{name}={given}" for name, given in value.items())
    return str(value)
