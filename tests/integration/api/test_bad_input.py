"""Bad input: a 4xx that names the field, nothing stored, nothing echoed."""

import json
from collections.abc import AsyncIterator
from typing import Any

import pytest

from .conftest import ON_EVERY_DATABASE, Api

HTTP = {"kind": "http", "url": "https://example.org/"}
CANARY = "s3cr3t-canary"
AS_JSON = {"content-type": "application/json"}


def job(**fields: Any) -> dict[str, Any]:
    return {"name": "bad", "target": HTTP, **fields}


def http(**fields: Any) -> dict[str, Any]:
    return job(target={**HTTP, **fields})


def cron(expression: Any, **options: Any) -> dict[str, Any]:
    return job(schedule={"cron": expression, **options})


# (the body, the field that the answer must begin to name)
JOBS: list[tuple[Any, str]] = [
    ({}, "name"),
    (job(name=""), "name"),
    (job(name="x" * 201), "name"),
    (job(name="x" * 900_000), "name"),
    (job(name=5), "name"),
    (job(name=None), "name"),
    (job(name="a\x00b"), "name"),
    (job(name="a\nb"), "name"),
    (job(name=" a"), "name"),
    (job(name="a "), "name"),
    (job(unknown=CANARY), "unknown"),
    (job(**{"x\x00": 1}), ""),
    (job(id="x"), "id"),
    (job(target=None), "target"),
    (job(target={}), "target"),
    (job(target={"kind": CANARY}), "target"),
    (job(target=[]), "target"),
    (job(target={"kind": "script"}), "target"),
    (cron("0 6 * * *") | {"target": {**HTTP, "body": "x" * 270_000}}, "target"),
    (http(query={f"q{n}": "x" for n in range(101)}), "target.query"),
    (http(query={f"q{n}": "{{ input.x }}" for n in range(6_000)}), "target.query.q500"),
    (http(headers={f"X-{n}": "{{ input.x }}" * 500 for n in range(50)}), "target.headers.X-10"),
    (job(target={"kind": "script", "source": "x", "interpreter": "perl"}), "target"),
    (job(target={"kind": "script", "source": "x", "env": {"A=B": "x"}}), "target.env"),
    (job(target={"kind": "python", "function": "os.system('x')"}), "target.function"),
    (http(url="ftp://example.org/"), "target.url"),
    (http(url="file:///etc/passwd"), "target.url"),
    (http(url=f"https://user:{CANARY}@example.org/"), "target.url"),
    (http(url="https://"), "target.url"),
    (http(url="https://example.org:99999/"), "target.url"),
    (http(url="https://exa mple.org/"), "target.url"),
    *[
        (http(url=url), "target.url")
        for url in (
            "javascript:alert(1)",
            "data:text/plain,x",
            "//example.org/",
            "https:/example.org/",
            "https://example.org:0/",
            "https://example.org:-1/",
            "https://[::1/",
            "https://a..b/",
            "https://%65xample.org/",
            "https://@example.org/",
            "https://example.org\\@evil.example/",
            "https://exa\tmple.org/",
            "https://example.org/a\nb",
            f"https://{'a' * 64}.org/",
            f"https://example.org/{'x' * 900_000}",
        )
    ],
    *[
        (http(headers={name: "x"}), "target.headers")
        for name in ("", "a b", "a:b", "é", "x" * 300, "Connection", "Transfer-Encoding", "TE", "Proxy-Authorization")
    ],
    *[(http(headers={"x": value}), "target.headers") for value in (5, "a\x00", "x" * 20_000)],
    (http(headers={f"h{n}": "x" for n in range(500)}), "target.headers"),
    (http(query=[]), "target.query"),
    (http(query={"a": 5}), "target.query"),
    (http(query={"a\x00": "b"}), "target.query"),
    *[(http(method=method), "target.method") for method in ("", "get", "G ET", "CONNECT", 5)],
    (http(method="TRACE"), "target.method"),
    (http(headers={"x": f"a\r\n{CANARY}: b"}), "target.headers"),
    (http(headers={"Host": "x"}), "target.headers"),
    (http(headers={"Content-Length": "5"}), "target.headers"),
    (http(body=5), "target.body"),
    (http(body="{{ input.a"), "target.body"),
    (http(body="{% include 'x' %}"), "target.body"),
    (http(url="https://{{ input.host }}/"), "target.url"),
    (http(url="https://example.org/{{ nobody }}"), "target.url"),
    (http(headers={"X-A": "{{ input.a | nofilter }}"}), "target.headers"),
    (http(headers={"X-A": "1", "x-a": "2"}), "target.headers"),
    (http(query={"q": "{{"}), "target.query"),
    (http(auth={"bearer": "{{ secrets.A }}", "basic": {"username": "u", "password": "p"}}), "target.auth"),
    (http(auth={"basic": {"username": "u"}}), "target.auth.basic.password"),
    (http(expect=["2xx", "9xx"]), "target.expect"),
    (http(expect=[]), "target.expect"),
    (http(sign_with=["not a name"]), "target.sign_with"),
    (http(callback={"timeout": 1e300}), "target.callback"),
    (http(callback={"url": CANARY}), "target.callback"),
    (http(follow_redirects=1), "target.follow_redirects"),
    (cron(""), "schedule"),
    (cron("* * * *"), "schedule"),
    (cron("*/0 * * * *"), "schedule"),
    (cron("61 * * * *"), "schedule"),
    (cron("0 0 31 2 *"), "schedule"),
    (cron("5-1 * * * *"), "schedule"),
    (cron("٣ * * * *"), "schedule"),
    (cron("0 0 * * *\x00"), "schedule"),
    (cron(",".join(["1"] * 500) + " * * * *"), "schedule"),
    (cron(CANARY), "schedule"),
    (cron("0 0 * * *", timezone="Mars/Olympus"), "schedule"),
    (cron("0 0 * * *", timezone="europe/berlin"), "schedule"),
    (cron("0 0 * * *", timezone="../../etc/passwd"), "schedule"),
    (cron("0 0 * * *", timezone="Europe"), "schedule"),
    (cron("0 0 * * *", timezone="localtime"), "schedule"),
    (cron("0 0 * * *", timezone="x" * 10_000), "schedule"),
    (cron("0 0 * * *", every="5m"), "schedule"),
    (cron("0 0 * * *", end_at="1999-01-01T00:00:00Z"), "schedule"),
    (cron("0 0 * * *", start_at="2030-01-01T00:00:00"), "schedule"),
    (cron("0 0 * * *", start_at="2030-01-02T00:00:00Z", end_at="2030-01-01T00:00:00Z"), "schedule"),
    (job(schedule={}), "schedule"),
    (job(schedule={"every": "0s"}), "schedule"),
    (job(schedule={"every": "-5m"}), "schedule"),
    (job(schedule={"every": 0.5}), "schedule"),
    (job(schedule={"every": "11y"}), "schedule"),
    (job(schedule={"every": 10**12}), "schedule"),
    (job(schedule={"every": True}), "schedule"),
    (job(schedule={"every": None}), "schedule"),
    (job(schedule={"at": "tomorrow"}), "schedule"),
    (job(schedule={"at": "9999-12-31T23:59:59-14:00"}), "schedule"),
    (job(schedule={"at": 5}), "schedule"),
    (job(schedule={"manual": False}), "schedule"),
    (job(schedule={"after": {"job": "nobody"}}), "schedule"),
    (job(schedule={"after": {"job": "bad"}}), "schedule"),
    (job(schedule={"after": {"job": ""}}), "schedule"),
    (job(schedule={"after": {"job": "existing", "on": "monday"}}), "schedule"),
    (job(schedule={"after": "existing"}), "schedule"),
    (job(timeout=0), "timeout"),
    (job(timeout=-1), "timeout"),
    (job(timeout=604_801), "timeout"),
    (job(timeout="soon"), "timeout"),
    (job(timeout=True), "timeout"),
    (job(priority=10), "priority"),
    (job(priority=-1), "priority"),
    (job(priority=1.5), "priority"),
    (job(priority="5"), "priority"),
    (job(priority=10**30), "priority"),
    (job(max_instances=0), "max_instances"),
    (job(max_instances=10_001), "max_instances"),
    (job(retry={"max_attempts": True}), "retry.max_attempts"),
    (job(retry={"delay": "soon"}), "retry.delay"),
    (job(max_instances=True), "max_instances"),
    (job(start_within="5 minutes"), "start_within"),
    (job(catch_up_window=True), "catch_up_window"),
    (job(retry={"max_attempts": 0}), "retry.max_attempts"),
    (job(retry={"max_attempts": 101}), "retry.max_attempts"),
    (job(retry={"backoff": "random"}), "retry.backoff"),
    (job(retry={"delay": -1}), "retry.delay"),
    (job(retry=[]), "retry"),
    (job(queue=""), "queue"),
    (job(queue="q" * 101), "queue"),
    (job(overlap="maybe"), "overlap"),
    (job(catch_up="some"), "catch_up"),
    (job(catch_up_window=-1), "catch_up_window"),
    (job(start_within=0), "start_within"),
    (job(tags="a"), "tags"),
    (job(tags=[5]), "tags[0]"),
    (job(tags=["t"] * 51), "tags"),
    (job(enabled="yes"), "enabled"),
    (job(enabled=1), "enabled"),
    (job(notify=[{"x": 1}]), "notify[0]"),
    (job(description="x\ud800"), "description"),
]

