"""Secrets through the API: set, listed and deleted, never returned."""

from typing import Any

import httpx
import pytest

from horae.domain.secrets.secret import Sealed
from horae.ports import Transaction
from horae.sealing import Keyring

from .conftest import ON_EVERY_DATABASE, SECRET, Api, add_key
from .test_access import another_project

VALUE = "s3cr3t-välue-9d2f"


async def put(api: Api, name: str = "TOKEN", value: Any = VALUE, **how: Any) -> httpx.Response:
    return await api.call("PUT", f"/secrets/{name}", json={"value": value}, **how)


async def stored(api: Api, name: str) -> str:
    async def read(tx: Transaction) -> list[Sealed]:
        project = await tx.access.default_project()
        return await tx.secrets.sealed({(project.id, name)})

    (sealed,) = await api.store.read(read)
    return Keyring(SECRET).open(sealed)


@ON_EVERY_DATABASE
async def test_a_secret_is_made_listed_replaced_and_deleted(api: Api):
    made = await put(api, role="owner")
    assert made.status_code == 201
    assert set(made.json()) == {"name", "created_by", "created_at", "updated_by", "updated_at"}
    assert await stored(api, "TOKEN") == VALUE
    again = await put(api, value="another", role="admin")
    assert (again.status_code, again.json()["created_by"], again.json()["updated_by"]) == (
        200,
        "key:owner",
        "key:admin",
    )
    assert await stored(api, "TOKEN") == "another"
    listed = (await api.call("GET", "/secrets", role="editor")).json()
    assert listed == {"items": [again.json()], "next_cursor": None}
    assert (await api.call("DELETE", "/secrets/TOKEN")).status_code == 204
    assert (await api.call("DELETE", "/secrets/TOKEN")).status_code == 404
    assert (await api.call("GET", "/secrets")).json()["items"] == []


async def test_secrets_are_listed_page_by_page(api: Api):
    for name in ("C", "A", "B"):
        await put(api, name)
    first = (await api.call("GET", "/secrets", params={"limit": 2})).json()
    rest = (await api.call("GET", "/secrets", params={"limit": 2, "cursor": first["next_cursor"]})).json()
    assert [item["name"] for item in (*first["items"], *rest["items"])] == ["A", "B", "C"]
    assert rest["next_cursor"] is None


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "value"),
        ({"value": ""}, "value"),
        ({"value": f"{VALUE}\x00"}, "value"),
        ({"value": [VALUE]}, "value"),
        ({"value": {"a": VALUE}}, "value"),
        ({"value": 12345678}, "value"),
        ({"value": VALUE * 5_000}, "value"),
        ({"value": VALUE, "extra": VALUE}, "extra"),
        ([VALUE], ""),
    ],
)
async def test_bad_values_are_refused_by_field_and_not_repeated(api: Api, body: Any, field: str):
    answer = await api.call("PUT", "/secrets/TOKEN", json=body)
    assert (answer.status_code, answer.json()["field"]) == (422, field)
    assert VALUE not in answer.text
    assert "s3cr3t" not in answer.text
    assert "12345678" not in answer.text
    assert (await api.call("GET", "/secrets")).json()["items"] == []


@pytest.mark.parametrize("name", ["2A", "A-B", "A%20B", "%C3%84", "A%0A", "a" * 101, "A.B", "__%7B"])
async def test_bad_names_are_refused(api: Api, name: str):
    answer = await put(api, name)
    assert (answer.status_code, answer.json()["field"]) == (422, "name")
    assert (await api.call("DELETE", f"/secrets/{name}")).status_code == 404


async def test_a_value_may_have_64_kibibytes(api: Api):
    assert (await put(api, value="x" * 65_536)).status_code == 201
    assert await stored(api, "TOKEN") == "x" * 65_536


def http(**fields: Any) -> dict[str, Any]:
    return {"kind": "http", "url": "https://example.org/", **fields}


async def refused(api: Api, target: dict[str, Any]) -> tuple[str, str]:
    answer = await api.call("POST", "/jobs", json={"name": "caller", "target": target})
    assert answer.status_code == 422, answer.text
    assert VALUE.encode() not in answer.content
    assert "s3cr3t" not in answer.text
    return answer.json()["field"], answer.json()["errors"][0]["message"]


