"""Why, over the API: the shape of the answer. What it says is for the contract tests."""

from .conftest import Api

UNKNOWN = "01990000-0000-7000-8000-000000000000"
GATE = {"name", "state", "level", "detail", "unblock", "until"}


async def test_a_job_by_name_or_id(api: Api):
    job = await api.make("hello", queue="mail", schedule={"cron": "0 0 1 1 *"}, enabled=False)
    for ref in ("hello", job["id"]):
        answer = await api.call("GET", f"/jobs/{ref}/explain")
        assert answer.status_code == 200, answer.text
        found = answer.json()
        assert set(found) == {"at", "summary", "level", "cause", "gates"}
        assert (found["cause"], found["level"]) == ("enabled", "intended")
        assert found["at"].endswith("Z")
        assert all(set(gate) == GATE for gate in found["gates"])
        closed = {gate["name"]: gate for gate in found["gates"] if gate["state"] == "closed"}
        assert set(closed) == {"enabled", "scheduler", "queue"}
        assert closed["enabled"]["unblock"] == "horae jobs enable hello"
        assert found["summary"].startswith("Job 'hello' starts no new run: it is disabled (last changed by key:admin")
        assert found["summary"].endswith("; also blocked by scheduler and queue.")


async def test_a_run(api: Api):
    await api.make()
    body = {"run_at": "2030-01-01T00:00:00Z"}
    run = (await api.call("POST", "/jobs/hello/run", json=body)).json()
    found = (await api.call("GET", f"/runs/{run['id']}/explain")).json()
    assert set(found) == {"at", "summary", "level", "cause", "gates", "timeline"}
    due = next(gate for gate in found["gates"] if gate["name"] == "due")
    assert (due["state"], due["level"], due["until"]) == ("closed", "waiting", "2030-01-01T00:00:00Z")
    assert [entry["event"] for entry in found["timeline"]] == ["created", "now", "due"]
    assert set(found["timeline"][0]) == {"at", "event", "detail", "waited_ms", "waited_for"}
    assert found["timeline"][0]["detail"] == "triggered by key:admin (api)"
    await api.call("POST", f"/runs/{run['id']}/cancel")
    ended = (await api.call("GET", f"/runs/{run['id']}/explain")).json()
    assert [entry["event"] for entry in ended["timeline"]] == ["created", "ended"]


async def test_unknown_jobs_and_runs_are_404(api: Api):
    for path in ("/jobs/nobody/explain", f"/jobs/{UNKNOWN}/explain", f"/runs/{UNKNOWN}/explain", "/runs/x/explain"):
        answer = await api.call("GET", path)
        assert answer.status_code == 404, path
        assert answer.headers["content-type"] == "application/problem+json"
    await api.make()
    refused = await api.call("GET", "/jobs/hello/explain", params={"deep": "1"})
    assert (refused.status_code, refused.json()["field"]) == (422, "deep")


async def test_it_is_described(api: Api):
    paths = (await api.call("GET", "/openapi.json")).json()["paths"]
    for path, view in (("jobs", "JobExplanationView"), ("runs", "RunExplanationView")):
        answer = paths[f"/api/v1/{path}/{{id}}/explain"]["get"]["responses"]["200"]
        assert answer["content"]["application/json"]["schema"]["$ref"].endswith(view)