# (the raw body, the status)
RAW: list[tuple[bytes, int]] = [
    (b"[]", 422),
    (b'"x"', 422),
    (b"null", 422),
    (b"{", 400),
    (b"{'a': 1}", 400),
    (b'{"name": "a", "name": "b"}', 422),
    (b'{"timeout": NaN}', 422),
    (b'{"timeout": Infinity}', 422),
    (b'{"timeout": 1e400}', 422),
    (b'{"timeout": ' + b"9" * 5_000 + b"}", 422),
    (b'{"name": "\xff\xfe"}', 400),
    (b"[" * 40 + b"]" * 40, 422),
    (b"[" * 100_000, 422),
    (b'{"a":' * 5_000 + b"1" + b"}" * 5_000, 422),
    (b'{"a": "' + b"x" * (1 << 20) + b'"}', 413),
    (b'{"name": "\\ud800"}', 422),
    (b"\xef\xbb\xbf{}", 400),
    (b'{"a": 1} trailing', 400),
]


@pytest.fixture(autouse=True)
async def nothing_is_stored(api: Api) -> AsyncIterator[None]:
    """Counts rows before and after each test."""
    await api.make("existing", schedule={"every": "1h"}, target={**HTTP, "headers": {"x": "y"}})

    async def count(tx: Any) -> list[int]:
        tables = ("jobs", "job_versions", "runs", "run_history", "queues", "job_gates")
        return [(await tx.access.db.fetch(f"SELECT COUNT(*) AS n FROM {t}"))[0]["n"] for t in tables]

    before = await api.store.read(count)
    yield
    assert await api.store.read(count) == before


