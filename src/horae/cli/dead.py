"""`horae dead`: what failed for good, by cause; run it once more, or let it be."""

from __future__ import annotations

import json
from typing import Annotated, Any

import typer

from horae.cli.connection import connect
from horae.cli.definition import json_value
from horae.cli.operations import wait_for
from horae.cli.printing import AsJson, ago, print_json, say, table
from horae.clock import SystemClock
from horae.domain.errors import InvalidInput

app = typer.Typer(help="Dead letters, the runs that failed for good: list, redrive, discard.", no_args_is_help=True)

Json = dict[str, Any]
IdsArg = Annotated[list[str] | None, typer.Argument(metavar="[ID]…", help="The ids of runs.")]
Job = Annotated[str | None, typer.Option(help="Only of this job (name or id).")]
Fingerprint = Annotated[str | None, typer.Option(help="Only with this cause.")]
Since = Annotated[str | None, typer.Option(metavar="INSTANT", help="Failed not before.")]
Until = Annotated[str | None, typer.Option(metavar="INSTANT", help="Failed before.")]
All = Annotated[bool, typer.Option("--all", help="All there are.")]
Wait = Annotated[bool, typer.Option("--wait", help="Until all of it is done.")]


@app.command("list")
def list_dead(
    each: Annotated[bool, typer.Option("--each", help="Every run, newest first, instead of causes.")] = False,
    job: Job = None,
    fingerprint: Fingerprint = None,
    since: Since = None,
    until: Until = None,
    limit: Annotated[int | None, typer.Option(min=1, help="How many; of runs 50, of causes all.")] = None,
    as_json: AsJson = False,
) -> None:
    """What failed and waits for somebody, by cause."""
    filters = {"job": job, "fingerprint": fingerprint, "since": since, "until": until}
    with connect() as client:
        letters = client.dead_letters
        found: list[Json] = [
            *(letters.list(limit=limit or 50, **filters) if each else letters.groups(limit=limit, **filters))
        ]
    if as_json:
        print_json({"items": found, "next_cursor": None})
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
                f"{one['attempt']}/{one['max_attempts']}",
                one["fingerprint"],
                _line(one["error"]),
            )
            for one in found
        ),
        "No dead letters.",
    )


def _causes(found: list[Json]) -> None:
    now = SystemClock().now()
    table(
        ("count", "cause", "first", "last", "jobs", "error"),
        (
            (
                one["count"],
                one["fingerprint"],
                ago(one["first_at"], now),
                ago(one["last_at"], now),
                ", ".join(f"{job['name']} ({job['count']})" for job in one["jobs"]),
                _line(one["error"]),
            )
            for one in sorted(found, key=lambda one: -int(one["count"]))
        ),
        "No dead letters.",
    )


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
        str | None, typer.Option("--input", metavar="JSON", help="Given to every run, in place of its own.")
    ] = None,
    rate: Annotated[float | None, typer.Option(help="How many a second.")] = None,
    wait: Wait = False,
    as_json: AsJson = False,
) -> None:
    """Run them once more, under their job as it is now."""
    chosen = _chosen(ids, all_, {"job": job, "fingerprint": fingerprint, "since": since, "until": until})
    if input_ is not None:
        chosen["input"] = json_value("--input", input_)
    with connect() as client:
        operation: Json = client.dead_letters.redrive(**chosen, rate=rate)
        if wait:
            operation = wait_for(client, operation)
    _told(operation, "Redriven", as_json)


@app.command("discard")
def discard(
    reason: Annotated[str, typer.Option(help="Why; the audit trail keeps it.")],
    ids: IdsArg = None,
    job: Job = None,
    fingerprint: Fingerprint = None,
    since: Since = None,
    until: Until = None,
    all_: All = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    wait: Wait = False,
    as_json: AsJson = False,
) -> None:
    """Take them off the list. Their runs stay in the history."""
    chosen = _chosen(ids, all_, {"job": job, "fingerprint": fingerprint, "since": since, "until": until})
    if not (ids or yes or as_json):
        typer.confirm(f"Discard all dead letters with {json.dumps(chosen['filter'])}?", abort=True, err=True)
    with connect() as client:
        operation: Json = client.dead_letters.discard(**chosen, reason=reason)
        if wait:
            operation = wait_for(client, operation)
    _told(operation, "Discarded", as_json)


def _chosen(ids: list[str] | None, everything: bool, filters: dict[str, str | None]) -> Json:
    """By ids, or by a filter; nothing said is not taken for all."""
    given = {name: value for name, value in filters.items() if value is not None}
    if ids:
        if given or everything:
            raise InvalidInput("", "give ids or a filter, not both")
        return {"ids": ids}
    if not given and not everything:
        raise InvalidInput("", "say which: ids, --job, --fingerprint, --since, --until or --all")
    return {"filter": given}


def _told(operation: Json, done: str, as_json: bool) -> None:
    if as_json:
        print_json(operation)
    elif operation["state"] == "running":
        say(f"{done} {operation['done']} of {operation['total']}; it goes on by itself:")
        say(f"horae operations show --wait {operation['id']}")
    else:
        say(f"{done} {operation['done']}.")
