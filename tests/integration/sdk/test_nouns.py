"""Every noun and every verb, by both clients, against a running Horae."""

from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest

import horae
from horae import errors
from horae.clock import SystemClock
from horae.domain.people import totp
from tests.integration.sdk.callers import Caller, calling
from tests.unit.sdk.surface import methods
from tests.waiting import until

pytestmark = [pytest.mark.slow, pytest.mark.sqlite]
SCRIPT = {"kind": "script", "source": "echo hello"}
ONCE = {"max_attempts": 1}


@pytest.mark.parametrize("kind", [horae.Client, horae.AsyncClient])
async def test_every_method(up: tuple[str, str], kind: Callable[..., Any]) -> None:
    async with calling(kind, *up) as call:
        await jobs(call)
        await runs(call)
        await dead_letters(call)
        await channels(call)
        await sinks(call)
        await people(call, up[0])
        await second_factor(call, up[0])
        await installation(call)
        assert {method.name for method in methods()} - call.called == {"call_back"}  # which a run's program calls


async def ended(call: Caller, run: str) -> Any:
    async def over() -> Any:
        found = await call("runs.get", run)
        return found if found.finished_at else None

    return await until(over, timeout=30)


async def jobs(call: Caller) -> None:
    made = await call("jobs.create", name="a", target=SCRIPT, schedule={"cron": "0 */6 * * *"}, tags=["all"])
    assert (made.name, made.version, made.status) == ("a", 1, "scheduled")
    with pytest.raises(errors.Conflict):
        await call("jobs.create", name="a", target=SCRIPT)
    with pytest.raises(errors.InvalidInput) as refused:
        await call("jobs.create_recurring", name="b", target=SCRIPT)
    assert refused.value.field == "schedule"
    await call("jobs.create_recurring", name="b", target=SCRIPT, schedule={"every": "1h"})
    assert [job.name for job in await call("jobs.list", tag="all")] == ["a"]
    assert (await call("jobs.pause", "a", until=SystemClock().now() + timedelta(hours=1))).status == "paused"
    assert [job.name for job in await call("jobs.list", paused=True)] == ["a"]
    assert (await call("jobs.resume", "a")).paused is False
    assert (await call("jobs.disable", "a")).enabled is False
    assert (await call("jobs.enable", "a")).enabled is True
    assert (await call("jobs.edit", "a", version=1, schedule={"every": "1h"})).version == 2
    with pytest.raises(errors.StaleVersion):
        await call("jobs.edit", "a", version=1, priority=1)
    assert [one.version for one in await call("jobs.versions", "a")] == [2, 1]
    assert (await call("jobs.version", "a", 2)).changes[0]["path"] == "schedule"
    assert (await call("jobs.rollback", "a", 1, version=2)).version == 3
    assert len((await call("jobs.next", "a", 3)).occurrences) == 3
    assert (await call("jobs.explain", "a")).gates
    assert (await call("explain", "a")).summary
    day = {"start": datetime(2020, 3, 1, tzinfo=UTC), "end": datetime(2020, 3, 2, tzinfo=UTC)}
    assert (await call("jobs.backfill", "a", **day, dry_run=True)).total == 5
    operation = await call("jobs.backfill", "a", **day)
    assert (await call("operations.get", operation.id)).total == 5
    assert operation.id in [one.id for one in await call("operations.list")]
    with suppress(errors.Conflict):  # it may be done by now
        await call("operations.cancel", operation.id)
    assert (await call("jobs.replace", "b", {"name": "b2", "target": SCRIPT})).name == "b2"
    assert await call("jobs.delete", "b2") is None
    with pytest.raises(errors.NotFound):
        await call("jobs.get", "b2")


