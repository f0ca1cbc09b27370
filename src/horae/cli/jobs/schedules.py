"""`horae jobs`, the commands about schedules: next runs, pause and resume, enable and disable, versions, backfill."""

from __future__ import annotations

import difflib
import json
import re
import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from horae.cli.connection import connect
from horae.cli.jobs.definition import json_value
from horae.cli.runs.operations import wait_for
from horae.cli.terminal import completing, instants
from horae.cli.terminal.printing import AsJson, ago, details, print_changed, print_json, say, table
from horae.cli.terminal.refreshing import watched
from horae.clock import SystemClock

if TYPE_CHECKING:
    from horae.sdk.client import Client

Json = dict[str, Any]
JobArg = Annotated[str, typer.Argument(metavar="JOB", help="The job's name or id.", autocompletion=completing.jobs)]
_SHOWN = 5  # occurrences of the old and the new schedule
_CELL = 60
_INSTANT = re.compile(r"\d{4}-\d\d-\d\dT")
_DURATION = re.compile(r"P?T?\d+(\.\d+)?[smhdwSMHDW]?\S*$")


def register(app: typer.Typer) -> None:
    for name, command in (
        ("next", next_),
        ("preview", preview),
        ("pause", pause),
        ("resume", resume),
        ("enable", enable),
        ("disable", disable),
        ("versions", watched(versions)),
        ("rollback", rollback),
        ("backfill", backfill),
    ):
        app.command(name)(command)


def next_(
    job: JobArg,
    count: Annotated[int, typer.Option("--count", "-n", min=1, max=1000, help="How many.")] = 10,
    as_json: AsJson = False,
) -> None:
    """Show the next runs, and the schedule in words."""
    with connect() as client:
        found = client.jobs.next(job, count)
    _show_next(found, as_json)


