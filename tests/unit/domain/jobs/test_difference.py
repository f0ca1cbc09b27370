"""What changed from one definition to the next, and from one schedule to another."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from horae.domain.jobs.difference import Change, changes, compare
from horae.domain.jobs.job import JobSpec

HTTP = {"kind": "http", "url": "https://example.org/"}
MIDNIGHT = datetime(2026, 1, 1, tzinfo=UTC)


def spec(**fields: Any) -> JobSpec:
    return JobSpec.model_validate({"name": "a", "target": HTTP, **fields})


def between(old: dict[str, Any], new: dict[str, Any]) -> list[tuple[str, Any, Any]]:
    return [(one.path, one.old, one.new) for one in changes(spec(**old), spec(**new))]


def test_nothing_changed():
    assert changes(spec(), spec()) == []
    assert between({"timeout": 60}, {"timeout": 60.0}) == []


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ({}, {"name": "b"}, [("name", "a", "b")]),
        ({}, {"priority": 9, "description": "x"}, [("description", "", "x"), ("priority", 5, 9)]),
        ({"max_instances": 3}, {}, [("max_instances", 3, None)]),
        ({"tags": ["a"]}, {"tags": ["b", "a"]}, [("tags", ["a"], ["b", "a"])]),
        ({}, {"retry": {"delay": 5}}, [("retry.delay", 60, 5)]),
        (
            {"schedule": {"cron": "0 9 * * *"}},
            {"schedule": {"cron": "0 9 * * *", "timezone": "Europe/Berlin", "max_runs": 2}},
            [("schedule.timezone", "UTC", "Europe/Berlin"), ("schedule.max_runs", None, 2)],
        ),
        (
            {"schedule": {"cron": "0 9 * * *"}},
            {"schedule": {"cron": {"hour": "9"}}},
            [("schedule.cron", "0 9 * * *", {"hour": "9"})],
        ),
        (
            {"schedule": {"every": "1h", "start_at": "2026-01-01T01:00:00+01:00"}},
            {"schedule": {"every": "1h"}},
            [("schedule.start_at", "2026-01-01T00:00:00Z", None)],
        ),
        (
            {"schedule": {"after": {"job": "x"}}},
            {"schedule": {"after": {"job": "x", "on": "any"}}},
            [("schedule.after.on", "success", "any")],
        ),
        (
            {"target": {**HTTP, "headers": {"a": "1", "b": "2"}}},
            {"target": {**HTTP, "headers": {"b": "3", "c": "4"}}},
            [
                ("target.headers.a", "1", None),
                ("target.headers.b", "2", "3"),
                ("target.headers.c", None, "4"),
            ],
        ),
    ],
)
def test_field_by_field(old: dict[str, Any], new: dict[str, Any], expected: list[tuple[str, Any, Any]]):
    assert between(old, new) == expected


def test_another_kind_is_shown_as_a_whole_without_its_defaults():
    script = {"kind": "script", "source": "true"}
    found = changes(
        spec(schedule={"cron": "0 9 * * *", "timezone": "Europe/Berlin"}, max_instances=1),
        spec(schedule={"manual": True}, target=script, max_instances=1),
    )
    assert found == [
        Change("target", HTTP, script),
        Change("schedule", {"cron": "0 9 * * *", "timezone": "Europe/Berlin"}, {"manual": True}),
    ]
    assert next(iter(found[1].old)) == "cron"  # the field that decides the kind comes first


def test_one_is_not_true():
    def arguments(value: Any) -> dict[str, Any]:
        return {"target": {"kind": "python", "function": "f", "arguments": {"a": value}}}

    assert between(arguments(1), arguments(True)) == [("target.arguments.a", 1, True)]
    assert between(arguments({"b": [1]}), arguments({"b": [2]})) == [("target.arguments.a.b", [1], [2])]


def hours(*given: int) -> list[datetime]:
    return [MIDNIGHT + timedelta(hours=hour) for hour in given]


@pytest.mark.parametrize(
    ("new", "old", "added", "removed", "until"),
    [
        ([0, 2, 4], [0, 3, 6], [2, 4], [3], 4),
        ([0, 1, 2], [0, 24, 48], [1, 2], [], 2),  # what the hourly list would have at 24 is not known: not shown
        ([0, 24, 48], [0, 1, 2], [], [1, 2], 2),
        ([0, 1, 2], [0, 1, 2], [], [], 2),
        ([0, 1, 2], [], [0, 1, 2], [], 2),
        ([], [5], [], [5], None),  # both come to an end
        ([], [], [], [], None),
        ([1, 9], [1, 2, 3], [], [2, 3], 3),  # the short one has no third: all of it is known
    ],
)
def test_two_schedules(new: list[int], old: list[int], added: list[int], removed: list[int], until: int | None):
    found = compare(hours(*new), hours(*old), 3)
    assert (list(found.added), list(found.removed)) == (hours(*added), hours(*removed))
    assert found.until == (None if until is None else hours(until)[0])