async def runs(call: Caller) -> None:
    run = await call("jobs.run", "a", input={"n": 1}, priority=7)
    events = await call("runs.follow", run.id)
    assert (events[-1][0], events[-1][1]["status"]) == ("end", "succeeded")
    assert "".join(piece.text for piece in await call("runs.log", run.id)) == "hello\n"
    assert await call("runs.log_text", run.id) == "hello\n"
    assert isinstance(await call("runs.attempts", run.id), list)
    assert (await call("runs.explain", run.id)).timeline
    assert "timeline" in await call("explain", run.id)
    again = await call("runs.retry", run.id)
    assert (again.rerun_of, again.input) == (run.id, {"n": 1})
    later = await call("jobs.run", "a", run_at=SystemClock().now() + timedelta(days=1))
    assert (await call("runs.cancel", later.id)).status == "cancelled"
    many = await call("jobs.run_many", "a", [{"input": n} for n in range(250)])
    listed = await call("runs.list", job="a", limit=None)
    assert len(listed) == len({one.id for one in listed}) >= 253
    assert {one.id for one in many} < {one.id for one in listed}
    assert len(await call("jobs.runs", "a", sort="created_at", limit=201)) == 201
    assert (await call("jobs.stats", "a")).job_id == run.job_id
    assert (await call("runs.recover")).keys() == {"recovered"}


async def dead_letters(call: Caller) -> None:
    await call("jobs.create", name="bad", target={"kind": "script", "source": "exit 3"}, retry=ONCE, priority=9)
    first, second = [await ended(call, (await call("jobs.run", "bad")).id) for _ in range(2)]
    assert (first.status, first.exit_code) == ("failed", 3)
    assert (await call("jobs.retry", "bad")).rerun_of == second.id
    (group,) = await call("dead_letters.groups", job="bad")
    assert first.id in [letter.id for letter in await call("dead_letters.list", fingerprint=group.fingerprint)]
    operation = await call("dead_letters.redrive", [first.id])
    assert (operation.kind, operation.total) == ("redrive", 1)
    assert (await call("dead_letters.discard", filter={"job": "bad"}, reason="known")).kind == "discard"
    await call("jobs.delete", "bad")


async def channels(call: Caller) -> None:
    mail = {"kind": "email", "to": ["ops@example.org"]}
    made = await call("channels.create", "ops", mail, severity="warning")
    assert (made.kind, made.address, made.signing_key) == ("email", "ops@example.org", None)
    assert (await call("channels.get", "ops")).id == made.id
    assert (await call("channels.edit", "ops", digest="5m")).digest == 300
    assert [one.name for one in await call("channels.list")] == ["ops"]
    delivery = await call("channels.test", "ops")
    assert [one.id for one in await call("channels.deliveries", "ops")] == [delivery.id]
    assert await call("channels.delete", "ops") is None


async def sinks(call: Caller) -> None:
    hook = {"kind": "webhook", "url": "http://127.0.0.1:9/hook", "batch": 5}
    made = await call("sinks.create", "lake", hook, types=["run.ended"])
    assert (made.kind, made.types, made.signing_key[:6]) == ("webhook", ["run.ended"], "whsec_")
    assert (await call("sinks.get", "lake")).id == made.id
    assert (await call("sinks.edit", "lake", keep_for="1h")).keep_for == 3_600
    assert [one.name for one in await call("sinks.list")] == ["lake"]
    assert (await call("sinks.test", "lake")).sink["name"] == "lake"
    await call("sinks.delete", "lake")


