"""`horae dead`: unresolved failures, by cause; run them again, or discard them."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from horae.cli.connection import connect
from horae.cli.jobs import words
from horae.cli.jobs.definition import json_value
from horae.cli.runs.operations import wait_for
from horae.cli.terminal import completing, instants
from horae.cli.terminal.asking import Yes, confirm
from horae.cli.terminal.printing import AsJson, ago, print_items, print_json, say, table
from horae.cli.terminal.refreshing import watched
from horae.clock import SystemClock
from horae.domain.errors import InvalidInput

app = typer.Typer(help="Dead letters (failed runs that are not retried): list, redrive, discard.", no_args_is_help=True)

Json = dict[str, Any]
IdsArg = Annotated[
    list[str] | None, typer.Argument(metavar="[ID]…", help="The ids of runs.", autocompletion=completing.dead)
]
Job = Annotated[str | None, typer.Option(help="Only of this job (name or id).", autocompletion=completing.jobs)]
Fingerprint = Annotated[str | None, typer.Option(help="Only with this cause.", autocompletion=completing.causes)]
Since = Annotated[
    str | None, typer.Option(metavar="INSTANT", help="Failed at or after this time; 2h is two hours ago.")
]
Until = Annotated[str | None, typer.Option(metavar="INSTANT", help="Failed before.")]
All = Annotated[bool, typer.Option("--all", help="All of them.")]
Wait = Annotated[bool, typer.Option("--wait", help="Wait until the operation has ended.")]


@app.command("list")
@watched
def list_dead(
    each: Annotated[bool, typer.Option("--each", help="List every run, newest first, instead of causes.")] = False,
    job: Job = None,
    fingerprint: Fingerprint = None,
    since: Since = None,
    until: Until = None,
    limit: Annotated[int | None, typer.Option(min=1, help="How many; default 50 for runs, all for causes.")] = None,
    as_json: AsJson = False,
) -> None:
    """Unresolved failures, grouped by cause."""
    filters = _filters(job, fingerprint, since, until)
    with connect() as client:
        letters = client.dead_letters
        found: list[Json] = [
            *(letters.list(limit=limit or 50, **filters) if each else letters.groups(limit=limit, **filters))
        ]
    if as_json:
        print_items(found)
    elif each:
        _runs(found)
    else:
        _causes(found)


def _runs(found: list[Json]) -> None:
    now = SystemClock().now()
    table(
        ("id", "job", "failed", "attempts", "cause", "error"),
        (
            (
                one["id"],
                one["job_name"],
                ago(one["failed_at"], now),
                words.attempts(one),
                one["fingerprint"],
                _line(one["error"]),
            )
            for one in found
        ),
        "No dead letters.",
        spare=("attempts", "cause", "failed"),
    )


def _causes(found: list[Json]) -> None:
    now = SystemClock().now()
    table(
        ("count", "cause", "first", "last", "job", "code", "error"),
        (
            (
                one["count"],
                one["fingerprint"],
                ago(one["first_at"], now),
                ago(one["last_at"], now),
                _jobs(one["jobs"]),
                one["response_code"] if one["exit_code"] is None else one["exit_code"],
                _line(one["error"]),
            )
            for one in sorted(found, key=lambda one: -int(one["count"]))
        ),
        "No dead letters.",
        spare=("first", "code"),
    )


def _jobs(jobs: list[Json]) -> str:
    return jobs[0]["name"] if len(jobs) == 1 else ", ".join(f"{job['name']} ({job['count']})" for job in jobs)


def _line(error: str | None) -> str:
    return (error or "").partition("\n")[0]


@app.command("redrive")
def redrive(
    ids: IdsArg = None,
    job: Job = None,
    fingerprint: Fingerprint = None,
    since: Since = None,
    until: Until = None,
    all_: All = False,
    input_: Annotated[
        str | None, typer.Option("--input", metavar="JSON", help="Input for every run, replacing its own.")
    ] = None,
    rate: Annotated[float | None, typer.Option(help="How many per second.")] = None,
    wait: Wait = False,
    as_json: AsJson = False,
) -> None:
    """Queue them again as new runs, with the current definition of their job."""
    chosen = _chosen(ids, all_, _filters(job, fingerprint, since, until))
    if input_ is not None:
        chosen["input"] = json_value("--input", input_)
    with connect() as client:
        operation: Json = client.dead_letters.redrive(**chosen, rate=rate)
        if wait:
            operation = wait_for(client, operation, quiet=as_json)
    _print_operation(operation, "Redriven", as_json)


@app.command("discard")
def discard(
    reason: Annotated[str, typer.Option(help="The reason, recorded in the audit trail.")],
    ids: IdsArg = None,
    job: Job = None,
    fingerprint: Fingerprint = None,
    since: Since = None,
    until: Until = None,
    all_: All = False,
    yes: Yes = False,
    wait: Wait = False,
    as_json: AsJson = False,
) -> None:
    """Remove them from the list. Their runs stay in the history."""
    chosen = _chosen(ids, all_, _filters(job, fingerprint, since, until))
    confirm(f"Discard {_which(chosen)}", yes)
    with connect() as client:
        operation: Json = client.dead_letters.discard(**chosen, reason=reason)
        if wait:
            operation = wait_for(client, operation, quiet=as_json)
    _print_operation(operation, "Discarded", as_json)


def _filters(job: str | None, fingerprint: str | None, since: str | None, until: str | None) -> dict[str, str | None]:
    since, until = instants.ago("--since", since), instants.ago("--until", until)
    return {"job": job, "fingerprint": fingerprint, "since": since, "until": until}


def _chosen(ids: list[str] | None, everything: bool, filters: dict[str, str | None]) -> Json:
    """By ids, or by a filter; no selection does not mean all."""
    given = {name: value for name, value in filters.items() if value is not None}
    if ids:
        if given or everything:
            raise InvalidInput("", "give ids or a filter, not both")
        return {"ids": ids}
    if not given and not everything:
        raise InvalidInput("", "say which: ids, --job, --fingerprint, --since, --until or --all")
    return {"filter": given}


def _which(chosen: Json) -> str:
    if "ids" in chosen:
        count = len(chosen["ids"])
        return "1 dead letter" if count == 1 else f"{count} dead letters"
    said = ", ".join(f"{name} {value}" for name, value in chosen["filter"].items())
    return f"all dead letters with {said}" if said else "all dead letters"


def _print_operation(operation: Json, done: str, as_json: bool) -> None:
    """Exit 1 if it ended early; without --wait it continues in the background."""
    state, so_far = operation["state"], f"{operation['done']} of {operation['total']}"
    if as_json:
        print_json(operation)
    elif state == "running":
        say(f"{done} {so_far}; it continues in the background:")
        say(f"horae operations show --wait {operation['id']}")
    elif state == "done":
        say(f"{done} {operation['done']}.")
    else:
        say(f"It is {state} after {so_far}" + (f": {operation['error']}" if operation["error"] else "."))
    if state not in ("running", "done"):
        raise typer.Exit(1)
