"""`horae import`: converts the jobs of other schedulers to YAML, to be reviewed and then applied."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from horae.cli.jobs.declare import as_text
from horae.cli.terminal.printing import AsJson, say
from horae.domain.errors import InvalidInput

if TYPE_CHECKING:
    from horae.declarative.importers import Imported

app = typer.Typer(help="Convert jobs from other schedulers to YAML for `horae apply`.", no_args_is_help=True)

File = Annotated[str, typer.Argument(metavar="FILE", help="A file, or - for standard input.")]
Reference = Annotated[str, typer.Argument(metavar="MODULE:NAME", help="An object that can be imported from here.")]


@app.command("crontab")
def crontab(
    file: File,
    system: Annotated[bool, typer.Option("--system", help="The sixth field is a user, as in /etc/crontab.")] = False,
    as_json: AsJson = False,
) -> None:
    """A crontab, as `crontab -l` prints it."""
    from horae.declarative.importers.crontab import read

    _show(read(_text(file), system=system), as_json)


@app.command("kubernetes")
def kubernetes(file: File, as_json: AsJson = False) -> None:
    """CronJob manifests, as `kubectl get cronjobs -o yaml` prints them."""
    from horae.declarative.importers.kubernetes import read

    _show(read(_text(file)), as_json)


@app.command("celery-beat")
def celery_beat(
    source: Annotated[
        str, typer.Argument(metavar="SOURCE", help="MODULE:NAME of an app or beat_schedule, or a dump (JSON file).")
    ],
    functions: Annotated[
        bool, typer.Option("--functions", help="Call functions of Horae's workers instead of Celery tasks.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """A beat_schedule, or what `manage.py dumpdata django_celery_beat` prints."""
    from horae.declarative.importers.celery_beat import read_app, read_rows

    from_file = source == "-" or Path(source).is_file()
    if from_file:
        found = read_rows(_text(source), functions=functions)
    else:
        found = read_app(_imported(source), functions=functions)
    _show(found, as_json)


@app.command("apscheduler")
def apscheduler(source: Reference, as_json: AsJson = False) -> None:
    """The jobs of an APScheduler 3 scheduler."""
    from horae.declarative.importers.apscheduler import read_scheduler

    _show(read_scheduler(_imported(source)), as_json)


def _text(file: str) -> str:
    try:
        return sys.stdin.read() if file == "-" else Path(file).read_text(encoding="utf-8")
    except OSError as error:
        raise InvalidInput(file, f"cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise InvalidInput(file, "is not UTF-8 text") from None


def _imported(reference: str) -> Any:
    module, colon, name = reference.partition(":")
    if not colon:
        raise InvalidInput(reference, "is not a file; to import an object, write MODULE:NAME")
    sys.path.insert(0, str(Path.cwd()))
    try:
        found = importlib.import_module(module)
        for part in name.split("."):
            found = getattr(found, part)
    except (Exception, SystemExit) as error:  # the module may be any program
        raise InvalidInput(reference, f"cannot be imported: {error or type(error).__name__}") from None
    return found


def _show(imported: Imported, as_json: bool) -> None:
    sys.stdout.write(as_text({"jobs": imported.definitions}, as_json))
    for note in imported.notes:
        say(f"note: {note}")
    say(f"{len(imported.definitions)} jobs. Read them, then `horae apply FILE`.")
