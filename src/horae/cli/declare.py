"""`horae apply` and `horae export`: jobs as files."""

from __future__ import annotations

import json
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from horae.cli import completing
from horae.cli.asking import Yes, confirm
from horae.cli.connection import connect
from horae.cli.differences import described
from horae.cli.printing import AsJson, console, print_json, say
from horae.cli.progress import progress
from horae.cli.root import PlanFailed
from horae.domain.errors import HoraeError, InvalidInput, NotFound

if TYPE_CHECKING:
    from horae.declarative.files import Declared
    from horae.declarative.plan import Step
    from horae.sdk.client import Client

Json = dict[str, Any]
_SIGNS = {"create": ("+", "green"), "change": ("~", "yellow"), "delete": ("-", "red")}
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
    prune: Annotated[bool, typer.Option("--prune", help="Delete jobs that no file declares.")] = False,
    tag: Annotated[
        str | None,
        typer.Option(
            help="With --prune: consider only jobs with this tag, which all declared jobs must have.",
            autocompletion=completing.tags,
        ),
    ] = None,
    yes: Yes = False,
    as_json: AsJson = False,
) -> None:
    """Make the jobs as files say they are: shows the difference, asks, and applies it job by job.

    horae apply jobs/ --dry-run · horae apply jobs/ --env prod --yes · horae apply jobs/ --prune --tag finance
    """
    from horae.declarative.files import load

    declared = load(paths, env)
    with connect() as client:
        try:
            steps = _planned(client, declared, prune, tag)
        except NotFound:
            raise
        except HoraeError as error:
            raise PlanFailed(error) if dry_run else error from None
        todo = [step for step in steps if step.action != "same"]
        if not as_json:
            _show(todo, len(steps))
        failed: dict[str, str] = {}
        if todo and not dry_run:
            _confirm(todo, yes, as_json)
            failed = _carry_out(client, todo, as_json)
    _report(steps, todo, failed, dry_run, as_json)
    if failed or (todo and dry_run):
        raise typer.Exit(1)


def _planned(client: Client, declared: list[Declared], prune: bool, tag: str | None) -> list[Step]:
    from horae.declarative.plan import plan
    from horae.declarative.quotas import check

    current = list(client.jobs.list())
    steps = plan(declared, current, prune=prune, tag=tag)
    with suppress(NotFound):  # an older server has no quotas
        check(steps, current, client.projects.own_quotas())
    return steps


def _report(steps: list[Step], todo: list[Step], failed: dict[str, str], dry_run: bool, as_json: bool) -> None:
    if as_json:
        print_json({"steps": [{**_json(step), "error": failed.get(step.name)} for step in steps]})
    for name, error in failed.items():
        say(f"{name}: {error}")
    if todo and not (as_json or dry_run):
        left = f"; {len(failed)} failed" if failed else ""
        say(f"Applied {len(todo) - len(failed)} of {len(steps)}{left}.")


def _confirm(todo: list[Step], yes: bool, as_json: bool) -> None:
    """Without a confirmed plan or a terminal, deleting requires --yes; the rest can be rolled back."""
    deletes = sum(step.action == "delete" for step in todo)
    if deletes and as_json and not yes:
        raise InvalidInput("--yes", f"is required: {deletes} jobs would be deleted")
    if deletes or (sys.stdin.isatty() and not as_json):
        confirm(f"Apply this, and delete {deletes} jobs" if deletes else "Apply this", yes)


def _carry_out(client: Client, todo: list[Step], as_json: bool) -> dict[str, str]:
    """Each job in its own transaction; a failure does not stop the others, and is reported with the job's name."""
    failed: dict[str, str] = {}
    done = 0
    try:
        with progress("apply", len(todo), quiet=as_json or len(todo) < _LONG) as advance:
            for step in todo:
                try:
                    _do(client, step)
                except HoraeError as error:
                    failed[step.name] = str(error)
                done += 1
                advance(done)
    except KeyboardInterrupt:
        say(f"{done} of {len(todo)} were done; apply again for the rest.")
        raise
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
        for line in described(step):
            screen.print(Text(f"    {line}"), soft_wrap=True)
    counts = {action: sum(step.action == action for step in todo) for action in _SIGNS}
    same = total - len(todo)
    say(f"{counts['create']} to create, {counts['change']} to change, {counts['delete']} to delete, {same} unchanged.")


def _json(step: Step) -> Json:
    said = [{"path": change.path, "old": change.old, "new": change.new} for change in step.changes]
    return {"action": step.action.value, "job": step.name, "changes": said}


def export(
    jobs: Annotated[
        list[str] | None,
        typer.Argument(metavar="[JOB]…", help="Only these; all by default.", autocompletion=completing.jobs),
    ] = None,
    tag: Annotated[str | None, typer.Option(help="Only jobs with this tag.")] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="Instead of standard output.", dir_okay=False)
    ] = None,
    as_json: AsJson = False,
) -> None:
    """The jobs as YAML, for `horae apply`: the same bytes for the same jobs."""
    from horae.declarative import export as exported

    with connect() as client:
        every = list(client.jobs.list())
        chosen = {found["id"]: found for found in (map(client.jobs.get, jobs) if jobs else every)}
    names = {job["id"]: job["name"] for job in every}
    wanted = [job for job in chosen.values() if not tag or tag in job["tags"]]
    left_out = {job["name"]: job["unreadable"] for job in wanted if job.get("unreadable")}
    definitions = exported.definitions([job for job in wanted if job["name"] not in left_out], names)
    text = as_text(definitions, as_json)
    if output is None:
        sys.stdout.write(text)
    else:
        try:
            output.write_text(text, encoding="utf-8")
        except OSError as error:
            raise HoraeError(f"cannot write {output}: {error.strerror}") from None
        say(f"Wrote {output}.")
    for name, reason in left_out.items():
        say(f"{name} is left out, its definition cannot be read: {reason}")
    if left_out:  # applying this with --prune would delete them
        raise typer.Exit(1)


def as_text(definitions: list[Json], as_json: bool) -> str:
    """Definitions as a file for `horae apply`: YAML, of which JSON is a subset."""
    from horae.declarative import export as exported

    whole = {"jobs": definitions}
    return json.dumps(whole, indent=2, ensure_ascii=False) + "\n" if as_json else exported.text(definitions)
