"""`horae`: the command and its subcommands, and the only place that turns a failure into a line and an exit code."""

from __future__ import annotations

import gc
import io
import sys

import typer

from horae.cli.root import PlanFailed, root
from horae.domain.errors import ConfigurationError, HoraeError, InvalidInput, NotFound

FAILED, USAGE, NOT_FOUND, INTERRUPTED = 1, 2, 3, 130
PROCESSES = ("serve", "scheduler", "worker", "migrate")  # started often, also by machines


def main() -> None:
    gc.set_threshold(50_000, 20, 20)  # nothing imported is garbage: scanning it took a tenth of the startup time
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal without → shows ?
    sys.exit(run(sys.argv[1:]))


def run(arguments: list[str]) -> int:
    """Runs one command and returns its exit code. Every failure is one line on standard error."""
    try:
        code = _app(arguments)(arguments, prog_name="horae", standalone_mode=False)
        sys.stdout.flush()
        if code == INTERRUPTED:  # Typer raises this for a KeyboardInterrupt
            return _interrupted()
        return code if isinstance(code, int) else 0
    except typer.TyperException as error:
        if not error.format_message():  # a group without a command: its help has been printed
            return USAGE
        return _fail(_usage(error), USAGE)
    except (typer.Abort, KeyboardInterrupt):
        return _interrupted()
    except PlanFailed as failed:
        return _fail(_mended(failed.error), USAGE)
    except NotFound as error:
        return _fail(str(error), NOT_FOUND)
    except (InvalidInput, ConfigurationError) as error:
        return _fail(_mended(error), USAGE)
    except HoraeError as error:
        return _fail(_mended(error), FAILED)
    except BrokenPipeError:  # `horae runs list | head`
        sys.stderr.close()
        return FAILED


def _app(arguments: list[str]) -> typer.Typer:
    """All commands, or only the group that contains the given one."""
    if arguments and arguments[0] in PROCESSES:
        from horae.cli.cluster import processes

        app = root()
        processes.register(app)
        return app
    from horae.cli.commands import app as whole

    return whole


def _interrupted() -> int:
    if sys.stderr.isatty():
        sys.stderr.write("\n")  # the line contains a prompt, or the terminal's ^C
    return _fail("interrupted", INTERRUPTED)


def _fail(message: str, code: int) -> int:
    line = " ".join(message.split())
    sys.stderr.write(f"horae: {line}\n")
    return code


def _usage(error: typer.TyperException) -> str:
    message = error.format_message().rstrip(".")
    context = getattr(error, "ctx", None)
    command = context.command_path if context is not None else "horae"
    return f"{message[0].lower()}{message[1:]} (see `{command} --help`)"


def _mended(error: HoraeError) -> str:
    """Adds a hint that the error itself cannot know."""
    said = str(error)
    if "say which project" in said:
        return (
            "choose one of your projects: set HORAE_PROJECT, or sign in with `horae login --project SLUG`; "
            "`horae whoami` lists them"
        )
    if "Horae-Project" in said:  # the server names its header
        return f"{said.replace('Horae-Project', 'HORAE_PROJECT')}; `horae whoami` lists your projects"
    hints = {
        "Unreachable": "start it with `horae up`, or set HORAE_URL",
        "NotSignedIn": "sign in with `horae login`, set HORAE_TOKEN, or run this where `horae up` runs",
        "StoreUnavailable": "make sure that it is running and that HORAE_DATABASE_URL points to it",
        "ConnectionLost": "make sure that it is running and that HORAE_DATABASE_URL points to it",
    }
    hint = hints.get(type(error).__name__)
    if hint and "https://" in str(error) and "connection failed" in str(error):
        hint = "does the server use http:// instead?"
    return f"{error}; {hint}" if hint else str(error)
