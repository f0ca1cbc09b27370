"""Instants and relative times in options."""

from datetime import UTC, datetime, timedelta

import pytest

from horae.cli.terminal import instants
from horae.domain.errors import InvalidInput


def test_with_an_offset_they_are_what_they_say():
    assert instants.ago("--since", "2026-12-01T09:00:00+01:00") == "2026-12-01T08:00:00+00:00"
    assert instants.ahead("--until", None) is None


@pytest.mark.parametrize(("text", "hours"), [("now", 0), ("2h", 2), ("1d", 24), ("1h30m", 1.5)])
def test_spans_go_back_or_ahead(text: str, hours: float):
    before = datetime.now(UTC)
    past, future = instants.ago("--since", text), instants.ahead("--run-at", text)
    after, span = datetime.now(UTC), timedelta(hours=hours)
    assert future is not None
    assert before - span <= datetime.fromisoformat(past) <= after - span
    assert before + span <= datetime.fromisoformat(future) <= after + span


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("yesterday", "--since: must be an instant such as"),
        ("2026-12-01T09:00:00", "--since: has no offset: write 2026-12-01T09:00:00Z for UTC"),
        ("99999999999d", "--since: must be an instant such as"),
    ],
)
def test_others_are_refused_by_the_name_of_the_option(text: str, words: str):
    with pytest.raises(InvalidInput) as refused:
        instants.ago("--since", text)
    assert str(refused.value).startswith(words)
