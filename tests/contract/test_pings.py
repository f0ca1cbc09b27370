"""Pings in the store: signals, missed deadlines, and that each is noticed once."""

import asyncio
from datetime import timedelta
from typing import Any

import pytest

from horae.accounts import projects, usage
from horae.domain.errors import Conflict, NotFound, QuotaReached, StaleVersion, Unreadable
from horae.domain.people.audit import AuditFilter
from horae.domain.people.project import Project
from horae.domain.people.quota import Quota
from horae.domain.pings.badge import NewBadge
from horae.domain.pings.ping import KEPT, NewPing, PingEvent, PingFilter, PingMessage, PingRecord, PingState, Signal
from horae.domain.pings.rules import state_of
from horae.domain.pings.spec import PingSpec
from horae.domain.pings.token import UrlToken, digest, place
from horae.lifecycle.watching import pings
from horae.lifecycle.watching.badges import create_badge
from horae.lifecycle.watching.url_tokens import reseal_badges, reseal_pings
from horae.processes.duties.pings import PingsDuty
from horae.sealing import Keyring
from tests.contract.values import lost_reply
from tests.contract.world import IDS, World

KEYS = Keyring("the key of this cluster, 1849cd27fb")
SUCCESS, FAIL, START = Signal("success", 0), Signal("fail", 3), Signal("start")
MESSAGE = PingMessage("POST", "192.0.2.7", "curl/8", "12 GB written ü\n", 16)


def spec(name: str = "backup", **fields: Any) -> PingSpec:
    return PingSpec(**{"name": name, "schedule": {"every": "1h"}, "grace": "10m", **fields})


def token(project_id: str, ping_id: str, text: str) -> UrlToken:
    found = digest(text)
    assert found is not None
    return UrlToken(found, KEYS.seal(project_id, place("ping", ping_id), text))


def text_of(name: str) -> str:
    return name.replace(" ", "_").ljust(32, "x")[:32]


async def make(world: World, name: str = "backup", **fields: Any) -> PingRecord:
    ping_id = IDS.new()
    new = NewPing(
        ping_id, world.project, spec(name, **fields), token(world.project, ping_id, text_of(name)), "user:ann"
    )
    return await world.store.transact(pings.create_ping, ping=new)


async def hear(world: World, signal: Signal, name: str = "backup", message: PingMessage = MESSAGE) -> bool:
    return await world.store.transact(pings.hear, digest=digest(text_of(name)) or "", signal=signal, message=message)


async def find(world: World, name: str = "backup") -> PingRecord:
    return await world.store.read(pings.find_ping, world.project, name)


async def state(world: World, name: str = "backup") -> str:
    ping = await find(world, name)
    return state_of(ping.spec, ping.standing, await world.now()).value


async def events(world: World, name: str = "backup") -> list[PingEvent]:
    ping = await find(world, name)
    return (await world.store.read(lambda tx: tx.ping_events.page(ping.id, limit=200, after=None))).items


async def look(world: World, limit: int = 500) -> int:
    return await world.store.transact(pings.notice_missing, limit=limit)


async def page(world: World, limit: int = 50, after: str | None = None, **where: Any) -> list[str]:
    found = await world.store.read(
        lambda tx: tx.pings.page(world.project, PingFilter(**where), limit=limit, after=after)
    )
    return [one.spec.name for one in found.items]


@pytest.fixture
async def other(world: World) -> World:
    project = Project(IDS.new(), "other", "Other")
    await world.store.transact(projects.create_project, project=project, actor="test")
    seen = await world.later()
    seen.project = project.id
    return seen


async def test_a_ping_is_made_changed_and_deleted(world: World):
    made = await make(world, tags=("db",), description="of db-1")
    assert (made.version, made.spec.name, made.events) == (1, "backup", 0)
    assert KEYS.open(made.sealed) == text_of("backup")
    with pytest.raises(Conflict, match="already exists"):
        await make(world)
    await make(world, "other")

    async def edit(version: int | None = None, **fields: Any) -> PingRecord:
        return await world.store.transact(
            pings.edit_ping,
            project_id=world.project,
            ref=made.id,
            change=lambda old: PingSpec(**{**old.model_dump(), **fields}),
            expected_version=version,
            actor="user:ben",
        )

    edited = await edit(1, grace=60.0)
    assert (edited.version, edited.spec.grace, edited.updated_by) == (2, 60, "user:ben")
    assert (await edit(2, grace=60.0)).version == 2
    with pytest.raises(StaleVersion):
        await edit(1, grace=5.0)
    with pytest.raises(Conflict, match="already exists"):
        await edit(name="other")
    await hear(world, SUCCESS)
    await world.store.transact(pings.delete_ping, project_id=world.project, ref="backup", actor="user:ben")
    with pytest.raises(NotFound):
        await find(world)
    assert not await hear(world, SUCCESS)
    assert await world.rows("SELECT n FROM ping_events") == []
    trail = await world.store.read(
        lambda tx: tx.audit.page([world.project], AuditFilter(subject=made.id), limit=9, after=None)
    )
    assert [entry.action for entry in trail.items] == ["ping.delete", "ping.edit", "ping.create"]
    assert trail.items[1].changes == [{"path": "grace", "old": 600.0, "new": 60.0}]


