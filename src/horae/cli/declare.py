"""`horae apply` and `horae export`: jobs as files."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from horae.cli.connection import connect
from horae.cli.printing import AsJson, console, print_json, say
from horae.domain.errors import HoraeError

if TYPE_CHECKING:
    from horae.declarative.plan import Step
    from horae.sdk.client import Client

Json = dict[str, Any]
_SIGNS = {"create": ("+", "green"), "change": ("~", "yellow"), "delete": ("-", "red")}
_LONG = 20  # steps from which on progress is shown


def register(app: typer.Typer) -> None:
    app.command("apply")(apply)
    app.command("export")(export)


def apply(
    paths: Annotated[list[Path], typer.Argument(metavar="FILE…", help="YAML files or folders of them.")],
    env: Annotated[
        str | None, typer.Option(metavar="ENV", help="Lay jobs.ENV.yaml over jobs.yaml, wherever there is one.")
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only show what would be done; exit 1 if anything.")
    ] = False,
    prune: Annotated[bool, typer.Option("--prune", help="Delete the jobs that no file declares.")] = False,
    tag: Annotated[str | None, typer.Option(help="With --prune: only among the jobs with this tag.")] = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    as_json: AsJson = False,
) -> None:
    """Make the jobs as files say they are: shows the difference, asks, and applies it job by job."""
    from horae.declarative.files import load
    from horae.declarative.plan import Action, plan

    declared = load(paths, env)
    with connect() as client:
        current = [job for job in client.jobs.list() if not tag or tag in job["tags"] or _is_declared(job, declared)]
        steps = plan(declared, current, prune=prune)
        todo = [step for step in steps if step.action is not Action.SAME]
        if as_json and dry_run:
            print_json({"steps": [_json(step) for step in steps]})
        elif not as_json:
            _show(todo, len(steps))
        if dry_run:
            raise typer.Exit(1 if todo else 0)
        if not todo:
            if as_json:
                print_json({"steps": [_json(step) for step in steps]})
            return
        _confirm(todo, yes)
        failed = _carry_out(client, todo)
    if as_json:
        print_json({"steps": [{**_json(step), "error": failed.get(step.name)} for step in steps]})
    for name, error in failed.items():
        say(f"{name}: {error}")
    if failed:
        raise typer.Exit(1)
    if not as_json:
        say(f"Applied {len(todo)} of {len(steps)}." if len(todo) != len(steps) else f"Applied {len(todo)}.")


def _is_declared(job: Json, declared: list[Any]) -> bool:
    return any(one.name == job["name"] for one in declared)


def _confirm(todo: list[Step], yes: bool) -> None:
    if yes:
        return
    deletes = sum(step.action == "delete" for step in todo)
    if not sys.stdin.isatty():
        if deletes:
            say(f"{deletes} jobs would be deleted: say --yes if they are to be.")
            raise typer.Exit(2)
        return
    if not typer.confirm("Apply this?", err=True):
        say("Nothing was changed.")
        raise typer.Exit(1)


def _carry_out(client: Client, todo: list[Step]) -> dict[str, str]:
    """Each job in a transaction of its own; what fails does not keep the others back, and is told by name."""
    from rich.console import Console
    from rich.progress import track

    failed: dict[str, str] = {}
    screen = Console(stderr=True)
    shown = not (screen.is_terminal and len(todo) >= _LONG)
    for step in track(todo, "Applying", console=screen, disable=shown, transient=True):
        try:
            _do(client, step)
        except HoraeError as error:
            failed[step.name] = str(error)
    return failed


def _do(client: Client, step: Step) -> None:
    if step.declared is None:
        client.jobs.delete(step.name, version=step.version)
        return
    fields = {**step.declared.spec.to_json(), "enabled": step.declared.enabled}
    if step.action == "create":
        client.jobs.create(**fields)
    else:
        client.jobs.replace(step.name, fields, version=step.version)


def _show(todo: list[Step], total: int) -> None:
    from rich.text import Text

    screen = console()
    for step in todo:
        sign, colour = _SIGNS[step.action]
        screen.print(Text(f"{sign} {step.name}", style=colour))
        for change in step.changes:
            line = _text(change.new) if step.action == "create" else f"{_text(change.old)} → {_text(change.new)}"
            screen.print(Text.assemble("    ", (change.path, "bold"), f": {line}"), soft_wrap=True)
    counts = {action: sum(step.action == action for step in todo) for action in _SIGNS}
    same = total - len(todo)
    say(
        f"{counts['create']} to create, {counts['change']} to change, {counts['delete']} to delete, {same} as they are."
    )


def _text(value: Any) -> str:
    return value if isinstance(value, str) and "\n" not in value else json.dumps(value, ensure_ascii=False)


def _json(step: Step) -> Json:
    said = [{"path": change.path, "old": change.old, "new": change.new} for change in step.changes]
    return {"action": step.action.value, "job": step.name, "changes": said}


def export(
    jobs: Annotated[list[str] | None, typer.Argument(metavar="[JOB]…", help="Only these; all by default.")] = None,
    tag: Annotated[str | None, typer.Option(help="Only those with this tag.")] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="Instead of standard output.", dir_okay=False)
    ] = None,
) -> None:
    """The jobs as YAML, for `horae apply`: the same bytes for the same jobs."""
    from horae.declarative.export import export as as_yaml

    with connect() as client:
        every = list(client.jobs.list())
        chosen = [client.jobs.get(job) for job in jobs] if jobs else every
    names = {job["id"]: job["name"] for job in every}
    text = as_yaml([job for job in chosen if not tag or tag in job["tags"]], names)
    if output is None:
        sys.stdout.write(text)
    else:
        output.write_text(text, encoding="utf-8")
        say(f"Wrote {output}.")
