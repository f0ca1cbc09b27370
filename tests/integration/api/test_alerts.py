"""Alerts over the API: filtered, page by page, acknowledged, silenced; and nothing of other projects."""

from typing import Any

import pytest

from horae.domain.alerts.alert import INSTALLATION, AlertAction, Finding, Subject
from horae.lifecycle.watching.alerts import open_alerts
from horae.ports import Transaction

from .conftest import ON_EVERY_DATABASE, Api, add_key
from .test_access import another_project


async def opened(api: Api, *subjects: Subject, project_id: str | None = None, **fields: Any) -> list[dict[str, Any]]:
    """Alerts as the duty opens them, of the key's own project unless said otherwise."""

    async def work(tx: Transaction) -> list[str]:
        now, own = await tx.now(), (await tx.access.default_project()).id
        given = {"rule": "failing", "severity": "critical", "title": "it fails", "why": "so", "since": now, **fields}
        where = project_id or own
        findings = [
            Finding(
                subject=subject,
                action=AlertAction("look", "/jobs"),
                project_id=None if subject.kind == "installation" else where,
                **given,
            )
            for subject in subjects
        ]
        return [alert.id for alert in await open_alerts(tx, findings)]

    ids = await api.store.transact(work)
    return [(await api.call("GET", f"/alerts/{one}", role="admin")).json() for one in ids]


def job(name: str) -> Subject:
    return Subject("job", name, name)


async def listed(api: Api, role: str = "viewer", **params: Any) -> list[dict[str, Any]]:
    answer = await api.call("GET", "/alerts", role=role, params=params)
    assert answer.status_code == 200, answer.text
    found: list[dict[str, Any]] = answer.json()["items"]
    return found


@ON_EVERY_DATABASE
async def test_filters_and_pages(api: Api):
    made = await api.make()
    one, two = await opened(api, Subject("job", made["id"], "hello"), job("other"))
    (three,) = await opened(api, INSTALLATION, rule="no_worker", severity="warning")
    assert [alert["id"] for alert in await listed(api)] == [three["id"], two["id"], one["id"]]
    assert [alert["id"] for alert in await listed(api, rule="no_worker")] == [three["id"]]
    assert [alert["id"] for alert in await listed(api, severity="warning", state="open")] == [three["id"]]
    assert [alert["id"] for alert in await listed(api, job="hello")] == [one["id"]]
    assert await listed(api, state="cleared") == []
    assert [alert["project"] for alert in await listed(api, project="default")] == ["default", "default"]
    page = (await api.call("GET", "/alerts", params={"limit": 2})).json()
    rest = (await api.call("GET", "/alerts", params={"limit": 2, "cursor": page["next_cursor"]})).json()
    assert [alert["id"] for alert in rest["items"]] == [one["id"]]
    assert rest["next_cursor"] is None
    numbers = (await api.call("GET", "/monitoring/alerts")).json()
    assert (numbers["alerts"]["open"], numbers["alerts"]["critical"]) == (3, 2)
    assert [alert["id"] for alert in numbers["items"]] == [two["id"], one["id"], three["id"]]
    await api.call("POST", f"/alerts/{two['id']}/ack", role="operator")  # what needs someone comes first
    numbers = (await api.call("GET", "/monitoring/alerts")).json()
    assert [alert["id"] for alert in numbers["items"]] == [one["id"], three["id"], two["id"]]
    (four,) = await opened(api, INSTALLATION, rule="no_scheduler")
    await opened(api, job("newer"))
    numbers = (await api.call("GET", "/monitoring/alerts")).json()
    assert numbers["items"][0]["id"] == four["id"]  # the whole installation before a single job


async def test_acknowledge_and_silence(api: Api):
    (alert,) = await opened(api, job("hello"))
    path = f"/alerts/{alert['id']}"
    assert (await api.call("POST", f"{path}/ack", role="viewer")).status_code == 403
    done = (await api.call("POST", f"{path}/ack", role="operator", json={"note": "mine"})).json()
    assert (done["note"], done["state"]) == ("mine", "open")
    assert done["acknowledged_by"].startswith("key:")
    silent = (await api.call("POST", f"{path}/silence", role="operator", json={"for": "2h"})).json()
    assert silent["silenced_until"] is not None
    assert (await api.call("GET", "/monitoring/alerts")).json()["items"] == []
    audible = (await api.call("POST", f"{path}/silence", role="operator", json={"for": 0})).json()
    assert audible["silenced_until"] is None


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "until"),
        ({"for": "1h", "until": "2099-01-01T00:00:00Z"}, "until"),
        ({"for": "soon"}, "for"),
        ({"for": "400d"}, "for"),
        ({"until": "2001-01-01T00:00:00Z"}, "until"),
        ({"for": "1h", "note": ""}, "note"),
        ({"for": "1h", "loud": True}, "loud"),
    ],
)
async def test_what_is_wrong_about_a_silence_is_named(api: Api, body: dict[str, Any], field: str):
    (alert,) = await opened(api, job("hello"))
    answer = await api.call("POST", f"/alerts/{alert['id']}/silence", json=body)
    assert (answer.status_code, answer.json()["field"]) == (422, field)
    assert (await listed(api))[0]["silenced_until"] is None


async def test_only_admins_change_alerts_of_the_installation(api: Api):
    (alert,) = await opened(api, INSTALLATION, rule="no_worker")
    path = f"/alerts/{alert['id']}/ack"
    assert (await api.call("POST", path, role="owner")).status_code == 403
    assert (await api.call("POST", path, role="admin")).status_code == 200


async def test_another_projects_alerts_are_not_there(api: Api):
    api.tokens["stranger"] = await add_key(api.store, "owner", await another_project(api))
    (alert,) = await opened(api, job("hello"))
    for method, path in (("GET", ""), ("POST", "/ack"), ("POST", "/silence")):
        body = {"for": "1h"} if path == "/silence" else None
        answer = await api.call(method, f"/alerts/{alert['id']}{path}", role="stranger", json=body)
        assert answer.status_code == 404, path
    found = (await api.call("GET", "/alerts", role="stranger")).json()
    assert found["items"] == []
    for params, status in (({"project": "default"}, 404), ({"project": "*"}, 403), ({"state": "gone"}, 422)):
        answer = await api.call("GET", "/alerts", role="stranger", params=params)
        assert answer.status_code == status, params


async def test_a_projects_thresholds(api: Api):
    nothing = dict.fromkeys(("failing", "late", "queued", "failure_rate", "dead_letters"))
    assert (await api.call("GET", "/alerts/settings", role="viewer")).json() == nothing
    answer = await api.call("PATCH", "/alerts/settings", role="editor", json={"failing": 5, "late": "30m"})
    assert answer.json() == {**nothing, "failing": 5, "late": 1800}
    answer = await api.call("PATCH", "/alerts/settings", role="editor", json={"late": None})
    assert answer.json() == {**nothing, "failing": 5}
    wrong = await api.call("PATCH", "/alerts/settings", role="editor", json={"failing": -1})
    assert (wrong.status_code, wrong.json()["field"]) == (422, "failing")
    assert (await api.call("PATCH", "/alerts/settings", role="operator", json={})).status_code == 403
