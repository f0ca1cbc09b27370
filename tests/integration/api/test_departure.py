"""A removed or deactivated user has no way back in, and the response lists the keys that they created."""

from typing import Any

import httpx

from .conftest import Api
from .people import PASSWORD, add_user


async def by(api: Api, token: str, method: str, path: str, **json: Any) -> httpx.Response:
    headers = {"authorization": f"Bearer {token}"}
    return await api.call(method, path, role=None, headers=headers, json=json or None)


async def test_a_deactivated_owner_does_not_come_back_by_their_own_invitation(api: Api):
    await add_user(api.store, "root", admin=True, default="owner")
    token = await add_user(api.store, "temp", default="owner")
    link = (await by(api, token, "POST", "/projects/default/invitations", role="owner")).json()["token"]
    key = (await by(api, token, "POST", "/api-keys", name="deploy", role="owner")).json()
    second = (await by(api, key["token"], "POST", "/api-keys", name="by-key", role="owner")).json()
    assert (second["created_by"], second["maker"]) == ("key:deploy", "user:temp")
    answer = await api.call("PATCH", "/users/temp", json={"is_active": False})
    found = answer.json()
    assert (found["is_active"], found["invitations_withdrawn"]) == (False, 1)
    assert {(one["name"], one["project"], one["maker"], one["revoked"]) for one in found["keys"]} == {
        ("deploy", "default", "user:temp", False),
        ("by-key", "default", "user:temp", False),
    }
    assert "token" not in found["keys"][0]
    body = {"username": "again", "password": PASSWORD, "token": link}
    assert (await api.call("POST", "/auth/signup", role=None, json=body)).status_code == 422
    assert (await by(api, key["token"], "GET", "/secrets")).status_code == 200
    again = await api.call("PATCH", "/users/temp?revoke_keys=true", json={"is_active": False})
    assert [one["revoked"] for one in again.json()["keys"]] == [True, True]
    listed = (await api.call("GET", "/api-keys")).json()["items"]
    assert not {"deploy", "by-key"} & {one["name"] for one in listed}


async def test_removing_and_demoting_answer_with_what_was_left(api: Api):
    boss = await add_user(api.store, "boss", default="owner")
    temp = await add_user(api.store, "temp", default="owner")
    await by(api, temp, "POST", "/api-keys", name="deploy", role="owner")
    demoted = (await by(api, boss, "PUT", "/projects/default/members/temp", role="editor")).json()
    assert (demoted["role"], [one["name"] for one in demoted["keys"]]) == ("editor", ["deploy"])
    gone = await by(api, boss, "DELETE", "/projects/default/members/temp?revoke_keys=true")
    assert (gone.status_code, gone.json()["keys"][0]["revoked"]) == (200, True)
    deleted = await api.call("DELETE", "/users/temp")
    assert (deleted.status_code, deleted.json()) == (200, {"keys": [], "invitations_withdrawn": 0})


async def test_admins_find_a_user_s_keys_in_all_projects(api: Api):
    root = await add_user(api.store, "root", admin=True)
    for slug in ("red", "blue"):
        await api.call("POST", "/projects", json={"slug": slug})
        headers = {"authorization": f"Bearer {root}", "horae-project": slug}
        made = await api.call("POST", "/api-keys", role=None, headers=headers, json={"name": f"ci-{slug}"})
        assert made.status_code == 201, made.text
    query = "/api-keys?all_projects=true&maker=ROOT&limit=1"
    first = (await api.call("GET", query)).json()
    rest = (await api.call("GET", f"{query}&cursor={first['next_cursor']}")).json()
    found = [*first["items"], *rest["items"]]
    assert [(one["name"], one["project"], one["maker"]) for one in found] == [
        ("ci-blue", "blue", "user:root"),
        ("ci-red", "red", "user:root"),
    ]
    assert (await api.call("GET", "/api-keys?maker=root")).json()["items"] == []
    for odd in ("nobody", "é", "' OR 1=1 --"):
        assert (await api.call("GET", "/api-keys", params={"maker": odd})).json()["items"] == []
    for role in ("owner", "editor"):
        assert (await api.call("GET", query, role=role)).status_code == 403
    await api.call("PATCH", "/users/root", json={"is_active": False})
    user_id = found[0]["maker_id"]
    await add_user(api.store, "other", admin=True)
    assert (await api.call("DELETE", "/users/root")).status_code == 200
    kept = (await api.call("GET", f"/api-keys?all_projects=true&maker={user_id}")).json()["items"]
    assert [(one["name"], one["maker"]) for one in kept] == [("ci-blue", None), ("ci-red", None)]
