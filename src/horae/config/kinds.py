"""Parsers for the values of settings. Each raises ValueError with a message that follows the setting's name, says what
is expected, and never repeats the value (it may be a secret)."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable
from ipaddress import ip_network
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import parse_qsl, urlsplit

from horae.domain.loopback import is_loopback
from horae.domain.people.quota import MOST, Quota
from horae.domain.people.single_sign_on import grant
from horae.domain.text import checks
from horae.domain.text.sizes import bytes_in
from horae.domain.time.durations import seconds_in

T = TypeVar("T")
KEY_BYTES = 32

_LONGEST_ISSUER = 255
_HOST = re.compile(r"[0-9a-z._:\-]{1,255}", re.ASCII)
_DATABASES = {
    "postgresql": "postgresql",
    "postgres": "postgresql",
    "mysql": "mysql",
    "mariadb": "mysql",
    "sqlite": "sqlite",
}
_TLS_OPTIONS = {"ssl_ca_certs", "ssl_cert_reqs", "ssl_certfile", "ssl_check_hostname", "ssl_keyfile"}  # of redis-py
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


def unix_socket(raw: Any) -> str:
    found = line(raw)
    if not found.startswith("unix:///"):
        raise ValueError("must be a Unix socket such as unix:///run/podman/podman.sock")
    return found


def networks(raw: Any) -> tuple[str, ...]:
    """Addresses and networks, such as `10.0.0.0/8,::1`."""
    found = words(raw)
    try:
        return tuple(str(ip_network(one)) for one in found)
    except ValueError:
        raise ValueError("must be addresses or networks such as 10.0.0.0/8,192.0.2.7") from None


def origins(raw: Any) -> tuple[str, ...]:
    """Exact origins as browsers send them: `https://example.org`, with a port only if it is not the default one."""
    return tuple(_origin(one) for one in words(raw))


def _origin(text: str) -> str:
    try:
        parts = urlsplit(text)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        host, port, parts = "", None, urlsplit("")
    rest = (parts.path, parts.query, parts.fragment, parts.username)
    if parts.scheme not in ("http", "https") or not _HOST.fullmatch(host) or any(rest) or port == 0:
        raise ValueError("must be exact origins such as https://example.org,http://localhost:3000, without * or a path")
    usual = port in (None, {"http": 80, "https": 443}[parts.scheme])
    name = f"[{host}]" if ":" in host else host
    return f"{parts.scheme}://{name}" + ("" if usual else f":{port}")


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


def issuer(raw: Any) -> str:
    """Exactly as the provider spells it, including a trailing slash: it is compared with tokens."""
    found = line(raw)
    try:
        parts = urlsplit(found)
        usable = parts.scheme == "https" or (parts.scheme == "http" and is_loopback(parts.hostname or ""))
        usable = usable and bool(parts.hostname) and parts.port != 0 and not (parts.query or parts.fragment)
    except ValueError:
        usable = False
    if not usable or "@" in found or len(found) > _LONGEST_ISSUER:
        raise ValueError(
            "must be the provider's issuer, such as https://login.example.org/realms/horae; http only on this machine"
        )
    return found


def scopes(raw: Any) -> tuple[str, ...]:
    found = words(raw.replace(" ", ",") if isinstance(raw, str) else raw)
    if "openid" not in found:
        raise ValueError("must have openid among the scopes, such as openid,profile,email")
    if not all(re.fullmatch(r"[\x21\x23-\x5b\x5d-\x7e]+", one) for one in found):
        raise ValueError("must be scopes separated by spaces or commas")
    return found


def domains(raw: Any) -> tuple[str, ...]:
    found = tuple(one.lower().removeprefix("@") for one in words(raw))
    if not all(re.fullmatch(r"[a-z0-9-]+(\.[a-z0-9-]+)+", one, re.ASCII) for one in found):
        raise ValueError("must be domains such as example.org,example.com")
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


def host(raw: Any) -> str:
    if not isinstance(raw, str) or not re.fullmatch(r"[0-9A-Za-z.:_\-\[\]%]{1,255}", raw.strip()):
        raise ValueError("must be a host name or an address such as 127.0.0.1 or 0.0.0.0")
    return raw.strip().strip("[]")


def directory(raw: Any) -> Path:
    return Path(line(raw)).expanduser().absolute()


def url(*schemes: str) -> Callable[[Any], str]:
    def read(raw: Any) -> str:
        found = line(raw).rstrip("/")
        try:
            parts = urlsplit(found)
            usable = parts.scheme in schemes and bool(parts.hostname) and parts.port != 0
        except ValueError:
            usable = False
        if not usable:
            raise ValueError("must be a URL that begins with " + " or ".join(f"{s}://" for s in schemes))
        return found

    return read


def redis_url(raw: Any) -> str:
    """A Redis server: `rediss://` with TLS, whose options may follow."""
    found = url("redis", "rediss")(raw)
    parts = urlsplit(found)
    if not re.fullmatch(r"/?\d{0,5}", parts.path, re.ASCII):
        raise ValueError("must end in the number of a database, such as redis://:password@host:6379/0")
    options = {name for name, _ in parse_qsl(parts.query, keep_blank_values=True)}
    if not options <= _TLS_OPTIONS:
        raise ValueError("has an unknown option after the `?`; there are " + ", ".join(sorted(_TLS_OPTIONS)))
    if options and parts.scheme == "redis":
        raise ValueError("has options for TLS, which needs rediss://")
    return found


def trace_url(raw: Any) -> str:
    """The page of a trace, somewhere else."""
    found = url("http", "https")(raw)
    if "{trace_id}" not in found:
        raise ValueError("must contain {trace_id}")
    return found


def smtp_url(raw: Any) -> str:
    """The mail server: `smtp://` with STARTTLS, `smtps://` with TLS, `?security=none` without either."""
    given = url("smtp", "smtps")(raw)
    query = urlsplit(given).query
    if query not in ("", "security=none", "security=starttls", "security=tls"):
        raise ValueError("must have no parameter but security=none, starttls or tls")
    return given


def mailbox(raw: Any) -> str:
    return checks.mailbox(line(raw))


def database_url(raw: Any) -> str:
    """One spelling for each database: `postgresql://`, `mysql://` or `sqlite:///absolute/path`. A driver
    named after a plus sign is dropped: Horae brings its own."""
    given = line(raw)
    scheme, sign, rest = given.partition("://")
    known = _DATABASES.get(scheme.partition("+")[0].lower())
    if not sign or known is None:
        raise ValueError(
            "must begin with postgresql://, mysql:// (or mariadb://) or sqlite:///, such as "
            "postgresql://user:password@host:5432/horae"
        )
    if known == "sqlite":
        path = rest.partition("?")[0]
        if not path.startswith("/") or path in ("/", "/:memory:"):
            raise ValueError(
                "must name a file, such as sqlite:////var/lib/horae/horae.db (absolute) or sqlite:///horae.db"
            )
        return "sqlite:///" + str(Path(path[1:]).expanduser().absolute())
    try:
        parts = urlsplit(f"{known}://{rest}")
        complete = bool(parts.hostname or "host=" in parts.query) and len(parts.path) > 1 and parts.port != 0
    except ValueError:
        complete = False
    if not complete:
        raise ValueError(f"must name a host and a database, such as {known}://user:password@host/horae")
    return f"{known}://{rest}"


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
