"""Registration, versions, and keys."""

from __future__ import annotations

from horae.conformance.check import check
from horae.conformance.runs import script
from horae.conformance.stage import Stage, Violated


@check("register", "An agent registers once, then does three things at the same time", needs="")
async def register(stage: Stage) -> None:
    await stage.start()
    await stage.until(lambda: stage.controller.of("claim"), "register and claim")
    first, *rest = stage.controller.received
    if first.verb != "register" or any(request.verb == "register" for request in rest):
        raise Violated(f"the first requests were {[request.verb for request in stage.controller.received[:3]]}")
    if 1 not in first.body["protocols"]:
        raise Violated("it does not speak version 1")
    for request in stage.controller.received:
        if request.headers.get("Authorization") != f"Bearer {stage.controller.key}":
            raise Violated(f"{request.verb} has no Authorization: Bearer with the worker key")


@check("protocol-header", "`Horae-Worker-Protocol: 1`, the version (below), with every request.", needs="")
async def protocol_header(stage: Stage) -> None:
    await stage.start()
    await stage.until(lambda: stage.controller.of("claim"), "register and claim")
    for request in stage.controller.received:
        if request.headers.get("Horae-Worker-Protocol") != "1":
            raise Violated(f"{request.verb} has no Horae-Worker-Protocol: 1")


@check("register-reply-lost", "the same instance of the same key always gets the same `worker_id`", needs="")
async def register_reply_lost(stage: Stage) -> None:
    stage.controller.misbehave("register")
    await stage.start()
    await stage.until(lambda: stage.controller.of("claim"), "register again after a lost reply, and claim")
    if len({request.body["instance"] for request in stage.controller.of("register")}) != 1:
        raise Violated("it registered again with another instance")


@check("unsupported-protocol", "Register again, with one of them.")
async def unsupported_protocol(stage: Stage) -> None:
    stage.controller.misbehave("claim", status=400, kind="unsupported-protocol", more={"supported": [1]})
    await stage.start()
    await stage.until(lambda: len(stage.controller.of("register")) > 1, "register again")
    await stage.carried_out(script("echo hello"), "succeeded")


@check("unknown-worker", "`register` again with the same `instance`, then repeat")
async def unknown_worker(stage: Stage) -> None:
    stage.controller.misbehave("renew", status=404, kind="unknown-worker")
    await stage.start()
    await stage.carried_out(script("sleep 2"), "succeeded")
    registered = [request.body["instance"] for request in stage.controller.of("register")]
    if len(registered) < 2 or len(set(registered)) != 1:
        raise Violated(f"it registered {len(registered)} times, with {len(set(registered))} instances")


@check("key-revoked", "end all attempts at once, without reporting them: their runs were given to others.")
async def key_revoked(stage: Stage) -> None:
    await stage.start()
    run = stage.controller.queue(script(stage.beating()))
    await stage.alive(run)
    stage.front.revoked = True
    before = len(stage.controller.received)
    await stage.until(lambda: len(stage.controller.received) > before, "send a request")
    await stage.dead(stage.controller.received[before].at + 2, "two seconds after 401 its script was still running")
    if any(
        outcome["id"] == run.id
        for request in stage.controller.received[before:]
        for outcome in request.body.get("outcomes", [])
    ):
        raise Violated("it reported an outcome of the run after 401")


@check("key-revoked-pause", "Do not repeat more often than every 30 s", needs="")
async def key_revoked_pause(stage: Stage) -> None:
    await stage.start()
    await stage.until(lambda: stage.controller.of("claim"), "register and claim")
    stage.front.revoked = True
    stage.controller.drain = True  # answers the claim that is open
    stage.controller.changed.set()
    before = len(stage.controller.received)
    await stage.during(
        4,
        lambda: len(stage.controller.received) > before + 3,  # one of each loop may be under way
        "it sent more than three requests within four seconds after 401",
    )
