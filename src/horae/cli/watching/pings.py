"""`horae pings`: monitors of jobs that Horae does not run."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from horae.cli.connection import connect
from horae.cli.jobs import definition, words
from horae.cli.terminal import completing, instants
from horae.cli.terminal.asking import Yes, confirm
from horae.cli.terminal.printing import AsJson, ago, details, print_items, print_json, say, status, table, took
from horae.cli.terminal.refreshing import watched
from horae.clock import SystemClock
from horae.domain.errors import InvalidInput

app = typer.Typer(help="Pings: monitors of jobs that Horae does not run.", no_args_is_help=True)

Json = dict[str, Any]
PingArg = Annotated[str, typer.Argument(metavar="PING", help="Its name or id.", autocompletion=completing.pings)]
Cron = Annotated[str | None, typer.Option(metavar="EXPR", help="When it should report: '0 3 * * *'.")]
Every = Annotated[str | None, typer.Option(metavar="DURATION", help="How long after the last report: 15m, 1d.")]
At = Annotated[str | None, typer.Option(metavar="INSTANT", help="Once: 2026-12-01T09:00:00+01:00.")]
Timezone = Annotated[str | None, typer.Option(metavar="ZONE", help="Such as Europe/Berlin.")]
Grace = Annotated[str | None, typer.Option(metavar="DURATION", help="How late it may be; 1h by default.")]
Timeout = Annotated[
    str | None, typer.Option(metavar="DURATION", help="From start to end at most; by default the grace.")
]
Description = Annotated[str | None, typer.Option(help="What it is for.")]
Tag = Annotated[list[str] | None, typer.Option(help="Repeatable.")]


@app.command("create")
def create(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Unique among the pings of the project.")],
    cron: Cron = None,
    every: Every = None,
    at: At = None,
    timezone: Timezone = None,
    grace: Grace = None,
    timeout: Timeout = None,
    description: Description = None,
    tag: Tag = None,
    as_json: AsJson = False,
) -> None:
    """Create a ping and print its URL. Without --cron, --every or --at nothing is expected: only failures count."""
    when = {"cron": cron, "every": every, "at": at}
    fields = _fields(definition.schedule(when, {"timezone": timezone}), grace, timeout, description, tag)
    with connect() as client:
        ping = client.pings.create(name=name, **fields)
    if as_json:
        print_json(ping)
        return
    say(f"Created the ping {ping['name']!r} ({ping['id']}). The job reports to this URL:")
    typer.echo(ping["url"])


@app.command("edit")
def edit(
    ping: PingArg,
    name: Annotated[str | None, typer.Option(help="Its new name.")] = None,
    cron: Cron = None,
    every: Every = None,
    at: At = None,
    manual: Annotated[bool, typer.Option("--manual", help="Expect nothing: only failures count.")] = False,
    timezone: Timezone = None,
    grace: Grace = None,
    timeout: Timeout = None,
    description: Description = None,
    tag: Tag = None,
    unset: Annotated[
        list[str] | None, typer.Option(metavar="FIELD", help="Reset a field to its default; repeatable.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Change a ping. Its URL stays the same."""
    when = {"cron": cron, "every": every, "at": at, "manual": manual or None}
    schedule = definition.schedule_changes(when, {"timezone": timezone}) or None
    changes = definition.given({"name": name}) | _fields(schedule, grace, timeout, description, tag)
    changes = definition.unset(changes, unset or [])
    if not changes:
        raise InvalidInput("", "say what to change, such as --grace 2h")
    with connect() as client:
        saved = client.pings.edit(ping, **changes)
    if as_json:
        print_json(saved)
    else:
        say(f"Saved version {saved['version']} of {saved['name']!r}.")


def _fields(
    schedule: Json | None, grace: str | None, timeout: str | None, description: str | None, tag: list[str] | None
) -> Json:
    return definition.given(
        {
            "schedule": schedule,
            "grace": definition.seconds("--grace", grace),
            "timeout": definition.seconds("--timeout", timeout),
            "description": description,
            "tags": tag or None,
        }
    )


