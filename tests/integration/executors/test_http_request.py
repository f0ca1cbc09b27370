"""The parts of an HTTP call: templates, credentials, signatures, callback URLs; errors are one sentence."""

import base64
import hashlib
import hmac
from dataclasses import replace
from typing import Any, ClassVar

import pytest
from aiohttp import web

from horae.clock import SystemClock
from horae.domain.runs.callback import Callbacks, unseal
from horae.domain.runs.states import AttemptOutcome
from horae.executors.http import HttpExecutor
from tests.integration.executors.attempts import make_attempt
from tests.integration.executors.calls import Server, call, permanently, result

KEY = "a key of at least thirty-two bytes, surely"


class TestTemplates:
    async def test_everything_is_filled_in(self, http: HttpExecutor, server: Server) -> None:
        outcome = await call(
            http,
            server.url + "customers/{{ input.id }}/{{ input.name | urlencode }}?v={{ job.version }}",
            headers={"X-Run": "{{ run.id }}/{{ run.attempt }}", "X-Plain": "as it is"},
            query={"q": "{{ input.name }}", "p": "plain"},
            body='{"name": {{ input.name | tojson }}, "at": "{{ run.scheduled_for }}"}',
            input={"id": 7, "name": 'ü "&/'},
            number=2,
        )
        assert outcome.kind is AttemptOutcome.SUCCEEDED
        request = server.requests[0]
        assert request.raw_path == "/customers/7/%C3%BC%20%22&%2F?v=1&q=%C3%BC+%22%26/&p=plain"
        assert (request.headers["x-run"], request.headers["x-plain"]) == ("0195-run/2", "as it is")
        assert server.bodies[0].decode() == '{"name": "ü \\"&/", "at": "2026-03-01T12:00:00+00:00"}'
        assert request.headers["content-type"] == "application/json"

    @pytest.mark.parametrize(
        ("target", "input", "sentence"),
        [
            ({"body": "{{ input.nobody }}"}, {}, "body: the template refers to something that does not exist"),
            ({"body": "{{ input.a / 0 }}"}, {"a": 1}, "body: the template cannot be filled in"),
            ({"body": "{{ secrets.NONE }}"}, {}, "body: the template refers to something that does not exist"),
            ({"query": {"q": "{{ input.q }}"}}, {}, "query.q: the template"),
            ({"headers": {"X-A": "{{ input.a }}"}}, {"a": "x\r\nX-B: y"}, "the header X-A, filled in, cannot be sent"),
            ({"headers": {"X-A": "{{ input.a }}"}}, {"a": "x\0"}, "the header X-A, filled in, cannot be sent"),
            ({"headers": {"X-A": "{{ input.a }}"}}, {"a": "\u2603"}, "header values must be Latin-1 text"),
            ({"headers": {"X-A": "{{ input.a }}"}}, {"a": "x" * 9_000}, "is longer than 8,192 characters"),
            ({"auth": {"bearer": "{{ input.a }}"}}, {"a": "x\ny"}, "auth.bearer, filled in, cannot be sent"),
            (
                {"auth": {"basic": {"username": "{{ input.a }}", "password": "p"}}},
                {"a": "x:y"},
                "auth.basic.username must not contain a colon",
            ),
            ({"sign_with": ["NONE"]}, {}, "the call cannot be signed: there is no secret NONE"),
            ({"callback": {}}, {}, "HORAE_PUBLIC_URL"),
        ],
    )
    async def test_rendering_errors_fail_permanently_without_a_request(
        self, http: HttpExecutor, server: Server, target: dict[str, Any], input: Any, sentence: str
    ) -> None:
        assert sentence in permanently(await call(http, server.url, input=input, **target))
        assert server.requests == []

    @pytest.mark.parametrize(
        "value",
        ["a b", "a\r\nHost: evil", "x" * 9_000, "\0", "\ud800"],
    )
    async def test_urls_that_are_none(self, http: HttpExecutor, server: Server, value: str) -> None:
        outcome = await call(http, server.url + "{{ input.a }}", input={"a": value})
        assert permanently(outcome).startswith("the url, filled in, ")
        assert server.requests == []

    @pytest.mark.parametrize(
        ("template", "value"),
        [
            ("users/{{ input.a }}/view", "../../admin/delete?x="),
            ("users/{{ input.a | urlencode }}/view", ".."),
            ("users/{{ input.a }}/view", "%2E%2e"),
            ("users/{{ input.a }}", "."),
        ],
    )
    async def test_values_do_not_choose_another_path(
        self, http: HttpExecutor, server: Server, template: str, value: str
    ) -> None:
        outcome = await call(http, server.url + template, input={"a": value})
        assert permanently(outcome) == "the url, filled in, has . or .. in its path, which would change the path"
        assert server.requests == []

    async def test_an_encoded_value_stays_in_its_place(self, http: HttpExecutor, server: Server) -> None:
        await call(http, server.url + "users/{{ input.a | urlencode }}/view", input={"a": "../../admin/delete?x=#y"})
        assert server.requests[0].raw_path == "/users/..%2F..%2Fadmin%2Fdelete%3Fx=%23y/view"

    @pytest.mark.parametrize("value", ["@evil.example/", "//evil.example/", "\\\\evil.example"])
    async def test_values_do_not_choose_the_host(self, http: HttpExecutor, server: Server, value: str) -> None:
        await call(http, server.url + "{{ input.a }}", input={"a": value})
        assert server.requests[0].headers["host"] in server.url

    async def test_the_same_job_with_other_values(self, http: HttpExecutor, server: Server) -> None:
        """What is prepared once must not keep anything of the run before."""
        for name in ("one", "two"):
            await call(http, server.url, headers={"X-A": "{{ input }}"}, body="{{ input }}", input=name)
        assert [request.headers.getall("x-a") for request in server.requests] == [["one"], ["two"]]
        assert server.bodies == [b"one", b"two"]


