"""`horae sinks`: where events are sent."""

from __future__ import annotations

import threading
from typing import Annotated, Any

import typer

from horae.cli.connection import connect
from horae.cli.jobs.definition import given, seconds
from horae.cli.jobs.definition import unset as without
from horae.cli.terminal import completing
from horae.cli.terminal.asking import Yes, confirm
from horae.cli.terminal.printing import AsJson, ago, print_json, say, status, table
from horae.cli.terminal.refreshing import watched
from horae.cli.terminal.suggesting import named
from horae.cli.watching.channel_options import Jobs, SecretFile, Tags, read_secret
from horae.clock import SystemClock
from horae.domain.errors import InvalidInput
from horae.domain.sinks.sink import SINK_KINDS
from horae.domain.sinks.types import GROUPS, TYPES

Json = dict[str, Any]
app = typer.Typer(help="Sinks: run and job events to other systems.", no_args_is_help=True)
_PATIENCE, _BETWEEN = 30.0, 0.5  # seconds to wait for a test, and between two polls

Name = Annotated[str, typer.Argument(metavar="NAME", help="Its name or id.", autocompletion=completing.sinks)]
Installation = Annotated[
    bool, typer.Option("--installation", help="Of the installation, for the events of all projects; admins only.")
]
Types = Annotated[
    list[str] | None,
    typer.Option(
        "--type", help="Only this type, such as run.ended or job.*; repeatable.",
        autocompletion=completing.words(*GROUPS, *TYPES),
    ),
]  # fmt: skip
KeepFor = Annotated[str | None, typer.Option("--keep-for", help="How long events wait for a sink that fails.")]
MaxWaiting = Annotated[int | None, typer.Option("--max-waiting", help="How many events may wait for it.")]
Batch = Annotated[
    int | None, typer.Option(help="webhook: the largest number of events in a call; 1 sends each separately.")
]
Exchange = Annotated[str | None, typer.Option(help="amqp: the topic exchange.")]
Stream = Annotated[str | None, typer.Option(help="redis: the stream.")]
MaxLength = Annotated[int | None, typer.Option("--max-length", help="redis: about how long the stream may get.")]


@app.command("list")
@watched
def list_sinks(installation: Installation = False, as_json: AsJson = False) -> None:
    """List sinks, how many events wait for each, and what is wrong."""
    with connect() as client:
        found = list(client.sinks.list(installation=installation))
    if as_json:
        print_json({"items": found, "next_cursor": None})
        return
    now = SystemClock().now()
    table(
        ("name", "kind", "to", "state", "waiting", "sent", "dropped", "last", "error", "types", "id"),
        (
            (
                sink["name"],
                sink["kind"],
                sink["address"],
                status(_state(sink)),
                sink["waiting"],
                sink["sent"],
                sink["dropped"],
                ago(sink["last_sent_at"], now),
                sink["last_error"],
                ", ".join(sink["types"]),
                sink["id"],
            )
            for sink in found
        ),
        "No sinks. Create one: horae sinks create NAME --kind webhook",
        spare=("id", "types", "last", "dropped"),
    )


@app.command("create")
def create(
    name: Annotated[str, typer.Argument(metavar="NAME", help="What it is called.")],
    kind: Annotated[
        str, typer.Option(help=f"{', '.join(SINK_KINDS)}.", autocompletion=completing.words(*SINK_KINDS))
    ] = "webhook",
    types: Types = None,
    jobs: Jobs = None,
    tags: Tags = None,
    keep_for: KeepFor = None,
    max_waiting: MaxWaiting = None,
    batch: Batch = None,
    exchange: Exchange = None,
    stream: Stream = None,
    max_length: MaxLength = None,
    secret_file: SecretFile = None,
    installation: Installation = False,
    as_json: AsJson = False,
) -> None:
    """Create a sink. Prompts for the URL of a webhook, since others could see an argument."""
    if kind not in SINK_KINDS:
        raise InvalidInput("--kind", f"must be one of {', '.join(SINK_KINDS)}")
    target = {"kind": kind, **_target(batch, exchange, stream, max_length)}
    if kind == "webhook":
        target["url"] = read_secret(kind, secret_file)
    fields = _fields(types, jobs, tags, keep_for, max_waiting)
    with connect() as client:
        made = client.sinks.create(name, target, installation=installation, **fields)
    if as_json:
        print_json(made)
        return
    say(f"Created the sink {name}. Try it: horae sinks test {name}{' --installation' if installation else ''}")
    if made["signing_key"]:
        say("Its calls are signed with this key. It is not shown again:")
        print(made["signing_key"])


