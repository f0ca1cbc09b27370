"""ANSI escape sequences in program output. Colours are harmless; the rest moves the cursor, sets titles or answers
terminal queries, and must not reach a terminal that shows untrusted output."""

from __future__ import annotations

import re

# CSI (its parameters, then a final letter), OSC and the other strings (up to their end), and two-letter escapes.
_SEQUENCE = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"
    r"|\x1b[\]PX^_][^\x07\x1b\n]*(?:\x07|\x1b\\)?"
    r"|\x1b[ -/]*(?![\[\]PX^_])[0-~]"
)
_BEGUN = re.compile(r"\x1b(?:\[[0-?]*[ -/]*|[\]PX^_][^\x07\x1b\n]*|[ -/]+)?")
_LONGEST = 64  # characters of an incomplete sequence that are buffered
_COLOUR = re.compile(r"\x1b\[[0-9;:]*m")
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1a\x1c-\x1f\x7f-\x9f]")


def complete(text: str) -> tuple[str, str]:
    """The text up to an incomplete escape sequence at its end, and that sequence: text arrives in chunks."""
    at = text.rfind("\x1b", -_LONGEST)
    begun = at >= 0 and _BEGUN.fullmatch(text, at)
    return (text[:at], text[at:]) if begun else (text, "")


def stripped(text: str) -> str:
    """Without escape sequences, and without carriage returns that only serve to overwrite."""
    return _CONTROL.sub("", _SEQUENCE.sub("", text)).replace("\x1b", "") if _odd(text) else text


def coloured(text: str) -> str:
    """With colours, but nothing else that a terminal would interpret; other control characters are made visible."""
    if not _odd(text):
        return text
    kept = _SEQUENCE.sub(lambda found: found[0] if _COLOUR.fullmatch(found[0]) else "", text)
    pieces = re.split(f"({_COLOUR.pattern})", kept)
    return "".join(piece if n % 2 else _visible(piece) for n, piece in enumerate(pieces))


def _visible(text: str) -> str:
    return _CONTROL.sub("\N{REPLACEMENT CHARACTER}", text).replace("\x1b", "\N{REPLACEMENT CHARACTER}")


def _odd(text: str) -> bool:
    return "\x1b" in text or _CONTROL.search(text) is not None
