"""Attempts by the API: at another project's names, ids, queues, secrets and streams, and with definitions that cost."""

import asyncio
import json
import socket
from typing import Any

import httpx

from horae.clock import SystemIds
from tests.integration.cluster.cluster import Row
from tests.integration.hostile.attempt import attempt, ended_by
from tests.integration.hostile.stage import Stage

WEB: Row = {"kind": "http", "url": "https://example.org/"}
SLOW = "{% for a in range(496) %}{% set x = range(500) | map('urlencode') | list %}{% endfor %}"


def job(name: str, target: Row | None = None, **fields: Any) -> Row:
    return {"name": name, "target": target or WEB, **fields}


async def refused(stage: Stage, *calls: tuple[str, str, Any], who: str = "beta owner", **more: Any) -> None:
    """Each of these is answered with a 4xx, and says nothing of alpha's."""
    for method, path, body in calls:
        answer = await stage.call(who, method, path, json=body, **more)
        assert 400 <= answer.status_code < 500, f"{method} {path} {body}: {answer.status_code} {answer.text[:300]}"
        assert stage.secret not in answer.text


# ---- names and ids


@attempt(
    "ids of another project",
    "read, follow, change, run, cancel and delete by the ids of alpha's job and run",
    "there is no such thing",
)
async def ids_of_another_project(stage: Stage) -> None:
    clock = (await stage.expect(200, "alpha owner", "GET", "/jobs/clock"))["id"]
    run = stage.resident
    calls: list[tuple[str, str, Any]] = [
        *(("GET", f"/jobs/{clock}{rest}", None) for rest in ("", "/runs", "/versions", "/next", "/stats", "/explain")),
        *(("GET", f"/runs/{run}{rest}", None) for rest in ("", "/log", "/attempts", "/explain", "/log?follow=true")),
        *(("POST", f"/jobs/{clock}{rest}", {}) for rest in ("/run", "/pause", "/disable", "/resume", "/retry")),
        *(("POST", f"/runs/{run}{rest}", {}) for rest in ("/cancel", "/retry")),
        ("PATCH", f"/jobs/{clock}", {"description": "mine"}),
        ("PUT", f"/jobs/{clock}", job("clock")),
        ("DELETE", f"/jobs/{clock}", None),
        ("POST", f"/jobs/{clock}/runs:batch", {"runs": [{}]}),
    ]
    for method, path, body in calls:
        answer = await stage.call("beta owner", method, path, json=body)
        assert answer.status_code == 404, f"{method} {path}: {answer.status_code} {answer.text[:300]}"
    operation = await stage.expect(202, "beta owner", "POST", "/dead-letters/redrive", json={"filter": {"job": clock}})
    assert operation["total"] == 0
    filtered = await stage.expect(200, "beta owner", "GET", "/runs?limit=200&status=running")
    assert run not in {one["id"] for one in filtered["items"]}


@attempt(
    "the same name",
    "make jobs of the names of alpha's, in other spellings, too, and run them",
    "each project has its own, and a name means the caller's own",
)
async def the_same_name(stage: Stage) -> None:
    before = await stage.expect(200, "alpha owner", "GET", "/jobs/clock")
    for name in ("clock", "Clock", "clосk", "clock\u200b", "ｃｌｏｃｋ"):
        answer = await stage.call("beta owner", "POST", "/jobs", json=job(name))
        assert answer.status_code in (201, 422), answer.text
        if answer.status_code == 201:
            await stage.expect(204, "beta owner", "DELETE", f"/jobs/{answer.json()['id']}")
    after = await stage.expect(200, "alpha owner", "GET", "/jobs/clock")
    assert (after["id"], after["version"], after["target"]) == (before["id"], before["version"], before["target"])


@attempt(
    "after another project's job",
    "have a job follow alpha's, by its name and by its id, and so learn when it ends and get its result",
    "a job follows those of its own project",
)
async def after_another_project_s_job(stage: Stage) -> None:
    clock = (await stage.expect(200, "alpha owner", "GET", "/jobs/clock"))["id"]
    await refused(
        stage,
        ("POST", "/jobs", job("follows", schedule={"after": "clock"})),
        ("POST", "/jobs", job("follows", schedule={"after": clock})),
    )


