"""`horae runs retry` and `horae jobs retry`: what ended, once more."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from horae.cli.connection import connect
from horae.cli.definition import json_value
from horae.cli.logs import follow_log
from horae.cli.printing import AsJson, print_json, say

if TYPE_CHECKING:
    from horae.sdk.client import Client

Input = Annotated[
    str | None, typer.Option("--input", metavar="JSON", help="Input for the new run, instead of the old one's.")
]
Wait = Annotated[bool, typer.Option("--wait", help="Follow its output; exit 1 unless it succeeds.")]


def register(jobs: typer.Typer, runs: typer.Typer) -> None:
    runs.command("retry")(retry_run)
    jobs.command("retry")(retry_job)


def retry_run(
    run: Annotated[str, typer.Argument(metavar="ID", help="The run's id.")],
    input_: Input = None,
    wait: Wait = False,
    as_json: AsJson = False,
) -> None:
    """Run it once more, as a new run of the job as it is now."""
    with connect() as client:
        _told(client, client.runs.retry(run, **_given(input_)), wait, as_json)


def retry_job(
    job: Annotated[str, typer.Argument(metavar="JOB", help="The job's name or id.")],
    input_: Input = None,
    wait: Wait = False,
    as_json: AsJson = False,
) -> None:
    """Run its latest failed run once more."""
    with connect() as client:
        _told(client, client.jobs.retry(job, **_given(input_)), wait, as_json)


def _given(text: str | None) -> dict[str, Any]:
    return {} if text is None else {"input": json_value("--input", text)}


def _told(client: Client, made: dict[str, Any], wait: bool, as_json: bool) -> None:
    if wait:
        say(f"Run {made['id']}")
        made = follow_log(client, made["id"], quiet=as_json)
    if as_json:
        print_json(made)
    elif wait:
        say(f"{made['status']}" + (f": {made['error']}" if made["error"] else ""))
    else:
        print(made["id"])
    if wait and made["status"] != "succeeded":
        raise typer.Exit(1)
