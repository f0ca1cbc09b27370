"""A second factor: what a password alone no longer opens, what codes do, and how guessing is stopped."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import httpx
import pytest
from structlog.testing import capture_logs

from horae.api.app import build
from horae.api.context import ApiSettings
from horae.domain.people import totp
from horae.domain.people.second_factor import CODES, Policy
from horae.ports import Clock

from .conftest import CLOCK, IDS, SECRET, Api
from .people import PASSWORD, add_user
from .test_refusals import counted
from .test_signing_in import GOOD, bearer, log_in, sign_up

OFF = "/auth/second-factor/off"


@dataclass
class Person:
    """A user with an app. A code is not used again: two are valid at any time, the present one and the next."""

    api: Api
    name: str
    token: str
    secret: bytes = b""
    recovery: tuple[str, ...] = ()
    used: int = 0

    async def call(self, method: str, path: str, **kwargs: Any) -> httpx.Response:
        return await self.api.call(method, path, role=None, headers=bearer(self.token), **kwargs)

    def code(self) -> str:
        now = totp.step_at(CLOCK.now())
        self.used = max(now, self.used + 1)
        assert self.used <= now + 1, "three codes within one step"
        return totp.code_at(self.secret, self.used)

    def scan(self, enrolment: Mapping[str, Any]) -> None:
        self.secret, self.used = totp.read(enrolment["secret"]), 0

    async def enrol(self) -> "Person":
        begun = await self.call("POST", "/auth/second-factor", json={"password": PASSWORD})
        assert begun.status_code == 200, begun.text
        self.scan(begun.json())
        done = await self.call("POST", "/auth/second-factor/confirm", json={"code": self.code()})
        assert done.status_code == 200, done.text
        self.recovery = tuple(done.json()["recovery_codes"])
        return self


async def person(api: Api, name: str = "ada", **how: Any) -> Person:
    return Person(api, name, await add_user(api.store, name, **how))


async def challenge(api: Api, name: str = "ada", **headers: str) -> str:
    answer = await log_in(api, name, **headers)
    assert (answer.status_code, answer.json()["type"]) == (401, "urn:horae:problem:second-factor"), answer.text
    found: str = answer.json()["challenge"]
    return found


async def give(api: Api, code: str, token: str, step: str = "code", **headers: str) -> httpx.Response:
    body = {"challenge": token, "code": code}
    return await api.call("POST", f"/auth/login/{step}", role=None, json=body, headers=headers)


def requiring(api: Api, policy: Policy, clock: Clock = CLOCK) -> Api:
    return Api(build(api.store, ApiSettings(SECRET, second_factor=policy), IDS, clock), api.store, api.tokens)


async def test_from_enrolment_to_turning_it_off(api: Api):
    ada = await person(api, default="viewer")
    other = (await log_in(api, "ada")).json()["access_token"]
    begun = (await ada.call("POST", "/auth/second-factor", json={"password": PASSWORD})).json()
    assert begun["uri"].startswith("otpauth://totp/Horae:ada?secret=" + begun["secret"])
    assert len(begun["qr"]) == len(begun["qr"][0]) >= 33
    assert begun["qr"][0].startswith("11111110")
    assert (await log_in(api, "ada")).status_code == 200, "not before it is confirmed"
    await ada.enrol()
    assert len(set(ada.recovery)) == 10
    state = (await ada.call("GET", "/auth/second-factor")).json()
    assert (state["enabled"], state["recovery_codes_left"], state["required"]) == (True, 10, False)
    assert (await ada.call("GET", "/auth/me")).json()["user"]["second_factor"] is True
    assert [user["second_factor"] for user in (await api.call("GET", "/users")).json()["items"]] == [True]
    assert (await api.call("GET", "/auth/me", role=None, headers=bearer(other))).status_code == 401

    token = await challenge(api)
    assert (await api.call("GET", "/auth/me", role=None, headers=bearer(token))).status_code == 401, "not a session"
    code = ada.code()
    opened = await give(api, code, token)
    assert opened.status_code == 200, opened.text
    assert (await api.call("GET", "/auth/me", role=None, headers=bearer(opened.json()["access_token"]))).is_success
    assert (await give(api, code, token)).status_code == 401, "a code is good once"
    assert (await give(api, ada.recovery[0].upper(), token)).status_code == 200
    assert (await give(api, ada.recovery[0], token)).status_code == 401

    assert (await ada.call("POST", OFF, json={"password": "not it", "code": ada.recovery[1]})).status_code == 403
    assert (await ada.call("POST", OFF, json={"password": PASSWORD, "code": "000000"})).status_code == 403
    assert (await ada.call("POST", OFF, json={"password": PASSWORD, "code": ada.recovery[1]})).status_code == 204
    assert (await log_in(api, "ada")).status_code == 200
    told = (await api.call("GET", "/audit", params={"kind": "user"})).json()["items"]
    actions = [one["action"].removeprefix("user.") for one in told][::-1]
    assert actions == ["create", "second_factor_on", *["recovery_code_used"] * 2, "second_factor_off"]
    assert not any(secret in str(told) for secret in (begun["secret"], *ada.recovery))


async def test_one_code_opens_one_session_through_two_servers_at_once(api: Api):
    ada = await (await person(api)).enrol()
    token, code = await challenge(api), ada.code()
    servers = [api, requiring(api, "optional")] * 2
    answers = await asyncio.gather(*(give(server, code, token) for server in servers))
    assert sorted(answer.status_code for answer in answers) == [200] + [401] * 3


async def test_guessing_codes_is_limited_counted_and_logged_even_with_the_password(api: Api):
    ada = await (await person(api)).enrol()
    with capture_logs() as logged:
        for _ in range(CODES.free):
            # a right password clears the tries of passwords, and nothing of codes
            assert (await give(api, "000000", await challenge(api))).status_code == 401
        blocked = await give(api, ada.code(), await challenge(api))
    assert (blocked.status_code, int(blocked.headers["retry-after"]) > 0) == (429, True)
    assert (await give(api, ada.recovery[0], await challenge(api))).status_code == 429
    assert {kind: n for kind, n in (await counted(api)).items() if n} == {"code": CODES.free, "locked": 2}
    lines = [line for line in logged if line["event"] == "refused"]
    assert [(line["kind"], line["user"]) for line in lines] == [("code", "ada")] * CODES.free + [("locked", "ada")]
    (told,) = (await api.call("GET", "/audit", params={"action": "session.refused"})).json()["items"]
    assert (told["subject"]["name"], told["changes"][0]["new"]) == ("ada", "code")
    for path in ("/auth/second-factor/recovery-codes", OFF, "/auth/second-factor"):
        answer = await ada.call("POST", path, json={"password": PASSWORD, "code": ada.recovery[0]})
        assert answer.status_code == 429, path


async def test_wrong_codes_elsewhere_do_not_lock_out_known_addresses(api: Api):
    settings = ApiSettings(SECRET, trusted_proxies=("127.0.0.1/32",))
    at = Api(build(api.store, settings, IDS, CLOCK), api.store, api.tokens)
    ada = await (await person(at)).enrol()
    home, away = {"x-forwarded-for": "192.0.2.1"}, {"x-forwarded-for": "198.51.100.7"}
    assert (await give(at, ada.recovery[0], await challenge(at, **home), **home)).status_code == 200
    for _ in range(CODES.free):
        assert (await give(at, "000000", await challenge(at, **away), **away)).status_code == 401
    assert (await give(at, ada.recovery[1], await challenge(at, **away), **away)).status_code == 429
    assert (await give(at, ada.recovery[1], await challenge(at, **home), **home)).status_code == 200


async def test_a_challenge_is_for_one_step_one_password_and_a_few_minutes(api: Api):
    class Behind:
        """The clock of a server, as it was six minutes ago."""

        monotonic = staticmethod(CLOCK.monotonic)

        def now(self) -> datetime:
            return CLOCK.now() - timedelta(minutes=6)

    ada = await (await person(api)).enrol()
    token = await challenge(api)
    tokens = [f"{token[:-4]}AAAA", "x", "x" * 2_001, ada.token]
    for forged in tokens:
        answer = await give(api, ada.recovery[0], forged)
        assert answer.status_code in (401, 422), answer.text
    assert (await give(api, ada.recovery[0], token, "confirm")).json()["type"].endswith("challenge-expired")
    await api.call("PATCH", "/users/ada", json={"password": GOOD})
    gone = await give(api, ada.recovery[0], token)
    assert (gone.status_code, gone.json()["type"]) == (401, "urn:horae:problem:challenge-expired")
    await api.call("PATCH", "/users/ada", json={"password": PASSWORD})
    old = await challenge(requiring(api, "optional", Behind()))
    assert (await give(api, ada.recovery[0], old)).json()["type"] == "urn:horae:problem:challenge-expired"


async def test_a_password_reset_does_not_bypass_the_second_factor(api: Api):
    ada = await (await person(api)).enrol()
    await api.call("PATCH", "/users/ada", json={"password": GOOD})
    answer = await log_in(api, "ada", GOOD)
    assert answer.status_code == 401
    assert (await give(api, ada.recovery[0], answer.json()["challenge"])).status_code == 200


async def test_a_deactivated_user_gets_no_challenge(api: Api):
    ada = await (await person(api)).enrol()
    token = await challenge(api)
    await api.call("PATCH", "/users/ada", json={"is_active": False})
    assert (await give(api, ada.recovery[0], token)).status_code == 401
    assert (await log_in(api, "ada")).json()["type"] == "urn:horae:problem:unauthenticated"


async def test_replacing_the_app_takes_a_code_and_new_recovery_codes_replace_the_old(api: Api):
    ada = await (await person(api)).enrol()
    again = {"password": PASSWORD}
    assert (await ada.call("POST", "/auth/second-factor", json=again)).json()["field"] == "code"
    assert (await ada.call("POST", "/auth/second-factor", json={**again, "code": "000000"})).status_code == 403
    begun = await ada.call("POST", "/auth/second-factor", json={**again, "code": ada.recovery[0]})
    old, ada.recovery = ada.recovery, ()
    ada.scan(begun.json())
    assert (await ada.call("POST", "/auth/second-factor/confirm", json={"code": ada.code()})).status_code == 200
    assert (await give(api, old[1], await challenge(api))).status_code == 401
    proof = {"password": PASSWORD, "code": ada.code()}
    fresh = (await ada.call("POST", "/auth/second-factor/recovery-codes", json=proof)).json()["recovery_codes"]
    assert (await give(api, fresh[9], await challenge(api))).status_code == 200


async def test_admins_reset_that_of_others_and_not_their_own(api: Api):
    ada = await (await person(api)).enrol()
    root = await (await person(api, "root", admin=True)).enrol()
    assert (await root.call("DELETE", "/users/root/second-factor")).status_code == 403
    assert (await ada.call("DELETE", "/users/root/second-factor")).status_code == 403
    assert (await root.call("DELETE", "/users/ada/second-factor")).status_code == 204
    assert (await root.call("DELETE", "/users/nobody/second-factor")).status_code == 404
    assert (await log_in(api, "ada")).status_code == 200
    (told,) = (await api.call("GET", "/audit", params={"action": "user.second_factor_reset"})).json()["items"]
    assert (told["actor"], told["subject"]["name"]) == ("user:root", "ada")


@pytest.mark.parametrize("policy", ["required", "admins"])
async def test_a_required_second_factor_must_be_enrolled_before_the_session(api: Api, policy: Policy):
    strict = requiring(api, policy)
    await add_user(api.store, "bob")
    await add_user(api.store, "ada", admin=True)
    assert (await log_in(strict, "bob")).status_code == (200 if policy == "admins" else 401)
    asked = await log_in(strict, "ada", **{"horae-client": "portal", "origin": "http://horae"})
    assert (asked.status_code, asked.json()["enrol"]) == (401, True)
    assert "set-cookie" not in asked.headers
    token = asked.json()["challenge"]
    assert (await give(strict, "000000", token)).json()["type"].endswith("challenge-expired"), "of another step"
    begun = await strict.call("POST", "/auth/login/enrol", role=None, json={"challenge": token})
    ada = Person(strict, "ada", "")
    ada.scan(begun.json())
    assert (await give(strict, "000000", token, "confirm")).status_code == 401
    done = await give(strict, ada.code(), token, "confirm", **{"horae-client": "portal", "origin": "http://horae"})
    assert (done.status_code, done.json()["refresh_token"], len(done.json()["recovery_codes"])) == (200, None, 10)
    assert "horae_refresh=" in done.headers["set-cookie"]
    ada.token, codes = done.json()["access_token"], done.json()["recovery_codes"]
    assert (await ada.call("GET", "/auth/second-factor")).json()["required"] is True
    assert (await ada.call("POST", OFF, json={"password": PASSWORD, "code": codes[0]})).status_code == 409
    again = await give(strict, ada.code(), token, "confirm")
    assert again.status_code == 409, "a challenge that was used up is no way to put in another app"
    assert (await strict.call("POST", "/auth/login/enrol", role=None, json={"challenge": token})).status_code == 409
    assert (await give(strict, codes[0], await challenge(strict))).status_code == 200


async def test_signing_up_by_invitation_does_not_bypass_a_required_second_factor(api: Api):
    strict = requiring(api, "required")
    link = (await api.call("POST", "/projects/default/invitations", json={"role": "viewer"})).json()["token"]
    made = await sign_up(strict, "bob", token=link)
    assert made.status_code == 201
    assert "access_token" not in made.text
    assert (await log_in(strict, "bob", GOOD)).json()["enrol"] is True


async def test_keys_are_not_asked_for_a_second_factor(api: Api):
    strict = requiring(api, "required")
    assert (await strict.call("GET", "/jobs", role="viewer")).status_code == 200
    answer = await strict.call("GET", "/auth/second-factor", role="owner")
    assert (answer.status_code, "API key" in answer.json()["detail"]) == (403, True)


async def test_a_flood_of_enrolments_at_sign_in_is_stopped(api: Api):
    strict = requiring(api, "required")
    await add_user(api.store, "ada")
    body = {"challenge": await challenge(strict)}
    answers = [(await strict.call("POST", "/auth/login/enrol", role=None, json=body)).status_code for _ in range(13)]
    assert (answers[0], answers[-1]) == (200, 429)
