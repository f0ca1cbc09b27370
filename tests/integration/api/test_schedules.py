"""Previews, dependencies, filters and figures over the API."""

from datetime import UTC, datetime, timedelta
from typing import Any

from .conftest import CLOCK, Api
from .work import FAILED, take, tick, work

BERLIN = {"cron": "30 2 * * *", "timezone": "Europe/Berlin"}


async def preview(api: Api, **body: Any) -> dict[str, Any]:
    answer = await api.call("POST", "/schedules/preview", json=body)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def instants(listed: dict[str, Any]) -> list[str]:
    return [one["at"] for one in listed["occurrences"]]


async def test_a_preview_has_offsets_words_and_notes(api: Api):
    found = await preview(api, schedule=BERLIN, count=3, **{"from": "2026-03-28T00:00:00Z"})
    assert found["words"] == "At 02:30 every day, Europe/Berlin"
    assert [one["local"] for one in found["occurrences"]] == [
        "2026-03-28T02:30:00+01:00",
        "2026-03-29T03:00:00+02:00",
        "2026-03-30T02:30:00+02:00",
    ]
    assert ["note" in one for one in found["occurrences"]] == [False, True, False]
    assert "compare" not in found


async def test_two_schedules_side_by_side(api: Api):
    found = await preview(
        api,
        schedule={"cron": "0 */2 * * *"},
        compare={"cron": "0 */3 * * *"},
        count=4,
        **{"from": "2026-01-01T00:00:00Z"},
    )
    assert instants(found) == [f"2026-01-01T{hour:02}:00:00Z" for hour in (0, 2, 4, 6)]
    old = found["compare"]
    assert instants(old) == [f"2026-01-01T{hour:02}:00:00Z" for hour in (0, 3, 6, 9)]
    assert old["added"] == ["2026-01-01T02:00:00Z", "2026-01-01T04:00:00Z"]
    assert old["removed"] == ["2026-01-01T03:00:00Z"]
    assert old["until"] == "2026-01-01T06:00:00Z"


async def test_a_preview_compares_with_the_job_s_current_schedule(api: Api):
    """The job's own grid on the old side; on the new one a grid that begins when it is saved."""
    await api.make(schedule={"every": "1h", "max_runs": 3})
    await tick(api)
    coming = (await api.call("GET", "/jobs/hello/next")).json()
    assert len(coming["occurrences"]) == 2  # one of three has fired
    found = await preview(api, schedule={"every": "30m"}, job="hello", count=2)
    assert instants(found["compare"]) == instants(coming)
    assert found["compare"]["words"] == "Every hour, at most 3 times"
    first = datetime.fromisoformat(found["occurrences"][0]["at"])
    assert abs(first - CLOCK.now()) < timedelta(minutes=1)
    same = await preview(api, schedule={"every": "1h", "max_runs": 3}, job="hello", count=5)
    assert (same["compare"]["added"], same["compare"]["removed"]) == ([], [])


async def test_no_more_comes_than_max_runs_leaves(api: Api):
    await api.make(schedule={"every": "1s", "max_runs": 1})
    assert len((await api.call("GET", "/jobs/hello/next")).json()["occurrences"]) == 1
    await tick(api)
    shown = (await api.call("GET", "/jobs/hello/next")).json()
    assert shown == {"occurrences": [], "words": "Every second, only once"}
    assert (await api.call("GET", "/jobs/hello")).json()["status"] == "finished"


async def test_an_instant_that_has_passed_is_still_to_come_until_it_fires(api: Api):
    past = (CLOCK.now() - timedelta(hours=1)).astimezone(UTC).replace(microsecond=0)
    await api.make(schedule={"at": past.isoformat()})
    (one,) = (await api.call("GET", "/jobs/hello/next")).json()["occurrences"]
    assert datetime.fromisoformat(one["at"]) == past
    await tick(api)
    assert (await api.call("GET", "/jobs/hello/next")).json()["occurrences"] == []