async def people(call: Caller, url: str) -> None:
    red, blue = (f"{colour}-{type(call.client).__name__.lower()}" for colour in ("red", "blue"))
    user = await call("users.create", "ada", "correct horse battery")
    assert (await call("users.get", "ada")).id == user.id
    assert (await call("users.change", "ada", is_active=True)).is_active
    assert "ada" in [one.username for one in await call("users.list")]
    await call("projects.create", red, name="Red")
    assert (await call("projects.rename", red, "Very red")).name == (await call("projects.get", red)).name
    assert red in [one.slug for one in await call("projects.list")]
    assert (await call("projects.set_member", red, "ada", "viewer")).role == "viewer"
    assert [member.username for member in await call("projects.members", red)] == ["ada"]
    invited = await call("projects.invite", red, "editor", note="for Grace")
    assert [one.id for one in await call("projects.invitations", red)] == [invited.id]
    async with calling(type(call.client), url) as stranger:
        await stranger("account.sign_up", "grace", "correct horse battery", token=invited.token)
        tokens = await stranger("account.sign_in", "grace", "correct horse battery")
        tokens = await stranger("account.refresh", tokens.refresh_token)
        assert (await stranger("account.start")).password
        device = await stranger("account.begin_device", "a toaster")
        assert (await stranger("account.poll_device", device.device_code)).status == "authorization_pending"
    async with calling(type(call.client), url, tokens.access_token, project=red) as grace:
        assert [place["slug"] for place in (await grace("account.me")).projects] == [red]
        with pytest.raises(errors.NotAllowed):
            await grace("users.list")
        assert (await grace("account.device", device.user_code)).client == "a toaster"
        await grace("account.decide_device", device.user_code, False)
        await grace("account.change_password", "correct horse battery", "another long password")
        await call("projects.create", blue)
        invited = await call("projects.invite", blue, "viewer")
        assert (await grace("account.join", invited.token)).slug == blue
        await grace(
            "account.sign_out", (await grace("account.sign_in", "grace", "another long password")).refresh_token
        )
        kept = await grace("account.sign_in", "grace", "another long password")
        await grace("account.sign_out_everywhere")
        with pytest.raises(errors.HoraeError):
            await grace("account.refresh", kept.refresh_token)
        await call("users.sign_out", "grace")
        call.called |= grace.called | stranger.called
    assert (await call("projects.set_quotas", red, jobs=3)).jobs.limit == 3
    assert (await call("projects.quotas", red)).jobs.used == 0
    assert (await call("projects.own_quotas")).jobs.limit is None
    unused = await call("projects.invite", red, "viewer")
    await call("projects.revoke_invitation", red, unused.id)
    await call("projects.remove_member", red, "ada")
    key = await call("keys.create", "ci", "operator")
    assert key.id in [one.id for one in await call("keys.list")]
    async with calling(type(call.client), url, key.token) as machine:
        assert (await machine("account.me")).kind == "key"
    await call("keys.revoke", key.id)
    for name in ("ada", "grace"):
        await call("users.delete", name)
    for slug in (red, blue):
        await call("projects.delete", slug)


async def pings(call: Caller) -> None:
    name = "backup"
    ping = await call("pings.create", name=name, schedule={"every": "1h"}, grace="10m")
    assert (await call("pings.edit", name, version=1, grace=60)).grace == 60
    assert [one.id for one in await call("pings.list", state="new")] == [ping.id]
    assert (await call("pings.counts")).new == 1
    assert (await call("pings.pause", name, until="2099-01-01T00:00:00Z")).state == "paused"
    assert (await call("pings.resume", name)).state == "new"
    rotated = await call("pings.rotate", name)
    assert rotated.url != ping.url
    async with httpx.AsyncClient() as job:
        assert (await job.post(f"{rotated.url}/3", content=b"no space left")).text == "OK"
    assert [event.exit_code for event in await call("pings.events", name)] == [3]
    assert (await call("pings.event", name, 1)).body == "no space left"
    badge = await call("badges.create", kind="ping", subject=name, label="backup")
    assert [one.id for one in await call("badges.list", kind="ping", subject=name)] == [badge.id]
    async with httpx.AsyncClient() as reader:
        assert "failing" in (await reader.get(badge.url)).text
    await call("badges.delete", badge.id)
    assert (await call("pings.get", name)).reason == "failed"
    await call("pings.delete", name)


