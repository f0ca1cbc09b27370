"""`horae serve`, `scheduler`, `worker`, `intake`, `migrate`, and the lists of live processes."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from horae import config
from horae.cli.connection import connect
from horae.cli.terminal.asking import Yes, confirm
from horae.cli.terminal.printing import AsJson, ago, print_items, print_json, say, status, table
from horae.cli.terminal.refreshing import watched
from horae.clock import SystemClock
from horae.domain.errors import Conflict


def register(app: typer.Typer) -> None:
    app.command("serve")(serve)
    app.command("scheduler")(scheduler)
    app.command("worker")(worker)
    app.command("intake")(intake)
    app.command("migrate")(migrate)
    app.command("workers")(watched(workers))
    app.command("schedulers")(watched(schedulers))


def on_database(**options: Any) -> config.Settings:
    """The settings of a command that works directly on the database."""
    settings = config.load(overrides=options)
    if settings.sources["database_url"] == "default":
        settings.make_data_dir()
    return settings


def for_process(**options: Any) -> config.Settings:
    settings = on_database(**options)
    settings.need_secret_key()
    return settings


def serve(
    host: Annotated[str | None, typer.Option(help="The address to listen on (HORAE_HOST).")] = None,
    port: Annotated[int | None, typer.Option(help="The port to listen on (HORAE_PORT).")] = None,
) -> None:
    """Run the API."""
    settings = for_process(host=host, port=port)
    from horae import wiring

    wiring.serve(settings)


def scheduler() -> None:
    """Run a scheduler: it fires what is due."""
    settings = for_process()
    from horae import wiring

    wiring.scheduler(settings)


def worker(
    queues: Annotated[str | None, typer.Option(help="Queues to serve, in order: a,b. All by default.")] = None,
    projects: Annotated[
        str | None,
        typer.Option(help="Serve only queues reserved for these projects: a,b (see `horae queues reserve`)."),
    ] = None,
    slots: Annotated[int | None, typer.Option(help="Number of concurrent runs (HORAE_WORKER_SLOTS).")] = None,
    imports: Annotated[
        list[str] | None, typer.Option("--import", help="A module with @horae.task functions; repeatable.")
    ] = None,
    engine: Annotated[
        str | None,
        typer.Option(help="Where its runs come from: database, or celery for a broker (HORAE_ENGINE)."),
    ] = None,
) -> None:
    """Run a worker, which executes runs."""
    settings = on_database(worker_slots=slots, engine=engine)  # without a key it executes runs that need no secrets
    served, bound = _names(queues), _names(projects)
    if queues is not None and not served:
        raise typer.BadParameter("name at least one queue, such as --queues mail,default", param_hint="--queues")
    if projects is not None and not bound:
        raise typer.BadParameter("name at least one project, such as --projects billing", param_hint="--projects")
    from horae import wiring

    wiring.worker(settings, queues=served, projects=bound, slots=settings.worker_slots, imports=imports or [])


def intake(
    source: Annotated[
        str | None,
        typer.Option(
            help="Where requests come from: amqp://…?queue=NAME, redis://…?list=NAME or redis://…?stream=NAME "
            "(HORAE_INTAKE_SOURCE)."
        ),
    ] = None,
    batch: Annotated[int | None, typer.Option(help="Most messages of a transaction (HORAE_INTAKE_BATCH).")] = None,
) -> None:
    """Run an intake: it takes requests from RabbitMQ or Redis and submits them."""
    settings = for_process(intake_source=source, intake_batch=batch)
    from horae import wiring

    wiring.intake(settings)


def _names(listed: str | None) -> list[str]:
    return [name.strip() for name in (listed or "").split(",") if name.strip()]


def migrate(
    to: Annotated[
        str | None,
        typer.Option(metavar="REVISION", help="Migrate to this revision instead of the newest; may be an earlier one."),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Downgrade even if live processes need a newer revision.")
    ] = False,
    yes: Yes = False,
    as_json: AsJson = False,
) -> None:
    """Bring the database's schema up to date, or to another revision."""
    settings = on_database()
    from horae import wiring
    from horae.watch.logging import configure

    configure(form=settings.log_format, level="error", role="migrate")  # Alembic's own notes are not of interest
    target = None if to is None else wiring.known_revision(to)
    if target is not None:
        _may_go_back(settings, target, force=force, yes=yes)
    wiring.migrate(settings, target or "head")
    if as_json:
        print_json({"migrated": True})
    else:
        say("The schema is up to date." if target is None else f"The schema is at revision {target}.")


def _may_go_back(settings: config.Settings, target: str, *, force: bool, yes: bool) -> None:
    from horae import wiring

    now, alive = wiring.way_back(settings, target)
    if now is None:
        return
    if alive and not force:
        raise Conflict(
            f"processes of this version are alive ({len(alive)}) and cannot work on revision {target} "
            f"({', '.join(alive[:3])}{', …' if len(alive) > 3 else ''}): stop them first, or use --force"
        )
    say(f"Downgrading drops what revisions after {target} added, including the data in it.")
    say("Make a backup first, and stop every `horae serve` of this version: they do not register.")
    confirm(f"Downgrade the schema from revision {now} to {target}", yes)


def workers(as_json: AsJson = False) -> None:
    """List the workers."""
    with connect() as client:
        found = list(client.workers())
    if as_json:
        print_items(found)
        return
    now = SystemClock().now()
    table(
        ("id", "name", "status", "busy", "queues", "offers", "runs", "done", "heartbeat", "host", "pid"),
        (
            (
                w["id"],
                w["name"],
                status("failing" if w["trouble"] and w["status"] not in ("offline", "stopped") else w["status"]),
                f"{w['busy']}/{w['slots']}",
                ", ".join(w["queues"]) or ("none" if w["projects"] else "all"),
                ", ".join(w["offers"]),
                ", ".join(w["current_runs"]),
                w["runs_done"],
                ago(w["heartbeat_at"], now),
                w["hostname"],
                w["pid"],
            )
            for w in found
        ),
        "No worker has registered. Start one with `horae worker`.",
        spare=("runs", "pid", "host", "offers", "done", "queues"),
    )


def schedulers(
    as_json: AsJson = False,
    shards: Annotated[bool, typer.Option("--shards", help="List shards with their owners and epochs.")] = False,
) -> None:
    """List the schedulers."""
    with connect() as client:
        found = list(client.schedulers())
    if as_json:
        print_items(found)
        return
    now = SystemClock().now()
    if shards:
        leases = sorted(((lease, s["id"]) for s in found for lease in s["leases"]), key=lambda pair: pair[0]["shard"])
        table(
            ("shard", "owner", "epoch", "since"),
            ((lease["shard"], owner, lease["epoch"], ago(lease["owned_since"], now)) for lease, owner in leases),
            "No shard has an owner, so schedules do not fire. Start a scheduler with `horae scheduler`.",
        )
        return
    table(
        ("id", "status", "shards", "epochs", "started", "heartbeat", "host", "pid", "version"),
        (
            (
                s["id"],
                status(s["status"]),
                len(s["shards"]),
                _span([lease["epoch"] for lease in s["leases"]]),
                ago(s["started_at"], now),
                ago(s["heartbeat_at"], now),
                s["hostname"],
                s["pid"],
                s["version"],
            )
            for s in found
        ),
        "No scheduler has registered. Start one with `horae scheduler`.",
        spare=("pid", "version"),
    )


def _span(numbers: list[int]) -> str:
    if not numbers:
        return "–"
    return str(numbers[0]) if min(numbers) == max(numbers) else f"{min(numbers)}–{max(numbers)}"