async def test_a_preview_notes_an_instant_that_has_passed(api: Api):
    """As saving it would: it is due at once. Asked from an instant on, only what comes then is shown."""
    schedule = {"at": (CLOCK.now() - timedelta(hours=1)).isoformat()}
    (one,) = (await preview(api, schedule=schedule))["occurrences"]
    assert "catch_up decides" in one["note"]
    await api.make()
    assert (await preview(api, schedule=schedule, job="hello"))["occurrences"] == [one]
    assert (await preview(api, schedule=schedule, **{"from": CLOCK.now().isoformat()}))["occurrences"] == []


async def test_a_thousand_occurrences(api: Api):
    await api.make(schedule={"cron": "*/5 * * * *"})
    found = (await api.call("GET", "/jobs/hello/next", params={"count": 1_000})).json()
    assert len(set(instants(found))) == 1_000


async def test_a_job_waits_for_another(api: Api):
    await api.make("load")
    made = await api.make("report", schedule={"after": {"job": "load", "on": "success"}})
    assert (made["status"], made["next_run_at"], made["max_instances"]) == ("scheduled", None, 1)
    assert made["schedule"]["after"] == {"job": "load", "on": "success"}
    coming = (await api.call("GET", "/jobs/report/next")).json()
    assert coming == {"occurrences": [], "words": "When load succeeds"}
    upstream = (await api.call("POST", "/jobs/load/run")).json()["id"]
    await work(api, outcome=FAILED)
    assert (await api.call("GET", "/jobs/report/runs")).json()["items"] == []
    upstream = (await api.call("POST", "/jobs/load/run")).json()["id"]
    await work(api)
    (run,) = (await api.call("GET", "/jobs/report/runs")).json()["items"]
    assert (run["trigger"], run["parent_run_id"], run["status"]) == ("after", upstream, "queued")


async def test_lists_of_jobs_are_filtered(api: Api):
    await api.make("web", schedule={"cron": "0 9 * * *"}, tags=["finance", "daily"], queue="Mail")
    await api.make("code", target={"kind": "script", "source": '"needs":"http" "queue":"Mail"'}, tags=['fin"ance'])
    await api.make("function", target={"kind": "python", "function": "f"}, schedule={"every": "1h"}, queue="mail")
    await api.make("once", schedule={"at": "2001-01-01T00:00:00Z"}, description='"daily" "finance"')
    await api.make("then", schedule={"after": {"job": "web"}}, tags=[","])
    await api.make("off", schedule={"every": "1h"}, enabled=False)
    await api.make("held", schedule={"every": "1h"})
    await api.call("POST", "/jobs/held/pause")
    await api.make("awake", schedule={"every": "1h"})
    await api.make("busy")
    await api.call("POST", "/jobs/busy/run")
    assert len(await take(api)) == 1
    await tick(api)  # `once` is too late for its window: it is finished
    everything = {"web", "code", "function", "once", "then", "off", "held", "awake", "busy"}

    async def names(**params: Any) -> set[str]:
        answer = await api.call("GET", "/jobs", params=params)
        assert answer.status_code == 200, answer.text
        return {job["name"] for job in answer.json()["items"]}

    assert await names() == everything
    assert await names(q="WE") == {"web"}
    assert await names(kind="script") == {"code"}
    assert await names(kind="python") == {"function"}
    assert await names(kind="http") == everything - {"code", "function"}
    assert await names(kind="artifact") == set()
    assert (await api.call("GET", "/jobs", params={"kind": "unknown"})).status_code == 422
    assert await names(schedule="cron") == {"web"}
    assert await names(schedule="at") == {"once"}
    assert await names(schedule="after") == {"then"}
    assert await names(schedule="manual") == {"code", "busy"}
    assert await names(schedule="every") == {"function", "off", "held", "awake"}
    assert await names(queue="Mail") == {"web"}
    assert await names(queue="mail") == {"function"}
    assert await names(tag="finance") == {"web"}
    assert await names(tag='fin"ance') == {"code"}
    assert await names(tag=",") == {"then"}
    assert await names(tag="fin") == set()
    assert await names(enabled="false") == {"off"}
    assert await names(enabled="true", schedule="every") == {"function", "held", "awake"}
    assert await names(paused="true") == {"held"}
    assert await names(paused="false") == everything - {"held"}
    assert await names(status="disabled") == {"off"}
    assert await names(status="paused") == {"held"}
    assert await names(status="running") == {"busy"}
    assert await names(status="finished") == {"once"}
    assert await names(status="scheduled") == everything - {"off", "held", "busy", "once"}
    assert await names(status="scheduled", schedule="cron", tag="daily", q="e") == {"web"}


