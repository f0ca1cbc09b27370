"""Reports to Sentry: their content, their rate limit, and invalid settings."""

import sys
from typing import Any

import pytest

from horae.domain.errors import ConfigurationError
from horae.watch.sentry import ReportAllowance, SentryReporter, event_of

SECRET = "hunter2"


def failing(password: str) -> None:
    try:
        raise ValueError(f"cannot use {password}")
    except ValueError as error:
        raise KeyError(password) from error


def raised() -> BaseException:
    try:
        failing(SECRET)
    except KeyError as error:
        return error
    raise AssertionError


def test_reports_have_types_and_frames_but_no_messages() -> None:
    line: dict[str, Any] = {"event": "request failed", "role": "serve", "request_id": "r-1", "path": SECRET}
    event = event_of("exception", line, raised())
    assert SECRET not in str(event)
    assert (event["level"], event["tags"]) == ("error", {"role": "serve", "request_id": "r-1"})
    assert [one["type"] for one in event["exception"]["values"]] == ["ValueError", "KeyError"]
    assert event["exception"]["values"][1]["stacktrace"]["frames"][-1]["function"] == "failing"


def test_reports_are_rate_limited() -> None:
    now = [0.0]
    allowed = ReportAllowance(2, 60.0, lambda: now[0])
    assert [allowed() for _ in range(4)] == [True, True, False, False]
    now[0] = 61.0
    assert allowed()


def test_a_setting_that_cannot_be_used_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ConfigurationError, match="not a DSN"):
        SentryReporter("http://127.0.0.1/", "1")
    monkeypatch.setitem(sys.modules, "sentry_sdk", None)
    with pytest.raises(ConfigurationError, match=r"horae\[sentry\]"):
        SentryReporter("http://key@127.0.0.1/1", "1")