async def test_no_token_is_stored_in_the_clear(world: World):
    await make(world)
    rows = await world.rows("SELECT * FROM pings")
    assert text_of("backup") not in str([[row[name] for name in row.keys()] for row in rows])  # noqa: SIM118


async def test_start_and_success_measure_how_long_it_took(world: World):
    await make(world)
    assert await hear(world, START)
    assert await state(world) == "started"
    later = await world.later(minutes=7)
    assert await hear(later, SUCCESS)
    ping = await find(later)
    assert ping.standing.last_duration_ms is not None
    assert 420_000 <= ping.standing.last_duration_ms < 480_000
    success, start = await events(later)
    assert (start.kind, start.n, success.kind, success.n) == ("start", 1, "success", 2)
    assert success.duration_ms == ping.standing.last_duration_ms
    assert success.message.body is None  # in lists
    whole = await later.store.read(lambda tx: tx.ping_events.find(ping.id, 2))
    assert whole is not None
    assert (whole.message, whole.exit_code) == (MESSAGE, 0)


async def test_overlapping_runs_are_distinguished_by_rid(world: World):
    await make(world)
    for rid in "ab":
        await hear(world, Signal("start", rid=rid))
    later = await world.later(minutes=2)
    await hear(later, Signal("success", rid="b"))
    assert await state(later) == "started"
    await hear(later, SUCCESS)  # says nothing of runs: all of them are over
    assert await state(later) == "up"
    much = await world.later(minutes=5)
    await hear(much, Signal("success", rid="a"))  # its start is found among the events
    ping = await find(much)
    assert ping.standing.last_duration_ms is not None
    assert ping.standing.last_duration_ms >= 300_000


async def test_a_missing_report_opens_one_alert(world: World):
    await make(world)
    await hear(world, SUCCESS)
    assert await look(world) == 0
    late = await world.later(minutes=65)
    assert (await state(late), await look(late)) == ("late", 0)
    down = await world.later(minutes=71)
    assert await state(down) == "down"
    assert [await look(down), await look(down)] == [1, 0]
    ping = await find(down)
    assert (ping.standing.status, ping.standing.reason) == ("down", "late")
    assert [event.kind for event in await events(down)] == ["late", "success"]
    await hear(down, SUCCESS)
    assert await state(down) == "up"


async def test_a_run_that_takes_too_long_is_noticed(world: World):
    await make(world, timeout="2h")
    await hear(world, START)
    assert await look(await world.later(minutes=119)) == 0
    after = await world.later(minutes=121)
    assert await look(after) == 1
    assert (await find(after)).standing.reason == "overrun"


async def test_two_schedulers_notice_it_once(world: World):
    for number in range(20):
        await make(world, f"p{number:02}")
        await hear(world, SUCCESS, f"p{number:02}")
    crowd = [await world.later(hours=2) for _ in range(3)]
    counts = await asyncio.gather(*(look(one, limit=20) for one in crowd))
    while sum(counts) < 20:  # PostgreSQL and MariaDB pass over locked rows
        counts.append(await look(crowd[0]))
    assert sum(counts) == 20
    rows = await world.rows("SELECT ping_id, COUNT(*) AS n FROM ping_events WHERE kind = 'late' GROUP BY ping_id")
    assert [row["n"] for row in rows] == [1] * 20


async def test_signals_at_the_same_time_are_all_counted(world: World):
    await make(world)
    crowd = await world.crowd(4)
    heard = await asyncio.gather(*(hear(crowd[n % 4], Signal("start", rid=f"r{n}")) for n in range(16)))
    assert all(heard)
    ping = await find(world)
    assert (ping.events, len(ping.standing.starts)) == (16, 16)
    assert sorted(event.n for event in await events(world)) == list(range(1, 17))


