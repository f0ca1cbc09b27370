"""Leases: renewed in time, given up in time; cancels."""

from __future__ import annotations

import os
import signal

from horae.conformance.check import check
from horae.conformance.controller import HEARTBEAT, LEASE
from horae.conformance.runs import HandedRun, script
from horae.conformance.stage import Stage, Violated

_DEAD = "(processes ended, no more effects) before the lease is over."


@check("renew", "`POST /api/v1/worker/renew`, every `heartbeat_seconds` while runs are held")
async def renew(stage: Stage) -> None:
    await stage.start()
    run = await stage.carried_out(script(f"sleep {2 * LEASE}"), "succeeded")
    renewals = [request for request in stage.controller.of("renew") if _holds(request.body, run)]
    if len(renewals) < 2 * LEASE / HEARTBEAT / 3:
        raise Violated(f"it renewed {len(renewals)} times in {2 * LEASE:g} s, told to every {HEARTBEAT:g} s")


def _holds(body: dict[str, list[dict[str, str]]], run: HandedRun) -> bool:
    return any(held["id"] == run.id and held["token"] == run.token for held in body["runs"])


@check("renew-unreported", "those that are over and not yet reported")
async def renew_unreported(stage: Stage) -> None:
    stage.controller.misbehave("report", times=4, status=503, kind="unavailable", retry_after=1)
    await stage.start()
    run = await stage.carried_out(script("echo hello"), "succeeded")
    if not any(_holds(request.body, run) for request in stage.controller.of("renew")):
        raise Violated("it did not renew a run that was over and not yet reported")


@check("renew-repeated", "so that there is time for another try")
async def renew_repeated(stage: Stage) -> None:
    fault = stage.controller.misbehave("renew", hang=True)
    await stage.start()
    await stage.carried_out(script(f"sleep {1.5 * LEASE}"), "succeeded")
    if fault.times:
        raise Violated("it did not renew at all")


@check("cancel", "someone asked to cancel these: stop them, report `cancelled`")
async def cancel(stage: Stage) -> None:
    await stage.start()
    run = stage.controller.queue(script(stage.beating()))
    await stage.alive(run)
    run.cancelled = True
    await stage.ended(run)
    if run.outcome is None or run.outcome["kind"] != "cancelled":
        raise Violated(f"it reported {run.outcome}")
    await stage.dead(0, "processes of the run were still alive after it was reported as cancelled")


@check("lost", "you do not hold these any more: end them at once, report nothing.")
async def lost(stage: Stage) -> None:
    await stage.start()
    run = stage.controller.queue(script(stage.beating()))
    await stage.alive(run)
    run.lost = True
    before = len(stage.controller.of("renew"))
    await stage.until(lambda: len(stage.controller.of("renew")) > before, "renew")
    await stage.dead(stage.controller.of("renew")[before].at + 2, "two seconds after it was lost, its script was alive")
    if run.sent_outcomes:
        raise Violated("it reported an outcome of a run that was lost")
    await stage.carried_out(script("echo and now something else"), "succeeded")


async def _dies_with_its_lease(stage: Stage, run: HandedRun) -> None:
    await stage.dead(run.lease_until, "its script was still running when the lease was over")
    if run.outcome is not None:
        raise Violated("an outcome of the run was reported")


@check("lease-over", f"An attempt that could not be renewed in time must be *dead* {_DEAD}")
async def lease_over(stage: Stage) -> None:
    stage.controller.misbehave("renew", times=1_000, status=503, kind="unavailable")
    await stage.start()
    run = stage.controller.queue(script(stage.beating()))
    await stage.alive(run)
    await _dies_with_its_lease(stage, run)
    if run.sent_outcomes:
        raise Violated("it reported an outcome of a run whose lease was over")


@check("lease-over-silence", "No answer (refused, reset, timed out) is treated like 503.")
async def lease_over_silence(stage: Stage) -> None:
    stage.controller.misbehave("renew", times=1_000, hang=True)
    await stage.start()
    run = stage.controller.queue(script(stage.beating()))
    await stage.alive(run)
    await _dies_with_its_lease(stage, run)


@check("agent-killed", "Another worker may start the run at that moment.")
async def agent_killed(stage: Stage) -> None:
    await stage.start()
    run = stage.controller.queue(script(stage.beating()))
    await stage.alive(run)
    stage.agent.kill()
    await _dies_with_its_lease(stage, run)


@check("agent-stopped", "A run belongs to whoever holds its token, for as long as its lease is valid.")
async def agent_stopped(stage: Stage) -> None:
    await stage.start()
    run = stage.controller.queue(script(stage.beating()))
    await stage.alive(run)
    os.kill(stage.agent.pid, signal.SIGSTOP)
    await _dies_with_its_lease(stage, run)
    os.kill(stage.agent.pid, signal.SIGCONT)
    await stage.during(1, lambda: run.outcome, "it reported an outcome that it had no lease for")
