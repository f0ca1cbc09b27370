"""`horae runs`: past and current runs, and their output."""

from __future__ import annotations

import json
import sys
from typing import Annotated, Any

import typer

from horae.cli.connection import connect
from horae.cli.jobs import words
from horae.cli.runs.logs import follow_log, print_log
from horae.cli.terminal import completing
from horae.cli.terminal.printing import AsJson, ago, details, print_items, print_json, say, status, table, took
from horae.cli.terminal.refreshing import watched
from horae.clock import SystemClock
from horae.domain.errors import Conflict

app = typer.Typer(help="Runs: list, show, log, cancel.", no_args_is_help=True)

Json = dict[str, Any]
RunArg = Annotated[str, typer.Argument(metavar="ID", help="The run's id.", autocompletion=completing.runs)]

LiveRunArg = Annotated[str, typer.Argument(metavar="ID", help="The run's id.", autocompletion=completing.live_runs)]


@app.command("list")
@watched
def list_runs(
    job: Annotated[
        str | None, typer.Option(help="Only runs of this job (name or id).", autocompletion=completing.jobs)
    ] = None,
    status_: Annotated[
        str | None,
        typer.Option(
            "--status",
            help="queued, running, succeeded, failed, cancelled or skipped.",
            autocompletion=completing.run_states,
        ),
    ] = None,
    outcome: Annotated[
        str | None,
        typer.Option(
            help="Of the last attempt: succeeded, failed, timed_out, lost, interrupted or cancelled.",
            autocompletion=completing.outcomes,
        ),
    ] = None,
    trigger: Annotated[
        str | None,
        typer.Option(help="schedule, manual, api, retry, backfill or after.", autocompletion=completing.triggers),
    ] = None,
    worker: Annotated[
        str | None, typer.Option(help="Only runs of this worker (its id).", autocompletion=completing.workers)
    ] = None,
    limit: Annotated[int, typer.Option(min=1, help="How many, newest first.")] = 50,
    as_json: AsJson = False,
) -> None:
    """List runs, newest first."""
    with connect() as client:
        found = list(
            client.runs.list(limit=limit, job=job, status=status_, outcome=outcome, trigger=trigger, worker=worker)
        )
    if as_json:
        print_items(found)
        return
    now = SystemClock().now()
    table(
        ("id", "job", "status", "trigger", "attempts", "created", "took", "note"),
        (
            (
                run["id"],
                run["job_name"],
                status(run["status"]),
                run["trigger"],
                words.attempts(run),
                ago(run["created_at"], now),
                took(run["duration_ms"]),
                _note(run),
            )
            for run in found
        ),
        "No runs.",
        spare=("attempts", "trigger", "took", "created"),
    )


def _note(run: Json) -> str:
    parts = [run["reason"], run["error"]]
    if run["occurrences"] > 1:
        parts.insert(0, f"{run['occurrences']} occurrences")
    return ": ".join(part.splitlines()[0] for part in parts if part)


@app.command("show")
def show(run: RunArg, as_json: AsJson = False) -> None:
    """Show one run with its attempts."""
    with connect() as client:
        found = client.runs.get(run)
        tried = client.runs.attempts(run)
    if as_json:
        print_json({**found, "attempts": tried})
        return
    fields = {name: value for name, value in found.items() if name not in ("status", "duration_ms", "project_id")}
    result = fields.pop("result")
    details(
        [
            ("status", status(found["status"])),
            *fields.items(),
            ("took", took(found["duration_ms"])),
            ("result", None if result is None else json.dumps(result, indent=2, ensure_ascii=False)),
        ]
    )
    if tried:
        sys.stdout.write("\n")
        table(
            ("attempt", "outcome", "worker", "started", "took", "code", "error"),
            (
                (
                    a["n"],
                    status(a["outcome"]),
                    a["worker_id"],
                    a["started_at"],
                    took(a["duration_ms"]),
                    _code(a),
                    a["error"],
                )
                for a in tried
            ),
            "",
            spare=("worker", "started"),
        )
        retried = [a for a in tried if a["n"] < found["attempt"] and a["result"] is not None]
        details((f"result of attempt {a['n']}", json.dumps(a["result"], ensure_ascii=False)) for a in retried)


def _code(attempt: Json) -> int | None:
    code: int | None = attempt["response_code"] if attempt["exit_code"] is None else attempt["exit_code"]
    return code


@app.command("log")
def log(
    run: RunArg,
    follow: Annotated[bool, typer.Option("--follow", "-f", help="Follow the output until the run has ended.")] = False,
    as_json: AsJson = False,
) -> None:
    """Show the output of a run."""
    with connect() as client:
        if as_json:
            print_items(list(client.runs.log(run)))
        elif follow:
            follow_log(client, run)
        elif not print_log(client.runs.log(run)):
            say("This run has no output.")


@app.command("cancel")
def cancel(run: LiveRunArg, as_json: AsJson = False) -> None:
    """Ask a run to stop."""
    with connect() as client:
        found = client.runs.cancel(run)
    if as_json:
        print_json(found)
    elif found["status"] == "cancelled":
        say(f"Run {run} is cancelled.")
    elif found["finished_at"] is None:
        say(f"Run {run} was asked to stop.")
    if found["finished_at"] is not None and found["status"] != "cancelled":
        raise Conflict(f"run {run} has already ended ({found['status']})")


@app.command("reset-stuck")
def reset_stuck(as_json: AsJson = False) -> None:
    """Recover runs whose lease has expired, now instead of at the next sweep."""
    with connect() as client:
        found = client.runs.recover()
    if as_json:
        print_json(found)
    else:
        say(f"Recovered {found['recovered']} runs.")
