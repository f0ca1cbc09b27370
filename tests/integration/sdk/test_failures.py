"""Servers that refuse, break and hang: what both clients send again, what they must not, and what they raise."""

from collections.abc import Callable
from typing import Any

import pytest

import horae
from horae import errors
from tests.integration.sdk.callers import calling
from tests.integration.sdk.scripted import CUT, HANG, Answer, Server, events, problem, scripted

BOTH = pytest.mark.parametrize("kind", [horae.Client, horae.AsyncClient])
Kind = Callable[..., Any]
RUN = Answer(202, {"id": "1"})


def keys(server: Server) -> set[str | None]:
    return {asked.headers.get("idempotency-key") for asked in server.asked}


@BOTH
@pytest.mark.parametrize(
    "broken",
    [
        problem(503),
        problem(429, headers={"retry_after": "0"}),
        problem(409, headers={"retry_after": "1"}),
        Answer(502, b"<html>"),
        CUT,
        Answer(202, {"id": "1"}, sent=4),
    ],
    ids=["503", "429", "409 while the first is answered", "502", "cut", "half an answer"],
)
async def test_a_post_is_sent_again_with_its_key(kind: Kind, broken: Answer) -> None:
    with scripted(broken, broken, RUN) as server:
        async with calling(kind, server.url) as call:
            assert await call("jobs.run", "a", input=1) == {"id": "1"}
        assert len(server.asked) == 3
        assert len(keys(server)) == 1
        assert {asked.body for asked in server.asked} == {server.asked[0].body}
        assert keys(server) != {None}


@BOTH
async def test_a_timed_out_request_is_retried_with_the_same_key(kind: Kind) -> None:
    with scripted(HANG, HANG, HANG) as server:
        async with calling(kind, server.url, timeout=0.3) as call:
            with pytest.raises(errors.Unreachable, match="did not respond in time"):
                await call("jobs.run", "a")
        assert len(server.asked) == 3
        assert len(keys(server)) == 1


@BOTH
@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("jobs.edit", {"job": "a", "priority": 1}),
        ("jobs.delete", {"job": "a"}),
        ("account.refresh", {"refresh_token": "t"}),  # coming twice, it would end the session
        ("account.sign_up", {"username": "a", "password": "b"}),
    ],
)
@pytest.mark.parametrize("broken", [problem(503), CUT], ids=["503", "cut"])
async def test_requests_that_are_not_idempotent_are_not_retried(
    kind: Kind, name: str, arguments: dict[str, Any], broken: Answer
) -> None:
    with scripted(broken) as server:
        async with calling(kind, server.url) as call:
            with pytest.raises((errors.StoreUnavailable, errors.Unreachable)):
                await call(name, **arguments)
        assert len(server.asked) == 1


@BOTH
async def test_a_rate_limited_request_is_retried(kind: Kind) -> None:
    with scripted(problem(429, headers={"retry_after": "0"}), Answer(200, {"name": "a"})) as server:
        async with calling(kind, server.url) as call:
            assert (await call("jobs.edit", "a", priority=1)).name == "a"


@BOTH
async def test_a_long_retry_after_is_raised_not_waited_for(kind: Kind) -> None:
    with scripted(problem(429, "slowly", headers={"retry_after": "3600"})) as server:
        async with calling(kind, server.url) as call:
            with pytest.raises(errors.TooManyRequests, match="slowly") as refused:
                await call("jobs.get", "a")
        assert refused.value.retry_after == 3600


@BOTH
async def test_no_retries_for_those_who_want_none(kind: Kind) -> None:
    with scripted(problem(503)) as server:
        async with calling(kind, server.url, retries=0) as call:
            with pytest.raises(errors.TryLater):
                await call("jobs.run", "a")


@BOTH
@pytest.mark.parametrize(
    ("status", "error"),
    [
        (400, errors.InvalidInput),
        (401, errors.NotSignedIn),
        (403, errors.NotAllowed),
        (404, errors.NotFound),
        (409, errors.Conflict),
        (412, errors.StaleVersion),
        (413, errors.InvalidInput),
        (422, errors.InvalidInput),
        (500, errors.ServerError),
    ],
)
async def test_refusals_are_errors_that_carry_the_problem(kind: Kind, status: int, error: type[Exception]) -> None:
    with scripted(problem(status, "because"), Answer(status, b"<html>")) as server:
        async with calling(kind, server.url) as call:
            with pytest.raises(error, match="because") as refused:
                await call("jobs.get", "a")
            assert isinstance(refused.value, errors.HoraeError)
            assert refused.value.problem is not None
            assert (refused.value.problem["status"], refused.value.problem["request_id"]) == (status, "r1")
            with pytest.raises(errors.HoraeError, match=f"the server responded with {status} and no reason") as bare:
                await call("jobs.get", "a")  # a proxy's page
            assert bare.value.problem is None