@attempt(
    "another project by a header",
    "choose alpha by Horae-Project: its slug, its id, twice, in other letters, by a cookie or a query",
    "a key is for one project, and nothing but the key says which",
)
async def another_project_by_a_header(stage: Stage) -> None:
    await stage.expect(201, "beta owner", "POST", "/jobs", json=job("beta's own"))
    own = {"authorization": f"Bearer {stage.keys['beta owner']}"}
    choices: list[Any] = [
        {"horae-project": "alpha"},
        {"horae-project": stage.projects["alpha"]},
        {"horae-project": "ALPHA"},
        [("horae-project", "beta"), ("horae-project", "alpha")],
        [("horae-project", "alpha"), ("horae-project", "beta")],
        {"horae-project": "beta,alpha"},
        {"cookie": "horae-project=alpha; horae_project=alpha"},
        {"x-horae-project": "alpha", "horae_project": "alpha"},
    ]
    async with httpx.AsyncClient(base_url=stage.url, trust_env=False) as client:
        for headers in choices:
            pairs = [*own.items(), *(headers.items() if isinstance(headers, dict) else headers)]
            answer = await client.get("/api/v1/jobs", headers=pairs)
            names = {one["name"] for one in answer.json().get("items", ())}
            assert answer.status_code in (200, 400, 403, 404), (headers, answer.text)
            assert not names & {"clock", "resident", "kept"}, headers
    for query in ("?project=alpha", "?project_id=" + stage.projects["alpha"]):
        answer = await stage.call("beta owner", "GET", f"/jobs{query}")
        assert answer.status_code == 422 or "clock" not in answer.text, query


@attempt(
    "two credentials",
    "send two Authorization headers, a viewer's and an owner's, or a cookie beside one",
    "one of them counts for all of the request, and it is no more than it was",
)
async def two_credentials(stage: Stage) -> None:
    viewer, owner = (f"Bearer {stage.keys[f'beta {role}']}" for role in ("viewer", "owner"))
    async with httpx.AsyncClient(base_url=stage.url, trust_env=False) as client:
        for headers in (
            [("authorization", viewer), ("authorization", f"Bearer {stage.keys['alpha owner'][:20]}")],
            [("authorization", viewer), ("cookie", f"authorization={owner}; horae_refresh=hr1.x.1.y")],
            [("authorization", f"{viewer}, {owner}")],
        ):
            answer = await client.post("/api/v1/jobs", headers=headers, json=job("by two"))
            assert answer.status_code in (400, 401, 403), (headers, answer.text)


# ---- what is remembered


@attempt(
    "another project's idempotency key",
    "send alpha's Idempotency-Key, with the same and another body, and get alpha's answer replayed",
    "keys are the caller's own",
)
async def another_project_s_idempotency_key(stage: Stage) -> None:
    once = {"idempotency-key": "order-17"}
    theirs = await stage.expect(201, "alpha owner", "POST", "/jobs", json=job("once"), headers=once)
    mine = await stage.expect(201, "beta owner", "POST", "/jobs", json=job("once"), headers=once)
    await stage.expect(200, "beta owner", "GET", f"/jobs/{mine['id']}")
    await stage.expect(404, "beta owner", "GET", f"/jobs/{theirs['id']}")
    answer = await stage.call("beta editor", "POST", "/jobs", json=job("twice"), headers=once)
    assert (answer.status_code, answer.json()["name"]) == (201, "twice")


@attempt(
    "another project's cursor",
    "go on in alpha's list by a cursor that alpha was given",
    "a cursor is signed for its project and list",
)
async def another_project_s_cursor(stage: Stage) -> None:
    for path in ("/jobs", "/runs", "/audit"):
        cursor = (await stage.expect(200, "alpha owner", "GET", f"{path}?limit=1"))["next_cursor"]
        assert cursor is not None, path
        answer = await stage.call("beta owner", "GET", path, params={"limit": 1, "cursor": cursor})
        assert (answer.status_code, answer.json()["field"]) == (422, "cursor"), path