def check(answer: Any, field: str | None = None, status: int = 422) -> None:
    sent = answer.request.method, str(answer.request.url)[:200]
    assert answer.status_code == status, (sent, answer.text)
    assert answer.headers["content-type"] == "application/problem+json"
    problem = answer.json()
    assert problem["status"] == status
    assert problem["type"].startswith("urn:horae:problem:")
    assert problem["request_id"] == answer.headers["x-request-id"]
    assert CANARY not in answer.text
    assert len(answer.content) < 10_000
    if field is not None:
        assert problem["field"].startswith(field), problem


# Each test goes through all of its cases: its own database for each case would take minutes.


@ON_EVERY_DATABASE
async def test_bad_jobs(api: Api):
    for body, field in JOBS:
        for path in ("/jobs", "/jobs/recurring"):
            check(await api.call("POST", path, content=raw(body), headers=AS_JSON), field)


async def test_bad_replacements(api: Api):
    for body, field in JOBS:
        if "id" not in body:  # what GET gave may be sent back
            check(await api.call("PUT", "/jobs/existing", content=raw(body), headers=AS_JSON), field)


async def test_bad_edits(api: Api):
    for body, field in JOBS:
        # In a merge patch null brings back a default, and an empty object changes nothing.
        if body and all(value not in (None, {}) for value in body.values()):
            check(await api.call("PATCH", "/jobs/existing", content=raw(body), headers=AS_JSON), field)
    check(await api.call("PATCH", "/jobs/existing", json={"name": None}), "name")
    check(await api.call("PATCH", "/jobs/existing", json={"target": None}), "target")


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("POST", "/jobs"),
        ("PUT", "/jobs/existing"),
        ("PATCH", "/jobs/existing"),
        ("POST", "/jobs/existing/run"),
        ("POST", "/jobs/existing/runs:batch"),
        ("POST", "/schedules/preview"),
    ],
)
async def test_bad_json(api: Api, method: str, path: str):
    for content, status in RAW:
        check(await api.call(method, path, content=content, headers=AS_JSON), status=status)


