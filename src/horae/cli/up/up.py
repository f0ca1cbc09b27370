"""`horae up`: the API, a scheduler and a worker in one process tree, by default on SQLite."""

from __future__ import annotations

import gc
import os
import sys
from typing import TYPE_CHECKING, Annotated

import typer

from horae import config, memory
from horae.config import PREFIX, SERVICE_MANAGER, Settings

if TYPE_CHECKING:
    from horae.cli.up.fork import Work


def register(app: typer.Typer) -> None:
    app.command("up")(up)


def up(
    demo: Annotated[bool, typer.Option("--demo", help="Add a few example jobs.")] = False,
    imports: Annotated[
        list[str] | None, typer.Option("--import", help="A module with @horae.task functions; repeatable.")
    ] = None,
) -> None:
    """Run everything here: the API, a scheduler and a worker. Ctrl-C stops it."""
    from horae.cli.up.together import run

    settings = config.load(up=True)
    if settings.debuggable:
        memory.reopen()
    children = {name: _command(settings, name) for name in ("serve", "scheduler")}
    children["worker"] = _command(settings, "worker", *(f"--import={module}" for module in imports or ()))
    colour = sys.stdout.isatty() and not os.environ.get("NO_COLOR")
    raise typer.Exit(run(settings, _prepare, children, demo=demo, colour=colour))


def _command(settings: Settings, name: str, *options: str) -> Work:
    """A Horae command to run in a child with the settings of this process."""

    def work() -> int:
        from horae.cli import app

        os.environ.update(environment(settings, name))
        for variable in SERVICE_MANAGER:  # on which the parent sends messages
            os.environ.pop(variable, None)
        sys.argv = ["horae", name, *options]
        return app.run([name, *options])

    return work


def environment(settings: Settings, name: str = "") -> dict[str, str]:
    """The environment of a child: ours, and the settings specific to `horae up`."""
    found = {**os.environ, **settings.environment()}
    if settings.metrics_port is not None and name == "worker":  # not `serve`: the scheduler has the port itself
        found[f"{PREFIX}METRICS_PORT"] = str(settings.metrics_port + 1)
    if settings.log_format == "auto":
        found[f"{PREFIX}LOG_FORMAT"] = "console"
    return found


def _prepare(settings: Settings, token: str | None) -> str:
    """In a separate process, so that this one has done nothing but import."""
    from horae import wiring
    from horae.cli.up.fork import apart

    wiring.preload()
    gc.collect()
    gc.freeze()  # a child's collector would write to every shared page, and so copy it

    def work() -> str:
        wiring.migrate(settings)
        return wiring.ensure_local_key(settings, token)

    return apart("prepare", work)