@app.command("list")
@watched
def list_pings(
    q: Annotated[str | None, typer.Option("--search", "-q", help="Part of the name.")] = None,
    state: Annotated[
        str | None,
        typer.Option(help="new, up, started, late, down or paused.", autocompletion=completing.ping_states),
    ] = None,
    tag: Annotated[str | None, typer.Option(help="Only pings with this tag.")] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="How many; all by default.")] = None,
    as_json: AsJson = False,
) -> None:
    """List pings by name."""
    filters: Json = {"q": q, "state": state, "tag": tag}
    with connect() as client:
        found = list(client.pings.list(limit=limit, **filters))
    if as_json:
        print_items(found)
        return
    now = SystemClock().now()
    table(
        ("name", "status", "schedule", "last ping", "expected", "took", "id"),
        (
            (
                ping["name"],
                status(_standing(ping)),
                words.schedule_words(ping["schedule"]),
                ago(ping["last_ping_at"], now),
                ago(ping["expected_at"], now),
                took(ping["last_duration_ms"]),
                ping["id"],
            )
            for ping in found
        ),
        "No such pings." if any(filters.values()) else "No pings. Create one: horae pings create backup --every 1d",
        spare=("id", "took"),
    )


@app.command("show")
def show(
    ping: PingArg,
    events: Annotated[int, typer.Option(min=0, max=100, help="How many of the newest events to show.")] = 10,
    as_json: AsJson = False,
) -> None:
    """One ping in full, with its newest events."""
    with connect() as client:
        found = client.pings.get(ping)
        heard = list(client.pings.events(found["id"], limit=events)) if events else []
    if as_json:
        print_json({**found, "newest": heard})
        return
    first = ("name", "state", "reason", "schedule", "url", "unreadable")
    details(
        [
            ("name", found["name"]),
            ("status", status(_standing(found))),
            ("reason", found["reason"]),
            ("url", found["url"]),
            ("unreadable", found["unreadable"]),
            ("schedule", words.schedule_words(found["schedule"])),
            *((name, value) for name, value in found.items() if name not in first),
        ]
    )
    if heard:
        typer.echo()
        _show_events(heard)


@app.command("events")
def list_events(
    ping: PingArg,
    limit: Annotated[int, typer.Option(min=1, help="How many.")] = 50,
    body: Annotated[int | None, typer.Option(metavar="N", help="Print the body of this event instead.")] = None,
    as_json: AsJson = False,
) -> None:
    """List the signals of a ping, newest first."""
    with connect() as client:
        if body is not None:
            event = client.pings.event(ping, body)
            if as_json:
                print_json(event)
            else:
                typer.echo(event["body"] or "", nl=False)
            return
        heard = list(client.pings.events(ping, limit=limit))
    if as_json:
        print_items(heard)
    else:
        _show_events(heard)


def _show_events(heard: list[Any]) -> None:
    now = SystemClock().now()
    table(
        ("n", "when", "status", "exit code", "took", "run", "from", "body"),
        (
            (
                event["n"],
                ago(event["at"], now),
                status(event["kind"]),
                event["exit_code"],
                took(event["duration_ms"]),
                event["rid"],
                event["address"],
                f"{event['body_bytes']} bytes" if event["body_bytes"] else "",
            )
            for event in heard
        ),
        "No signals yet.",
        spare=("from", "run"),
    )


@app.command("pause")
def pause(
    ping: PingArg,
    until: Annotated[str | None, typer.Option(metavar="INSTANT", help="End of the pause; 2h is in two hours.")] = None,
    as_json: AsJson = False,
) -> None:
    """Expect no signal and open no alert until --until, or until it is resumed."""
    with connect() as client:
        saved = client.pings.pause(ping, until=instants.ahead("--until", until))
    if as_json:
        print_json(saved)
    else:
        say(f"Paused {saved['name']!r}" + (f" until {saved['paused_until']}." if saved["paused_until"] else "."))


@app.command("resume")
def resume(ping: PingArg, as_json: AsJson = False) -> None:
    """End a pause. What was missed meanwhile does not count."""
    with connect() as client:
        saved = client.pings.resume(ping)
    if as_json:
        print_json(saved)
    else:
        say(f"Resumed {saved['name']!r}.")


@app.command("rotate")
def rotate(ping: PingArg, yes: Yes = False, as_json: AsJson = False) -> None:
    """Replace the URL and print the new one. The old one stops working at once."""
    with connect() as client:
        found = client.pings.get(ping)
        confirm(f"Replace the URL of the ping {found['name']!r}", yes)
        saved = client.pings.rotate(found["id"])
    if as_json:
        print_json(saved)
    else:
        typer.echo(saved["url"])


@app.command("delete")
def delete(ping: PingArg, yes: Yes = False, as_json: AsJson = False) -> None:
    """Delete a ping, its events and its badges."""
    with connect() as client:
        found = client.pings.get(ping)
        confirm(f"Delete the ping {found['name']!r}", yes)
        client.pings.delete(found["id"])
    if as_json:
        print_json({"id": found["id"], "deleted": True})
    else:
        say(f"Deleted the ping {found['name']!r}.")


def _standing(ping: Json) -> str:
    return "unreadable" if ping["unreadable"] else str(ping["state"])
