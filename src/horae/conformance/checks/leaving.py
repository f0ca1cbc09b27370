"""Draining and shutting down."""

from __future__ import annotations

import asyncio
import signal

from horae.conformance.check import check
from horae.conformance.controller import AgentRequest
from horae.conformance.runs import script
from horae.conformance.stage import Stage, Violated


@check("drain", "someone asked this worker to drain: finish what you have, claim no more, keep renewing.")
async def drain(stage: Stage) -> None:
    await stage.start()
    run = stage.controller.queue(script("sleep 3; echo done"))
    await stage.until(lambda: run.token, "claim")
    stage.controller.drain = True
    stage.controller.changed.set()
    await stage.until(lambda: any(one.body.get("status") == "draining" for one in _news(stage)), "say that it drains")
    before = [claim for claim in stage.controller.of("claim") if claim.body["slots"]]
    another = stage.controller.queue(script("echo too late"))
    await stage.ended(run)
    if run.outcome is None or run.outcome["kind"] != "succeeded":
        raise Violated(f"what it had was not finished: {run.outcome}")
    renewals = len(stage.controller.of("renew"))
    await stage.until(lambda: len(stage.controller.of("renew")) > renewals, "keep renewing after it has drained")
    if another.token or len([claim for claim in stage.controller.of("claim") if claim.body["slots"]]) > len(before) + 1:
        raise Violated("it went on claiming")


def _news(stage: Stage) -> list[AgentRequest]:
    return [*stage.controller.of("claim"), *stage.controller.of("renew")]


async def _left(stage: Stage) -> None:
    try:
        await asyncio.wait_for(stage.agent.wait(), stage.patience)
    except TimeoutError:
        raise Violated(f"it did not exit within {stage.patience:g} s after SIGTERM") from None
    if not stage.controller.of("goodbye"):
        raise Violated("it left without a goodbye")
    if stage.controller.received[-1].verb != "goodbye":
        raise Violated(f"after its goodbye it sent {stage.controller.received[-1].verb}")


@check("shutdown-idle", "at the end of an orderly shutdown, after everything was reported or released", needs="")
async def shutdown_idle(stage: Stage) -> None:
    await stage.start()
    await stage.until(lambda: stage.controller.of("claim"), "claim")
    stage.agent.send_signal(signal.SIGTERM)
    await _left(stage)


@check("shutdown-claim", "from then on no claim of this worker takes anything, and the answer has what the token took.")
async def shutdown_claim(stage: Stage) -> None:
    """The reply to the claim that is open gets lost, together with the run that it took."""
    await stage.start()
    await stage.until(lambda: stage.controller.of("claim"), "claim")
    open_claim = stage.controller.of("claim")[-1].body
    stage.agent.send_signal(signal.SIGTERM)
    await stage.until(
        lambda: any(_withdraws(one.body, open_claim["token"]) for one in stage.controller.of("claim")),
        "withdraw the claim that was open",
    )
    await _left(stage)


def _withdraws(claim: dict[str, object], token: object) -> bool:
    return (
        claim["token"] == token and claim.get("status") == "draining" and not claim["slots"] and not claim.get("wait")
    )


@check("shutdown-busy", "wait for what is running and keep renewing and reporting")
async def shutdown_busy(stage: Stage) -> None:
    await stage.start()
    run = stage.controller.queue(script("sleep 3; echo done"))
    await stage.until(lambda: run.token, "claim")
    stage.agent.send_signal(signal.SIGTERM)
    await _left(stage)
    if run.outcome is None or run.outcome["kind"] not in ("succeeded", "interrupted"):
        raise Violated(f"the run that it was executing ended as {run.outcome or run.released}")
    if run.outcome["kind"] == "succeeded" and run.text() != "done\n":
        raise Violated("its output is missing")
