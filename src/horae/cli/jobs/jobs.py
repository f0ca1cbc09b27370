"""`horae jobs`: definitions."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

import typer

from horae.cli.connection import connect
from horae.cli.jobs import definition, schedules, words
from horae.cli.jobs.definition import Definition
from horae.cli.jobs.options import described
from horae.cli.jobs.schedules import JobArg, show_edit
from horae.cli.runs.logs import tell_started
from horae.cli.terminal import completing, instants
from horae.cli.terminal.asking import Yes, confirm
from horae.cli.terminal.printing import AsJson, ago, details, print_items, print_json, say, status, table
from horae.cli.terminal.refreshing import watched
from horae.clock import SystemClock
from horae.domain.errors import InvalidInput

app = typer.Typer(help="Jobs: what runs, and when.", no_args_is_help=True)

Json = dict[str, Any]
_LATE = 60  # seconds: beyond that an occurrence was missed
_FIRST = ("name", "status", "unreadable", "target", "schedule")
_UNREADABLE = {"kind": "unreadable"}


@app.command("create")
@described
def create(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Unique in the project.")],
    given: Definition,
    as_json: AsJson = False,
) -> None:
    """Create a job: what it runs (--script, --http, --python or --celery) and when (--cron, --every, --at or --after;
    otherwise only manually)."""
    fields = given.fields()
    with connect() as client:
        job = client.jobs.create(name=name, **fields)
    if as_json:
        print_json(job)
        return
    say(f"Created job {job['name']!r} ({job['id']}){_runs(job)}.")


@app.command("edit")
@described
def edit(
    job: JobArg,
    given: Definition,
    name: Annotated[str | None, typer.Option(help="Its new name.")] = None,
    enabled: Annotated[bool, typer.Option("--enabled", help="Turn it on.")] = False,
    unset: Annotated[
        list[str] | None,
        typer.Option(metavar="FIELD", help="Reset a field to its default, such as schedule.end_at; repeatable."),
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Save without showing the changes or asking.")] = False,
    as_json: AsJson = False,
) -> None:
    """Change a job. A new schedule is first compared with the old one."""
    changes = given.changes() | definition.given({"name": name})
    if enabled:
        if "enabled" in changes:
            raise InvalidInput("--enabled", "cannot be combined with --disabled")
        changes["enabled"] = True
    changes = definition.unset(changes, unset or [])
    if not changes:
        raise InvalidInput("", "say what to change, such as --every 5m")
    with connect() as client:
        found = client.jobs.get(job)
        if "schedule" in changes and not (yes or as_json):
            show_edit(client, found, definition.merged(found["schedule"], changes["schedule"]))
        # Only the version that was shown is changed: concurrent changes are not overwritten.
        saved = client.jobs.edit(found["id"], version=found["version"], **changes)
    if as_json:
        print_json(saved)
    elif saved["version"] == found["version"] and saved["enabled"] == found["enabled"]:
        say(f"Nothing changes: {saved['name']!r} is already like this.")
    else:
        say(f"Saved version {saved['version']} of {saved['name']!r}{_runs(saved)}.")


def _runs(job: Json) -> str:
    if not job["next_run_at"]:
        return ""
    if job["paused"]:
        return "; it is paused"
    now = SystemClock().now()
    late = (now - datetime.fromisoformat(job["next_run_at"])).total_seconds()
    if late <= 0:
        return f"; it runs {ago(job['next_run_at'], now)}"
    if late <= _LATE:
        return "; it runs now"
    return f"; it was due {ago(job['next_run_at'], now)}, and catch_up ({job['catch_up']}) decides whether it runs"


@app.command("list")
@watched
def list_jobs(
    q: Annotated[str | None, typer.Option("--search", "-q", help="Part of the name.")] = None,
    kind: Annotated[
        str | None,
        typer.Option(help="http, script, python, container, artifact or celery.", autocompletion=completing.kinds),
    ] = None,
    schedule: Annotated[
        str | None, typer.Option(help="cron, every, at, manual or after.", autocompletion=completing.schedules)
    ] = None,
    status_: Annotated[
        str | None,
        typer.Option(
            "--status",
            help="scheduled, running, paused, disabled or finished.",
            autocompletion=completing.job_states,
        ),
    ] = None,
    last_status: Annotated[
        str | None,
        typer.Option(
            help="How the last run ended: succeeded, failed or cancelled.", autocompletion=completing.last_states
        ),
    ] = None,
    recurring: Annotated[bool, typer.Option("--recurring", help="Only cron and every schedules.")] = False,
    tag: Annotated[str | None, typer.Option(help="Only jobs with this tag.", autocompletion=completing.tags)] = None,
    queue: Annotated[
        str | None, typer.Option(help="Only jobs in this queue.", autocompletion=completing.queues)
    ] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="How many; all by default.")] = None,
    as_json: AsJson = False,
) -> None:
    """List jobs by name."""
    filters: Json = {"q": q, "kind": kind, "schedule": schedule, "status": status_, "tag": tag, "queue": queue}
    filters |= {"last_status": last_status, "recurring": recurring or None}
    with connect() as client:
        found = list(client.jobs.list(limit=limit, **filters))
    if as_json:
        print_items(found)
        return
    now = SystemClock().now()
    table(
        ("name", "status", "target", "schedule", "next", "last", "last status", "id"),
        (
            (
                job["name"],
                status(_standing(job)),
                (job["target"] or _UNREADABLE)["kind"],
                words.schedule_words(job["schedule"]),
                ago(job["next_run_at"], now),
                ago(job["last_run_at"], now),
                status(job["last_status"]),
                job["id"],
            )
            for job in found
        ),
        "No such jobs."
        if any(filters.values())
        else "No jobs. Create one: horae jobs create hello --script 'echo hello' --every 10s",
        spare=("id", "target", "last"),
    )


@app.command("show")
def show(job: JobArg, as_json: AsJson = False) -> None:
    """One job in full."""
    with connect() as client:
        found = client.jobs.get(job)
        if as_json:
            print_json(found)
            return
        said = client.jobs.next(found["id"], 1)["words"]
        why = client.jobs.explain(found["id"])
    rest = {name: value for name, value in found.items() if name not in _FIRST}
    details(
        [
            ("name", found["name"]),
            ("status", status(_standing(found))),
            *_problem(why),
            ("target", words.shown(found["target"])),
            ("schedule", words.schedule_words(found["schedule"])),
            ("in words", said),
            *rest.items(),
        ]
    )


def _standing(job: Json) -> str:
    """What keeps it from running comes first. A server of the previous version does not report stranded runs."""
    if job.get("unreadable"):
        return "unreadable"
    return "stranded" if job.get("stranded") else str(job["status"])


def _problem(why: Json) -> list[tuple[str, str | None]]:
    """What must be fixed before it runs, and how; empty for a healthy job."""
    if why["level"] != "problem":
        return []
    cause = next(gate for gate in why["gates"] if gate["name"] == why["cause"])
    return [("problem", cause["detail"]), ("fix", cause["unblock"])]


@app.command("run")
def run(
    job: JobArg,
    wait: Annotated[bool, typer.Option("--wait", help="Follow its output; exit 1 unless it succeeds.")] = False,
    input_: Annotated[str | None, typer.Option("--input", metavar="JSON", help="Input for the run.")] = None,
    run_at: Annotated[
        str | None, typer.Option(metavar="INSTANT", help="Start at this time instead of now; 2h is in two hours.")
    ] = None,
    priority: Annotated[int | None, typer.Option(help="0 to 9, instead of the job's own.")] = None,
    as_json: AsJson = False,
) -> None:
    """Start a run now, regardless of the schedule."""
    value, at = definition.json_value("--input", input_), instants.ahead("--run-at", run_at)
    with connect() as client:
        tell_started(client, client.jobs.run(job, input=value, run_at=at, priority=priority), wait, as_json)


@app.command("delete")
def delete(
    job: JobArg,
    yes: Yes = False,
    as_json: AsJson = False,
) -> None:
    """Delete a job. Queued runs are cancelled; the history is kept."""
    with connect() as client:
        found = client.jobs.get(job)
        confirm(f"Delete the job {found['name']!r}", yes)
        client.jobs.delete(found["id"])
    if as_json:
        print_json({"id": found["id"], "deleted": True})
    else:
        say(f"Deleted the job {found['name']!r}.")


schedules.register(app)