async def test_a_ping_goes_down_although_a_signal_comes_at_that_moment(world: World):
    await make(world)
    await hear(world, SUCCESS)
    one, two = await world.later(hours=2), await world.later(hours=2)
    await asyncio.gather(hear(one, SUCCESS), look(two))
    ping = await find(one)  # whichever came first, the success is the last word
    assert ping.standing.status == "up"
    assert ping.events == len(await events(one))


async def test_a_pause_holds_until_it_is_over(world: World):
    await make(world)
    await hear(world, SUCCESS)
    until = await world.now() + timedelta(hours=5)

    async def pause(at: World, **how: Any) -> None:
        await at.store.transact(
            pings.pause_ping, project_id=world.project, ref="backup", actor="user:ann", **{"until": None, **how}
        )

    await pause(world, until=until)
    late = await world.later(hours=4)
    assert (await state(late), await look(late)) == ("paused", 0)
    await hear(late, FAIL)
    assert await state(late) == "paused"
    assert (await events(late))[0].kind == "fail"
    after = await world.later(hours=5, seconds=1)
    assert await look(after) == 1
    ping = await find(after)
    assert (ping.standing.status, ping.standing.paused) == ("up", False)
    assert [event.kind for event in await events(after)] == ["fail", "success"]
    await pause(after)
    assert await look(await world.later(days=400)) == 0
    await after.store.transact(pings.resume_ping, project_id=world.project, ref="backup", actor="user:ann")
    assert await state(after) == "up"


async def test_another_token_takes_the_place_of_the_first(world: World):
    ping = await make(world)
    new = token(world.project, ping.id, text_of("second"))
    await world.store.transact(pings.rotate_token, project_id=world.project, ref="backup", token=new, actor="user:ann")
    assert not await hear(world, SUCCESS)
    assert await hear(world, SUCCESS, "second")


async def test_each_ping_keeps_its_newest_events(world: World):
    await make(world)
    await make(world, "other")
    await hear(world, SUCCESS, "other")
    for _ in range(KEPT + 45):
        await hear(world, SUCCESS)
    kept = await events(world)
    assert KEPT <= len(kept) <= KEPT + 20
    assert kept[0].n == KEPT + 45
    assert len(await events(world, "other")) == 1


async def test_events_are_deleted_by_age(world: World):
    await make(world)
    await hear(world, FAIL)
    later = await world.later(days=40)
    await hear(later, SUCCESS)
    assert await later.store.transact(lambda tx: tx.ping_events.prune(30 * 86_400, 500)) == 1
    assert [event.kind for event in await events(later)] == ["success"]
    await later.prune(days=30)


async def test_lists_go_by_state_tag_and_part_of_the_name(world: World, other: World):
    for name in ("new", "up", "late", "down", "failed", "started", "paused"):
        await make(world, name, tags=("odd", name) if name in ("up", "down") else ("od",))
    await make(other, "elsewhere", tags=("odd",))
    for name in ("up", "late", "down", "paused"):
        await hear(world, SUCCESS, name)
    await world.store.transact(pings.pause_ping, project_id=world.project, ref="paused", actor="user:ann", until=None)
    now = await world.later(minutes=55)
    await hear(now, SUCCESS, "up")
    await hear(now, START, "started")
    await hear(now, FAIL, "failed")
    now = await world.later(minutes=61)
    await now.store.transact(
        pings.edit_ping,
        project_id=world.project,
        ref="down",
        change=lambda old: PingSpec(**{**old.model_dump(), "grace": 10.0}),
        expected_version=None,
        actor="user:ann",
    )
    by_state = {one.value: await page(now, state=one) for one in PingState}
    assert by_state == {
        "new": ["new"],
        "up": ["up"],
        "late": ["late"],
        "down": ["down", "failed"],
        "started": ["started"],
        "paused": ["paused"],
    }
    for one in PingState:
        for name in by_state[one.value]:
            assert await state(now, name) == one.value
    counts = await now.store.read(lambda tx: tx.pings.states(world.project))
    assert {one.value: count for one, count in counts.items()} == {k: len(v) for k, v in by_state.items()}
    assert await page(now, tag="odd") == ["down", "up"]
    assert await page(now, tag="odd", limit=1) == ["down"]
    assert await page(now, tag="odd", limit=1, after="down") == ["up"]
    assert await page(now, text="A") == ["failed", "late", "paused", "started"]
    assert await page(other) == ["elsewhere"]