class TestInput:
    @pytest.mark.parametrize("method", ["POST", "PUT", "PATCH"])
    async def test_it_is_the_body_where_there_is_no_other(
        self, http: HttpExecutor, server: Server, method: str
    ) -> None:
        await call(http, server.url, method=method, input={"a": [1, None]})
        assert server.bodies == [b'{"a": [1, null]}']
        assert server.requests[0].headers["content-type"] == "application/json"

    async def test_the_own_body_and_type_come_first(self, http: HttpExecutor, server: Server) -> None:
        await call(http, server.url, body="mine", input={"a": 1})
        await call(http, server.url, headers={"Content-Type": "application/vnd.x+json"}, input={"a": 1})
        assert server.bodies == [b"mine", b'{"a": 1}']
        assert server.requests[1].headers.getall("content-type") == ["application/vnd.x+json"]

    @pytest.mark.parametrize("method", ["GET", "DELETE", "HEAD"])
    async def test_not_of_methods_without_one(self, http: HttpExecutor, server: Server, method: str) -> None:
        await call(http, server.url, method=method, input={"a": 1})
        assert server.bodies == [b""]
        assert "content-type" not in server.requests[0].headers


class TestAuth:
    async def test_bearer(self, http: HttpExecutor, server: Server) -> None:
        await call(http, server.url, auth={"bearer": "{{ secrets.TOKEN }}"}, secrets={"TOKEN": "t0k3n"})
        assert server.requests[0].headers.getall("authorization") == ["Bearer t0k3n"]

    async def test_basic(self, http: HttpExecutor, server: Server) -> None:
        auth = {"basic": {"username": "jö", "password": "{{ secrets.PASSWORD }}"}}
        await call(http, server.url, auth=auth, secrets={"PASSWORD": "a:b"})
        scheme, _, value = server.requests[0].headers["authorization"].partition(" ")
        assert (scheme, base64.b64decode(value).decode()) == ("Basic", "jö:a:b")


class TestExpect:
    @pytest.mark.parametrize(
        ("status", "expect", "kind", "permanent"),
        [
            (404, ["404"], AttemptOutcome.SUCCEEDED, False),
            (200, ["404"], AttemptOutcome.FAILED, True),
            (503, ["5xx"], AttemptOutcome.SUCCEEDED, False),
            (302, ["300-302"], AttemptOutcome.SUCCEEDED, False),
            (429, ["2xx", "404"], AttemptOutcome.FAILED, False),
            (204, ["200-203"], AttemptOutcome.FAILED, True),
            (500, ["200"], AttemptOutcome.FAILED, False),
        ],
    )
    async def test_statuses(
        self, http: HttpExecutor, server: Server, status: int, expect: list[str], kind: Any, permanent: bool
    ) -> None:
        server.answer = lambda _: _answer(status)
        outcome = await call(http, server.url, expect=expect, follow_redirects=True)
        assert (outcome.kind, outcome.permanent, outcome.response_code) == (kind, permanent, status)
        assert result(outcome)["status"] == status

    async def test_an_unexpected_status_is_a_failure_even_if_2xx(self, http: HttpExecutor, server: Server) -> None:
        outcome = await call(http, server.url, expect=["404", "410"])
        assert outcome.error == "HTTP 200 OK, where the job expects 404, 410"


async def _answer(status: int, **headers: str) -> web.StreamResponse:
    return web.Response(status=status, headers=headers)


def verified(secret: bytes, request: web.Request, body: bytes) -> bool:
    """As a receiver does it, by the text of the specification."""
    signed = f"{request.headers['webhook-id']}.{request.headers['webhook-timestamp']}.".encode() + body
    expected = base64.b64encode(hmac.digest(secret, signed, hashlib.sha256)).decode()
    return any(
        version == "v1" and hmac.compare_digest(expected, value)
        for version, _, value in (one.partition(",") for one in request.headers["webhook-signature"].split(" "))
    )


