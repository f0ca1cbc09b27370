"""Remote work cannot be stopped from here: when a worker is suspended, the service it called goes on, and the next
attempt calls again meanwhile. That is not promised away, but counted; all else holds."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from aiohttp import web

from tests.faults.scenario import SERVERS, scenario
from tests.faults.scenarios.workers import begun_again, held_by, now, one_at_work, over
from tests.faults.stage import Stage
from tests.integration.cluster.cluster import Row

RUNS = 6


@asynccontextmanager
async def called(stage: Stage, seconds: float) -> AsyncIterator[Row]:
    """A service that takes its time and writes down when it was called and when it was done; the target that calls."""

    def note(request: web.Request, step: str) -> None:
        run_id, attempt = request.headers["x-run"], request.headers["x-attempt"]
        with stage.oracle.path.open("a") as file:
            file.write(f"{run_id} {attempt} {step} 0 {now()}\n")

    async def work(request: web.Request) -> web.Response:
        note(request, "start")
        await stage.pass_by(seconds)
        note(request, "end")
        return web.Response()

    app = web.Application()
    app.router.add_post("/", work)
    runner = web.AppRunner(app, handler_cancellation=False)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    try:
        headers = {"X-Run": "{{ run.id }}", "X-Attempt": "{{ run.attempt }}"}
        url = f"http://127.0.0.1:{runner.addresses[0][1]}/"
        yield {"kind": "http", "method": "POST", "url": url, "headers": headers}
    finally:
        await runner.cleanup()


@scenario(
    "worker-paused-http",
    "a worker sleeps for three leases while services that it called are at work; they are called again meanwhile",
    kinds=SERVERS,
    rounds=3,
    within=120,
)
async def worker_paused_http(stage: Stage) -> None:
    stage.checker.overlaps_allowed = True
    executors = {"HORAE_EXECUTORS": "http,python,script"}
    await stage.cluster.start_scheduler()
    workers = await stage.cluster.start_workers(2, **executors)
    target = await stage.keep(called(stage, 1.5 * stage.lease))
    for _ in stage.rounds():
        before = len(stage.oracle.notes("start"))
        runs = await stage.ask_for(RUNS, target)
        await stage.noted("start", count=before + RUNS)
        sleeper = await one_at_work(stage, workers)
        since = now()
        sleeper.pause()
        await begun_again(stage, await held_by(stage, sleeper), since)
        await stage.pass_by(max(0.0, 3 * stage.lease - (now() - since)))
        sleeper.resume()
        await over(stage, runs)
