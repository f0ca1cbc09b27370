"""The ids that come from an idempotency key: the same at every try, in order, and as new ids are made."""

from datetime import UTC, datetime
from uuid import UUID

from horae.domain.jobs.idempotency import DerivedIds

AT = datetime(2026, 11, 15, 7, 30, 0, 123_000, tzinfo=UTC)


def test_they_are_the_same_at_every_try():
    one, two = DerivedIds(AT, "seed"), DerivedIds(AT, "seed")
    assert [one.new() for _ in range(1000)] == [two.new() for _ in range(1000)]


def test_other_keys_make_others():
    assert DerivedIds(AT, "seed").new() != DerivedIds(AT, "other").new()


def test_they_are_version_7_of_their_time_and_in_order():
    ids = DerivedIds(AT, "seed")
    made = [ids.new() for _ in range(10_000)]
    assert made == sorted(set(made))
    for text in (made[0], made[4095], made[4096], made[-1]):
        found = UUID(text)
        assert (found.version, found.variant) == (7, "specified in RFC 4122")
    assert UUID(made[0]).int >> 80 == int(AT.timestamp() * 1000)
    assert UUID(made[4096]).int >> 80 == int(AT.timestamp() * 1000) + 1
