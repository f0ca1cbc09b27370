"""Bad input about schedules: a 4xx that names the field, and nothing is changed."""

from collections.abc import AsyncIterator
from typing import Any

import pytest

from .conftest import IDS, Api, add_key
from .test_access import another_project
from .test_bad_input import AS_JSON, RAW, check, raw

GOOD = {"start": "2020-01-01T00:00:00Z", "end": "2020-01-02T00:00:00Z"}
DAILY = {"cron": "0 9 * * *"}
# Ways in which no instant may be written
INSTANTS = [
    "2020-01-01T00:00:00",
    "2020-01-01",
    "tomorrow",
    "",
    5,
    True,
    "1999-12-31T23:59:59Z",
    "2101-01-01T00:00:00Z",
    "2020-02-30T00:00:00Z",
    "2020-01-01T25:00:00Z",
    "9999-12-31T23:59:59-14:00",
    [],
]


@pytest.fixture(autouse=True)
async def nothing_is_changed(api: Api) -> AsyncIterator[None]:
    await api.make("existing", schedule={"every": "1h"})

    async def state(tx: Any) -> list[Any]:
        tables = ("jobs", "job_versions", "runs", "run_history", "operations", "job_dependencies")
        counts = [(await tx.access.db.fetch(f"SELECT COUNT(*) AS n FROM {t}"))[0]["n"] for t in tables]
        rows = await tx.access.db.fetch("SELECT enabled, paused, version FROM jobs ORDER BY id")
        return [counts, [(row["enabled"], row["paused"], row["version"]) for row in rows]]

    before = await api.store.read(state)
    yield
    assert await api.store.read(state) == before


async def test_bad_pauses(api: Api):
    bodies: list[Any] = [{"until": at} for at in INSTANTS]
    for body in [*bodies, {"until": "2020-01-01T00:00:00Z"}]:
        check(await api.call("POST", "/jobs/existing/pause", content=raw(body), headers=AS_JSON), "until")
    check(await api.call("POST", "/jobs/existing/pause", json={"for": "5m"}), "for")


async def test_bad_backfills(api: Api):
    cases: list[tuple[Any, str]] = [
        ({}, "start"),
        ({"start": GOOD["start"]}, "end"),
        ({**GOOD, "end": "2019-12-31T00:00:00Z"}, "end"),
        ({**GOOD, "end": "2099-01-01T00:00:00Z"}, "end"),
        ({**GOOD, "start": "2000-01-01T00:00:00Z", "end": "2020-01-01T00:00:00Z"}, "end"),  # more than 100,000
        ({**GOOD, "parallelism": 0}, "parallelism"),
        ({**GOOD, "parallelism": 1_001}, "parallelism"),
        ({**GOOD, "parallelism": 1.5}, "parallelism"),
        ({**GOOD, "parallelism": "2"}, "parallelism"),
        ({**GOOD, "parallelism": None}, "parallelism"),
        ({**GOOD, "dry_run": "yes"}, "dry_run"),
        ({**GOOD, "dryrun": True}, "dryrun"),
        *(({**GOOD, field: at}, field) for field in ("start", "end") for at in INSTANTS),
    ]
    for body, field in cases:
        check(await api.call("POST", "/jobs/existing/backfill", content=raw(body), headers=AS_JSON), field)


async def test_jobs_without_a_schedule_cannot_be_backfilled(api: Api):
    for schedule in ({"manual": True}, {"after": {"job": "existing"}}):
        await api.make("other", schedule=schedule)
        check(await api.call("POST", "/jobs/other/backfill", json=GOOD), "job")
        check(await api.call("POST", "/jobs/other/backfill", json={**GOOD, "dry_run": True}), "job")
        await api.call("DELETE", "/jobs/other")
        await forget_versions(api)


async def test_bad_rollbacks(api: Api):
    for version in (0, -1, "1", 1.0, True, None, 10**9, 2**31, 10**30, [1]):
        answer = await api.call("POST", "/jobs/existing/rollback", content=raw({"version": version}), headers=AS_JSON)
        check(answer, "version")
    check(await api.call("POST", "/jobs/existing/rollback", json={}), "version")
    check(await api.call("POST", "/jobs/existing/rollback", json={"version": 1, "force": True}), "force")
    check(await api.call("POST", "/jobs/existing/rollback", json={"version": 2}), status=404)
    for version in ("0", "-1", "x", "1.5", "9" * 30, "2147483648", "%00"):
        answer = await api.call("GET", f"/jobs/existing/versions/{version}")
        assert answer.status_code in (404, 422), version
        check(answer, status=answer.status_code)


async def test_bad_previews(api: Api):
    cases: list[tuple[Any, str]] = [
        ({}, "schedule"),
        ({"schedule": {"cron": "61 * * * *"}}, "schedule.cron"),
        ({"schedule": DAILY, "count": 0}, "count"),
        ({"schedule": DAILY, "count": 1_001}, "count"),
        ({"schedule": DAILY, "compare": {"cron": "61 * * * *"}}, "compare.cron"),
        ({"schedule": DAILY, "compare": {}}, "compare"),
        ({"schedule": DAILY, "compare": {"every": "5m", "cron": "* * * * *"}}, "compare"),
        ({"schedule": DAILY, "compare": DAILY, "job": "existing"}, "job"),
        ({"schedule": DAILY, "job": ""}, "job"),
        ({"schedule": DAILY, "job": "x" * 201}, "job"),
        *(({"schedule": DAILY, "from": at}, "from") for at in INSTANTS),
    ]
    for body, field in cases:
        check(await api.call("POST", "/schedules/preview", content=raw(body), headers=AS_JSON), field)
    check(await api.call("POST", "/schedules/preview", json={"schedule": DAILY, "job": "nobody"}), status=404)


