"""The address of a source: `amqp://…?queue=NAME`, `redis://…?list=NAME` or `redis://…?stream=NAME`."""

from __future__ import annotations

from dataclasses import dataclass, field
from urllib.parse import parse_qsl, urlsplit, urlunsplit

from horae.domain.errors import ConfigurationError

_KINDS = {"amqp": ("queue",), "amqps": ("queue",), "redis": ("list", "stream"), "rediss": ("list", "stream")}
_OPTIONS = {"queue": {"dead", "ca"}, "list": {"dead", "ca", "recover"}, "stream": {"dead", "ca", "recover", "group"}}
_RECOVER = (1.0, 86_400.0)  # seconds


@dataclass(frozen=True, slots=True)
class Address:
    """`url` is the broker's, without the options; it may contain a password."""

    url: str = field(repr=False)
    kind: str  # queue, list or stream
    name: str
    dead: str
    group: str = "horae"
    recover: float = 60.0  # seconds of silence after which another consumer's messages are taken over
    ca: str | None = None

    @property
    def tls(self) -> bool:
        return self.url.startswith(("amqps:", "rediss:"))


def parse_address(text: str) -> Address:
    parts = urlsplit(text)
    kinds = _KINDS.get(parts.scheme)
    if kinds is None or not parts.hostname:
        raise _wrong("must be a URL that begins with amqp://, amqps://, redis:// or rediss://")
    pairs = parse_qsl(parts.query, keep_blank_values=True)
    given = dict(pairs)
    if len(given) < len(pairs):
        raise _wrong("names an option twice")
    named = [kind for kind in kinds if kind in given]
    if len(named) != 1 or not given[named[0]]:
        raise _wrong(f"must name its {' or '.join(kinds)}, such as ?{kinds[-1]}=horae")
    kind = named[0]
    name = given.pop(kind)
    if unknown := sorted(given.keys() - _OPTIONS[kind]):
        raise _wrong(f"has an unknown option {unknown[0]}: a {kind} takes {', '.join(sorted(_OPTIONS[kind]))}")
    url = urlunsplit((parts.scheme, parts.netloc, parts.path, "", ""))
    address = Address(
        url,
        kind,
        name,
        given.get("dead") or (f"{name}.dead" if kind == "queue" else f"{name}:dead"),
        given.get("group") or "horae",
        _seconds(given.get("recover")),
        given.get("ca"),
    )
    if address.dead == name:
        raise _wrong("names the same place for requests and for dead letters")
    if address.ca is not None and not address.tls:
        raise _wrong("has a ca without TLS: use amqps:// or rediss://")
    return address


def _seconds(text: str | None) -> float:
    if text is None:
        return 60.0
    try:
        found = float(text)
    except ValueError:
        found = -1.0
    if not _RECOVER[0] <= found <= _RECOVER[1]:
        raise _wrong("recover: must be between 1 and 86400 seconds")
    return found


def _wrong(words: str) -> ConfigurationError:
    return ConfigurationError(f"HORAE_INTAKE_SOURCE (--source) {words}")