@attempt(
    "forged callbacks",
    "end alpha's run by a callback: a made-up token, and beta's own with alpha's run in it",
    "the token is signed for one attempt of one run",
)
async def forged_callbacks(stage: Stage) -> None:
    import base64

    forged = base64.urlsafe_b64encode(f"{stage.resident}.1".encode()).decode().rstrip("=")
    for token in (forged, f"{stage.resident}.1", f"{stage.resident}.1." + "0" * 64, "x" * 5_000, "%2e%2e%2fjobs"):
        answer = await stage.call(None, "POST", f"/callbacks/{token}", json={"status": "failed"})
        assert 400 <= answer.status_code < 500, (token, answer.text)


# ---- queues


@attempt(
    "a reserved queue",
    "name alpha's queue in a new job, an edit, a rollback and a batch; and names that look like it",
    "it is refused, and what looks like it is another queue, which alpha's worker does not serve",
)
async def a_reserved_queue(stage: Stage) -> None:
    made = await stage.expect(201, "beta owner", "POST", "/jobs", json=job("knocks", queue="lobby"))
    await refused(
        stage,
        ("POST", "/jobs", job("breaks in", queue="vault")),
        ("PATCH", "/jobs/knocks", {"queue": "vault"}),
        ("PUT", "/jobs/knocks", job("knocks", queue="vault")),
        ("POST", "/jobs/knocks/run", {"queue": "vault"}),
        ("PUT", "/queues/vault/projects", {"projects": []}),
        ("POST", "/queues/vault/pause", None),
        ("PATCH", "/queues/vault", {"engine": "database"}),
    )
    assert (await stage.expect(200, "beta owner", "GET", f"/jobs/{made['id']}"))["queue"] == "lobby"
    for name in ("Vault", "vault ", " vault", "vаult", "vault\u200b", "vault\x00", "vault,default"):
        body = job(f"as {name!r}", {"kind": "script", "source": "true"}, queue=name)
        answer = await stage.call("beta owner", "POST", "/jobs", json=body)
        assert answer.status_code in (201, 422), answer.text
        if answer.status_code == 201:
            run = await stage.expect(202, "beta owner", "POST", f"/jobs/{answer.json()['id']}/run", json={})
            assert (await stage.ended(run["id"]))["worker_id"] == stage.worker.id
    seen = {queue["name"] for queue in (await stage.expect(200, "beta owner", "GET", "/queues"))["items"]}
    assert "vault" not in seen
    run = await stage.expect(202, "alpha owner", "POST", "/jobs/kept/run", json={})
    assert (await stage.ended(run["id"], "alpha owner"))["status"] == "succeeded"


# ---- secrets and templates


@attempt(
    "another project's secret",
    "name alpha's secret in every field that takes templates, plainly and computed",
    "there is no such secret, and names cannot be computed",
)
async def another_project_s_secret(stage: Stage) -> None:
    texts = (
        "{{ secrets.TOKEN }}",
        "{{ secrets['TOKEN'] }}",
        "{{ secrets['TO' ~ 'KEN'] }}",
        "{{ secrets }}",
        "{% for name in secrets %}{{ name }}{% endfor %}",
        "{{ secrets | attr('TOKEN') }}",
        "{% include '/etc/passwd' %}",
        "{% set s = secrets %}{{ s.TOKEN }}",
    )
    for text in texts:
        await refused(
            stage,
            ("POST", "/jobs", job("peeks", {"kind": "script", "source": "env", "env": {"X": text}})),
            ("POST", "/jobs", job("peeks", {**WEB, "headers": {"X": text}})),
            ("POST", "/jobs", job("peeks", {**WEB, "body": text})),
        )
    for text in ("{{ ''.__class__.__mro__ }}", "{{ input.__init__.__globals__ }}", "{{ run.id.__class__ }}"):
        target = {"kind": "script", "source": "env", "env": {"X": text}}
        answer = await stage.call("beta owner", "POST", "/jobs", json=job(f"climbs {text}", target))
        if answer.status_code == 201:
            assert (await stage.play(target))["status"] == "failed", text
    # In an input it is a text like any other.
    target = {"kind": "script", "source": 'printf %s "$X"', "env": {"X": "{{ input.x }}"}}
    await stage.expect(201, "beta owner", "POST", "/jobs", json=job("echoes", target))
    run = await stage.expect(202, "beta owner", "POST", "/jobs/echoes/run", json={"input": {"x": texts[0]}})
    await stage.ended(run["id"])
    assert await stage.log("beta owner", run["id"]) == texts[0]


