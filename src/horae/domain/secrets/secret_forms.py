"""The forms in which a secret may appear in output."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from urllib.parse import quote, quote_plus

SHORTEST = 4  # characters: shorter values would be found everywhere
SHORTEST_LINE = 8  # of a value with several lines, shorter lines are too common
_COLUMNS = (64, 76)  # where `openssl base64` and `base64` break lines
_HEX_COLUMNS = 60  # where `xxd -p` does


def forms(value: str) -> set[str]:
    """Everything to search for; nothing if the value is too short to be distinguished from other text."""
    found: set[str] = set()
    # Editors and `echo` append a line break, and programs that read the value often strip it again.
    for text in {value, value.strip()}:
        if len(text) >= SHORTEST:
            found |= {text, *_escaped(text), *_encoded(text.encode())}
    lines = [line.strip() for line in value.splitlines()]
    if len(lines) > 1:
        for line in lines:
            if len(line) >= SHORTEST_LINE:
                found |= {line, *_escaped(line)}
    return {form for form in found if len(form) >= SHORTEST}


def _escaped(text: str) -> Iterator[str]:
    """As parts of URLs and of JSON."""
    for safe in ("", "/", "!'()*", "/:?#[]@!$&'()*+,;="):  # Python, Python by default, JavaScript, curl and browsers
        escaped = quote(text, safe=safe)
        yield from (escaped, _lower_escapes(escaped))
    escaped = quote_plus(text)
    yield from (escaped, _lower_escapes(escaped))
    for ascii_only in (True, False):
        escaped = json.dumps(text, ensure_ascii=ascii_only)[1:-1]
        yield from (escaped, escaped.replace("/", "\\/"))


def _lower_escapes(text: str) -> str:
    first, *rest = text.split("%")
    return first + "".join(f"%{part[:2].lower()}{part[2:]}" for part in rest)


def _encoded(raw: bytes) -> Iterator[str]:
    """In base64 and hexadecimal: alone, with a trailing line break, or inside something else."""
    for whole in (raw, raw + b"\n"):
        text = base64.b64encode(whole).decode()
        yield from _both_alphabets(text)
        yield from _both_alphabets(text.rstrip("="))
        for columns in _COLUMNS:
            yield from _wrapped(text, columns)
    for before in range(3):
        yield from _both_alphabets(_settled(raw, before))
    yield from (raw.hex(), raw.hex().upper())
    yield from _wrapped(raw.hex(), _HEX_COLUMNS)


def _settled(raw: bytes, before: int) -> str:
    """The base64 characters that depend only on the value, if that many bytes (modulo 3) precede it."""
    text = base64.b64encode(bytes(before) + raw).decode()
    first = -(-before * 8 // 6)
    return text[first : (before + len(raw)) * 8 // 6]


def _both_alphabets(text: str) -> tuple[str, str]:
    return text, text.replace("+", "-").replace("/", "_")


def _wrapped(text: str, columns: int) -> Iterator[str]:
    """The lines, if there are several; a short last one is too common."""
    if len(text) > columns:
        lines = (text[start : start + columns] for start in range(0, len(text), columns))
        yield from (line for line in lines if len(line) >= SHORTEST_LINE)
