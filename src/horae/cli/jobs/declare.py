"""`horae apply` and `horae export`: jobs, channels and pings as files."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from horae.cli.connection import connect
from horae.cli.jobs.differences import described
from horae.cli.root import PlanFailed
from horae.cli.terminal import completing
from horae.cli.terminal.asking import Yes, confirm
from horae.cli.terminal.printing import AsJson, console, print_json, say
from horae.cli.terminal.progress import progress
from horae.domain.errors import HoraeError, InvalidInput, NotFound

if TYPE_CHECKING:
    from horae.declarative.files import Files
    from horae.declarative.plan import Step
    from horae.sdk.client import Client

Json = dict[str, Any]
_SIGNS = {"create": ("+", "green"), "change": ("~", "yellow"), "delete": ("-", "red")}
_MADE = {"url": "its URL is", "signing_key": "its messages are signed with this key, which is not shown again:"}
_LONG = 20  # steps from which progress is shown


def register(app: typer.Typer) -> None:
    app.command("apply")(apply)
    app.command("export")(export)


def apply(
    paths: Annotated[
        list[Path], typer.Argument(metavar="FILE…", help="YAML files or folders of them, or - for standard input.")
    ],
    env: Annotated[
        str | None, typer.Option(metavar="ENV", help="Overlay jobs.ENV.yaml on jobs.yaml, if present.")
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only show the changes; exit 1 if there are any, 2 on failure.")
    ] = False,
    prune: Annotated[
        bool, typer.Option("--prune", help="Delete jobs, channels and pings that no file declares.")
    ] = False,
    tag: Annotated[
        str | None,
        typer.Option(
            help="With --prune: only jobs and pings with this tag, which all declared ones must have.",
            autocompletion=completing.tags,
        ),
    ] = None,
    yes: Yes = False,
    as_json: AsJson = False,
) -> None:
    """Make jobs, channels and pings as files say they are: shows the difference, asks, and applies it one by one.

    horae apply jobs/ --dry-run · horae apply jobs/ --env prod --yes · horae apply jobs/ --prune --tag finance
    """
    from horae.declarative.files import load

    files = load(paths, env)
    with connect() as client:
        try:
            steps = _planned(client, files, prune, tag)
        except NotFound:
            raise
        except HoraeError as error:
            raise PlanFailed(error) if dry_run else error from None
        todo = [step for step in steps if step.action != "same"]
        if not as_json:
            _show(todo, len(steps))
        done = Done()
        if todo and not dry_run:
            _confirm(todo, yes, as_json)
            _carry_out(client, todo, done, as_json)
    _report(steps, todo, done, dry_run, as_json)
    if done.failed or (todo and dry_run):
        raise typer.Exit(1)


@dataclass(frozen=True, slots=True)
class Done:
    """By label: why a step failed, and what the server made and shows: a ping's URL, a webhook's key."""

    failed: dict[str, str] = field(default_factory=dict)
    made: dict[str, Json] = field(default_factory=dict)


def _planned(client: Client, files: Files, prune: bool, tag: str | None) -> list[Step]:
    """Channels come before the jobs that name them, and are deleted after those."""
    from horae.declarative.beside import plan_channels, plan_pings
    from horae.declarative.kinds import Kind
    from horae.declarative.plan import plan
    from horae.declarative.quotas import check

    current = list(client.jobs.list())
    jobs = plan(files.jobs, current, prune=prune and (Kind.JOB in files.named or not files.named), tag=tag)
    channels, pings = [], []
    if Kind.CHANNEL in files.named or any(job.spec.notify for job in files.jobs):
        channels = plan_channels(files, client.channels.list(), prune=prune and tag is None)
    if Kind.PING in files.named:
        pings = plan_pings(files, client.pings.list(), prune=prune, tag=tag)
    steps = sorted([*channels, *jobs, *pings], key=lambda step: step.kind == "channel" and step.action == "delete")
    with suppress(NotFound):  # an older server has no quotas
        check(steps, current, client.projects.own_quotas())
    return steps


def _report(steps: list[Step], todo: list[Step], done: Done, dry_run: bool, as_json: bool) -> None:
    if as_json:
        print_json({"steps": [{**_json(step), **_outcome(step, done)} for step in steps]})
    for label, error in done.failed.items():
        say(f"{label}: {error}")
    if todo and not (as_json or dry_run):
        for label, made in done.made.items():
            for name, value in made.items():
                say(f"{label}: {_MADE[name]} {value}")
        left = f"; {len(done.failed)} failed" if done.failed else ""
        say(f"Applied {len(todo) - len(done.failed)} of {len(steps)}{left}.")


def _outcome(step: Step, done: Done) -> Json:
    return {"error": done.failed.get(step.label), **done.made.get(step.label, {})}


def _confirm(todo: list[Step], yes: bool, as_json: bool) -> None:
    """Without a confirmed plan or a terminal, deleting requires --yes; the rest can be rolled back."""
    deletes = sum(step.action == "delete" for step in todo)
    if deletes and as_json and not yes:
        raise InvalidInput("--yes", f"is required: {_counted(todo)} would be deleted")
    if deletes or (sys.stdin.isatty() and not as_json):
        confirm(f"Apply this, and delete {_counted(todo)}" if deletes else "Apply this", yes)


def _counted(todo: list[Step]) -> str:
    """What would be deleted, such as `2 jobs and 1 pings`."""
    found = Counter(step.kind.key for step in todo if step.action == "delete")
    return " and ".join(f"{count} {kind}" for kind, count in found.items())


def _carry_out(client: Client, todo: list[Step], done: Done, as_json: bool) -> None:
    """Each in its own transaction; a failure does not stop the others, and is reported by name."""
    count = 0
    try:
        with progress("apply", len(todo), quiet=as_json or len(todo) < _LONG) as advance:
            for step in todo:
                try:
                    made = _do(client, step)
                except HoraeError as error:
                    done.failed[step.label] = str(error)
                else:
                    shown = {name: made[name] for name in _MADE if made.get(name)} if step.action == "create" else {}
                    if shown and step.kind != "job":
                        done.made[step.label] = shown
                count += 1
                advance(count)
    except KeyboardInterrupt:
        say(f"{count} of {len(todo)} were done; apply again for the rest.")
        raise


def _do(client: Client, step: Step) -> Json:
    """What the server answers."""
    if step.declared is None:
        return _delete(client, step)
    spec = step.declared.spec
    fields = spec.model_dump(mode="json")
    if step.kind == "job":
        fields = {**spec.to_json(), "enabled": step.declared.enabled}
        if step.action == "create":
            return client.jobs.create(**fields)
        return client.jobs.replace(step.name, fields, version=step.version)
    if step.kind == "channel":
        if step.action == "create":
            return client.channels.create(**fields)
        return client.channels.edit(step.name, **fields)
    if step.action == "create":
        return client.pings.create(**fields)
    return client.pings.edit(step.name, version=step.version, **fields)


def _delete(client: Client, step: Step) -> Json:
    if step.kind == "channel":
        client.channels.delete(step.name)
    elif step.kind == "ping":
        client.pings.delete(step.name, version=step.version)
    else:
        client.jobs.delete(step.name, version=step.version)
    return {}


def _show(todo: list[Step], total: int) -> None:
    from rich.text import Text

    screen = console()
    for step in todo:
        sign, colour = _SIGNS[step.action]
        screen.print(Text(f"{sign} {step.label}", style=colour))
        for line in described(step):
            screen.print(Text(f"    {line}"), soft_wrap=True)
    counts = {action: sum(step.action == action for step in todo) for action in _SIGNS}
    same = total - len(todo)
    say(f"{counts['create']} to create, {counts['change']} to change, {counts['delete']} to delete, {same} unchanged.")


def _json(step: Step) -> Json:
    said = [{"path": change.path, "old": change.old, "new": change.new} for change in step.changes]
    named = {"job": step.name} if step.kind == "job" else {}
    return {"action": step.action.value, "kind": step.kind.value, "name": step.name, **named, "changes": said}


def export(
    jobs: Annotated[
        list[str] | None,
        typer.Argument(metavar="[JOB]…", help="Only these jobs.", autocompletion=completing.jobs),
    ] = None,
    tag: Annotated[str | None, typer.Option(help="Only jobs and pings with this tag.")] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="Instead of standard output.", dir_okay=False)
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Jobs, channels and pings as YAML, for `horae apply`: the same bytes for the same ones."""
    from horae.declarative import export as exported
    from horae.declarative.beside import has_own_secret
    from horae.declarative.kinds import Kind

    with connect() as client:
        every = list(client.jobs.list())
        chosen = {found["id"]: found for found in (map(client.jobs.get, jobs) if jobs else every)}
        channels: list[Json] = [] if jobs or tag else _if_known(client.channels.list)
        pings: list[Json] = [] if jobs else _if_known(partial(client.pings.list, tag=tag))
    names = {job["id"]: job["name"] for job in every}
    wanted = [job for job in chosen.values() if not tag or tag in job["tags"]]
    whole: Json = {
        Kind.CHANNEL.key: exported.beside(Kind.CHANNEL, _readable(channels)),
        Kind.JOB.key: exported.definitions(_readable(wanted), names),
        Kind.PING.key: exported.beside(Kind.PING, _readable(pings)),
    }
    text = as_text({key: found for key, found in whole.items() if found or key == "jobs"}, as_json)
    if output is None:
        sys.stdout.write(text)
    else:
        try:
            output.write_text(text, encoding="utf-8")
        except OSError as error:
            raise HoraeError(f"cannot write {output}: {error.strerror}") from None
        say(f"Wrote {output}.")
    if own := [channel["name"] for channel in _readable(channels) if has_own_secret(channel)]:
        say(f"Not exported: the secrets of {', '.join(own)}. To create them elsewhere, name a secret of the project.")
    left_out = [one for one in (*wanted, *channels, *pings) if one.get("unreadable")]
    for one in left_out:
        say(f"{one['name']} is left out, its definition cannot be read: {one['unreadable']}")
    if left_out:  # applying this with --prune would delete them
        raise typer.Exit(1)


def _if_known(listed: Callable[[], Iterable[Any]]) -> list[Json]:
    try:
        return list(listed())
    except NotFound:  # an older server has none
        return []


def _readable(found: Iterable[Json]) -> list[Json]:
    return [one for one in found if not one.get("unreadable")]


def as_text(whole: Json, as_json: bool) -> str:
    """Definitions as a file for `horae apply`: YAML, of which JSON is a subset."""
    from horae.declarative import export as exported

    return json.dumps(whole, indent=2, ensure_ascii=False) + "\n" if as_json else exported.text(whole)