@BOTH
async def test_the_field_that_is_wrong(kind: Kind) -> None:
    told = problem(422, "priority: too high", field="priority", errors=[{"field": "priority", "message": "too high"}])
    with scripted(told) as server:
        async with calling(kind, server.url) as call:
            with pytest.raises(errors.InvalidInput) as refused:
                await call("jobs.edit", "a", priority=99)
    assert (refused.value.field, str(refused.value)) == ("priority", "priority: too high")


@BOTH
async def test_something_else_answers(kind: Kind) -> None:
    with scripted(Answer(200, b"<html>welcome</html>"), Answer(200, b"xx", {"content-encoding": "gzip"})) as server:
        async with calling(kind, server.url, retries=0) as call:
            with pytest.raises(errors.ServerError, match="not JSON"):
                await call("jobs.get", "a")
            with pytest.raises(errors.Unreachable):
                await call("jobs.get", "a")
    with pytest.raises(errors.Unreachable, match="connection refused"):
        async with calling(kind, server.url) as call:
            await call("jobs.get", "a")
    with pytest.raises(errors.InvalidInput, match="must begin with http"):
        kind("127.0.0.1:8080")
    for url in ("http://", "http://a b", "http://x:99999", "http://[::1"):
        with pytest.raises(errors.InvalidInput, match="not an address"):
            kind(url)


FIRST = ("id: 1.1", "event: log", 'data: {"text": "a"}', "")
SECOND = ("id: 1.2", "event: log", 'data: {"text": "b"}', "")
END = ("event: end", 'data: {"status": "succeeded"}', "")


@BOTH
async def test_following_goes_on_where_it_broke(kind: Kind) -> None:
    whole = events(*FIRST, *SECOND)
    torn = Answer(body=whole.encoded(), headers=whole.headers, sent=len(whole.encoded()) - 10)
    with scripted(torn, CUT, problem(503), events(*SECOND), events(*END)) as server:
        async with calling(kind, server.url) as call:
            told = await call("runs.follow", "1")
        assert [data.get("text") or data["status"] for _, data in told] == ["a", "b", "succeeded"]
        after = [asked.headers.get("last-event-id") for asked in server.asked]
        assert after == [None, "1.1", "1.1", "1.1", "1.2"]


@BOTH
async def test_following_an_unknown_run_raises_not_found(kind: Kind) -> None:
    with scripted(problem(404, "no such run")) as server:
        async with calling(kind, server.url) as call:
            with pytest.raises(errors.NotFound, match="no such run"):
                await call("runs.follow", "1")


@BOTH
async def test_events_are_asked_for_again_where_the_server_ends_them(kind: Kind) -> None:
    with scripted(events(*FIRST), events(*SECOND), problem(401)) as server:
        async with calling(kind, server.url) as call:
            with pytest.raises(errors.NotSignedIn):
                await call("events")
        assert [asked.headers.get("last-event-id") for asked in server.asked] == [None, "1.1", "1.2"]
    with scripted(events(*FIRST)) as server:
        async with calling(kind, server.url) as call:
            assert [name for name, _ in await call("events", seconds=1)] == ["log"]


def test_closing_a_follower_frees_the_connection() -> None:
    with scripted(events(*FIRST, *SECOND), Answer(200, {"name": "a"})) as server, horae.Client(server.url) as client:
        followed = client.runs.follow("1")
        assert next(followed)[1] == {"text": "a"}
        followed.close()  # type: ignore[attr-defined]
        assert client.jobs.get("a").name == "a"


async def test_the_sync_client_inside_a_running_loop() -> None:
    """It blocks the loop, and nothing else: no separate loop, no clash with the one that runs."""
    pages = [Answer(200, {"items": [{"id": n}], "next_cursor": f"c{n}"}) for n in "12"]
    with scripted(*pages, RUN, events(*FIRST, *END)) as server, horae.Client(server.url) as client:
        listed = client.runs.list()
        assert [next(listed).id, next(listed).id] == ["1", "2"]
        assert client.jobs.run("a").id == "1"
        assert [name for name, _ in client.runs.follow("1")] == ["log", "end"]
