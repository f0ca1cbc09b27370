"""Jobs over the API."""

from horae.api.app import build
from horae.api.context import ApiSettings
from horae.domain.jobs.policy import Defaults, Retry
from horae.domain.runs.outcome import Outcome
from horae.domain.runs.states import AttemptOutcome

from .conftest import CLOCK, IDS, ON_EVERY_DATABASE, SECRET, Api
from .work import work

JOB_FIELDS = (
    "name description tags target schedule retry timeout overlap max_instances catch_up catch_up_window queue priority "
    "start_within grace keep enabled alert notify id version status next_run_at last_run_at last_status "
    "paused paused_until created_by created_at updated_by updated_at unreadable"
)


async def test_a_job_has_every_field_of_the_interface(api: Api):
    made = await api.make(schedule={"cron": "0 2 * * *", "timezone": "Europe/Berlin"}, tags=["finance"])
    assert set(made) == set(JOB_FIELDS.split())
    assert made["version"] == 1
    assert made["status"] == "scheduled"
    assert made["next_run_at"].endswith("Z")
    assert made["last_run_at"] is None
    assert made["max_instances"] == 1
    assert made["timeout"] == 300


async def test_created_is_found_by_id_and_by_name(api: Api):
    made = await api.make("nightly report")
    by_id = await api.call("GET", f"/jobs/{made['id']}")
    by_name = await api.call("GET", "/jobs/nightly%20report")
    assert by_id.json() == by_name.json() == made
    assert by_id.headers["etag"] == '"1"'


@ON_EVERY_DATABASE
async def test_a_list_includes_more_about_each_job_on_request(api: Api):
    made = await api.make("nightly", schedule={"cron": "0 2 * * *", "timezone": "Europe/Berlin"})
    listed = {**made, "stranded": False}
    assert (await api.call("GET", "/jobs")).json()["items"] == [listed]
    answer = await api.call("GET", "/jobs", params={"include": "recent,words"})
    assert answer.json()["items"] == [{**listed, "words": "At 02:00 every day, Europe/Berlin", "recent": []}]
    (only,) = (await api.call("GET", "/jobs", params={"include": "words"})).json()["items"]
    assert "recent" not in only
    assert (await api.call("PUT", "/jobs/nightly", json=only)).status_code == 200  # what was read can be sent back
    assert (await api.call("GET", "/jobs", params={"include": "all"})).status_code == 422


async def test_a_name_is_taken_once(api: Api):
    await api.make("hello")
    again = await api.call("POST", "/jobs", json={"name": "hello", "target": {"kind": "http", "url": "http://x.y/"}})
    assert again.status_code == 409
    assert again.headers["content-type"] == "application/problem+json"
    await api.make("Hello")  # names differ by case


async def test_recurring_requires_a_recurring_schedule(api: Api):
    body = {"name": "r", "target": {"kind": "http", "url": "http://x.y/"}}
    for schedule in ({"manual": True}, {"at": "2030-01-01T00:00:00Z"}):
        refused = await api.call("POST", "/jobs/recurring", json={**body, "schedule": schedule})
        assert (refused.status_code, refused.json()["field"]) == (422, "schedule")
    assert (await api.call("POST", "/jobs/recurring", json=body)).status_code == 422
    made = await api.call("POST", "/jobs/recurring", json={**body, "schedule": {"every": "5m"}})
    assert made.status_code == 201
    assert made.headers["location"] == f"/api/v1/jobs/{made.json()['id']}"


@ON_EVERY_DATABASE
async def test_lists_go_on_where_they_stopped(api: Api):
    for n in range(5):
        await api.make(f"job-{n}")
    first = (await api.call("GET", "/jobs", params={"limit": 2})).json()
    second = (await api.call("GET", "/jobs", params={"limit": 2, "cursor": first["next_cursor"]})).json()
    third = (await api.call("GET", "/jobs", params={"limit": 2, "cursor": second["next_cursor"]})).json()
    names = [job["name"] for page in (first, second, third) for job in page["items"]]
    assert names == [f"job-{n}" for n in range(5)]
    assert third["next_cursor"] is None
    found = (await api.call("GET", "/jobs", params={"q": "b-3"})).json()
    assert [job["name"] for job in found["items"]] == ["job-3"]


