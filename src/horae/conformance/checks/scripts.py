"""Targets of kind `script`: what they get, and what their ends mean."""

from __future__ import annotations

from horae.conformance.check import check
from horae.conformance.runs import HandedRun, result_of, script
from horae.conformance.stage import Stage, Violated

_PAGE = "targets/script.md"


@check("script-success", "Exit code 0 is success.", page=_PAGE)
async def success(stage: Stage) -> None:
    await stage.start()
    source = 'read -r given; printf \'{"given": %s, "run": "%s"}\' "$given" "$HORAE_RUN_ID" > $HORAE_RESULT'
    run = await stage.carried_out(script(source, input='{"n": 1}'), "succeeded")
    expect(run, exit_code=0)
    if result_of(run) != {"given": {"n": 1}, "run": run.id}:
        raise Violated(f"the result is {run.outcome and run.outcome.get('result')}")


def expect(run: HandedRun, **fields: object) -> None:
    told = run.outcome or {}
    for name, value in fields.items():
        if told.get(name) != value:
            raise Violated(f"{name} is {told.get(name)!r}, expected {value!r}")


@check("script-exit-code", "what people read first. Required unless it succeeded or is parked")
async def exit_code(stage: Stage) -> None:
    await stage.start()
    expect(await stage.carried_out(script("exit 3"), "failed"), exit_code=3)


@check("script-signal", "`exit_code`, `response_code` | integer or null")
async def killed(stage: Stage) -> None:
    await stage.start()
    expect(await stage.carried_out(script("kill -KILL $$"), "failed"), exit_code=137)


@check("script-timeout", "`timed_out` (after the job's `timeout`, which the agent enforces)")
async def timeout(stage: Stage) -> None:
    await stage.start()
    run = await stage.carried_out(script(stage.beating(), timeout=1.0), "timed_out")
    await stage.dead(0, "processes of the run were still alive after it was reported as timed out")
    if (run.outcome or {}).get("duration_ms", 0) < 900:
        raise Violated(f"duration_ms is {(run.outcome or {}).get('duration_ms')}")


@check("script-stubborn", "between SIGTERM and SIGKILL, unless the job says otherwise")
async def stubborn(stage: Stage) -> None:
    await stage.start()
    await stage.carried_out(script(f"trap '' TERM; {stage.beating()}", timeout=1.0, grace=0.5), "timed_out")
    await stage.dead(0, "a script that ignores SIGTERM was not killed")


@check("script-leftovers", "Anything it leaves running when it exits is killed, too", page=_PAGE)
async def leftovers(stage: Stage) -> None:
    await stage.start()
    source = f"({stage.beating()}) & sleep 0.5; exit 0"
    await stage.carried_out(script(source), "succeeded")
    await stage.dead(0, "processes that the script left were still alive after it was reported")


@check("script-template", "Their values are templates", page=_PAGE)
async def template(stage: Stage) -> None:
    await stage.start()
    env = {"GREETING": "{{ input.name }} by {{ job.name }} in {{ run.id }}"}
    run = await stage.carried_out(script('echo "$GREETING"', env=env, input='{"name": "Ada"}'), "succeeded")
    if run.text() != f"Ada by {run.name} in {run.id}\n":
        raise Violated(f"a template was filled in as {run.text()!r}")
