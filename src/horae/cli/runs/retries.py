"""`horae runs retry` and `horae jobs retry`: run an ended run again."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from horae.cli.connection import connect
from horae.cli.jobs.definition import json_value
from horae.cli.runs.logs import tell_started
from horae.cli.terminal.printing import AsJson

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
    """Run it again as a new run, with the job's current definition."""
    with connect() as client:
        tell_started(client, client.runs.retry(run, **_given(input_)), wait, as_json)


def retry_job(
    job: Annotated[str, typer.Argument(metavar="JOB", help="The job's name or id.")],
    input_: Input = None,
    wait: Wait = False,
    as_json: AsJson = False,
) -> None:
    """Retry the job's latest failed run."""
    with connect() as client:
        tell_started(client, client.jobs.retry(job, **_given(input_)), wait, as_json)


def _given(text: str | None) -> dict[str, Any]:
    return {} if text is None else {"input": json_value("--input", text)}
