"""Callbacks: a token ends one attempt of one run, once; anything else is refused without a trace."""

import asyncio
import base64
from dataclasses import replace
from typing import Any

import pytest
import structlog

from horae.domain.runs.callback import Callbacks, seal
from horae.domain.runs.outcome import Outcome
from horae.domain.runs.states import AttemptOutcome
from horae.watch import logging

from .conftest import IDS, SECRET, Api
from .work import take, work

PARKED = Outcome(AttemptOutcome.PARKED, response_code=202, park_for=600.0)


async def parked(api: Api, **fields: Any) -> dict[str, Any]:
    """A run that waits for its callback."""
    await api.make(**fields)
    run: dict[str, Any] = (await api.call("POST", "/jobs/hello/run")).json()
    await work(api, outcome=PARKED)
    return run


def path(run: dict[str, Any], attempt: int = 1, key: str = SECRET) -> str:
    return f"/callbacks/{seal(key, run['id'], attempt)}"


async def send(api: Api, where: str, body: Any, **kwargs: Any) -> Any:
    return await api.call("POST", where, role=None, json=body, **kwargs)


async def shown(api: Api, run: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = (await api.call("GET", f"/runs/{run['id']}")).json()
    return found


async def test_it_ends_the_run_once(api: Api) -> None:
    run = await parked(api)
    assert (await shown(api, run))["parked"] is True
    answer = await send(api, path(run), {"status": "succeeded", "result": {"rows": 7}})
    assert (answer.status_code, answer.json()) == (200, {"run_id": run["id"]})
    found = await shown(api, run)
    assert (found["status"], found["result"], found["parked"]) == ("succeeded", {"rows": 7}, False)
    for body in ({"status": "failed"}, {"status": "succeeded"}, {"progress": {"fraction": 1}}):
        again = await send(api, path(run), body)
        assert (again.status_code, again.headers["content-type"]) == (409, "application/problem+json")
        assert again.json()["type"] == "urn:horae:problem:conflict"


async def test_a_reported_failure_is_retried(api: Api) -> None:
    run = await parked(api, retry={"max_attempts": 2, "delay": 0})
    assert (await send(api, path(run), {"status": "failed", "error": "out of paper"})).status_code == 200
    attempts = (await api.call("GET", f"/runs/{run['id']}/attempts")).json()["items"]
    assert [(one["outcome"], one["error"]) for one in attempts] == [("failed", "out of paper")]
    await work(api, outcome=PARKED)
    assert (await send(api, path(run, 1), {"status": "succeeded"})).status_code == 409, "the first attempt is over"
    assert (await send(api, path(run, 2), {"status": "failed"})).status_code == 200
    found = await shown(api, run)
    assert (found["status"], found["error"]) == ("failed", "the callback reported a failure")


async def test_a_permanent_failure_is_not(api: Api) -> None:
    run = await parked(api, retry={"max_attempts": 5})
    await send(api, path(run), {"status": "failed", "error": "no such customer", "permanent": True})
    found = await shown(api, run)
    assert (found["status"], found["reason"], found["attempt"]) == ("failed", "permanent", 1)


async def test_progress(api: Api) -> None:
    run = await parked(api)
    assert (await send(api, path(run), {"progress": {"fraction": 0.4, "note": "half"}})).status_code == 200
    found = await shown(api, run)
    assert (found["status"], found["progress"]) == ("running", {"fraction": 0.4, "note": "half"})


async def test_it_may_come_before_the_run_is_parked(api: Api) -> None:
    await api.make()
    run = (await api.call("POST", "/jobs/hello/run")).json()
    await take(api)
    assert (await send(api, path(run), {"status": "succeeded"})).status_code == 200
    assert (await shown(api, run))["status"] == "succeeded"


async def test_many_at_once_have_one_effect(api: Api) -> None:
    run = await parked(api)
    answers = await asyncio.gather(
        *(send(api, path(run), {"status": "succeeded", "result": n}) for n in range(8)),
    )
    assert sorted(answer.status_code for answer in answers) == [200] + [409] * 7
    won = next(n for n, answer in enumerate(answers) if answer.status_code == 200)
    assert (await shown(api, run))["result"] == won


async def test_no_other_token_is_good(api: Api) -> None:
    run = await parked(api)
    good = seal(SECRET, run["id"], 1)
    raw = base64.urlsafe_b64decode(good + "==")
    flipped = base64.urlsafe_b64encode(bytes([raw[0] ^ 1]) + raw[1:]).decode().rstrip("=")
    foreign = path(run, key="another key of another installation, as long as it must be")
    for token in ("x", "x" * 70, "%00", "ü", "a" * 5_000, good[:-1], good + "A", flipped, "..", good[:-4] + "%2F%2F"):
        answer = await send(api, f"/callbacks/{token}", {"status": "succeeded"})
        assert answer.status_code == 404, token
        assert answer.headers["content-type"] == "application/problem+json"
    assert (await send(api, foreign, {"status": "succeeded"})).status_code == 404
    assert (await send(api, path({"id": IDS.new()}), {"status": "succeeded"})).status_code == 409, "pruned long ago"
    assert (await shown(api, run))["status"] == "running"


async def test_a_token_of_the_key_before_is_good(api: Api) -> None:
    run = await parked(api)
    context = api.app.state.context
    settings = replace(context.settings, secret_key="k" * 40, secret_key_previous=SECRET)
    api.app.state.context = replace(context, settings=settings)
    assert (await send(api, path(run), {"status": "succeeded"})).status_code == 200


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "status"),
        ({"status": "done"}, "status"),
        ({"status": None}, "status"),
        ({"result": 1}, "status"),
        ({"error": "x", "progress": {"fraction": 0}}, "status"),
        ({"status": "succeeded", "error": "x"}, "status"),
        ({"status": "failed", "error": "x" * 10_001}, "error"),
        ({"status": "failed", "error": 5}, "error"),
        ({"status": "failed", "error": "a\0b"}, "error"),
        ({"status": "failed", "permanent": "yes"}, "permanent"),
        ({"status": "succeeded", "result": "x" * 70_000}, "result"),
        ({"progress": {"fraction": 1.5}}, "progress.fraction"),
        ({"progress": {"fraction": "1"}}, "progress.fraction"),
        ({"progress": {"fraction": 0, "note": "x" * 501}}, "progress.note"),
        ({"progress": {}}, "progress.fraction"),
        ({"status": "succeeded", "more": 1}, "more"),
    ],
)
@pytest.mark.parametrize("store", [pytest.param("sqlite", marks=pytest.mark.sqlite)], indirect=True)
async def test_bad_bodies_are_refused_by_name(api: Api, body: Any, field: str) -> None:
    run = await parked(api)
    answer = await send(api, path(run), body)
    assert (answer.status_code, answer.json()["field"]) == (422, field), answer.text
    assert (await shown(api, run))["status"] == "running"