def preview(
    schedule: Annotated[
        str, typer.Argument(metavar="SCHEDULE", help="'0 9 * * MON-FRI', 15m, an instant, or a JSON object.")
    ],
    timezone: Annotated[str | None, typer.Option(metavar="ZONE", help="Such as Europe/Berlin.")] = None,
    count: Annotated[int, typer.Option("--count", "-n", min=1, max=1000, help="How many.")] = 10,
    start: Annotated[str | None, typer.Option("--from", metavar="INSTANT", help="Instead of now.")] = None,
    job: Annotated[
        str | None,
        typer.Option(
            metavar="JOB", help="Compare with the current schedule of this job.", autocompletion=completing.jobs
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """When an unsaved schedule would run, and the schedule in words."""
    wanted = {**_schedule(schedule), **({"timezone": timezone} if timezone else {})}
    with connect() as client:
        found = client.preview(wanted, count, start=instants.ahead("--from", start), job=job)
    if job and not as_json:
        _show_both(found)
    else:
        _show_next(found, as_json)


def _schedule(text: str) -> Json:
    """What the user means: JSON as it is, otherwise an instant, a duration, or a cron expression."""
    if text.lstrip().startswith("{"):
        found = json_value("SCHEDULE", text)
        return found if isinstance(found, dict) else {}
    if _INSTANT.match(text):
        return {"at": text}
    return {"every": text} if _DURATION.match(text) else {"cron": text}


def _show_next(found: Json, as_json: bool) -> None:
    if as_json:
        print_json(found)
        return
    now = SystemClock().now()
    say(found["words"])
    if found.get("note"):
        say(f"Note: {found['note']}.")
    table(
        ("at (UTC)", "local", "when", "note"),
        ((o["at"], o["local"], ago(o["at"], now), o.get("note")) for o in found["occurrences"]),
        "No upcoming occurrences.",
    )


def show_edit(client: Client, job: Json, schedule: Json) -> None:
    """Compares what a job does now with what it would do; on a terminal, asks whether to continue."""
    _show_both(client.preview(schedule, _SHOWN, job=job["id"]))
    if sys.stdin.isatty() and not typer.confirm("Save it?", err=True):
        say("Nothing was saved.")
        raise typer.Exit(1)


def _show_both(found: Json) -> None:
    old = found["compare"]
    say(f"now: {old['words']}")
    say(f"new: {found['words']}")
    pairs = [
        (
            before["local"] if before else "",
            after["local"] if after else "",
            (after or {}).get("note"),
        )
        for before, after in _side_by_side(old["occurrences"], found["occurrences"])
    ]
    table(("now", "new", "note"), pairs, "Neither has upcoming occurrences.")


def _side_by_side(old: list[Json], new: list[Json]) -> list[tuple[Json | None, Json | None]]:
    longest = max(len(old), len(new))
    return [(old[n] if n < len(old) else None, new[n] if n < len(new) else None) for n in range(longest)]


def pause(
    job: JobArg,
    until: Annotated[
        str | None, typer.Option(metavar="INSTANT", help="Resume automatically then; 2h is in two hours.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Pause the schedule. Runs already queued still run, and so do manual ones."""
    with connect() as client:
        found = client.jobs.pause(job, until=instants.ahead("--until", until))
    end = f"until {found['paused_until']}" if found["paused_until"] else f"until `horae jobs resume {found['name']}`"
    print_changed(found, as_json, f"Paused {found['name']!r} {end}.")


def resume(job: JobArg, as_json: AsJson = False) -> None:
    """Resume the schedule; the job's catch-up rule decides about missed occurrences."""
    with connect() as client:
        found = client.jobs.resume(job)
    print_changed(found, as_json, f"Resumed {found['name']!r}.")


def enable(job: JobArg, as_json: AsJson = False) -> None:
    """Enable the schedule from now on."""
    with connect() as client:
        found = client.jobs.enable(job)
    print_changed(found, as_json, f"Enabled {found['name']!r}.")


def disable(job: JobArg, as_json: AsJson = False) -> None:
    """Disable the schedule. Runs already queued still run, and so do manual ones."""
    with connect() as client:
        found = client.jobs.disable(job)
    print_changed(found, as_json, f"Disabled {found['name']!r}.")


def versions(
    job: JobArg,
    version: Annotated[int | None, typer.Argument(metavar="VERSION", help="One in full.", min=1)] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="How many; all by default.")] = None,
    as_json: AsJson = False,
) -> None:
    """List what was changed, when and by whom; or show one version in full."""
    with connect() as client:
        found = [client.jobs.version(job, version)] if version else list(client.jobs.versions(job, limit=limit))
    if as_json:
        print_json(found[0] if version else {"items": found, "next_cursor": None})
        return
    if version:
        _one_version(found[0])
        return
    now = SystemClock().now()
    table(
        ("version", "saved", "by", "changes", "note"),
        ((v["version"], ago(v["created_at"], now), v["created_by"], _changes(v), v["note"]) for v in found),
        "",
    )


def _changes(version: Json) -> str:
    if version["version"] == 1:
        return "created"
    return "; ".join(f"{c['path']}: {_cell(c['old'])} → {_cell(c['new'])}" for c in version["changes"])


def _cell(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _CELL else f"{text[:_CELL]}…"


def _one_version(version: Json) -> None:
    details(
        [
            *((name, version[name]) for name in ("version", "created_at", "created_by", "note")),
            ("changes", "\n".join(_difference(change) for change in version["changes"])),
            ("definition", json.dumps(version["definition"], indent=2, ensure_ascii=False)),
        ]
    )


def _difference(change: Json) -> str:
    """One change; for a text of several lines, the changed lines."""
    old, new = change["old"], change["new"]
    if isinstance(old, str) and isinstance(new, str) and "\n" in old + new:
        lines = difflib.unified_diff(old.splitlines(), new.splitlines(), lineterm="", n=1)
        return "\n".join([f"{change['path']}:", *(f"  {line}" for line in list(lines)[2:])])
    return f"{change['path']}: {json.dumps(old, ensure_ascii=False)} → {json.dumps(new, ensure_ascii=False)}"


def rollback(
    job: JobArg,
    version: Annotated[int, typer.Argument(metavar="VERSION", help="The version to restore.", min=1)],
    as_json: AsJson = False,
) -> None:
    """Restore an earlier version, saved as a new one."""
    with connect() as client:
        now = client.jobs.get(job)
        found = client.jobs.rollback(now["id"], version, version=now["version"])
    if found["version"] == now["version"]:
        message = f"Nothing changes: {found['name']!r} is already like version {version}."
    else:
        message = f"{found['name']!r} is as it was in version {version}; saved as version {found['version']}."
    print_changed(found, as_json, message)


def backfill(
    job: JobArg,
    start: Annotated[
        str, typer.Option("--from", metavar="INSTANT", help="Start of the range, inclusive; 7d is a week ago.")
    ],
    end: Annotated[str, typer.Option("--to", metavar="INSTANT", help="End of the range, inclusive; defaults to now.")],
    parallelism: Annotated[int, typer.Option(min=1, max=1000, help="Number of concurrent runs.")] = 1,
    again: Annotated[bool, typer.Option("--again", help="Even if these occurrences were backfilled before.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would be done.")] = False,
    wait: Annotated[bool, typer.Option("--wait", help="Show its progress; exit 1 unless it is done.")] = False,
    as_json: AsJson = False,
) -> None:
    """Run the occurrences in a past time range."""
    with connect() as client:
        range: Json = {"start": instants.ago("--from", start), "end": instants.ago("--to", end)}
        plan: Json = client.jobs.backfill(job, **range, dry_run=True)
        made = plan if dry_run else client.jobs.backfill(job, **range, parallelism=parallelism, again=again)
        if wait and not dry_run:
            made = wait_for(client, made, quiet=as_json)
    if as_json:
        print_json(made)
    elif dry_run:
        span = f", from {made['first']} to {made['last']}" if made["total"] else ""
        say(f"It would run {made['total']} occurrences{span}.")
        if made["existing"]:
            say(f"Operation {made['existing']} already covers them; --again would run them again.")
    elif wait:
        say(f"{made['state']}: {made['done']} of {made['total']}")
    else:
        print(made["id"])
    if not as_json and made.get("id", "") == plan["existing"]:
        say("Nothing was started: this operation already covers these occurrences; use --again to run them again.")
    if wait and not dry_run and made["state"] != "done":
        raise typer.Exit(1)
