"""`horae doctor`: the configuration and its sources, and whether everything is present and working."""

from __future__ import annotations

import re
import shutil
from dataclasses import fields
from typing import TYPE_CHECKING, Annotated, Any

import typer

from horae import __version__, config
from horae.cli.terminal.printing import AsJson, print_json, say, status, table
from horae.clock import SystemClock
from horae.config.kinds import show
from horae.domain.errors import HoraeError

if TYPE_CHECKING:
    from horae.domain.cluster.process import WorkerRecord
    from horae.watch.health import Check, Cluster

_COLOURED = {"ok": "healthy", "warning": "paused", "failed": "failed"}
_ADDRESS = re.compile(r"([a-z+]+://(?:[^:@/]*(?=[:@]))?)(:[^@/]*@|@)?([^@]*)")
_LOW = 500 * 2**20  # bytes free


def register(app: typer.Typer) -> None:
    app.command("doctor")(doctor)


def doctor(
    settings_only: Annotated[bool, typer.Option("--settings", help="Only show the settings.")] = False,
    isolation: Annotated[
        bool, typer.Option("--isolation", help="Only show how workers isolate the code of projects.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Check configuration, database, clocks, schedulers, workers and open alerts, and say what is wrong."""
    settings = config.load()
    if isolation:
        _isolation(settings, as_json=as_json)
        return
    shown = _settings(settings)
    checks = [] if settings_only else _checks(settings)
    if as_json:
        print_json({"settings": shown, "checks": [_json(check) for check in checks]})
    else:
        table(("setting", "value", "from"), ((x["name"], x["value"], x["source"]) for x in shown), "")
        if checks:
            _show(checks)
    if any(check.state == "failed" for check in checks):
        raise typer.Exit(1)


def _settings(settings: config.Settings) -> list[dict[str, str]]:
    """Each with its source. For secrets, only whether they are set."""
    found = []
    for one in fields(settings):
        if "read" not in one.metadata:
            continue
        value = getattr(settings, one.name)
        text = "" if value in (None, {}, ()) else show(value)
        if one.metadata.get("secret") and text:
            text = _without_password(text)
        source = settings.sources.get(one.name, "default")
        found.append({"name": config.PREFIX + one.name.upper(), "value": text, "source": source})
    return found


def _without_password(text: str) -> str:
    """A URL is shown without its password; any other secret is not shown at all."""
    match = _ADDRESS.fullmatch(text)
    return f"{match[1]}{'***@' if match[2] else ''}{match[3]}" if match else "(hidden)"


def _checks(settings: config.Settings) -> list[Check]:
    from horae import wiring
    from horae.watch.health import (
        Check,
        State,
        alerting,
        bounding,
        clock,
        definitions,
        emitting,
        failing,
        isolating,
        scheduling,
        versions,
        waiting,
        working,
    )
    from horae.watch.logging import configure

    configure(form="console", level="error", role="doctor")
    found = _local(settings)
    kind = settings.database_url.partition(":")[0]
    try:
        cluster = wiring.look(settings)
        read = wiring.read_definitions(settings)
    except HoraeError as error:
        remedy = (
            "make sure that it is running and that HORAE_DATABASE_URL points to it; `horae migrate` creates or updates "
            "its tables"
        )
        return [*found, Check("database", State.FAILED, str(error), remedy)]
    found.append(Check("database", State.OK, f"{kind} responds, and its schema is compatible"))
    found.append(clock(cluster.now, SystemClock().now()))
    found.append(scheduling(cluster))
    found += [*working(cluster), *failing(cluster), *waiting(cluster), *definitions(cluster, read)]
    found += [*alerting(cluster), *emitting(cluster), *bounding(cluster), *isolating(cluster)]
    found += [*_broker(settings, cluster), *_wake_ups(settings), *_single_sign_on(settings)]
    found.append(versions(__version__, cluster.alive))
    return found


def _wake_ups(settings: config.Settings) -> list[Check]:
    from horae import wiring
    from horae.watch.health import Check, State

    if settings.wakeups is None:
        return []
    if why := wiring.cannot_wake(settings):
        remedy = "start it, or correct HORAE_WAKEUPS; until then processes poll, and runs start up to seconds later"
        return [Check("wake-ups", State.WARNING, why, remedy)]
    return [Check("wake-ups", State.OK, "Redis answers")]


def _broker(settings: config.Settings, cluster: Cluster) -> list[Check]:
    from horae import wiring
    from horae.watch.health import Check, State

    if settings.broker_url is None or not cluster.engines.broker:
        return []
    if why := wiring.broker_trouble(settings):
        remedy = "make sure that it is running and that HORAE_BROKER_URL points to it; runs wait until it is back"
        return [Check("broker", State.FAILED, why, remedy)]
    return [Check("broker", State.OK, "it answers")]


def _single_sign_on(settings: config.Settings) -> list[Check]:
    from horae import wiring
    from horae.watch.health import Check, State

    if settings.oidc_issuer is None:
        return []
    if why := wiring.cannot_sign_on(settings):
        remedy = "compare the HORAE_OIDC_ settings with what the provider shows for this application"
        return [Check("single sign-on", State.FAILED, why, remedy)]
    found = [Check("single sign-on", State.OK, f"{settings.oidc_issuer} answers")]
    if settings.public_url is None:
        words = "HORAE_PUBLIC_URL is not set; serve would not start"
        remedy = "set it to the URL that browsers use for this server (`horae up` sets its own)"
        found.append(Check("single sign-on", State.WARNING, words, remedy))
    if unknown := wiring.unknown_projects(settings):
        words = f"HORAE_OIDC_ROLES names projects that do not exist: {', '.join(unknown)}"
        found.append(Check("single sign-on", State.WARNING, words, "create them, or correct the names"))
    return found


def _local(settings: config.Settings) -> list[Check]:
    """What can be seen from this machine alone."""
    from horae.watch.health import Check, State

    found = []
    key = settings.secret_key or (settings.data_dir / config.SECRET_FILE).exists()
    if not key:
        found.append(
            Check(
                "secret key",
                State.WARNING,
                "HORAE_SECRET_KEY is not set; serve and scheduler would not start",
                "create one with `openssl rand -hex 32` and give it to every process (`horae up` creates its own)",
            )
        )
    remedy = "make the user that Horae runs as its owner (`chown`), and `chmod 400` it"
    found += [Check("key file", State.WARNING, words, remedy) for words in config.open_files(settings)]
    for kind, program, package in (("script", "bwrap", "bubblewrap"), ("container", "podman", "podman or docker")):
        there = shutil.which(program) or (kind == "container" and shutil.which("docker"))
        if kind in settings.executors and not there:
            words = f"{kind} jobs run on this machine without {program}"
            found.append(Check(kind, State.WARNING, words, f"install {package} if jobs need it"))
    if settings.database_url.startswith("sqlite") and settings.data_dir.exists():
        free = shutil.disk_usage(settings.data_dir).free
        if free < _LOW:
            words = f"{free // 2**20} MiB of disk space left for the database"
            found.append(Check("disk", State.WARNING, words, "free some space, or shorten HORAE_RETENTION"))
    return found


def _isolation(settings: config.Settings, *, as_json: bool) -> None:
    """For each worker: the projects it serves, the user and sandbox of its scripts, and what they could read."""
    from horae import wiring
    from horae.watch.logging import configure

    configure(form="console", level="error", role="doctor")
    alive = [worker for worker in wiring.look(settings).workers if worker.there]
    rows = [_isolated(worker) for worker in alive]
    if as_json:
        print_json({"workers": rows})
        return
    table(
        ("worker", "projects", "queues", "runs as", "sandbox", "a script can read", "verdict"),
        ((*list(row.values())[:-2], "; ".join(row["readable"]) or "–", row["verdict"]) for row in rows),
        "No worker is alive.",
    )


def _isolated(worker: WorkerRecord) -> dict[str, Any]:
    found = worker.isolation
    known: dict[str, Any] = {
        "worker": worker.name,
        "projects": ", ".join(worker.projects) or "all",
        "queues": ", ".join(worker.queues) or ("reserved ones" if worker.projects else "all"),
    }
    if found is None:
        return {**known, "user": "?", "sandbox": "?", "readable": [], "verdict": "its version does not report this"}
    if not found.kinds and not found.mounts:
        return {**known, "user": "–", "sandbox": "–", "readable": [], "verdict": "runs no scripts or artifacts"}
    why = found.owner_is_admin
    verdict = "owners are isolated" if why is None else f"an owner here is an admin: {why}"
    if not found.kinds:
        return {**known, "user": "–", "sandbox": "container", "readable": found.readable, "verdict": verdict}
    sandbox = found.sandbox if found.unsandboxed is None else f"none: {found.unsandboxed}"
    return {**known, "user": found.user, "sandbox": sandbox, "readable": found.readable, "verdict": verdict}


def _show(checks: list[Check]) -> None:
    from rich.text import Text

    rows: list[tuple[Any, ...]] = []
    for check in checks:
        mark = Text(str(check.state), style=status(_COLOURED[check.state]).style)
        rows.append((check.name, mark, check.finding + (f" → {check.remedy}" if check.remedy else "")))
    table(("check", "state", "finding"), rows, "")
    bad = sum(check.state != "ok" for check in checks)
    say("All is well." if not bad else f"{bad} of {len(checks)} {'needs' if bad == 1 else 'need'} a look.")


def _json(check: Check) -> dict[str, Any]:
    return {"name": check.name, "state": str(check.state), "finding": check.finding, "remedy": check.remedy}