@attempt(
    "templates without end",
    "save and run templates that compute for hours",
    "they fail their own run",
)
async def templates_without_end(stage: Stage) -> None:
    run = await stage.play({**WEB, "query": {f"q{n}": SLOW for n in range(12)}}, "beta editor")
    ended_by(run, "do too much")
    body = job("deep", {**WEB, "body": "{{ " + "(" * 3_000 + "1" + ")" * 3_000 + " }}"})
    await refused(stage, ("POST", "/jobs", body), who="beta editor")


@attempt(
    "definitions without end",
    "send definitions of a megabyte, with ten thousand fields, a hundred thousand levels, numbers of a million digits",
    "each is refused for what it is",
)
async def definitions_without_end(stage: Stage) -> None:
    await refused(
        stage,
        ("POST", "/jobs", job("large", {"kind": "script", "source": "x" * (300 << 10)})),
        ("POST", "/jobs", job("large", {"kind": "script", "source": "x" * (2 << 20)})),
        ("POST", "/jobs", job("wide", {**WEB, "headers": {f"x-{n}": "y" for n in range(10_000)}})),
        ("POST", "/jobs", job("x" * 100_000)),
    )
    deep, digits = '{"a":' * 100_000 + "1" + "}" * 100_000, '{"name": ' + "9" * 1_000_000 + "}"
    for content in (deep, digits, '{"name": "a", "name": "b"}', "[" * 100_000):
        answer = await stage.call(
            "beta owner", "POST", "/jobs", content=content, headers={"content-type": "application/json"}
        )
        assert 400 <= answer.status_code < 500, answer.text


@attempt(
    "privileges of a container",
    "ask for privileges, devices, capabilities, the host's network or processes, and for images that are paths",
    "no such field exists, and such an image has no name",
)
async def privileges_of_a_container(stage: Stage) -> None:
    image = {"kind": "container", "image": "alpine"}
    asked: tuple[Row, ...] = (
        {"privileged": True},
        {"devices": ["/dev/sda"]},
        {"cap_add": ["SYS_ADMIN"]},
        {"pid": "host"},
        {"network": "host"},
        {"host_config": {"Privileged": True}},
        {"security_opt": ["apparmor=unconfined"]},
        {"image": "x/../../containers/json"},
        {"image": "x//y"},
        {"image": "alpine?all=1"},
        {"mounts": [{"source": "/", "target": "/host", "type": "bind", "propagation": "shared"}]},
    )
    await refused(stage, *(("POST", "/jobs", job("is root", {**image, **more})) for more in asked))


# ---- calls that the worker makes

LOOPBACK = (
    "http://127.0.0.1:{port}/",
    "http://localhost:{port}/",
    "http://[::1]:{port}/",
    "http://[::ffff:127.0.0.1]:{port}/",
    "http://2130706433:{port}/",
    "http://0x7f.1:{port}/",
    "http://0177.0.0.1:{port}/",
    "http://127.1:{port}/",
    "http://0.0.0.0:{port}/",
    "http://127.0.0.1.:{port}/",
    "http://１２７.0.0.1:{port}/",
    "http://169.254.169.254/latest/meta-data/",
    "http://[fd00:ec2::254]/latest/meta-data/",
    "http://metadata.google.internal./",
    "http://user@127.0.0.1:{port}/",
)