@app.command("edit")
def edit(
    name: Name,
    rename: Annotated[str | None, typer.Option(help="Another name.")] = None,
    enabled: Annotated[bool | None, typer.Option("--enable/--disable", help="Whether anything is sent.")] = None,
    types: Types = None,
    jobs: Jobs = None,
    tags: Tags = None,
    keep_for: KeepFor = None,
    max_waiting: MaxWaiting = None,
    batch: Batch = None,
    exchange: Exchange = None,
    stream: Stream = None,
    max_length: MaxLength = None,
    new_secret: Annotated[bool, typer.Option("--new-secret", help="Prompt for another URL.")] = False,
    secret_file: SecretFile = None,
    unset: Annotated[
        list[str] | None, typer.Option("--unset", metavar="FIELD", help="Back to its default, such as jobs.")
    ] = None,
    installation: Installation = False,
    as_json: AsJson = False,
) -> None:
    """Change a sink; options that you omit keep their values."""
    target = _target(batch, exchange, stream, max_length)
    if new_secret or secret_file is not None:
        target["url"] = read_secret("webhook", secret_file)
    changes = {**given({"name": rename, "enabled": enabled}), **_fields(types, jobs, tags, keep_for, max_waiting)}
    if target:
        changes["target"] = target
    changes = without(changes, unset or [])
    if not changes:
        raise InvalidInput("", "nothing to change: name at least one option")
    with connect() as client, named("sink", name, lambda: client.sinks.list(installation=installation)):
        changed = client.sinks.edit(name, installation=installation, **changes)
    if as_json:
        print_json(changed)
    else:
        say(f"Changed the sink {changed['name']}.")


@app.command("test")
def send_test(name: Name, installation: Installation = False, as_json: AsJson = False) -> None:
    """Send a test event, and wait until a scheduler has tried."""
    with connect() as client, named("sink", name, lambda: client.sinks.list(installation=installation)):
        before = client.sinks.test(name, installation=installation)["sink"]
        clock = SystemClock()
        until, sink = clock.monotonic() + _PATIENCE, before
        while not _tried(before, sink) and clock.monotonic() < until:
            threading.Event().wait(_BETWEEN)
            sink = client.sinks.get(name, installation=installation)
    sent = _tried(before, sink) and sink["failing_since"] is None
    if as_json:
        print_json(sink)
    elif sent:
        say(f"Sent a test event to {name}.")
    elif sink["last_error"]:
        say(f"The test event could not be sent: {sink['last_error']}")
    else:
        say("No scheduler has tried to send it yet: see `horae schedulers`.")
    if not sent:
        raise typer.Exit(1)


@app.command("delete")
def delete(name: Name, installation: Installation = False, yes: Yes = False, as_json: AsJson = False) -> None:
    """Delete a sink, and the events that wait for it."""
    confirm(f"Delete the sink {name}", yes)
    with connect() as client, named("sink", name, lambda: client.sinks.list(installation=installation)):
        client.sinks.delete(name, installation=installation)
    if as_json:
        print_json({"name": name, "deleted": True})
    else:
        say(f"Deleted the sink {name}.")


def _tried(before: Json, sink: Json) -> bool:
    """Whether something was sent, or failed, since."""
    return bool(sink["sent"] > before["sent"] or (sink["last_error"] and sink["retry_at"] != before["retry_at"]))


def _state(sink: Json) -> str:
    if not sink["enabled"]:
        return "disabled"
    return "failing" if sink["failing_since"] else "ok"


def _fields(
    types: list[str] | None,
    jobs: list[str] | None,
    tags: list[str] | None,
    keep_for: str | None,
    max_waiting: int | None,
) -> Json:
    kept = seconds("--keep-for", keep_for)
    return given(
        {
            "types": types or None,
            "jobs": jobs or None,
            "tags": tags or None,
            "keep_for": None if kept is None else int(kept),
            "max_waiting": max_waiting,
        }
    )


def _target(batch: int | None, exchange: str | None, stream: str | None, max_length: int | None) -> Json:
    return given({"batch": batch, "exchange": exchange, "stream": stream, "max_length": max_length})
