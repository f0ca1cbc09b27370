"""The options that describe a job: declared once, shared by the commands that create and change one."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Annotated, Any

import typer

from horae.cli.jobs.definition import Definition, Http, Python, Script, json_value
from horae.cli.terminal import completing


def describe(
    *,
    script: Annotated[str | None, typer.Option(help="Source of a script to run.")] = None,
    script_file: Annotated[
        Path | None, typer.Option(help="File with the script's source, read immediately.", dir_okay=False)
    ] = None,
    interpreter: Annotated[
        str | None,
        typer.Option(
            help="bash, sh, python or an absolute path.", autocompletion=completing.words("bash", "sh", "python")
        ),
    ] = None,
    http: Annotated[str | None, typer.Option(metavar="URL", help="A URL to call.")] = None,
    method: Annotated[
        str | None,
        typer.Option(
            help="GET, POST, PUT, PATCH, DELETE or HEAD.",
            autocompletion=completing.words("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD"),
        ),
    ] = None,
    header: Annotated[list[str] | None, typer.Option(metavar="NAME:VALUE", help="Repeatable.")] = None,
    body: Annotated[str | None, typer.Option(help="The body to send.")] = None,
    python: Annotated[
        str | None, typer.Option(metavar="FUNCTION", help="A registered function.", autocompletion=completing.functions)
    ] = None,
    celery: Annotated[
        str | None, typer.Option(metavar="TASK", help="A task of your Celery app.", autocompletion=completing.tasks)
    ] = None,
    arg: Annotated[
        list[str] | None, typer.Option(metavar="NAME=VALUE", help="An argument (JSON or text); repeatable.")
    ] = None,
    arguments: Annotated[str | None, typer.Option(metavar="JSON", help="All arguments, as an object.")] = None,
    lock: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="An argument that the input cannot override; repeatable.")
    ] = None,
    target: Annotated[
        str | None, typer.Option(metavar="JSON", help='Any target: {"kind": "container", "image": "alpine", …}.')
    ] = None,
    cron: Annotated[str | None, typer.Option(metavar="EXPR", help="Such as '0 9 * * MON-FRI'.")] = None,
    every: Annotated[str | None, typer.Option(metavar="DURATION", help="Such as 15m or 1h30m.")] = None,
    at: Annotated[str | None, typer.Option(metavar="INSTANT", help="Once: 2026-12-01T09:00:00+01:00.")] = None,
    after: Annotated[
        str | None, typer.Option(metavar="JOB", help="Run after that job ends.", autocompletion=completing.jobs)
    ] = None,
    on: Annotated[
        str | None,
        typer.Option(
            help="With --after: success, failure or any.", autocompletion=completing.words("success", "failure", "any")
        ),
    ] = None,
    manual: Annotated[bool, typer.Option("--manual", help="Only when triggered.")] = False,
    timezone: Annotated[str | None, typer.Option(metavar="ZONE", help="Such as Europe/Berlin.")] = None,
    start_at: Annotated[str | None, typer.Option(metavar="INSTANT", help="No occurrence before.")] = None,
    end_at: Annotated[str | None, typer.Option(metavar="INSTANT", help="No occurrence after.")] = None,
    max_runs: Annotated[int | None, typer.Option(help="Finish the job after this many runs.")] = None,
    jitter: Annotated[
        str | None, typer.Option(metavar="DURATION", help="Spread start times over this duration.")
    ] = None,
    blackout: Annotated[
        list[str] | None,
        typer.Option(metavar="JSON", help='Such as {"days": ["SUN"], "start": "22:00", "end": "06:00"}; repeatable.'),
    ] = None,
    dst_gap: Annotated[
        str | None,
        typer.Option(
            help="When clocks go forward: run_after or skip.", autocompletion=completing.words("run_after", "skip")
        ),
    ] = None,
    dst_fold: Annotated[
        str | None,
        typer.Option(
            help="When clocks go back: first, second or both.",
            autocompletion=completing.words("first", "second", "both"),
        ),
    ] = None,
    queue: Annotated[str | None, typer.Option(help="The queue of its runs.", autocompletion=completing.queues)] = None,
    priority: Annotated[int | None, typer.Option(help="0 to 9; 9 starts first.")] = None,
    timeout: Annotated[str | None, typer.Option(metavar="DURATION", help="Bounds one attempt.")] = None,
    max_attempts: Annotated[int | None, typer.Option(help="Including the first one.")] = None,
    backoff: Annotated[
        str | None,
        typer.Option(
            help="exponential, linear or fixed.", autocompletion=completing.words("exponential", "linear", "fixed")
        ),
    ] = None,
    delay: Annotated[str | None, typer.Option(metavar="DURATION", help="Before the second attempt.")] = None,
    description: Annotated[str | None, typer.Option(help="What it is for.")] = None,
    tag: Annotated[list[str] | None, typer.Option(help="Repeatable.")] = None,
    max_instances: Annotated[int | None, typer.Option(help="Maximum number of concurrent runs.")] = None,
    overlap: Annotated[
        str | None,
        typer.Option(
            help="skip, queue_one, queue_all, cancel_running or allow.",
            autocompletion=completing.words("skip", "queue_one", "queue_all", "cancel_running", "allow"),
        ),
    ] = None,
    catch_up: Annotated[
        str | None,
        typer.Option(help="last, all, first or none.", autocompletion=completing.words("last", "all", "first", "none")),
    ] = None,
    catch_up_window: Annotated[
        str | None, typer.Option(metavar="DURATION", help="Occurrences missed earlier than this are skipped.")
    ] = None,
    start_within: Annotated[
        str | None, typer.Option(metavar="DURATION", help="A run that has not started by then expires.")
    ] = None,
    grace: Annotated[
        str | None, typer.Option(metavar="DURATION", help="Time between asking an attempt to stop and killing it.")
    ] = None,
    keep: Annotated[
        bool | None, typer.Option("--keep/--no-keep", help="Keep a one-time job after it has finished.")
    ] = None,
    notify: Annotated[
        list[str] | None,
        typer.Option(help="A channel that is notified about the job; repeatable.", autocompletion=completing.channels),
    ] = None,
    alert: Annotated[
        str | None, typer.Option(metavar="JSON", help='When it is in trouble: {"failing": 1, "no_success_for": "26h"}.')
    ] = None,
    disabled: Annotated[bool, typer.Option("--disabled", help="Create it with its schedule disabled.")] = False,
) -> Definition:
    follows = {"job": after, "on": on}
    return Definition(
        Script(script, script_file, interpreter),
        Http(http, method, header or [], body),
        Python(python, arg or [], arguments, lock or [], celery),
        whole=target,
        when={"cron": cron, "every": every, "at": at, "after": follows, "manual": manual or None},
        timing={
            "timezone": timezone,
            "start_at": start_at,
            "end_at": end_at,
            "max_runs": max_runs,
            "jitter": ("--jitter", jitter),
            "blackouts": blackout or None,
            "dst_gap": dst_gap,
            "dst_fold": dst_fold,
        },
        retry={"max_attempts": max_attempts, "backoff": backoff, "delay": ("--delay", delay)},
        rest={
            "timeout": ("--timeout", timeout),
            "queue": queue,
            "priority": priority,
            "description": description,
            "tags": tag or None,
            "max_instances": max_instances,
            "overlap": overlap,
            "catch_up": catch_up,
            "catch_up_window": ("--catch-up-window", catch_up_window),
            "start_within": ("--start-within", start_within),
            "grace": ("--grace", grace),
            "keep": keep,
            "notify": notify or None,
            "alert": json_value("--alert", alert),
            "enabled": False if disabled else None,
        },
    )


def described(command: Callable[..., None]) -> Callable[..., None]:
    """Adds these options to a command, which gets their values as `given`."""
    options = inspect.signature(describe, eval_str=True).parameters
    own = inspect.signature(command, eval_str=True).parameters
    before = [p for p in own.values() if p.name != "given" and p.default is p.empty]
    behind = [p for p in own.values() if p.name != "given" and p.default is not p.empty]
    every = [p.replace(kind=p.KEYWORD_ONLY) for p in (*before, *options.values(), *behind)]

    @wraps(command)
    def run(**values: Any) -> None:
        command(given=describe(**{name: values.pop(name) for name in options}), **values)

    run.__annotations__ = {p.name: p.annotation for p in every}
    vars(run)["__signature__"] = inspect.Signature(every)
    return run
