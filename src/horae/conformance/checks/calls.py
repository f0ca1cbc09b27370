"""Targets of kind `http`: statuses, time limits, callbacks, and where calls may not go."""

from __future__ import annotations

from horae.conformance.check import check
from horae.conformance.checks.scripts import expect
from horae.conformance.runs import call, result_of
from horae.conformance.stage import Stage, Violated

_PAGE = "targets/http.md"


@check("http-success", "An answer with an expected status is success.", needs="http", page=_PAGE)
async def success(stage: Stage) -> None:
    await stage.start()
    run = await stage.carried_out(
        call(
            f"{stage.site_url}/echo",
            method="POST",
            input='{"n": 1}',
            headers={"X-Run": "{{ run.id }}"},
            auth={"bearer": "{{ secrets.KEY }}"},
            secrets={"KEY": "very-secret-value"},
        ),
        "succeeded",
    )
    expect(run, response_code=200)
    _, headers, body = stage.site.calls[0]
    wanted = {"X-Run": run.id, "Authorization": "Bearer very-secret-value", "Idempotency-Key": run.id}
    for name, value in wanted.items():
        if headers.get(name) != value:
            raise Violated(f"the call's header {name} is {headers.get(name)!r}")
    if body != b'{"n": 1}' or '"told": "hello"' not in result_of(run).get("body", ""):
        raise Violated(f"the call had the body {body!r}, and the result is {result_of(run)}")


@check("http-not-found", "every other answer is a permanent failure.", needs="http", page=_PAGE)
async def not_found(stage: Stage) -> None:
    await stage.start()
    run = await stage.carried_out(call(f"{stage.site_url}/status/404"), "failed")
    expect(run, response_code=404, permanent=True)


@check("http-retry-after", "what a server asked for", needs="http")
async def retry_after(stage: Stage) -> None:
    await stage.start()
    run = await stage.carried_out(call(f"{stage.site_url}/status/503"), "failed")
    expect(run, response_code=503, retry_after=7)
    if (run.outcome or {}).get("permanent"):
        raise Violated("a 503 is not permanent")


@check("http-timeout", "which the agent enforces", needs="http")
async def timeout(stage: Stage) -> None:
    await stage.start()
    await stage.carried_out(call(f"{stage.site_url}/slow", timeout=1.0), "timed_out")


@check("http-callback", "`parked` (a call answered 202: `park_for` is required)", needs="http")
async def callback(stage: Stage) -> None:
    await stage.start()
    address = "https://horae.example/callback/abc"
    run = await stage.carried_out(
        call(f"{stage.site_url}/status/202", method="POST", callback={"timeout": 90.0}, callback_url=address), "parked"
    )
    expect(run, park_for=90, response_code=202)
    if stage.site.calls[0][1].get("Horae-Callback-Url") != address:
        raise Violated("the call had no Horae-Callback-Url")


@check(
    "http-private",
    "Private addresses are refused unless `HORAE_HTTP_ALLOW_PRIVATE` is true",
    needs="http",
    page=_PAGE,
)
async def private(stage: Stage) -> None:
    await stage.start(HORAE_HTTP_ALLOW_PRIVATE="false")
    run = await stage.carried_out(call(f"{stage.site_url}/echo"), "failed")
    expect(run, permanent=True)
    if stage.site.calls:
        raise Violated("it called a private address (HORAE_HTTP_ALLOW_PRIVATE=false)")


@check("http-metadata", "cloud metadata services always, in any notation.", needs="http", page=_PAGE)
async def metadata(stage: Stage) -> None:
    await stage.start()
    for url in ("http://169.254.169.254/latest/", "http://[::ffff:169.254.169.254]/", "http://[64:ff9b::a9fe:a9fe]/"):
        expect(await stage.carried_out(call(url, timeout=5.0), "failed"), permanent=True)
    followed = call(f"{stage.site_url}/to-metadata", timeout=5.0)
    followed.target = {**followed.target, "follow_redirects": True}
    expect(await stage.carried_out(followed, "failed"), permanent=True)