async def installation(call: Caller) -> None:
    await call("secrets.set", "TOKEN", "s3cret")
    assert "s3cret" not in str(await call("secrets.list"))
    await call("secrets.delete", "TOKEN")
    assert "horae.echo" in [function.name for function in await call("functions.list")]
    assert (await call("functions.create", "pack", "shop.tasks.pack")).handler_path == "shop.tasks.pack"
    await call("functions.delete", "pack")
    await call("functions.edit", "horae.echo", display_name="Echo it")
    assert (await call("functions.get", "horae.echo")).display_name == "Echo it"
    with pytest.raises(errors.Conflict):
        await call("functions.delete", "horae.echo")
    assert (await call("queues.pause", "default")).paused
    assert [queue.paused for queue in await call("queues.list") if queue.name == "default"] == [True]
    assert not (await call("queues.resume", "default")).paused
    assert (await call("queues.set", "default", engine="database")).carried_by == "database"
    assert (await call("queues.reserve", "only-here", ["default"])).projects == ["default"]
    assert (await call("queues.reserve", "only-here", [])).projects == []
    assert (await call("alerts.configure", late="30m")).late == 1800
    assert (await call("alerts.configure", late=None)) == await call("alerts.settings")
    assert (await call("alerts.summary")).alerts["open"] == len([*await call("alerts.list", state="open")])
    for verb, how in (("get", {}), ("ack", {"note": "mine"}), ("silence", {"lasting": "1h"})):
        with pytest.raises(errors.NotFound):
            await call(f"alerts.{verb}", "01a1de05-bc6e-7493-ac17-5c90c59c6a0f", **how)
    await pings(call)
    assert len(await call("schedulers")) == 1
    (worker,) = await call("workers")
    with pytest.raises(errors.NotFound):
        await call("drain", "00000000-0000-7000-8000-000000000000")
    assert (await call("worker_numbers"))["items"][0]["id"] == worker.id
    assert (await call("stranded"))["items"] == []
    assert len((await call("hours", hours=2))["items"]) == 2
    assert len((await call("days", days=3))["items"]) == 3
    assert set((await call("series", "ended,lateness"))["points"][0]) == {"at", "ended", "lateness"}
    assert (await call("numbers"))["jobs"]["total"] >= 1
    assert (await call("health")).status == "healthy"
    assert "horae_runs_total" in await call("metrics")
    assert "job.create" in [entry.action for entry in await call("audit", since="2020-01-01T00:00:00Z", limit=None)]
    assert len((await call("preview", {"every": "2h"}, 3, compare={"every": "1h"})).occurrences) == 3
    assert (await call("calendar", by="hour"))["complete_until"]
    assert await call("events", kind="job", seconds=0) == []
    await call("jobs.delete", "a")


async def second_factor(call: Caller, url: str) -> None:
    """Of an admin, who must have one here."""
    name, password = f"hopper-{type(call.client).__name__.lower()}", "correct horse battery"
    for admin in (name, f"other-{name}"):  # the last one stays
        await call("users.create", admin, password, is_admin=True)
    async with calling(type(call.client), url) as stranger:
        with pytest.raises(errors.SecondFactorNeeded) as needed:
            await stranger("account.sign_in", name, password)
        assert needed.value.enrol
        app = await stranger("second_factor.enrol_at_sign_in", needed.value.challenge)
        tokens = await stranger("second_factor.confirm_at_sign_in", needed.value.challenge, code_of(app))
        with pytest.raises(errors.SecondFactorNeeded) as needed:
            await stranger("account.sign_in", name, password)
        assert not needed.value.enrol
        with pytest.raises(errors.NotSignedIn, match="wrong"):
            await stranger("second_factor.sign_in", needed.value.challenge, "not a code")
        used = tokens.recovery_codes[0]
        assert (await stranger("second_factor.sign_in", needed.value.challenge, used)).access_token
    async with calling(type(call.client), url, tokens.access_token) as hopper:
        assert (await hopper("second_factor.state")).recovery_codes_left == 9
        app = await hopper("second_factor.enrol", password, code=tokens.recovery_codes[1])
        codes = (await hopper("second_factor.confirm", code_of(app))).recovery_codes
        codes = (await hopper("second_factor.new_recovery_codes", password, codes[0])).recovery_codes
        with pytest.raises(errors.Conflict, match="requires"):
            await hopper("second_factor.turn_off", password, codes[0])
        await call("users.change", name, is_admin=False)

        async def turned_off() -> Any:
            """Once the server knows that they are no longer an admin."""
            with suppress(errors.Conflict):
                await hopper("second_factor.turn_off", password, codes[0])
                return True
            return False

        await until(turned_off, timeout=10)
        call.called |= hopper.called | stranger.called
    await call("users.reset_second_factor", name)
    assert not (await call("users.get", name)).second_factor
    await call("users.delete", name)


def code_of(app: Any) -> str:
    return totp.code_at(totp.read(app.secret), totp.step_at(SystemClock().now()))