@pytest.mark.parametrize(
    ("target", "field"),
    [
        (http(headers={"X-A": "{{ secrets.TOKEN }}"}), "target.headers.X-A"),
        (http(query={"q": "a{{ secrets['TOKEN'] }}"}), "target.query.q"),
        ({"kind": "http", "url": "https://example.org/{{ secrets.TOKEN }}"}, "target.url"),
        (http(body='{"t": {{ secrets.TOKEN | tojson }}}'), "target.body"),
        (http(auth={"bearer": "{{ secrets.TOKEN }}"}), "target.auth.bearer"),
        (http(auth={"basic": {"username": "u", "password": "{{ secrets.TOKEN }}"}}), "target.auth.basic.password"),
        (http(sign_with=["TOKEN"]), "target.sign_with[0]"),
        ({"kind": "script", "source": "{{ secrets.X", "env": {"T": "{{ secrets.TOKEN }}"}}, "target.env.T"),
        ({"kind": "container", "image": "alpine", "env": {"T": "{{ secrets.TOKEN }}"}}, "target.env.T"),
    ],
)
async def test_a_job_that_names_an_unknown_secret_is_refused_with_the_field(
    api: Api, target: dict[str, Any], field: str
):
    message = "no secret named TOKEN in this project; create it with `horae secrets set TOKEN`"
    assert await refused(api, target) == (field, message)
    await put(api)
    assert (await api.call("POST", "/jobs", json={"name": "caller", "target": target})).status_code == 201


async def test_edits_are_held_to_the_same(api: Api):
    await api.make("caller")
    for method, body in (
        ("PATCH", {"target": http(headers={"X-A": "{{ secrets.TOKEN }}"})}),
        ("PUT", {"name": "caller", "target": http(headers={"X-A": "{{ secrets.TOKEN }}"})}),
        ("PATCH", {"target": {"headers": {"Authorization": VALUE.replace("ä", "a")}}}),
    ):
        answer = await api.call(method, "/jobs/caller", json=body)
        assert answer.status_code == 422, answer.text
        assert "s3cr3t" not in answer.text
    assert (await api.call("GET", "/jobs/caller")).json()["version"] == 1


LITERAL = "Bearer s3cr3t-literal"


@pytest.mark.parametrize("header", ["Authorization", "authorization", "Cookie", "X-Api-Key", "api-key", "X-Auth-TOKEN"])
async def test_literal_credentials_are_refused_and_not_repeated(api: Api, header: str):
    await put(api)
    field, message = await refused(api, http(headers={"Accept": "*/*", header: LITERAL}))
    assert field == f"target.headers.{header}"
    assert "{{ secrets.NAME }}" in message
    await refused(api, http(headers={header: "{{ input.token }}"}))
    await refused(api, http(headers={header: "{# {{ secrets.TOKEN }} #}s3cr3t-literal"}))
    target = http(headers={header: "Bearer {{ secrets.TOKEN }}"})
    assert (await api.call("POST", "/jobs", json={"name": "good", "target": target})).status_code == 201
    assert (await api.call("GET", "/jobs/good")).json()["target"]["headers"] == target["headers"]


@pytest.mark.parametrize(
    ("auth", "field"),
    [
        ({"bearer": "s3cr3t-literal"}, "target.auth.bearer"),
        ({"basic": {"username": "u", "password": "s3cr3t-literal"}}, "target.auth.basic.password"),
        ({"basic": {"username": "s3cr3t-literal", "password": ""}}, "target.auth.basic.username"),
        (
            {"basic": {"username": "{{ secrets.TOKEN }}", "password": "s3cr3t-literal"}},
            "target.auth.basic.password",
        ),
    ],
)
async def test_literal_auth_is_refused(api: Api, auth: dict[str, Any], field: str):
    await put(api)
    assert (await refused(api, http(auth=auth)))[0] == field


async def test_fields_that_are_not_credentials_may_be_literal(api: Api):
    await put(api)
    target = http(
        headers={"Idempotency-Key": "a", "X-Keyboard": "b", "Tokens": "c"},
        auth={"basic": {"username": "{{ secrets.TOKEN }}", "password": ""}},
    )
    answer = await api.call("POST", "/jobs", json={"name": "good", "target": target})
    assert answer.status_code == 201, answer.text


async def test_a_secret_that_jobs_name_is_deleted_by_force_only(api: Api):
    await put(api)
    await api.make("caller", target=http(auth={"bearer": "{{ secrets.TOKEN }}"}))
    answer = await api.call("DELETE", "/secrets/TOKEN")
    assert (answer.status_code, answer.json()["detail"]) == (409, "jobs use this secret: caller")
    assert (await api.call("DELETE", "/secrets/TOKEN", params={"force": "yes please"})).status_code == 422
    assert (await api.call("DELETE", "/secrets/TOKEN", params={"force": "true"})).status_code == 204


async def test_each_project_has_its_own(api: Api):
    await put(api)
    api.tokens["stranger"] = await add_key(api.store, "admin", await another_project(api))
    assert (await api.call("GET", "/secrets", role="stranger")).json()["items"] == []
    assert (await api.call("DELETE", "/secrets/TOKEN", role="stranger")).status_code == 404
    assert (await put(api, value="theirs", role="stranger")).status_code == 201
    assert await stored(api, "TOKEN") == VALUE
