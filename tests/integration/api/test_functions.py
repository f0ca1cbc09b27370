"""Functions through the API: what workers have registered, and what users decide about it."""

from datetime import date
from typing import Any

from horae.domain.jobs.function import FunctionSign
from horae.domain.jobs.function_path import FoundPaths
from horae.domain.jobs.task import describe
from horae.lifecycle.functions import register_functions, report_paths

from .conftest import Api


def send(customer: int, day: date | None = None) -> None:
    """Sends a report."""


async def register(api: Api, *names: str) -> None:
    signs = [FunctionSign.of(describe(send, name=name, queue="mail", timeout=60)) for name in names]
    await api.store.transact(register_functions, signs)


def job(**arguments: Any) -> dict[str, Any]:
    return {
        "name": "reports",
        "target": {"kind": "python", "function": "mail.send", "arguments": arguments},
        "schedule": {"every": "1h"},
    }


async def test_functions_are_listed_and_shown(api: Api):
    await register(api, "mail.send", "horae.send")
    first = (await api.call("GET", "/task-functions", role="viewer", params={"limit": 2})).json()
    rest = (await api.call("GET", "/task-functions", params={"cursor": first["next_cursor"]})).json()
    assert [one["name"] for one in first["items"] + rest["items"]] == ["TOKEN", "f", "horae.send", "mail.send"]
    shown = (await api.call("GET", "/task-functions/mail.send")).json()
    assert shown == rest["items"][1]
    assert shown["display_name"] == "Send"
    assert shown["description"] == "Sends a report."
    assert (shown["kind"], shown["queue"], shown["default_timeout"]) == ("process", "mail", 60)
    assert shown["parameters"]["required"] == ["customer"]
    assert shown["parameters"]["properties"]["customer"]["type"] == "integer"
    assert (await api.call("GET", "/task-functions/nobody")).status_code == 404
    assert (await api.call("GET", "/task-functions/" + "x" * 300)).status_code == 404


async def test_people_switch_and_name_functions(api: Api):
    await register(api, "mail.send")
    changed = await api.call("PATCH", "/task-functions/mail.send", json={"is_active": False, "display_name": "Post"})
    assert changed.status_code == 200
    await register(api, "mail.send")  # another worker starts
    shown = (await api.call("GET", "/task-functions/mail.send")).json()
    assert (shown["is_active"], shown["display_name"]) == (False, "Post")
    refused = await api.call("POST", "/jobs", json=job(customer=7))
    assert (refused.status_code, refused.json()["field"]) == (422, "target.function")
    assert "is disabled" in refused.json()["detail"]


async def test_functions_by_path_are_for_admins(api: Api):
    body = {"name": "pack", "handler_path": "shop.tasks.pack"}
    assert (await api.call("POST", "/task-functions", role="owner", json=body)).status_code == 403
    made = await api.call("POST", "/task-functions", json=body)
    assert (made.status_code, made.json()["handler_path"]) == (201, "shop.tasks.pack")
    again = await api.call("POST", "/task-functions", json=body)
    assert (again.status_code, again.json()["field"]) == (409, "name")
    refused = await api.call("POST", "/task-functions", json={"name": "evil", "handler_path": "os.system"})
    assert (refused.status_code, refused.json()["field"]) == (422, "handler_path")
    failed = FoundPaths(errors={"pack": "cannot connect to postgresql://shop:secret@db"})
    await api.store.transact(report_paths, {"pack": "shop.tasks.pack"}, failed, "worker-1")
    assert "secret" in (await api.call("GET", "/task-functions/pack")).json()["import_error"]
    for path in ("/task-functions/pack", "/task-functions"):
        seen = await api.call("GET", path, role="owner")
        assert "secret" not in seen.text, "the text of an exception may contain anything"
        assert "no worker can import it" in seen.text


async def test_decisions_that_cannot_be_taken(api: Api):
    for body in ({"is_active": "no"}, {"display_name": ""}, {"display_name": "x" * 201}, {"queue": "x"}):
        assert (await api.call("PATCH", "/task-functions/f", json=body)).status_code == 422
    assert (await api.call("PATCH", "/task-functions/nobody", json={"is_active": True})).status_code == 404


async def test_functions_are_deleted_unless_they_come_with_horae(api: Api):
    await register(api, "mail.send", "horae.send")
    assert (await api.call("DELETE", "/task-functions/mail.send")).status_code == 204
    assert (await api.call("DELETE", "/task-functions/mail.send")).status_code == 404
    refused = await api.call("DELETE", "/task-functions/horae.send")
    assert refused.status_code == 409
    assert "is built in" in refused.json()["detail"]


async def test_a_job_names_the_argument_that_does_not_fit(api: Api):
    await register(api, "mail.send")
    refused = await api.call("POST", "/jobs", json=job(customer="hunter2"))
    assert (refused.status_code, refused.json()["field"]) == (422, "target.arguments.customer")
    assert "hunter2" not in refused.text
    made = await api.call("POST", "/jobs", json=job(customer=7))
    assert made.status_code == 201
    for change in ({"target": {"arguments": {"customer": None}}}, {"target": {"function": "mail.sent"}}):
        refused = await api.call("PATCH", "/jobs/reports", json=change)
        assert refused.status_code == 422
    refused = await api.call("POST", "/jobs/reports/run", json={"input": {"day": 5}})
    assert (refused.status_code, refused.json()["field"]) == (422, "input.day")
    refused = await api.call("POST", "/jobs/reports/runs:batch", json={"runs": [{}, {"input": {"x": 5}}]})
    assert (refused.status_code, refused.json()["field"]) == (422, "runs.1.input.x")


async def test_queue_and_timeout_default_to_those_of_the_function(api: Api):
    await register(api, "mail.send")
    made = (await api.call("POST", "/jobs", json=job(customer=7))).json()
    assert (made["queue"], made["timeout"]) == ("mail", 60)
    told = {**job(customer=7), "name": "told", "queue": "default", "timeout": 5}
    made = (await api.call("POST", "/jobs", json=told)).json()
    assert (made["queue"], made["timeout"]) == ("default", 5)