async def test_a_patch_changes_what_it_names_and_makes_a_version(api: Api):
    made = await api.make(schedule={"every": "1h"}, description="old", tags=["a"])
    changed = await api.call("PATCH", "/jobs/hello", json={"description": "new", "retry": {"max_attempts": 7}})
    assert changed.status_code == 200
    new = changed.json()
    assert (new["description"], new["retry"]["max_attempts"], new["retry"]["delay"]) == ("new", 7, 60)
    assert (new["version"], changed.headers["etag"]) == (2, '"2"')
    assert new["next_run_at"] == made["next_run_at"]  # the schedule was left alone
    assert new["tags"] == ["a"]
    cleared = await api.call("PATCH", "/jobs/hello", json={"description": None})
    assert cleared.json()["description"] == ""


async def test_a_patch_may_bring_a_schedule_or_target_of_another_kind(api: Api):
    await api.make(schedule={"cron": "0 2 * * *", "timezone": "Europe/Berlin"})
    changed = await api.call("PATCH", "/jobs/hello", json={"schedule": {"every": "5m"}})
    assert changed.status_code == 200, changed.text
    assert changed.json()["schedule"]["every"] == "5m"
    assert "cron" not in changed.json()["schedule"]
    changed = await api.call("PATCH", "/jobs/hello", json={"target": {"kind": "script", "source": "true"}})
    assert changed.status_code == 200, changed.text
    assert changed.json()["target"]["source"] == "true"
    kept = await api.call(
        "PATCH",
        "/jobs/hello",
        json={"target": {"source": "false"}},
        headers={"content-type": "application/merge-patch+json"},
    )
    assert kept.json()["target"]["source"] == "false"


async def test_put_replaces_and_takes_back_what_get_gave(api: Api):
    made = await api.make(description="old", tags=["a"])
    same = await api.call("PUT", "/jobs/hello", json=made)
    assert same.status_code == 200, same.text
    assert same.json()["version"] == 1  # nothing changed
    body = {"name": "hello", "target": made["target"]}
    replaced = await api.call("PUT", "/jobs/hello", json=body)
    assert (replaced.json()["description"], replaced.json()["tags"], replaced.json()["version"]) == ("", [], 2)


@ON_EVERY_DATABASE
async def test_edits_of_an_old_version_are_refused(api: Api):
    await api.make()
    first = await api.call("PATCH", "/jobs/hello", json={"description": "1"}, headers={"if-match": '"1"'})
    assert first.status_code == 200
    stale = await api.call("PATCH", "/jobs/hello", json={"description": "2"}, headers={"if-match": '"1"'})
    assert stale.status_code == 412
    assert stale.json()["type"] == "urn:horae:problem:stale-version"
    for odd in ('W/"2"', "2", '"x"', '"' + "9" * 30 + '"'):
        answer = await api.call("PATCH", "/jobs/hello", json={}, headers={"if-match": odd})
        assert answer.status_code == 412, odd
    anyhow = await api.call("PATCH", "/jobs/hello", json={"description": "2"}, headers={"if-match": "*"})
    assert anyhow.status_code == 200


@ON_EVERY_DATABASE
async def test_renaming_onto_another_name_is_a_conflict(api: Api):
    await api.make("a")
    await api.make("b")
    assert (await api.call("PATCH", "/jobs/a", json={"name": "b"})).status_code == 409
    assert (await api.call("PATCH", "/jobs/a", json={"name": "c"})).json()["name"] == "c"
    assert (await api.call("GET", "/jobs/a")).status_code == 404