async def test_bad_filters(api: Api):
    for query, field in (
        ("kind=ftp", "kind"),
        ("schedule=hourly", "schedule"),
        ("status=broken", "status"),
        ("enabled=maybe", "enabled"),
        ("paused=2", "paused"),
        ("tag=", "tag"),
        ("tag=" + "x" * 101, "tag"),
        ("queue=%00", "queue"),
        ("enabled=true&enabled=false", "enabled"),
        ("tags=a", "tags"),
    ):
        check(await api.call("GET", f"/jobs?{query}"), field)


async def test_unknown_operations(api: Api):
    for ref in (IDS.new(), "x", "%2e%2e", "1" * 500, "a%00b", "01990000-0000-7000-8000-00000000000G"):
        check(await api.call("GET", f"/operations/{ref}"), status=404)
        check(await api.call("POST", f"/operations/{ref}/cancel"), status=404)
    for query, field in (("limit=0", "limit"), ("cursor=x", "cursor"), ("state=running", "state")):
        check(await api.call("GET", f"/operations?{query}"), field)


async def test_unknown_jobs(api: Api):
    calls: list[tuple[str, str, Any]] = [
        ("GET", "/versions", None),
        ("GET", "/versions/1", None),
        ("GET", "/stats", None),
        ("POST", "/rollback", {"version": 1}),
        ("POST", "/backfill", GOOD),
        ("POST", "/backfill", {**GOOD, "dry_run": True}),
    ]
    for ref in ("nobody", "x" * 201, "%00", "%2e%2e%2f", "'", "%F0%9F%98%80"):
        for method, path, body in calls:
            check(await api.call(method, f"/jobs/{ref}{path}", json=body), status=404)


@pytest.mark.parametrize("path", ["pause", "rollback", "backfill"])
async def test_bad_json(api: Api, path: str):
    for content, status in RAW:
        check(await api.call("POST", f"/jobs/existing/{path}", content=content, headers=AS_JSON), status=status)


async def test_circles_are_refused(api: Api):
    itself = {"schedule": {"after": {"job": "existing"}}}
    refused = await api.call("PATCH", "/jobs/existing", json=itself)
    check(refused, "schedule.after.job")
    assert refused.json()["errors"][0]["message"] == "would make the job wait for itself"
    await api.make("b", schedule={"after": {"job": "existing", "on": "any"}})
    await api.make("c", schedule={"after": {"job": "b"}})
    check(await api.call("PATCH", "/jobs/existing", json={"schedule": {"after": {"job": "c"}}}), "schedule.after.job")
    for name, waits in (("existing", "b"), ("b", "c")):
        kept = await api.call("DELETE", f"/jobs/{name}")
        check(kept, status=409)
        assert kept.json()["detail"] == f"other jobs wait for it: {waits}"
    for name in ("c", "b"):
        assert (await api.call("DELETE", f"/jobs/{name}")).status_code == 204
    await forget_versions(api)


async def test_jobs_of_other_projects_cannot_be_followed_or_compared_with(api: Api):
    api.tokens["stranger"] = await add_key(api.store, "admin", await another_project(api))
    existing = (await api.call("GET", "/jobs/existing")).json()["id"]
    for ref in ("existing", existing):
        body = {
            "name": "spy",
            "target": {"kind": "http", "url": "https://example.org/"},
            "schedule": {"after": {"job": ref}},
        }
        check(await api.call("POST", "/jobs", role="stranger", json=body), "schedule.after.job")
        compared = {"schedule": DAILY, "job": ref}
        check(await api.call("POST", "/schedules/preview", role="stranger", json=compared), status=404)


async def forget_versions(api: Api) -> None:
    """Of jobs that a test made and deleted again."""

    async def forget(tx: Any) -> None:
        await tx.access.db.execute("DELETE FROM job_versions WHERE job_id NOT IN (SELECT id FROM jobs)")

    await api.store.transact(forget)


@pytest.mark.parametrize(
    ("schedule", "field", "message"),
    [
        ({"after": "load"}, "schedule.after", "must be an object"),
        ({"after": {"job": ""}}, "schedule.after.job", "should have at least 1 character"),
        ({**DAILY, "blackouts": {}}, "schedule.blackouts", "must be a list"),
        (
            {**DAILY, "blackouts": [{"days": [], "start": "00:00", "end": "01:00"}]},
            "schedule.blackouts[0].days",
            "should have at least 1 item",
        ),
        (
            {**DAILY, "blackouts": [{"days": ["XXX"], "start": "00:00", "end": "01:00"}]},
            "schedule.blackouts[0].days[0]",
            "should be 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT' or 'SUN'",
        ),
        ({"cron": {"hour": 24}}, "schedule.cron.hour", "hour 24 is out of range 0–23 (at character 1)"),
    ],
)
async def test_the_words_are_those_of_json(api: Api, schedule: Any, field: str, message: str):
    """One error, which names the field and no type of Python's."""
    answer = await api.call("POST", "/schedules/preview", json={"schedule": schedule})
    assert (answer.status_code, answer.json()["errors"]) == (422, [{"field": field, "message": message}])
