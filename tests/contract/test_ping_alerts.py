"""The alerts of pings: each opens once, in the transaction in which the ping goes down, and clears once."""

import asyncio
from typing import Any

import pytest

from horae.domain.alerts.alert import AlertFilter, AlertRecord
from horae.domain.explain.explanation import moment
from horae.domain.pings.ping import Signal
from horae.lifecycle.watching import pings
from horae.lifecycle.watching.alerts import KEPT_FLAPS
from tests.contract.noting import noted
from tests.contract.test_pings import FAIL, START, SUCCESS, find, hear, look, make
from tests.contract.watching import evaluate
from tests.contract.wide import copy
from tests.contract.world import World


async def alerts(world: World, state: str = "open") -> list[AlertRecord]:
    found = await world.store.read(
        lambda tx: tx.alerts.page([world.project], AlertFilter(state=state), limit=500, after=None)
    )
    return found.items


async def rules(world: World, state: str = "open") -> list[str]:
    return [alert.rule for alert in await alerts(world, state)]


async def test_late_opens_once_and_clears_once(world: World):
    ping = await make(world, tags=("db",))
    await hear(world, SUCCESS)
    heard = (await find(world)).standing
    late = await world.later(minutes=71)
    for _ in range(3):
        await look(late)
    (alert,) = await alerts(late)
    assert (alert.rule, alert.severity, alert.subject_kind, alert.subject_id) == (
        *("ping_late", "critical", "ping"),
        ping.id,
    )
    assert alert.title == "backup has not reported in time"
    assert heard.expected_at is not None
    assert heard.last_ping_at is not None
    assert alert.why == (
        f"It was expected at {moment(heard.expected_at)}, with a grace of 10 min. "
        f"The last signal arrived at {moment(heard.last_ping_at)}."
    )
    assert (alert.action.path, alert.tags) == (f"/pings/{ping.id}", ("db",))
    for _ in range(2):
        await hear(late, SUCCESS)
    assert await rules(late) == []
    (cleared,) = await alerts(late, "cleared")
    assert cleared.id == alert.id


async def test_a_failure_takes_the_place_of_late_and_a_success_clears_it(world: World):
    await make(world)
    await hear(world, SUCCESS)
    late = await world.later(minutes=71)
    await look(late)
    await hear(late, Signal("fail", 7))
    (first,) = await alerts(late)
    await hear(late, FAIL)
    (alert,) = await alerts(late)
    assert (alert.id, alert.rule, alert.title) == (first.id, "ping_failed", "backup reported a failure")
    assert first.why.startswith("It ended with exit code 7. It last succeeded at 20")
    assert alert.why.startswith("It ended with exit code 3. It last succeeded at 20")
    await hear(late, START)
    assert await rules(late) == ["ping_failed"]
    await hear(late, SUCCESS)
    assert (await rules(late), sorted(await rules(late, "cleared"))) == ([], ["ping_failed", "ping_late"])


async def test_a_run_that_takes_too_long(world: World):
    await make(world, timeout="2h")
    await hear(world, START)
    late = await world.later(hours=2, minutes=1)
    await look(late)
    (alert,) = await alerts(late)
    assert (alert.rule, alert.severity) == ("ping_overrun", "warning")
    assert alert.why.startswith("It started at 20")
    assert alert.why.endswith(" UTC and may take 2 h.")
    await hear(late, SUCCESS)
    assert await rules(late) == []


async def test_a_ping_without_any_signal(world: World):
    await make(world)
    late = await world.later(minutes=71)
    await look(late)
    (alert,) = await alerts(late)
    assert alert.why.endswith("No signal has ever arrived.")
    assert alert.action.text == "Check that the job calls the ping's URL"


@pytest.mark.parametrize("way", ["pause", "delete"])
async def test_a_pause_and_a_deletion_clear_it(world: World, way: str):
    await make(world)
    await hear(world, FAIL)
    assert await rules(world) == ["ping_failed"]
    who: dict[str, Any] = {"project_id": world.project, "ref": "backup", "actor": "user:ann"}
    if way == "delete":
        await world.store.transact(pings.delete_ping, **who)
    else:
        await world.store.transact(pings.pause_ping, until=None, **who)
        await hear(world, FAIL)
    assert await rules(world) == []
    if way == "pause":
        await world.store.transact(pings.resume_ping, **who)
        await hear(world, FAIL)
        assert await rules(world) == ["ping_failed"]


async def test_it_survives_the_evaluation_of_all_other_rules_and_another_scheduler(world: World):
    await make(world)
    await hear(world, SUCCESS)
    first = await world.later(minutes=71)
    await look(first)
    second = await world.later(minutes=90)  # has taken over
    for _ in range(2):
        await evaluate(second)
    await evaluate(await world.later(hours=3))
    assert await look(second) == 0
    assert [rule for rule in await rules(second) if rule.startswith("ping")] == ["ping_late"]
    assert (await find(second)).standing.reason == "late"


async def test_several_schedulers_at_once_open_it_once(world: World):
    for number in range(10):
        await make(world, f"p{number}")
        await hear(world, SUCCESS, f"p{number}")
    crowd = [await world.later(hours=2) for _ in range(4)]
    counts = await asyncio.gather(*(look(one) for one in crowd))
    while sum(counts) < 10:
        counts.append(await look(crowd[0]))
    assert await rules(crowd[0]) == ["ping_late"] * 10


async def test_an_up_ping_costs_no_statement_about_alerts(world: World):
    from tests.contract.cost import counted

    await make(world)
    await hear(world, SUCCESS)
    seen, meter = await counted(world, 1)
    await hear(seen, Signal("success", rid="x"))
    asked = [sql for sql in meter.round_trips if sql not in ("BEGIN", "COMMIT")]
    assert not [sql for sql in asked if "alerts" in sql]
    assert len(asked) <= 6


async def test_one_that_goes_up_and_down_for_days_leaves_few_alerts(world: World):
    """The URL lets anyone do that, several times a second."""
    await make(world)
    await hear(world, FAIL)
    await hear(world, SUCCESS)
    (first,) = await alerts(world, "cleared")
    await copy(world, "alerts", first.id, KEPT_FLAPS + 50, flaps=str(KEPT_FLAPS))
    watched, notes = await noted(world)
    later = await watched.later(seconds=1)
    await hear(later, FAIL)
    await hear(later, SUCCESS)
    await hear(watched, FAIL)
    assert notes.rows < 20, "not all that ever cleared is read"
    assert len(await alerts(world, "cleared")) <= KEPT_FLAPS + 1
