"""What a function returned or raised, as an outcome; the same on the loop, in a thread and in a process."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import orjson

from horae.domain.errors import PermanentError, RetryLater
from horae.domain.runs.outcome import SUCCEEDED, Outcome
from horae.domain.runs.states import AttemptOutcome
from horae.executors.failure import RESULT_LIMIT, in_words, raised, refused


def failure(error: BaseException) -> Outcome:
    outcome = raised(error, permanent=isinstance(error, PermanentError))
    if isinstance(error, RetryLater):
        return replace(outcome, retry_after=error.seconds if error.seconds > 0 else 0.0)
    return outcome


def result(value: Any) -> Outcome:
    """Failures here are permanent: the work is done, and repeating it would have the same result."""
    if value is None:
        return SUCCEEDED
    try:
        raw = orjson.dumps(value)
    except (TypeError, RecursionError) as error:
        return refused(f"the result cannot be written as JSON: {in_words(error)}")
    if len(raw) > RESULT_LIMIT:
        return refused(f"the result is longer than {RESULT_LIMIT // 1024} KiB of JSON")
    return Outcome(AttemptOutcome.SUCCEEDED, result=raw.decode())
