"""Parsers for settings that are addresses: URLs, hosts, networks, origins and mailboxes. As in `kinds`."""

from __future__ import annotations

import re
from collections.abc import Callable
from ipaddress import ip_network
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from horae.config.kinds import line, words
from horae.domain.loopback import is_loopback
from horae.domain.text import checks

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


def domains(raw: Any) -> tuple[str, ...]:
    found = tuple(one.lower().removeprefix("@") for one in words(raw))
    if not all(re.fullmatch(r"[a-z0-9-]+(\.[a-z0-9-]+)+", one, re.ASCII) for one in found):
        raise ValueError("must be domains such as example.org,example.com")
    return found


def host(raw: Any) -> str:
    if not isinstance(raw, str) or not re.fullmatch(r"[0-9A-Za-z.:_\-\[\]%]{1,255}", raw.strip()):
        raise ValueError("must be a host name or an address such as 127.0.0.1 or 0.0.0.0")
    return raw.strip().strip("[]")


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