@attempt(
    "the inner network",
    "have the worker call the API beside it, and the metadata service: fifteen spellings, and by an input",
    "no connection is made",
)
async def the_inner_network(stage: Stage) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.setblocking(False)
        port = listener.getsockname()[1]
        runs = []
        for text in LOOPBACK:
            answer = await stage.call(
                "beta editor", "POST", "/jobs", json=job(text, {**WEB, "url": text.format(port=port)})
            )
            assert answer.status_code in (201, 422), answer.text
            if answer.status_code == 201:
                made = answer.json()["id"]
                await stage.expect(200, "beta editor", "PATCH", f"/jobs/{made}", json={"retry": {"max_attempts": 1}})
                runs.append(await stage.expect(202, "beta editor", "POST", f"/jobs/{made}/run", json={}))
        target = {**WEB, "url": "http://{{ input.host }}/"}
        answer = await stage.call("beta editor", "POST", "/jobs", json=job("chosen", target, retry={"max_attempts": 1}))
        if answer.status_code == 201:
            body = {"input": {"host": f"127.0.0.1:{port}"}}
            runs.append(await stage.expect(202, "beta editor", "POST", "/jobs/chosen/run", json=body))
        ended = await asyncio.gather(*(stage.ended(run["id"]) for run in runs))
        assert {run["status"] for run in ended} == {"failed"}
        assert {run["response_code"] for run in ended} == {None}
        try:
            listener.accept()
        except BlockingIOError:
            return
    raise AssertionError("somebody called")


@attempt(
    "headers of its own making",
    "split a header or a request line by line breaks, in definitions and inputs",
    "it is refused, or stays one value",
)
async def headers_of_its_own_making(stage: Stage) -> None:
    await refused(
        stage,
        ("POST", "/jobs", job("splits", {**WEB, "headers": {"X": "a\r\nHost: 127.0.0.1"}})),
        ("POST", "/jobs", job("splits", {**WEB, "headers": {"X\r\nY": "a"}})),
        ("POST", "/jobs", job("splits", {**WEB, "method": "GET / HTTP/1.1\r\nX"})),
        ("POST", "/jobs", job("splits", {**WEB, "url": "https://example.org/\r\nX: y"})),
        ("POST", "/jobs", job("splits", {**WEB, "headers": {"Transfer-Encoding": "chunked"}})),
        who="beta editor",
    )


# ---- streams


@attempt(
    "another project's events",
    "follow events after alpha's last one, and alpha's log by its run",
    "the stream has beta's own, and nothing of alpha's",
)
async def another_project_s_events(stage: Stage) -> None:
    def told(answer: httpx.Response) -> list[Row]:
        lines = answer.text.splitlines()
        return [json.loads(line.removeprefix("data: ")) for line in lines if line.startswith("data: ")]

    theirs = await stage.call("alpha owner", "GET", "/events?seconds=2")
    last = [line.removeprefix("id: ") for line in theirs.text.splitlines() if line.startswith("id: ")]
    assert last, "alpha's clock makes events"
    for after in (last[0], "0", SystemIds().new()):
        mine = await stage.call("beta owner", "GET", "/events?seconds=0", headers={"last-event-id": after})
        assert mine.status_code in (200, 422), mine.text
        ids = {event.get("project_id") for event in (told(mine) if mine.status_code == 200 else ())}
        assert ids <= {stage.projects["beta"], None}
        assert "clock" not in mine.text


@attempt(
    "what lists tell",
    "find alpha's names, hosts or numbers in any list, count, search or message that beta may read",
    "all of it is beta's own",
)
async def what_lists_tell(stage: Stage) -> None:
    tick = (await stage.expect(200, "alpha owner", "GET", "/jobs/tick"))["id"]  # which beta has never named
    paths = [
        "/jobs", "/runs", "/dead-letters", "/dead-letters/groups", "/operations", "/audit", "/secrets",
        "/queues", "/calendar", "/monitoring/jobs", "/monitoring/hours", "/monitoring/days", "/monitoring/stranded",
        "/api-keys",
        "/workers",
        "/monitoring/workers",
        "/schedulers", "/projects", "/auth/me", "/projects/beta/members",
    ]  # fmt: skip
    for path in paths:
        text = (await stage.call("beta owner", "GET", path)).text
        for word in ("alpha", tick, "resident", '"vault"', stage.secret, stage.projects["alpha"]):
            assert word not in text, f"{path} tells {word!r}"
    audit = (await stage.expect(200, "beta owner", "GET", "/audit?limit=200"))["items"]
    assert not [one for one in audit if "alpha" in json.dumps(one)]