async def test_a_damaged_row_harms_nothing_else(world: World):
    torn = "[1]" if world.kind == "postgresql" else '{"grace'
    for name in ("broken", "newer", "whole"):
        await make(world, name)
        await hear(world, SUCCESS, name)
    await world.execute("UPDATE pings SET spec = :spec, starts = :spec WHERE name = 'broken'", spec=torn)
    newer = '{"schedule": {"moon": "full"}, "grace": 600}'
    await world.execute("UPDATE pings SET spec = :spec, status = 'muted' WHERE name = 'newer'", spec=newer)
    assert await page(world) == ["broken", "newer", "whole"]
    ping = await find(world, "broken")
    assert ping.spec.fault == "it is not valid JSON"
    with pytest.raises(Unreadable, match="cannot be read"):
        await world.store.transact(
            pings.edit_ping,
            project_id=world.project,
            ref="broken",
            change=lambda old: old,
            expected_version=None,
            actor="user:ann",
        )
    later = await world.later(hours=3)
    assert await look(later) == 3  # their deadlines were set while they could be read
    assert await state(later, "whole") == "down"
    assert await hear(later, FAIL, "broken")
    assert await hear(later, SUCCESS, "newer")
    await later.store.read(lambda tx: tx.pings.states(world.project))
    await later.store.transact(pings.delete_ping, project_id=world.project, ref="broken", actor="user:ann")


async def test_a_project_with_pings_is_not_deleted_and_pings_count_as_jobs(world: World, other: World):
    await make(other)
    with pytest.raises(Conflict, match="it has pings"):
        await world.store.transact(projects.delete_project, project_id=other.project, actor="user:ann")
    await world.store.transact(usage.set_quotas, project_id=other.project, limits={Quota.JOBS: 2}, actor="user:ann")
    await make(other, "second")
    with pytest.raises(QuotaReached, match="quota jobs is 2"):
        await make(other, "third")
    for name in ("backup", "second"):
        await world.store.transact(pings.delete_ping, project_id=other.project, ref=name, actor="user:ann")
    await world.store.transact(projects.delete_project, project_id=other.project, actor="user:ann")


async def test_another_project_does_not_find_it(world: World, other: World):
    ping = await make(world)
    for ref in ("backup", ping.id):
        with pytest.raises(NotFound):
            await other.store.read(pings.find_ping, other.project, ref)


def test_the_duty_is_one_of_the_schedulers():
    from horae.processes.duties import DUTIES

    assert PingsDuty in DUTIES


async def test_tokens_are_sealed_with_a_new_key_and_stay_the_same(world: World):
    kept = [await make(world, f"p{number:03}") for number in range(120)]
    badge_id = IDS.new()
    badge = NewBadge(badge_id, world.project, "ping", "p000", None, _badge_token(world, badge_id), "user:ann")
    await world.store.transact(create_badge, badge=badge)
    new = Keyring("another key of this cluster, 77d0ea4be1", "the key of this cluster, 1849cd27fb")
    done, after = 0, None
    while True:
        step = await world.store.transact(reseal_pings, seals=new, after=after)
        done, after = done + step.done, step.after
        if after is None:
            break
    assert (done, step.cannot) == (120, [])
    assert (await world.store.transact(reseal_pings, seals=new)).done == 0
    assert (await world.store.transact(reseal_badges, seals=new)).done == 1
    ping = await world.store.read(pings.find_ping, world.project, kept[7].id)
    assert Keyring("another key of this cluster, 77d0ea4be1").open(ping.sealed) == text_of("p007")
    assert await hear(world, SUCCESS, "p007")
    lost = await world.store.transact(reseal_pings, seals=Keyring("a key that opens nothing of this, 0f"))
    assert len(lost.cannot) == 100
    assert await hear(world, SUCCESS, "p007")  # which needs no key


def _badge_token(world: World, badge_id: str) -> UrlToken:
    found = digest("b" * 32)
    assert found is not None
    return UrlToken(found, KEYS.seal(world.project, place("badge", badge_id), "b" * 32))


async def test_a_repetition_after_a_lost_reply_succeeds(world: World) -> None:
    made = await make(world)

    def patient(spec: PingSpec) -> PingSpec:
        return spec.model_copy(update={"grace": 77.0})

    of: dict[str, Any] = {"project_id": world.project, "actor": "user:ann"}
    edited = await world.store.transact(
        lost_reply(pings.edit_ping), ref=made.id, change=patient, expected_version=1, **of
    )
    assert (edited.version, edited.spec.grace) == (2, 77.0)
    await world.store.transact(lost_reply(pings.delete_ping), ref="backup", expected_version=2, **of)
    with pytest.raises(NotFound):
        await world.store.transact(pings.delete_ping, ref="backup", **of)