def raw(body: Any) -> bytes:
    return json.dumps(body).encode()


async def test_bad_media_types(api: Api):
    for media in ("text/plain", "application/x-www-form-urlencoded", "", "application/jsonx"):
        for path in ("/jobs", "/jobs/existing/run"):
            answer = await api.call("POST", path, content=raw(job()), headers={"content-type": media})
            check(answer, status=415)


@ON_EVERY_DATABASE
async def test_bad_triggers(api: Api):
    for body, field in TRIGGERS:
        check(await api.call("POST", "/jobs/existing/run", content=raw(body), headers=AS_JSON), field)
        batch = raw({"runs": [body]})
        answer = await api.call("POST", "/jobs/existing/runs:batch", content=batch, headers=AS_JSON)
        check(answer, f"runs[0].{field}")


TRIGGERS: list[tuple[Any, str]] = [
    ({"input": "\x00"}, "input"),
    ({"input": {"a": ["\ud800"]}}, "input.a[0]"),
    ({"input": 10**30}, "input"),
    ({"input": {"a\x00": 1}}, "input"),
    ({"input": {"\ud800": 1}}, "input"),
    ({"run_at": "2030-06-30T23:59:60Z"}, "run_at"),
    ({"run_at": "2030-06-30T00:00:00+24:00"}, "run_at"),
    ({"run_at": "٢٠30-06-30T00:00:00Z"}, "run_at"),
    ({"run_at": "2030-01-01T00:00:00"}, "run_at"),
    ({"run_at": "1999-12-31T00:00:00Z"}, "run_at"),
    ({"run_at": "2101-01-01T00:00:00Z"}, "run_at"),
    ({"run_at": 5}, "run_at"),
    ({"run_at": ""}, "run_at"),
    ({"priority": 10}, "priority"),
    ({"priority": "5"}, "priority"),
    ({"priority": True}, "priority"),
    ({"inptu": 1}, "inptu"),
]
QUERIES = [
    ("/jobs?limit=0", "limit"),
    ("/jobs?limit=-1", "limit"),
    ("/jobs?limit=201", "limit"),
    ("/jobs?limit=x", "limit"),
    ("/jobs?limit=" + "9" * 400, "limit"),
    ("/jobs?limit=", "limit"),
    ("/jobs?limit=1&limit=2", "limit"),
    ("/jobs?cursor=x", "cursor"),
    ("/jobs?cursor=", "cursor"),
    ("/jobs?cursor=" + "A" * 60, "cursor"),
    ("/jobs?cursor=%00", "cursor"),
    ("/jobs?cursor=é", "cursor"),
    ("/jobs?cursor=" + "A" * 2_000, "cursor"),
    ("/jobs?sort=colour", "sort"),
    ("/runs?sort=name", "sort"),
    ("/audit?since=yesterday", "since"),
    ("/dead-letters?until=2026-01-01T00:00:00", "until"),
    ("/calendar?by=second", "by"),
    ("/events?kind=alert", "kind"),
    ("/jobs?q=%00", "q"),
    ("/jobs?q=", "q"),
    ("/jobs?q=" + "x" * 201, "q"),
    ("/jobs?%00=1", "?"),
    ("/runs?status=done", "status"),
    ("/runs?ended_since=yesterday", "ended_since"),
    ("/runs?ended_since=2026-01-02T00:00:00Z&ended_until=2026-01-01T00:00:00Z", "ended_until"),
    ("/runs?trigger=cron", "trigger"),
    ("/runs?state=queued", "state"),
    ("/runs?worker=%00", "worker"),
    ("/runs?worker=nobody", "worker"),
    ("/runs?job=%00", "job"),
    ("/jobs/existing/next?count=0", "count"),
    ("/jobs/existing/next?count=1001", "count"),
    ("/jobs/existing/next?count=1e2", "count"),
    ("/workers?x=1", "x"),
]