async def test_read_only_fields_cannot_be_patched(api: Api):
    await api.make()
    refused = await api.call("PATCH", "/jobs/hello", json={"status": "paused"})
    assert refused.status_code == 422
    assert refused.json()["field"] == "status"


async def test_deleted_is_gone_but_its_runs_are_kept(api: Api):
    made = await api.make()
    run = (await api.call("POST", "/jobs/hello/run")).json()
    assert (await api.call("DELETE", "/jobs/hello")).status_code == 204
    for method, path in (("GET", "/jobs/hello"), ("DELETE", "/jobs/hello"), ("POST", f"/jobs/{made['id']}/run")):
        assert (await api.call(method, path)).status_code == 404
    kept = (await api.call("GET", f"/runs/{run['id']}")).json()
    assert kept["status"] == "cancelled"
    listed = (await api.call("GET", "/runs", params={"job": made["id"]})).json()
    assert [item["id"] for item in listed["items"]] == [run["id"]]


async def test_deleting_with_a_stale_if_match_is_refused(api: Api):
    await api.make()
    await api.call("PATCH", "/jobs/hello", json={"description": "needed after all"})
    stale = await api.call("DELETE", "/jobs/hello", headers={"if-match": '"1"'})
    assert (stale.status_code, stale.json()["detail"]) == (412, "the job is at version 2, not 1")
    assert (await api.call("GET", "/jobs/hello")).status_code == 200
    assert (await api.call("DELETE", "/jobs/hello", headers={"if-match": '"2"'})).status_code == 204


async def test_disabled_from_the_start(api: Api):
    made = await api.make(schedule={"every": "1h"}, enabled=False)
    assert (made["enabled"], made["status"], made["next_run_at"]) == (False, "disabled", None)


async def test_next_lists_upcoming_occurrences(api: Api):
    await api.make(schedule={"cron": "0 9 * * *", "timezone": "Europe/Berlin"})
    found = (await api.call("GET", "/jobs/hello/next", params={"count": 3})).json()
    assert len(found["occurrences"]) == 3
    assert all(o["at"].endswith("Z") and "T09:00:00+0" in o["local"] for o in found["occurrences"])
    await api.make("by-hand")
    assert (await api.call("GET", "/jobs/by-hand/next")).json()["occurrences"] == []


async def test_a_preview_needs_no_job(api: Api):
    body = {"schedule": {"every": "1h"}, "count": 2, "from": "2026-01-01T00:00:00Z"}
    found = (await api.call("POST", "/schedules/preview", json=body)).json()
    assert [o["at"] for o in found["occurrences"]] == ["2026-01-01T00:00:00Z", "2026-01-01T01:00:00Z"]


async def test_a_name_that_is_nearly_right_is_suggested(api: Api):
    await api.make("nightly-report")
    await api.make("other")
    for path in ("/jobs/nightly-reprot", "/jobs/Nightly-Report", "/jobs/nightlyreport/explain"):
        detail = (await api.call("GET", path)).json()["detail"]
        assert detail.endswith("; did you mean 'nightly-report'?"), path
    assert (await api.call("POST", "/jobs/ohter/run")).json()["detail"].endswith("did you mean 'other'?")
    assert (await api.call("GET", "/jobs/nothing-like-it")).json()["detail"] == "there is no job 'nothing-like-it'"


@ON_EVERY_DATABASE
async def test_sorted_pages_keep_to_their_order(api: Api):
    for name in ("b", "a", "c"):
        await api.make(name)
    for sort, names in (("name", "abc"), ("-name", "cba"), ("created_at", "bac"), ("-created_at", "cab")):
        seen, cursor = [], None
        while True:
            params = {"sort": sort, "limit": 2, **({"cursor": cursor} if cursor else {})}
            page = (await api.call("GET", "/jobs", params=params)).json()
            seen += [job["name"] for job in page["items"]]
            if (cursor := page["next_cursor"]) is None:
                break
        assert "".join(seen) == names
    cursor = (await api.call("GET", "/jobs", params={"limit": 1, "sort": "name"})).json()["next_cursor"]
    other = await api.call("GET", "/jobs", params={"cursor": cursor, "sort": "-name"})
    assert (other.status_code, other.json()["field"]) == (422, "cursor")
    for path in ("/jobs", "/runs"):
        unknown = await api.call("GET", path, params={"sort": "colour"})
        assert (unknown.status_code, unknown.json()["field"]) == (422, "sort")