class TestSignature:
    SECRETS: ClassVar = {"NEW": "whsec_" + base64.b64encode(b"n" * 24).decode(), "OLD": "the old one"}

    async def test_both_keys_of_a_rotation_verify(self, http: HttpExecutor, server: Server) -> None:
        outcome = await call(
            http, server.url, body='{"ü": 1}', sign_with=["NEW", "OLD"], secrets=self.SECRETS, number=3
        )
        assert outcome.kind is AttemptOutcome.SUCCEEDED
        request, body = server.requests[0], server.bodies[0]
        assert verified(b"n" * 24, request, body)
        assert verified(b"the old one", request, body)
        assert not verified(b"another", request, body)
        assert not verified(b"n" * 24, request, body + b" ")
        assert request.headers["webhook-id"] == request.headers["idempotency-key"] == "0195-run"

    async def test_a_call_without_a_body_is_signed_too(self, http: HttpExecutor, server: Server) -> None:
        await call(http, server.url, method="GET", sign_with=["OLD"], secrets=self.SECRETS)
        assert verified(b"the old one", server.requests[0], b"")

    async def test_nothing_is_signed_unasked_or_forged(self, http: HttpExecutor, server: Server) -> None:
        """By a definition that was saved before these headers were reserved."""
        forged = {"Webhook-Signature": "v1,forged", "Horae-Callback-Url": "https://evil.example/"}
        await call(http, server.url, headers=forged)
        assert not {"webhook-signature", "horae-callback-url"} & {name.lower() for name in server.requests[0].headers}

    async def test_an_invalid_signing_key_fails_permanently(self, http: HttpExecutor, server: Server) -> None:
        outcome = await call(http, server.url, sign_with=["BAD"], secrets={"BAD": "whsec_!!"})
        assert permanently(outcome) == "the call cannot be signed: the secret BAD is not Base64 after whsec_"


class TestCallback:
    RUN = "0195d5a1-7c1e-7aaa-8bbb-0123456789ab"

    async def _call(self, server: Server, status: int, **target: Any) -> Any:
        server.answer = lambda _: _answer(status)
        executor = HttpExecutor(
            SystemClock(), version="1", allow_private=True, callbacks=Callbacks("https://horae.example.org", KEY)
        )
        attempt, log = make_attempt({"kind": "http", "url": server.url, **target}, number=4)
        attempt.run = attempt.run._replace(id=self.RUN)
        try:
            return await executor.execute(attempt), log
        finally:
            await executor.close()

    async def test_a_202_parks(self, server: Server) -> None:
        outcome, log = await self._call(server, 202, callback={"timeout": 90})
        assert (outcome.kind, outcome.park_for, outcome.response_code) == (AttemptOutcome.PARKED, 90, 202)
        assert log.text("system") == "answered with 202; waiting for its callback, at most 90 s\n"
        base, _, token = server.requests[0].headers["horae-callback-url"].rpartition("/")
        assert base == "https://horae.example.org/api/v1/callbacks"
        assert unseal([KEY], token) == (self.RUN, 4)

    async def test_even_where_it_is_not_among_the_expected(self, server: Server) -> None:
        outcome, _ = await self._call(server, 202, callback={}, expect=["200"])
        assert outcome.park_for == 3_600

    @pytest.mark.parametrize("status", [200, 204, 404, 500])
    async def test_another_answer_does_not(self, server: Server, status: int) -> None:
        outcome, log = await self._call(server, status, callback={})
        assert outcome.park_for is None
        assert outcome.kind is (AttemptOutcome.SUCCEEDED if status < 300 else AttemptOutcome.FAILED)
        assert log.entries == []

    async def test_a_202_without_a_callback_is_a_success(self, server: Server) -> None:
        outcome, _ = await self._call(server, 202)
        assert outcome.kind is AttemptOutcome.SUCCEEDED
        assert "horae-callback-url" not in server.requests[0].headers

    async def test_the_header_cannot_be_chosen(self, server: Server) -> None:
        await self._call(server, 202, callback={}, headers={"horae-callback-url": "https://evil.example/"})
        (address,) = server.requests[0].headers.getall("horae-callback-url")
        assert address.startswith("https://horae.example.org/")


async def test_an_executor_remembers_targets_by_job_and_version(http: HttpExecutor, server: Server) -> None:
    """A job that was edited is another definition, however much it looks like the one before."""
    attempt, _ = make_attempt({"kind": "http", "url": server.url, "body": "one"})
    await http.execute(attempt)
    other, _ = make_attempt({"kind": "http", "url": server.url, "body": "two"})
    await http.execute(replace(other, run=attempt.run))
    assert server.bodies == [b"one", b"two"]
