"""`horae functions`: the functions that workers have registered for `python` jobs."""

from __future__ import annotations

import json
from typing import Annotated, Any

import typer

from horae.cli.cluster.processes import on_database
from horae.cli.connection import connect
from horae.cli.terminal import completing
from horae.cli.terminal.asking import Yes, confirm
from horae.cli.terminal.printing import AsJson, ago, details, print_items, print_json, say, table
from horae.cli.terminal.refreshing import watched
from horae.cli.terminal.suggesting import named
from horae.clock import SystemClock

app = typer.Typer(help="Registered functions: list, show, add, enable, disable, delete.", no_args_is_help=True)

Json = dict[str, Any]
Name = Annotated[
    str,
    typer.Argument(metavar="NAME", help="The name under which it is registered.", autocompletion=completing.functions),
]


@app.command("list")
@watched
def list_functions(as_json: AsJson = False) -> None:
    """All functions, by name."""
    with connect() as client:
        found = list(client.functions.list())
    if as_json:
        print_items(found)
        return
    now = SystemClock().now()
    table(
        ("name", "runs", "active", "seen", "arguments", "description"),
        (
            (
                one["name"],
                one["kind"],
                "yes" if one["is_active"] else "no",
                "cannot be imported" if one["import_error"] else ago(one["last_seen_at"], now),
                _arguments(one),
                one["description"].partition("\n")[0],
            )
            for one in found
        ),
        "No functions. Start a worker that has some: horae worker --import MODULE",
        spare=("runs", "seen"),
    )


@app.command("show")
def show(name: Name, as_json: AsJson = False) -> None:
    """One function, with the JSON Schema of its arguments."""
    with connect() as client, named("function", name, client.functions.list):
        found = client.functions.get(name)
    if as_json:
        print_json(found)
        return
    parameters = json.dumps(found["parameters"], ensure_ascii=False)
    details([(key, parameters if key == "parameters" else value) for key, value in found.items()])


@app.command("add")
def add(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The name that jobs use.")],
    path: Annotated[str, typer.Argument(metavar="PATH", help="Where the function is: shop.tasks.send_report")],
    description: Annotated[str | None, typer.Option(help="What it does; its docstring if omitted.")] = None,
    queue: Annotated[str | None, typer.Option(help="The queue of new jobs that name none.")] = None,
    timeout: Annotated[
        float | None, typer.Option(help="The time limit of new jobs that have none, in seconds.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Register any importable function by its path, without decorating it. For admins."""
    with connect() as client:
        found = client.functions.create(name, path, description=description, queue=queue, default_timeout=timeout)
    if as_json:
        print_json(found)
    else:
        say(f"Registered {path} as {name}. `horae functions show {name}` says whether a worker can import it.")


@app.command("enable")
def enable(name: Name, as_json: AsJson = False) -> None:
    """Enable a function."""
    _switch(name, True, as_json)


@app.command("disable")
def disable(name: Name, as_json: AsJson = False) -> None:
    """Disable a function: its jobs cannot be saved or triggered, and their schedules are skipped."""
    _switch(name, False, as_json)


@app.command("delete")
def delete(name: Name, yes: Yes = False, as_json: AsJson = False) -> None:
    """Delete a function that no worker has any more."""
    confirm(f"Delete the function {name}", yes)
    with connect() as client, named("function", name, client.functions.list):
        client.functions.delete(name)
    if as_json:
        print_json({"deleted": name})
    else:
        say(f"Deleted the function {name}. A worker that still has it registers it again.")


@app.command("register")
def register(
    modules: Annotated[
        list[str] | None,
        typer.Option("--import", metavar="MODULE", help="The module whose tasks to register; repeatable."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Register functions directly on the database, so that jobs can be created before a worker starts."""
    from horae import wiring

    names = wiring.register_functions(on_database(), modules or [])
    if as_json:
        print_items(names)
    else:
        say(f"Registered {', '.join(names) or 'nothing: name a module with --import'}.")


def _switch(name: str, active: bool, as_json: bool) -> None:
    with connect() as client, named("function", name, client.functions.list):
        found = client.functions.edit(name, is_active=active)
    if as_json:
        print_json(found)
    else:
        state = "enabled" if active else "disabled: schedules of jobs that call it are skipped until it is enabled"
        say(f"The function {name} is {state}.")


def _arguments(function: Json) -> str:
    schema = function["parameters"]
    required = schema.get("required", ())
    return ", ".join(name if name in required else f"[{name}]" for name in schema.get("properties", {}))