async def test_runs_oldest_first(api: Api):
    await api.make()
    made = [(await api.call("POST", "/jobs/hello/run")).json()["id"] for _ in range(3)]
    for path in ("/runs", "/jobs/hello/runs"):
        found = (await api.call("GET", path, params={"sort": "created_at"})).json()["items"]
        assert [run["id"] for run in found] == made


async def test_the_installation_s_defaults_apply_to_unset_fields(api: Api):
    defaults = Defaults(timeout=30, retry=Retry(max_attempts=1, backoff="fixed", delay=7))
    settings = ApiSettings(SECRET, defaults=defaults)
    there = Api(build(api.store, settings, IDS, CLOCK), api.store, api.tokens)
    made = await there.make("plain")
    assert (made["timeout"], made["retry"]["max_attempts"], made["retry"]["delay"]) == (30, 1, 7)
    made = await there.make("partly", retry={"max_attempts": 5})
    assert (made["retry"]["max_attempts"], made["retry"]["backoff"], made["retry"]["delay"]) == (5, "fixed", 7)
    put = {"name": "partly", "target": made["target"], "retry": {"delay": 9}}
    made = (await there.call("PUT", "/jobs/partly", json=put)).json()
    assert (made["retry"]["max_attempts"], made["retry"]["delay"]) == (1, 9)
    assert (await api.call("GET", "/jobs/plain")).json()["retry"]["max_attempts"] == 1, "it is settled when saved"


async def test_the_installation_s_start_within_applies_by_default(api: Api):
    settings = ApiSettings(SECRET, defaults=Defaults(start_within=300))
    there = Api(build(api.store, settings, IDS, CLOCK), api.store, api.tokens)
    made = await there.make("plain")
    assert made["start_within"] == 300
    run = (await there.call("POST", "/jobs/plain/run")).json()
    found = (await there.call("GET", f"/runs/{run['id']}/explain")).json()
    (gate,) = [one for one in found["gates"] if one["name"] == "start_within"]
    assert gate["detail"].startswith("a worker must start it by ")
    assert (await there.make("patient", start_within=None))["start_within"] is None, "null means never"
    assert (await there.make("hasty", start_within=5))["start_within"] == 5
    before = await api.make("old")
    assert before["start_within"] is None
    assert (await there.call("PATCH", "/jobs/old", json={"priority": 7})).json()["start_within"] is None
    put = {"name": "old", "target": before["target"]}
    assert (await there.call("PUT", "/jobs/old", json=put)).json()["start_within"] == 300, "once it is saved as a whole"


@ON_EVERY_DATABASE
async def test_jobs_by_their_last_run_and_whether_they_recur(api: Api):
    await api.make("hourly", schedule={"every": "1h"})
    await api.make("broken", retry={"max_attempts": 1})
    await api.call("POST", "/jobs/broken/run")
    await work(api, outcome=Outcome(AttemptOutcome.FAILED, error="it broke"))
    for query, names in {
        "last_status=failed": ["broken"],
        "last_status=succeeded": [],
        "recurring=true": ["hourly"],
        "recurring=false": ["broken"],
        "recurring=true&last_status=failed": [],
    }.items():
        found = (await api.call("GET", f"/jobs?{query}")).json()["items"]
        assert [job["name"] for job in found] == names, query
    for query, field in {"last_status=lost": "last_status", "recurring=maybe": "recurring"}.items():
        refused = await api.call("GET", f"/jobs?{query}")
        assert (refused.status_code, refused.json()["field"]) == (422, field)
