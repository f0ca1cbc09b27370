"""The order of lanes in a claim."""

from datetime import UTC, datetime

from horae.store.runs.lanes import Lane, each_once


def test_a_lane_that_the_database_gives_twice_is_gone_through_once() -> None:
    """MySQL 9.7 was seen to give a lane once for each run in it: runs beyond the free slots were counted twice."""
    at = datetime(2026, 11, 16, tzinfo=UTC)
    mail, night = Lane("mail", 5, "http", at), Lane("mail", 4, "http", at)
    assert each_once([mail, mail, night, mail]) == [mail, night]