@ON_EVERY_DATABASE
async def test_bad_queries(api: Api):
    for path, field in QUERIES:
        check(await api.call("GET", path), field)


@ON_EVERY_DATABASE
async def test_odd_but_harmless_searches(api: Api):
    for q in ("%", "_", "'; DROP TABLE jobs; --", "\\", "!", "é", "😀", "%25"):
        answer = await api.call("GET", "/jobs", params={"q": q})
        assert (answer.status_code, answer.json()["items"]) == (200, []), q


@ON_EVERY_DATABASE
async def test_unknown_jobs(api: Api):
    body = {"name": "x", "target": HTTP}
    calls: list[tuple[str, str, Any]] = [
        ("GET", "", None),
        ("DELETE", "", None),
        ("PUT", "", body),
        ("PATCH", "", {"priority": 1}),
        ("POST", "/run", {}),
        ("POST", "/runs:batch", {"runs": [{}]}),
        ("GET", "/runs", None),
        ("GET", "/next", None),
    ]
    for ref in ("nobody", "x" * 201, "x" * 5_000, "%00", "a%00b", "%2e%2e%2f", "'", "%F0%9F%98%80", "%ff"):
        for method, path, sent in calls:
            check(await api.call(method, f"/jobs/{ref}{path}", json=sent), status=404)


async def test_unknown_paths_and_methods(api: Api):
    for method, path, status in (
        ("GET", "/nothing", 404),
        ("GET", "/jobs/", 404),
        ("PUT", "/jobs", 405),
        ("DELETE", "/runs", 405),
        ("POST", "/workers", 405),
        ("GET", "/api/v1", 404),
    ):
        check(await api.call(method, path), status=status)


async def test_a_body_is_counted_while_it_streams(api: Api):
    """An endless body without a length is refused after a megabyte, not read to its end."""
    sent = 0

    async def endless() -> AsyncIterator[bytes]:
        nonlocal sent
        yield b'{"name": "'
        for _ in range(1_000):
            sent += 1
            yield b"x" * 65_536

    answer = await api.call("POST", "/jobs", content=endless(), headers=AS_JSON)
    check(answer, status=413)
    assert sent < 20


@pytest.mark.parametrize("host", ["169.254.169.254", "[fd00:ec2::254]", "2130706433", "0x7f.1", "127.1"])
async def test_addresses_that_no_job_may_call(api: Api, host: str):
    target = {"kind": "http", "url": f"http://{host}/"}
    for method, path, body in (
        ("POST", "/jobs", {"name": "x", "target": target}),
        ("PUT", "/jobs/existing", {"name": "existing", "target": target}),
        ("PATCH", "/jobs/existing", {"target": target}),
    ):
        answer = await api.call(method, path, json=body)
        assert (answer.status_code, answer.json().get("field")) == (422, "target.url"), answer.text


async def test_headers_that_receivers_trust_cannot_be_set(api: Api):
    for name in ("Webhook-Signature", "webhook-signature", "Horae-Callback-Url"):
        target = {"kind": "http", "url": "https://example.org/", "headers": {name: "v1,x"}}
        answer = await api.call("POST", "/jobs", json={"name": "forged", "target": target})
        assert (answer.status_code, answer.json()["field"]) == (422, f"target.headers.{name}"), answer.text
