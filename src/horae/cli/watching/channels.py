"""`horae channels`: notification channels."""

from __future__ import annotations

import threading
from typing import Annotated, Any

import typer

from horae.cli.connection import connect
from horae.cli.jobs.definition import unset as without
from horae.cli.terminal import completing
from horae.cli.terminal.asking import Yes, confirm
from horae.cli.terminal.printing import AsJson, ago, print_items, print_json, say, status, table
from horae.cli.terminal.refreshing import watched
from horae.cli.terminal.suggesting import named
from horae.cli.watching import channel_options as options
from horae.cli.watching.channel_options import SECRETS, RuleOptions, TargetOptions, read_secret
from horae.clock import SystemClock
from horae.domain.errors import InvalidInput

Json = dict[str, Any]
app = typer.Typer(help="Notification channels.", no_args_is_help=True)
_PATIENCE, _BETWEEN = 30.0, 0.5  # seconds to wait for a test, and between two polls


@app.command("list")
@watched
def list_channels(installation: options.Installation = False, as_json: AsJson = False) -> None:
    """List the channels, each with how its last delivery went."""
    with connect() as client:
        found = list(client.channels.list(installation=installation))
    if as_json:
        print_items(found)
        return
    now = SystemClock().now()
    table(
        ("name", "kind", "to", "last", "when", "enabled", "events", "id"),
        (
            (
                channel["name"],
                channel["kind"],
                channel["address"],
                status(last["state"] if (last := channel["last_delivery"]) else None),
                ago(last["at"] if last else None, now),
                "yes" if channel["enabled"] else "no",
                ", ".join(channel["events"]),
                channel["id"],
            )
            for channel in found
        ),
        "No channels. Create one: horae channels create NAME --kind email --to ops@example.org",
        spare=("id", "events", "enabled"),
    )


@app.command("create")
def create(
    name: Annotated[str, typer.Argument(metavar="NAME", help="What jobs call it in `notify`.")],
    kind: Annotated[
        str,
        typer.Option(help=f"{', '.join(SECRETS)}.", autocompletion=completing.words(*SECRETS)),
    ],
    to: options.To = None,
    sender: options.Sender = None,
    server: options.Server = None,
    security: options.Security = None,
    username: options.Username = None,
    service_url: options.ServiceUrl = None,
    secret_file: options.SecretFile = None,
    events: options.Events = None,
    severity: options.Severity = None,
    tags: options.Tags = None,
    jobs: options.Jobs = None,
    named_only: options.NamedOnly = None,
    quiet: options.Quiet = None,
    timezone: options.Timezone = None,
    digest: options.Digest = None,
    repeat_after: options.RepeatAfter = None,
    per_hour: options.PerHour = None,
    installation: options.Installation = False,
    as_json: AsJson = False,
) -> None:
    """Create a channel. Prompts for its URL, key or password, since others could see an argument."""
    if kind not in SECRETS:
        raise InvalidInput("--kind", f"must be one of {', '.join(SECRETS)}")
    target = {"kind": kind, **TargetOptions(to, sender, server, security, username, service_url).fields()}
    if kind != "email" or username is not None:
        target[SECRETS[kind]] = read_secret(kind, secret_file)
    rules = RuleOptions(
        events, severity, tags, jobs, named_only, quiet, timezone, digest, repeat_after, per_hour
    ).fields()
    with connect() as client:
        made = client.channels.create(name, target, installation=installation, **rules)
    if as_json:
        print_json(made)
        return
    whose = " --installation" if installation else ""
    say(f"Created the channel {name}. Try it: horae channels test {name}{whose}")
    if made["signing_key"]:
        say("Its messages are signed with this key. It is not shown again:")
        print(made["signing_key"])


