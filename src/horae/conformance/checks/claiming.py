"""Claims: long polls, lost replies, slots, and what claims hand over."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta
from itertools import pairwise

from horae.conformance.check import check
from horae.conformance.controller import LEASE
from horae.conformance.runs import HandedRun, script
from horae.conformance.stage import Stage, Violated


@check(
    "long-poll", "Answer 200, at once if runs are due, else as soon as some are, or with no runs after `wait` seconds"
)
async def long_poll(stage: Stage) -> None:
    await stage.start()
    await stage.until(lambda: stage.controller.of("claim"), "claim")
    before = len(stage.controller.of("claim"))
    await stage.during(
        3, lambda: len(stage.controller.of("claim")) > before + 3, "an idle agent claims again and again within 3 s"
    )
    await stage.carried_out(script("echo hello"), "succeeded")


@check("keep-alive", "HTTP/1.1 with keep-alive")
async def keep_alive(stage: Stage) -> None:
    await stage.start()
    for _ in range(4):
        await stage.carried_out(script("echo hello"), "succeeded")
    requests = stage.controller.received
    if (connections := len({request.connection for request in requests})) > len(requests) / 2:
        raise Violated(f"it made {connections} connections for {len(requests)} requests")


@check("claim-reply-lost", "Use it again, with `again: true`, until an answer has arrived")
async def claim_reply_lost(stage: Stage) -> None:
    stage.controller.misbehave("claim", when=lambda request, answer: bool(answer.get("runs")))
    await stage.start()
    proof = stage.folder / "proof"
    run = await stage.carried_out(script(f"echo once >> {proof}"), "succeeded")
    claims = [request.body for request in stage.controller.of("claim") if request.body["token"] == run.token]
    if len(claims) < 2 or not claims[1].get("again"):
        raise Violated("the claim was not repeated with the same token and again: true")
    if proof.read_text() != "once\n" or len(run.sent_outcomes) != 1:
        raise Violated("the run was executed or reported more than once")


@check("claim-tokens", "take a new one for the next claim", needs="script")
async def claim_tokens(stage: Stage) -> None:
    await stage.start()
    for _ in range(3):
        await stage.carried_out(script("echo hello"), "succeeded")
    fresh = [request.body["token"] for request in stage.controller.of("claim") if not request.body.get("again")]
    if len(set(fresh)) != len(fresh):
        raise Violated("a token was used for two claims without again: true")


@check("slots", "free slots: at most so many runs are wanted")
async def slots(stage: Stage) -> None:
    await stage.start()
    await stage.until(lambda: stage.controller.of("register"), "register")
    total = stage.controller.of("register")[0].body["slots"]
    runs = [stage.controller.queue(script("sleep 1")) for _ in range(min(total, 8) + 2)]
    for run in runs:
        await stage.ended(run)
    for claim in stage.controller.of("claim"):
        if claim.body["slots"] + claim.body.get("busy", 0) > total:
            raise Violated(f"it asked for {claim.body['slots']} with {claim.body.get('busy')} of {total} slots busy")
    if any(run.outcome is None for run in runs):
        raise Violated("it released runs that it had asked for")


@check("unknown-fields", "Unknown fields of an answer are ignored;")
async def unknown_fields(stage: Stage) -> None:
    stage.controller.future = True
    await stage.start()
    await stage.carried_out(script("sleep 1; echo hello"), "succeeded")


@check("unreadable-field", "(a field or a target that it does not know)")
async def unreadable_field(stage: Stage) -> None:
    await _unreadable(stage, {"kind": "script", "source": "echo hello", "of_the_future": {"must": "know"}})


@check("unreadable-target", "it [releases](#release) the run with `unreadable`")
async def unreadable_target(stage: Stage) -> None:
    await _unreadable(stage, {"kind": "teleport", "destination": "the future"})


async def _unreadable(stage: Stage, target: dict[str, object]) -> None:
    await stage.start()
    run = stage.controller.queue(HandedRun(target))
    await stage.ended(run)
    if run.released is None or not run.released.get("unreadable"):
        raise Violated(f"it did not release the run with unreadable, but reported {run.outcome}")
    await stage.carried_out(script("echo and now something else"), "succeeded")


@check("secrets-fault", "the secrets are not available: do not start the run, report it as `failed` with this")
async def secrets_fault(stage: Stage) -> None:
    await stage.start()
    proof = stage.folder / "proof"
    run = await stage.carried_out(
        script(f"echo started > {proof}", fault={"error": "no secret named KEY", "permanent": True}), "failed"
    )
    told = run.outcome or {}
    if "no secret named KEY" not in (told.get("error") or "") or not told.get("permanent"):
        raise Violated(f"it reported {told.get('error')!r}, permanent: {told.get('permanent')}")
    if proof.exists():
        raise Violated("it started the run")


@check("compression", "Requests may have `Content-Encoding: gzip`.")
async def compression(stage: Stage) -> None:
    await stage.start()
    filler = "# some words that can be compressed well\n" * 4_000
    await stage.carried_out(script(f"{filler}\nfor i in $(seq 5000); do echo line $i of many; done"), "succeeded")


@check("clock", "Your clock may be an hour off.")
async def clock(stage: Stage) -> None:
    stage.front.clock_off = 3_600
    await stage.start()
    at = (datetime.fromtimestamp(time.time(), UTC) + timedelta(hours=1)).isoformat()
    run = await stage.carried_out(script(f"sleep {LEASE + 1}; date", scheduled_for=at), "succeeded")
    if any(chunk["ms_ago"] > 60_000 for chunk in run.chunks.values()):
        raise Violated("the age of a chunk was computed with the server's clock")


@check("too-many-requests", "repeat after `Retry-After` seconds", needs="")
async def too_many_requests(stage: Stage) -> None:
    fault = stage.controller.misbehave("claim", status=429, kind="too-many-requests", retry_after=2)
    await stage.start()
    await stage.until(lambda: fault.times == 0, "claim")
    refused = stage.controller.of("claim")[-1].at
    await stage.until(lambda: len(stage.controller.of("claim")) > 1, "claim again")
    if (pause := stage.controller.of("claim")[1].at - refused) < 1.9:
        raise Violated(f"it claimed again after {pause:.2f} s")


@check("unavailable", "repeat after `Retry-After` seconds, with back-off")
async def unavailable(stage: Stage) -> None:
    stage.controller.misbehave("claim", times=4, status=503, kind="unavailable")
    await stage.start()
    await stage.carried_out(script("echo hello"), "succeeded")
    times = [request.at for request in stage.controller.of("claim")[:5]]
    pauses = [after - before for before, after in pairwise(times)]
    if pauses and (pauses[0] < 0.02 or sum(pauses) < 0.5):
        raise Violated(f"it claimed again after {', '.join(f'{pause:.2f} s' for pause in pauses)}")
