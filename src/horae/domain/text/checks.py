"""Validation of text: characters that a database, header or URL cannot hold are refused by name."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]{1,200}")
_HOP_BY_HOP = frozenset(
    {
        "connection",
        "content-length",
        "host",
        "keep-alive",
        "proxy-authenticate",
        "proxy-authorization",
        "proxy-connection",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
    }
)
# Both blocks of control characters, and the separators that break lines elsewhere.
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]")
_MAILBOX = re.compile(r"[^\s@<>,;:\"()\[\]\\\x00-\x1f\x7f]{1,64}@[A-Za-z0-9.-]{1,253}", re.ASCII)
_HEADER_CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")


def plain_text(text: str) -> str:
    """Any text without NUL and lone surrogates, which PostgreSQL and UTF-8 cannot hold."""
    if "\x00" in text:
        raise ValueError("must not contain the NUL character")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ValueError("must not contain lone surrogates") from None
    return text


def storable(text: str | None) -> str | None:
    """External text (an exception, a log) made storable in every database."""
    if text is None or (text.isascii() and "\x00" not in text):
        return text
    return text.replace("\x00", "\N{REPLACEMENT CHARACTER}").encode(errors="replace").decode()


def label(text: str) -> str:
    """A name that people type and read: no control characters, no leading or trailing blanks."""
    plain_text(text)
    if _CONTROL.search(text):
        raise ValueError("must not contain control characters")
    if text != text.strip():
        raise ValueError("must not begin or end with whitespace")
    return text


def header_name(name: str) -> str:
    if not _TOKEN.fullmatch(name):  # `match` with `$` would allow a trailing line break
        raise ValueError("is not a valid header name")
    if name.lower() in _HOP_BY_HOP:
        raise ValueError(f"the header {name.lower()} is set by Horae itself")
    return name


def header_value(value: str) -> str:
    if _HEADER_CONTROL.search(value):
        raise ValueError("header values must not contain control characters")
    try:
        value.encode("latin-1")
    except UnicodeEncodeError:
        raise ValueError("header values must be Latin-1 text") from None
    return value


def http_url(url: str) -> str:
    """An absolute http or https URL without credentials in it."""
    plain_text(url)
    if _CONTROL.search(url) or any(character.isspace() for character in url):
        raise ValueError("must not contain whitespace or control characters")
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        raise ValueError("is not a valid URL") from None  # their message repeats the value
    if parts.scheme not in ("http", "https"):
        raise ValueError("must begin with http:// or https://")
    if parts.username is not None or parts.password is not None:
        raise ValueError("must not contain a username or password; put them in a secret")
    if not host or not _is_host(host):
        raise ValueError("does not have a valid host")
    if port == 0:
        raise ValueError("names port 0")
    return url


def mailbox(text: str) -> str:
    if not _MAILBOX.fullmatch(text):
        raise ValueError("must be an e-mail address such as ops@example.org")
    return text


def _is_host(host: str) -> bool:
    """Whether it is a valid host name to look up."""
    if ":" in host:  # an IPv6 address, checked by urlsplit
        return True
    try:
        return len(host.encode("idna")) <= 253 and not re.search(r"[\\^|<>{}\"`%]", host)
    except UnicodeError:
        return False