async def test_each_status_shows_what_its_filter_finds(api: Api):
    for n in range(3):
        await api.make(f"job-{n}", schedule={"every": "1h"})
    await api.call("POST", "/jobs/job-0/pause", json={"until": (CLOCK.now() + timedelta(seconds=0.3)).isoformat()})
    await api.call("POST", "/jobs/job-1/disable")
    seen = {}
    for status in ("scheduled", "running", "paused", "disabled", "finished"):
        for job in (await api.call("GET", "/jobs", params={"status": status})).json()["items"]:
            assert job["name"] not in seen
            seen[job["name"]] = status
    assert (seen["job-1"], seen["job-2"]) == ("disabled", "scheduled")


async def test_filtered_lists_go_on_where_they_stopped(api: Api):
    for n in range(9):
        tags = ["wanted"] if n % 2 else []
        await api.make(f"job-{n}", tags=tags, description="wanted" if n % 2 else '"wanted"')
    seen, cursor = [], None
    while True:
        params = {"limit": 1, "tag": "wanted", **({"cursor": cursor} if cursor else {})}
        page = (await api.call("GET", "/jobs", params=params)).json()
        seen += [job["name"] for job in page["items"]]
        if (cursor := page["next_cursor"]) is None:
            break
    assert seen == ["job-1", "job-3", "job-5", "job-7"]


async def test_figures_of_a_job(api: Api):
    made = await api.make(schedule={"every": "1s"}, max_instances=1)
    empty = (await api.call("GET", "/jobs/hello/stats")).json()
    assert (empty["succeeded"], empty["success_rate"], empty["avg_duration_ms"]) == (0, None, None)
    assert empty["last_run_id"] is None
    await tick(api)
    await work(api)
    last = None
    for outcome in (FAILED, None):
        last = (await api.call("POST", "/jobs/hello/run")).json()["id"]
        if outcome:
            await work(api, outcome=outcome)
    await api.call("POST", f"/runs/{last}/cancel")
    await api.call("POST", "/jobs/hello/run")
    await take(api)
    await api.call("POST", "/jobs/hello/run")
    await api.call("POST", "/jobs/hello/disable")
    for rolled in (False, True):
        if rolled:
            await roll_up(api)
        found = (await api.call("GET", "/jobs/hello/stats")).json()
        expected = {"job_id": made["id"], "queued": 1, "running": 1, "succeeded": 1, "failed": 1, "cancelled": 1}
        assert {name: found[name] for name in expected} == expected
        assert (found["success_rate"], found["last_run_id"], found["last_status"]) == (50.0, last, "cancelled")
        assert (found["recent"]["succeeded"], found["recent"]["failed"]) == (1, 1)
        assert datetime.fromisoformat(found["recent"]["since"]) < CLOCK.now() - timedelta(hours=24)


async def test_figures_tell_why_occurrences_were_skipped(api: Api):
    past = (CLOCK.now() - timedelta(hours=3)).isoformat()
    await api.make(schedule={"at": past}, catch_up="none")
    await tick(api)
    await api.make("first")
    await api.make("second", schedule={"after": {"job": "first"}}, enabled=False)
    for _ in range(2):
        await api.call("POST", "/jobs/first/run")
        await work(api)
    for name, reasons in (("hello", {"missed": 1}), ("second", {"disabled": 2}), ("first", {})):
        recent = (await api.call("GET", f"/jobs/{name}/stats")).json()["recent"]
        assert recent["skipped_by_reason"] == reasons
    found = (await api.call("GET", "/jobs/hello/stats")).json()
    assert (found["skipped"], found["recent"]["skipped"]) == (1, 1)


async def roll_up(api: Api) -> None:
    async def roll(tx: Any) -> int:
        found: int = await tx.stats.roll_up(1_000)
        return found

    while await api.store.transact(roll):
        pass
