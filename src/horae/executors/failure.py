"""Failures as reported: one line for people, the traceback for debugging, both bounded and storable."""

from __future__ import annotations

import traceback

from horae.domain.runs.outcome import Outcome
from horae.domain.runs.states import AttemptOutcome

ERROR_LIMIT = 2_000  # characters
TRACEBACK_LIMIT = 32 * 1024  # bytes
RESULT_LIMIT = 64 * 1024  # bytes
_OWN = "horae.executors."
_REPLACEMENT = "\N{REPLACEMENT CHARACTER}"


class Refused(Exception):
    """The definition cannot be executed, now or later; the message says why, in one sentence."""


def refused(message: str) -> Outcome:
    """A permanent failure."""
    return Outcome(AttemptOutcome.FAILED, error=one_line(message), permanent=True)


def failed(message: str) -> Outcome:
    """A failure that may not recur."""
    return Outcome(AttemptOutcome.FAILED, error=one_line(message))


def raised(error: BaseException, *, permanent: bool = False) -> Outcome:
    """An exception as an outcome."""
    return Outcome(
        AttemptOutcome.FAILED,
        error=in_words(error),
        traceback=_traceback(error),
        permanent=permanent,
    )


def in_words(error: BaseException) -> str:
    """`Type: message` in one line."""
    try:
        message = str(error)
    except Exception:  # a user's own __str__ may fail, too
        message = "(its message cannot be shown)"
    name = type(error).__name__
    return one_line(f"{name}: {message}" if message else name)


def one_line(text: str) -> str:
    text = " ".join(clean(text[: 2 * ERROR_LIMIT]).split())
    return text if len(text) <= ERROR_LIMIT else f"{text[: ERROR_LIMIT - 1]}…"


def clean(text: str) -> str:
    """Replaces characters that no database can hold: NUL and lone surrogates."""
    if "\x00" in text:
        text = text.replace("\x00", _REPLACEMENT)
    try:
        text.encode()
    except UnicodeEncodeError:
        text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def _traceback(error: BaseException) -> str:
    """From the user's first frame on: the executor's own frames are of no interest."""
    frames = error.__traceback__
    while frames is not None and frames.tb_frame.f_globals.get("__name__", "").startswith(_OWN):
        frames = frames.tb_next
    try:
        text = clean("".join(traceback.format_exception(type(error), error, frames or error.__traceback__)))
    except Exception as broken:  # formatting runs the user's __str__ and __repr__
        return f"(the traceback cannot be shown: {type(broken).__name__})"
    raw = text.encode()
    if len(raw) <= TRACEBACK_LIMIT:
        return text
    # The end says what went wrong and where; the start is how it got there.
    mark = "[…]\n"
    return mark + raw[-(TRACEBACK_LIMIT - len(mark.encode())) :].decode(errors="ignore")
