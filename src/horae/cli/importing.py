"""`horae import`: the jobs of other schedulers as YAML, to be read and then applied."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from horae.cli.printing import say
from horae.domain.errors import InvalidInput

if TYPE_CHECKING:
    from horae.declarative.importers import Imported

app = typer.Typer(help="Jobs of other schedulers as YAML for `horae apply`.", no_args_is_help=True)

File = Annotated[str, typer.Argument(metavar="FILE", help="A file, or - for standard input.")]
Reference = Annotated[str, typer.Argument(metavar="MODULE:NAME", help="An object that can be imported from here.")]


@app.command("crontab")
def crontab(
    file: File,
    system: Annotated[bool, typer.Option("--system", help="With a user in the sixth field, as /etc/crontab.")] = False,
) -> None:
    """A crontab, as `crontab -l` prints it."""
    from horae.declarative.importers.crontab import read

    _show(read(_text(file), system=system))


@app.command("kubernetes")
def kubernetes(file: File) -> None:
    """CronJob manifests, as `kubectl get cronjobs -o yaml` prints them."""
    from horae.declarative.importers.kubernetes import read

    _show(read(_text(file)))


@app.command("celery-beat")
def celery_beat(
    source: Annotated[
        str, typer.Argument(metavar="SOURCE", help="MODULE:NAME of an app or beat_schedule, or a dump (JSON file).")
    ],
) -> None:
    """A beat_schedule, or what `manage.py dumpdata django_celery_beat` prints."""
    from horae.declarative.importers.celery_beat import read_app, read_rows

    _show(read_rows(_text(source)) if source == "-" or Path(source).is_file() else read_app(_imported(source)))


@app.command("apscheduler")
def apscheduler(source: Reference) -> None:
    """The jobs of an APScheduler 3 scheduler."""
    from horae.declarative.importers.apscheduler import read_scheduler

    _show(read_scheduler(_imported(source)))


def _text(file: str) -> str:
    try:
        return sys.stdin.read() if file == "-" else Path(file).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInput(file, f"cannot be read: {error}") from None


def _imported(reference: str) -> Any:
    module, colon, name = reference.partition(":")
    if not colon:
        raise InvalidInput(reference, "is no file; to import an object write MODULE:NAME")
    sys.path.insert(0, str(Path.cwd()))
    try:
        found = importlib.import_module(module)
        for part in name.split("."):
            found = getattr(found, part)
    except (ImportError, AttributeError) as error:
        raise InvalidInput(reference, f"cannot be imported: {error}") from None
    return found


def _show(imported: Imported) -> None:
    from horae.declarative.export import text

    sys.stdout.write(text(imported.definitions))
    for note in imported.notes:
        say(f"note: {note}")
    say(f"{len(imported.definitions)} jobs. Read them, then `horae apply FILE`.")
