"""Retry-After in its two forms, and in the forms that servers send."""

from datetime import UTC, datetime

import pytest

from horae.executors.http_answer import retry_after

NOW = datetime(2026, 3, 1, 12, 0, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("0", 0),
        ("120", 120),
        (" 7 ", 7),
        ("99999999999999999999999999", 31_536_000),
        ("Sun, 01 Mar 2026 12:01:30 GMT", 90),
        ("Sun, 01 Mar 2026 12:01:30", 90),
        ("Sunday, 01-Mar-26 12:01:30 GMT", 90),
        ("Sun Mar  1 12:01:30 2026", 90),
        ("Sun, 01 Mar 2026 11:00:00 GMT", 0),
        ("Sun, 01 Mar 2926 11:00:00 GMT", 31_536_000),
        ("Sun, 01 Mar 2026 13:01:30 +0100", 90),
    ],
)
def test_valid_values_are_parsed(value: str, seconds: float) -> None:
    assert retry_after({"Retry-After": value}, NOW) == seconds


@pytest.mark.parametrize("value", ["", "-1", "1.5", "soon", "１２", "Sun, 99 Mar 2026 12:00:00 GMT", "1e3", "0x10"])
def test_invalid_values_are_ignored(value: str) -> None:
    assert retry_after({"Retry-After": value}, NOW) is None


def test_a_missing_header_is_none() -> None:
    assert retry_after({}, NOW) is None


def test_a_date_is_read_by_the_servers_own_clock() -> None:
    headers = {"Retry-After": "Sun, 01 Mar 2026 15:00:30 GMT", "Date": "Sun, 01 Mar 2026 15:00:00 GMT"}
    assert retry_after(headers, NOW) == 30