@app.command("edit")
def edit(
    name: options.Name,
    rename: Annotated[str | None, typer.Option(help="Another name.")] = None,
    enabled: Annotated[bool | None, typer.Option("--enable/--disable", help="Whether anything is sent.")] = None,
    to: options.To = None,
    sender: options.Sender = None,
    server: options.Server = None,
    security: options.Security = None,
    username: options.Username = None,
    service_url: options.ServiceUrl = None,
    new_secret: Annotated[bool, typer.Option("--new-secret", help="Prompt for another URL, key or password.")] = False,
    secret_file: options.SecretFile = None,
    events: options.Events = None,
    severity: options.Severity = None,
    tags: options.Tags = None,
    jobs: options.Jobs = None,
    named_only: options.NamedOnly = None,
    quiet: options.Quiet = None,
    timezone: options.Timezone = None,
    digest: options.Digest = None,
    repeat_after: options.RepeatAfter = None,
    per_hour: options.PerHour = None,
    unset: Annotated[
        list[str] | None, typer.Option("--unset", metavar="FIELD", help="Back to its default, such as quiet.")
    ] = None,
    installation: options.Installation = False,
    as_json: AsJson = False,
) -> None:
    """Change a channel; options that you omit keep their values."""
    target = TargetOptions(to, sender, server, security, username, service_url).fields()
    changes: Json = RuleOptions(
        events, severity, tags, jobs, named_only, quiet, timezone, digest, repeat_after, per_hour
    ).fields()
    if rename is not None:
        changes["name"] = rename
    if enabled is not None:
        changes["enabled"] = enabled
    with (
        connect() as client,
        named("channel", name, lambda: client.channels.list(installation=installation)),
    ):
        if new_secret or secret_file is not None:
            kind = client.channels.get(name, installation=installation)["kind"]
            target[SECRETS[kind]] = read_secret(kind, secret_file)
        if target:
            changes["target"] = target
        changes = without(changes, unset or [])
        if not changes:
            raise InvalidInput("", "nothing to change: name at least one option")
        changed = client.channels.edit(name, installation=installation, **changes)
    if as_json:
        print_json(changed)
    else:
        say(f"Changed the channel {changed['name']}.")


@app.command("test")
def send_test(name: options.Name, installation: options.Installation = False, as_json: AsJson = False) -> None:
    """Send a test message, and wait until a scheduler has tried."""
    with (
        connect() as client,
        named("channel", name, lambda: client.channels.list(installation=installation)),
    ):
        sent = client.channels.test(name, installation=installation)
        clock = SystemClock()
        until = clock.monotonic() + _PATIENCE
        while sent["state"] == "pending" and not sent["last_error"] and clock.monotonic() < until:
            threading.Event().wait(_BETWEEN)
            log = client.channels.deliveries(name, installation=installation, limit=50)
            sent = next((one for one in log if one["id"] == sent["id"]), sent)
    if as_json:
        print_json(sent)
    elif sent["state"] == "sent":
        say(f"Sent a test message through {name}.")
    elif sent["last_error"]:
        say(f"The test message could not be sent: {sent['last_error']}")
    else:
        say("No scheduler has tried to send it yet: see `horae schedulers`.")
    if sent["state"] != "sent":
        raise typer.Exit(1)


@app.command("deliveries")
@watched
def deliveries(
    name: options.Name,
    limit: Annotated[int, typer.Option(min=1, help="How many at most.")] = 50,
    installation: options.Installation = False,
    as_json: AsJson = False,
) -> None:
    """Show what was sent through a channel, newest first, and what went wrong."""
    with (
        connect() as client,
        named("channel", name, lambda: client.channels.list(installation=installation)),
    ):
        found = client.channels.deliveries(name, installation=installation, limit=limit)
        items = list(found)
    if as_json:
        print_items(items)
        return
    now = SystemClock().now()
    table(
        ("when", "state", "kind", "title", "notices", "tries", "error", "id"),
        (
            (
                ago(one["created_at"], now),
                status(one["state"]),
                one["kind"],
                one["title"],
                one["notices"],
                one["tries"],
                one["last_error"],
                one["id"],
            )
            for one in items
        ),
        "Nothing was sent yet.",
        spare=("id", "tries", "notices"),
    )


@app.command("delete")
def delete(
    name: options.Name,
    force: Annotated[bool, typer.Option("--force", help="Even if jobs name it in `notify`.")] = False,
    installation: options.Installation = False,
    yes: Yes = False,
    as_json: AsJson = False,
) -> None:
    """Delete a channel that no job names."""
    confirm(f"Delete the channel {name}", yes)
    with (
        connect() as client,
        named("channel", name, lambda: client.channels.list(installation=installation)),
    ):
        client.channels.delete(name, force=force, installation=installation)
    if as_json:
        print_json({"name": name, "deleted": True})
    else:
        say(f"Deleted the channel {name}.")