@pytest.mark.parametrize("store", [pytest.param("sqlite", marks=pytest.mark.sqlite)], indirect=True)
async def test_other_bodies_and_methods(api: Api) -> None:
    run = await parked(api)
    json = {"content-type": "application/json"}
    for content, headers, status in (
        (b"[1]", json, 422),
        (b"{", json, 400),
        (b'{"status": "succeeded"}', {"content-type": "text/plain"}, 415),
        (b"{" + b" " * 2_000_000 + b"}", json, 413),
        (b"", json, 422),
    ):
        answer = await api.call("POST", path(run), role=None, content=content, headers=headers)
        assert answer.status_code == status, answer.text
    for method in ("GET", "PUT", "DELETE"):
        assert (await api.call(method, path(run), role=None)).status_code == 405
    assert (await send(api, f"{path(run)}?force=1", {"status": "succeeded"})).status_code == 422
    assert (await shown(api, run))["status"] == "running"


@pytest.mark.parametrize("store", [pytest.param("sqlite", marks=pytest.mark.sqlite)], indirect=True)
async def test_no_token_is_logged(api: Api, capsys: pytest.CaptureFixture[str]) -> None:
    run = await parked(api)
    logging.configure(form="json", level="debug")
    structlog.configure(cache_logger_on_first_use=False)
    await send(api, path(run), {"status": "succeeded"})
    written = "".join(capsys.readouterr())
    assert "/api/v1/callbacks/" in written
    assert seal(SECRET, run["id"], 1) not in written
    assert repr(Callbacks("http://h", SECRET)).count(SECRET) == 0
