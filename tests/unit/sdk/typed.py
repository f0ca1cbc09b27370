"""What type checkers make of the clients: checked by `make check`, and by test_types.py."""

from collections.abc import AsyncIterator, Awaitable, Iterator
from typing import assert_type

import horae
from horae.sdk.accounts import NewKey
from horae.sdk.following import Event
from horae.sdk.installation import BusyWorker
from horae.sdk.jobs import Job, ListedJob
from horae.sdk.runs import Explanation, Run


def waiting(client: horae.Client) -> None:
    assert_type(client.jobs.create(name="a", target={"kind": "script"}, priority=3), Job)
    assert_type(client.jobs.get("a").status, str)
    assert_type(client.jobs.run("a"), Run)
    assert_type(client.jobs.run_many("a", [{}]), list[Run])
    assert_type(client.jobs.list(enabled=True), Iterator[ListedJob])
    assert_type(client.jobs.delete("a"), None)
    assert_type(client.runs.list(job="a", limit=None), Iterator[Run])
    assert_type(client.runs.follow("1"), Iterator[Event])
    assert_type(client.runs.log_text("1"), str)
    assert_type(client.keys.create("ci", "operator").token, str)
    assert_type(client.workers(), Iterator[BusyWorker])
    assert_type(client.explain("a"), Explanation)
    with client as same:
        assert_type(same, horae.Client)


async def awaiting(client: horae.AsyncClient) -> None:
    made = client.jobs.create(name="a", target={"kind": "script"}, priority=3)
    await assert_type(made, Awaitable[Job])
    assert_type(await client.jobs.get("a"), Job)
    assert_type((await client.jobs.run("a")).duration_ms, int | None)
    assert_type(await client.jobs.run_many("a", [{}]), list[Run])
    assert_type(client.jobs.list(enabled=True), AsyncIterator[ListedJob])
    assert_type(client.runs.follow("1"), AsyncIterator[Event])
    assert_type(await client.keys.create("ci", "operator"), NewKey)
    async for worker in client.workers():
        assert_type(worker.busy, int)
    async with client as same:
        assert_type(same, horae.AsyncClient)


@horae.task(queue="mail")
async def send_report(customer_id: int, context: horae.Context) -> str:
    return f"{customer_id} in {context.run_id}"


async def enqueuing() -> None:
    assert_type(send_report.enqueue(customer_id=7), Run)
    assert_type(await send_report.options(priority=9).enqueue_async(customer_id=7), Run)
    assert_type(send_report.enqueue_many([{"customer_id": 7}]), list[Run])


def misuse(client: horae.Client, other: horae.AsyncClient) -> None:
    """Each of these is refused: a comment that were not needed would be an error itself."""
    client.jobs.create(name="a")  # type: ignore[call-arg]
    client.jobs.create(name="a", target={}, prioritty=3)  # type: ignore[call-arg]
    client.jobs.list(enabled="yes")  # type: ignore[arg-type]
    client.jobs.get(7)  # type: ignore[arg-type]
    client.jobs.get("a").stattus  # type: ignore[attr-defined] # noqa: B018
    other.jobs.get("a").status  # type: ignore[attr-defined] # noqa: B018
    len(client.runs.list())  # type: ignore[arg-type]
