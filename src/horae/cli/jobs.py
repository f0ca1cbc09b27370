"""`horae jobs`: definitions."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from horae.cli import definition
from horae.cli.connection import connect
from horae.cli.printing import AsJson, ago, details, print_json, say, status, table
from horae.cli.runs import follow_log
from horae.clock import SystemClock

app = typer.Typer(help="Jobs: create, list, show, run, next, delete.", no_args_is_help=True)

Json = dict[str, Any]
JobArg = Annotated[str, typer.Argument(metavar="JOB", help="The job's name or id.")]


@app.command("create")
def create(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Unique in the project.")],
    script: Annotated[str | None, typer.Option(help="Source of a script to run.")] = None,
    script_file: Annotated[
        Path | None, typer.Option(help="A file with the script's source, read now.", dir_okay=False)
    ] = None,
    interpreter: Annotated[str | None, typer.Option(help="bash, sh, python or an absolute path.")] = None,
    http: Annotated[str | None, typer.Option(metavar="URL", help="A URL to call.")] = None,
    method: Annotated[str | None, typer.Option(help="GET, POST, PUT, PATCH, DELETE or HEAD.")] = None,
    header: Annotated[list[str] | None, typer.Option(metavar="NAME:VALUE", help="Repeatable.")] = None,
    body: Annotated[str | None, typer.Option(help="The body to send.")] = None,
    python: Annotated[str | None, typer.Option(metavar="FUNCTION", help="A registered function.")] = None,
    arg: Annotated[
        list[str] | None, typer.Option(metavar="NAME=VALUE", help="An argument (JSON or text); repeatable.")
    ] = None,
    arguments: Annotated[str | None, typer.Option(metavar="JSON", help="All arguments, as an object.")] = None,
    cron: Annotated[str | None, typer.Option(metavar="EXPR", help="Such as '0 9 * * MON-FRI'.")] = None,
    timezone: Annotated[str | None, typer.Option(metavar="ZONE", help="Such as Europe/Berlin.")] = None,
    every: Annotated[str | None, typer.Option(metavar="DURATION", help="Such as 15m or 1h30m.")] = None,
    at: Annotated[str | None, typer.Option(metavar="INSTANT", help="Once: 2026-12-01T09:00:00+01:00.")] = None,
    queue: Annotated[str | None, typer.Option(help="The queue of its runs.")] = None,
    priority: Annotated[int | None, typer.Option(help="0 to 9; 9 goes first.")] = None,
    timeout: Annotated[str | None, typer.Option(metavar="DURATION", help="Bounds one attempt.")] = None,
    max_attempts: Annotated[int | None, typer.Option(help="Counts the first try.")] = None,
    backoff: Annotated[str | None, typer.Option(help="exponential, linear or fixed.")] = None,
    delay: Annotated[str | None, typer.Option(metavar="DURATION", help="Before the second attempt.")] = None,
    description: Annotated[str | None, typer.Option(help="What it is for.")] = None,
    tag: Annotated[list[str] | None, typer.Option(help="Repeatable.")] = None,
    max_instances: Annotated[int | None, typer.Option(help="How many runs may be under way.")] = None,
    overlap: Annotated[str | None, typer.Option(help="skip, queue_one, queue_all, cancel_running or allow.")] = None,
    catch_up: Annotated[str | None, typer.Option(help="last, all, first or none.")] = None,
    disabled: Annotated[bool, typer.Option("--disabled", help="Make it, but leave it off.")] = False,
    as_json: AsJson = False,
) -> None:
    """Make a job: what it runs (--script, --http or --python) and when (--cron, --every, --at; else by hand)."""
    target = definition.target(
        definition.Script(script, script_file, interpreter),
        definition.Http(http, method, header or [], body),
        definition.Python(python, arg or [], arguments),
    )
    schedule = definition.schedule(cron=cron, timezone=timezone, every=every, at=at)
    retry = {
        "max_attempts": max_attempts,
        "backoff": backoff,
        "delay": definition.seconds("--delay", delay),
    }
    fields = {
        "schedule": schedule,
        "retry": definition.given(retry) or None,
        "timeout": definition.seconds("--timeout", timeout),
        "queue": queue,
        "priority": priority,
        "description": description,
        "tags": tag,
        "max_instances": max_instances,
        "overlap": overlap,
        "catch_up": catch_up,
        "enabled": False if disabled else None,
    }
    with connect() as client:
        job = client.jobs.create(name=name, target=target, **definition.given(fields))
    if as_json:
        print_json(job)
        return
    when = f"; it runs {ago(job['next_run_at'], SystemClock().now())}" if job["next_run_at"] else ""
    say(f"Made the job {job['name']!r} ({job['id']}){when}.")


@app.command("list")
def list_jobs(
    q: Annotated[str | None, typer.Option("--search", "-q", help="Part of the name.")] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="How many; all by default.")] = None,
    as_json: AsJson = False,
) -> None:
    """All jobs by name."""
    with connect() as client:
        found = client.jobs.list(q=q, limit=limit)
    if as_json:
        print_json({"items": found, "next_cursor": None})
        return
    now = SystemClock().now()
    table(
        ("name", "status", "target", "schedule", "next", "last", "last status", "id"),
        (
            (
                job["name"],
                status(job["status"]),
                job["target"]["kind"],
                definition.schedule_words(job["schedule"]),
                ago(job["next_run_at"], now),
                ago(job["last_run_at"], now),
                status(job["last_status"]),
                job["id"],
            )
            for job in found
        ),
        "No jobs. Make one: horae jobs create hello --script 'echo hello' --every 10s",
    )


@app.command("show")
def show(job: JobArg, as_json: AsJson = False) -> None:
    """One job in full."""
    with connect() as client:
        found = client.jobs.get(job)
    if as_json:
        print_json(found)
        return
    rest = {name: value for name, value in found.items() if name not in ("name", "status", "target", "schedule")}
    details(
        [
            ("name", found["name"]),
            ("status", status(found["status"])),
            ("target", definition.shown(found["target"])),
            ("schedule", definition.schedule_words(found["schedule"])),
            *rest.items(),
        ]
    )


@app.command("run")
def run(
    job: JobArg,
    wait: Annotated[bool, typer.Option("--wait", help="Follow its output; exit 1 unless it succeeds.")] = False,
    input_: Annotated[str | None, typer.Option("--input", metavar="JSON", help="Given to the run.")] = None,
    run_at: Annotated[str | None, typer.Option(metavar="INSTANT", help="Not now, but then.")] = None,
    priority: Annotated[int | None, typer.Option(help="0 to 9 instead of the job's own.")] = None,
    as_json: AsJson = False,
) -> None:
    """Start a run now, whatever the schedule says."""
    value = definition.json_value("--input", input_)
    with connect() as client:
        made = client.jobs.run(job, input=value, run_at=run_at, priority=priority)
        if wait:
            say(f"Run {made['id']}")
            # With --json, standard output holds the ended run and nothing else.
            made = follow_log(client, made, quiet=as_json)
    if as_json:
        print_json(made)
    elif wait:
        say(f"{made['status']}" + (f": {made['error']}" if made["error"] else ""))
    else:
        print(made["id"])
    if wait and made["status"] != "succeeded":
        raise typer.Exit(1)


@app.command("next")
def next_(
    job: JobArg,
    count: Annotated[int, typer.Option("--count", "-n", min=1, max=100, help="How many.")] = 10,
    as_json: AsJson = False,
) -> None:
    """When it runs next."""
    with connect() as client:
        found = client.jobs.next(job, count)
    if as_json:
        print_json(found)
        return
    now = SystemClock().now()
    say(found["words"])
    table(
        ("at (UTC)", "local", "", "note"),
        ((o["at"], o["local"], ago(o["at"], now), o.get("note")) for o in found["occurrences"]),
        "No occurrence is ahead.",
    )


@app.command("delete")
def delete(job: JobArg, as_json: AsJson = False) -> None:
    """Delete a job. What is queued is cancelled; history is kept."""
    with connect() as client:
        found = client.jobs.get(job)
        client.jobs.delete(found["id"])
    if as_json:
        print_json({"id": found["id"], "deleted": True})
    else:
        say(f"Deleted the job {found['name']!r}.")
