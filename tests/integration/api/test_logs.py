"""Logs over the API: in pages, as text, and live."""

import asyncio
import json
from typing import Any

import httpx

from horae.domain.runs.claim import Claimed
from horae.domain.runs.ending import Finished
from horae.domain.runs.log import LogLines, Progress
from horae.domain.runs.outcome import Outcome
from horae.domain.runs.states import AttemptOutcome
from horae.lifecycle.finish import finish
from tests.waiting import until

from .conftest import CLOCK, Api
from .work import take, work

Event = tuple[str | None, str, Any]


async def write(api: Api, run: Claimed, *texts: str, since: int = 1, stream: str = "stdout") -> None:
    lines = [
        LogLines(run.id, run.token, run.attempt, seq, CLOCK.now(), stream, text)
        for seq, text in enumerate(texts, since)
    ]

    async def append(tx: Any) -> None:
        await tx.logs.append(lines)
        await tx.logs.progress([Progress(run.id, run.token, f'{{"fraction": {since / 10}, "note": null}}')])

    await api.store.transact(append)


async def running(api: Api) -> Claimed:
    job = await api.make()
    await api.call("POST", f"/jobs/{job['id']}/run", json={})
    (run,) = await take(api)
    return run


async def finished(api: Api, run: Claimed) -> None:
    """Ends a run that was asked to stop."""

    async def specs(tx: Any) -> Any:
        return await tx.jobs.definitions({(run.job_id, run.version)})

    await api.store.transact(
        finish,
        finished=[Finished(run, Outcome(AttemptOutcome.CANCELLED))],
        specs=await api.store.read(specs),
        chance=lambda: 0.5,
    )


def events(answer: httpx.Response) -> list[Event]:
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"].startswith("text/event-stream")
    found = []
    for block in answer.text.strip().split("\n\n"):
        fields = dict(line.split(": ", 1) for line in block.splitlines() if not line.startswith(":"))
        if fields:
            found.append((fields.get("id"), fields["event"], json.loads(fields["data"])))
    return found


async def test_pages_of_a_log(api: Api):
    run = await running(api)
    await write(api, run, "a\n", "b\n", "c\n")
    first = (await api.call("GET", f"/runs/{run.id}/log?limit=2")).json()
    assert ([x["text"] for x in first["items"]], first["next_cursor"]) == (["a\n", "b\n"], "1.2")
    rest = (await api.call("GET", f"/runs/{run.id}/log?limit=2&cursor={first['next_cursor']}")).json()
    assert ([x["text"] for x in rest["items"]], rest["next_cursor"]) == (["c\n"], None)


async def test_a_log_as_text_has_no_escape_sequences_even_split_ones(api: Api):
    run = await running(api)
    await write(api, run, "\x1b[31mred\x1b[0m \x1b[3", "2mgreen\x1b[m\n", "\x1b]0;title\x07done\n")
    answer = await api.call("GET", f"/runs/{run.id}/log?format=text")
    assert (answer.text, answer.headers["content-type"]) == ("red green\ndone\n", "text/plain; charset=utf-8")
    assert answer.headers["content-disposition"] == f'attachment; filename="{run.id}.log"'


async def test_a_log_is_followed_to_the_end_of_its_run(api: Api):
    job = await api.make()
    made = (await api.call("POST", f"/jobs/{job['id']}/run", json={})).json()
    following = asyncio.create_task(api.call("GET", f"/runs/{made['id']}/log?follow=true", timeout=30))
    (run,) = await take(api)
    for n in range(1, 6):
        await write(api, run, f"line {n}\n", since=n)
    assert not following.done()
    assert (await api.call("POST", f"/runs/{run.id}/cancel")).status_code == 202
    await finished(api, run)
    told = events(await following)
    assert [(id, data["text"]) for id, name, data in told if name == "log"] == [
        (f"1.{n}", f"line {n}\n") for n in range(1, 6)
    ]
    states = [data for _, name, data in told if name == "run"]
    assert states[-1] == {"status": "cancelled", "attempt": 1, "progress": {"fraction": 0.5, "note": None}}
    assert (told[-1][1], told[-1][2]["status"]) == ("end", "cancelled")
    again = await api.call("GET", f"/runs/{run.id}/log?follow=true", headers={"last-event-id": "1.3"})
    assert [id for id, name, _ in events(again) if name == "log"] == ["1.4", "1.5"]


async def test_a_server_that_stops_lets_its_followers_go(api: Api):
    run = await running(api)
    following = asyncio.create_task(api.call("GET", f"/runs/{run.id}/log?follow=true", timeout=30))
    api.app.state.context.stopping.set()
    await until(following.done)
    assert [name for _, name, _ in events(following.result())] == ["run"]


async def test_an_invalid_log_cursor_is_refused(api: Api):
    await api.make()
    await api.call("POST", "/jobs/hello/run", json={})
    await work(api)
    (run,) = (await api.call("GET", "/runs")).json()["items"]
    for place in ("x", "1", "1.-1", "1.1.1", "٣.١", "9" * 12 + ".1", ""):
        for how in ({"params": {"cursor": place}}, {"headers": {"last-event-id": place.encode()}}):
            answer = await api.call("GET", f"/runs/{run['id']}/log", **how)
            assert answer.status_code == (422 if place or "params" in how else 200), (place, how)
    for what in ("", "?follow=true", "?format=text"):
        assert (await api.call("GET", f"/runs/{run['job_id']}/log{what}")).status_code == 404
